#include "weights/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/files.h"

namespace starbridge::weights {
namespace {

using base::Error;
using base::Result;
using base::Status;
using base::text;

constexpr std::size_t kPieceBytes = 256 << 10;

Error bytes_missing(std::uint64_t offset, std::uint64_t wanted, std::uint64_t size) {
  return Error("weights.malformed", text("{} bytes from byte {} were expected, but there are only {} in all",
                                         "应从第 {1} 字节起读取 {0} 字节，但总共只有 {2} 字节", wanted, offset, size));
}

// A temporary file that has no name, so that nothing is left behind however the process ends.
Result<Descriptor> open_unnamed_file() {
  const char* folder = std::getenv("TMPDIR");
  std::string path = folder != nullptr && *folder != '\0' ? folder : "/tmp";
  int descriptor = ::open(path.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0) {  // not every file system has O_TMPFILE
    std::string name = path + "/starbridge-weights-XXXXXX";
    descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0) return base::io_error(errno, text("cannot make a temporary file", "无法创建临时文件"), path);
    ::unlink(name.c_str());
  }
  return Descriptor(descriptor);
}

struct Inflater {
  z_stream stream{};
  bool is_ready = false;
  Inflater() { is_ready = inflateInit2(&stream, -MAX_WBITS) == Z_OK; }
  ~Inflater() {
    if (is_ready) inflateEnd(&stream);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

}  // namespace

Descriptor::~Descriptor() {
  if (value_ >= 0) ::close(value_);
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(value_, other.value_);
  return *this;
}

Result<std::unique_ptr<FileSource>> FileSource::open(const std::string& path) {
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (descriptor.get() < 0) return base::io_error(errno, text("cannot open the file", "无法打开文件"), path);
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) return base::io_error(errno, text("cannot read the file", "无法读取文件"), path);
  if (!S_ISREG(status.st_mode)) {
    return Error("base.not_a_file", text("this is not a regular file", "这不是普通文件")).at(path);
  }
  return std::make_unique<FileSource>(std::move(descriptor), static_cast<std::uint64_t>(status.st_size), path);
}

Status FileSource::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (offset > size_ || out.size() > size_ - offset) return bytes_missing(offset, out.size(), size_).at(path_);
  while (!out.empty()) {
    ssize_t got = ::pread(descriptor_.get(), out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return base::io_error(errno, text("cannot read the file", "无法读取文件"), path_);
    if (got == 0) {
      return Error("weights.malformed", text("the file became shorter while it was read", "文件在读取过程中变短")).at(path_);
    }
    out = out.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return {};
}

void FileSource::prefetch(std::uint64_t offset, std::uint64_t bytes) const {
  if (offset < size_)
    ::posix_fadvise(descriptor_.get(), static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_WILLNEED);
}

Status MemorySource::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (offset > bytes_.size() || out.size() > bytes_.size() - offset) return bytes_missing(offset, out.size(), bytes_.size());
  if (!out.empty()) std::memcpy(out.data(), bytes_.data() + offset, out.size());
  return {};
}

Status PartSource::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (offset > size_ || out.size() > size_ - offset) return bytes_missing(offset, out.size(), size_);
  return whole_.read(offset_ + offset, out);
}

Status InflatedSource::read(std::uint64_t offset, std::span<std::byte> out) const {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!inflated_) SB_TRY_VOID(inflate());
  }
  return inflated_->read(offset, out);
}

Status InflatedSource::inflate() const {
  auto damaged = [&](const char* en, const char* zh) {
    return Error("weights.malformed", {en, zh}).in_field(base::sanitize_utf8(entry_.name));
  };
  SB_TRY(Descriptor descriptor, open_unnamed_file());
  Inflater inflater;
  if (!inflater.is_ready) return damaged("the entry cannot be inflated", "条目无法解压");
  std::vector<std::byte> packed(kPieceBytes), plain(kPieceBytes);
  std::uint64_t taken = 0, given = 0;
  uLong crc = ::crc32(0, nullptr, 0);
  z_stream& stream = inflater.stream;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (stream.avail_in == 0) {
      auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(packed.size(), entry_.packed_bytes - taken));
      if (piece == 0) return damaged("the deflated entry ends too early", "压缩条目过早结束");
      SB_TRY_VOID(whole_.read(entry_.offset + taken, std::span(packed).first(piece)));
      taken += piece;
      stream.next_in = reinterpret_cast<Bytef*>(packed.data());
      stream.avail_in = static_cast<uInt>(piece);
    }
    stream.next_out = reinterpret_cast<Bytef*>(plain.data());
    stream.avail_out = static_cast<uInt>(plain.size());
    state = ::inflate(&stream, Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) {
      return damaged("the deflated entry is damaged", "压缩条目已损坏");
    }
    std::size_t made = plain.size() - stream.avail_out;
    // The declared size was checked against the limits when the archive was opened; more than it is a bomb.
    if (made > entry_.bytes - given) return damaged("the entry inflates to more than it declares", "条目解压后大于其声明的大小");
    crc = ::crc32(crc, reinterpret_cast<const Bytef*>(plain.data()), static_cast<uInt>(made));
    for (std::size_t done = 0; done < made;) {
      ssize_t written = ::pwrite(descriptor.get(), plain.data() + done, made - done, static_cast<off_t>(given + done));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return base::io_error(errno, text("cannot write a temporary file", "无法写入临时文件"), "TMPDIR");
      done += static_cast<std::size_t>(written);
    }
    given += made;
  }
  if (given != entry_.bytes) return damaged("the entry inflates to less than it declares", "条目解压后小于其声明的大小");
  if (crc != entry_.crc32) return damaged("the CRC-32 of the entry is wrong", "条目的 CRC-32 不符");
  inflated_ = std::make_unique<FileSource>(std::move(descriptor), given, entry_.name);
  return {};
}

Result<std::string> read_all(const ByteSource& source, std::uint64_t bytes_max, const std::string& name) {
  if (source.size() > bytes_max) {
    return Error("base.document_too_large", text("{} has {} bytes, more than the limit of {}", "{} 有 {} 字节，超过上限 {}",
                                                 base::sanitize_utf8(name), source.size(), bytes_max));
  }
  std::string bytes(static_cast<std::size_t>(source.size()), '\0');
  SB_TRY_VOID(source.read(0, std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

}  // namespace starbridge::weights
