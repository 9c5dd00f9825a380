// Files for the tests of this room, made byte by byte, so that they can be wrong in every way.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "weights/bytes.h"

namespace starbridge::weights {

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "starbridge-weights-test-XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  ~TempFolder() {
    std::error_code failure;
    std::filesystem::remove_all(path_, failure);
  }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::string path = path_ + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct ZipPart {
  std::string name;
  std::string bytes;
  bool is_deflated = false;
};

inline std::string deflated(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(bytes.size() / 2 + 1024, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::size_t made = 0;
  for (int state = Z_OK; state != Z_STREAM_END;) {
    if (made == out.size()) out.resize(out.size() * 2);
    stream.next_out = reinterpret_cast<Bytef*>(out.data()) + made;
    stream.avail_out = static_cast<uInt>(out.size() - made);
    state = ::deflate(&stream, Z_FINISH);
    made = out.size() - stream.avail_out;
  }
  deflateEnd(&stream);
  out.resize(made);
  return out;
}

// One header of the directory and where its fields are changed by a test before the archive is put together.
struct ZipFields {
  std::uint32_t crc32 = 0;
  std::uint32_t packed_bytes = 0;
  std::uint32_t bytes = 0;
  std::uint32_t local_offset = 0;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::string name;
};

template <class Change>
std::string zip_of(const std::vector<ZipPart>& parts, Change change) {
  std::string archive, directory;
  for (std::size_t index = 0; index < parts.size(); ++index) {
    const ZipPart& part = parts[index];
    std::string packed = part.is_deflated ? deflated(part.bytes) : part.bytes;
    ZipFields fields;
    fields.crc32 = static_cast<std::uint32_t>(
        ::crc32(0, reinterpret_cast<const Bytef*>(part.bytes.data()), static_cast<uInt>(part.bytes.size())));
    fields.packed_bytes = static_cast<std::uint32_t>(packed.size());
    fields.bytes = static_cast<std::uint32_t>(part.bytes.size());
    fields.local_offset = static_cast<std::uint32_t>(archive.size());
    fields.method = part.is_deflated ? 8 : 0;
    fields.name = part.name;
    append_le<std::uint32_t>(archive, 0x04034b50);
    for (int field = 0; field < 5; ++field) append_le<std::uint16_t>(archive, field == 2 ? fields.method : 0);
    append_le(archive, fields.crc32);
    append_le(archive, fields.packed_bytes);
    append_le(archive, fields.bytes);
    append_le(archive, static_cast<std::uint16_t>(part.name.size()));
    append_le<std::uint16_t>(archive, 0);
    archive += part.name + packed;
    change(index, fields);
    append_le<std::uint32_t>(directory, 0x02014b50);
    append_le<std::uint16_t>(directory, 0);
    append_le<std::uint16_t>(directory, 0);
    append_le(directory, fields.flags);
    append_le(directory, fields.method);
    append_le<std::uint32_t>(directory, 0);
    append_le(directory, fields.crc32);
    append_le(directory, fields.packed_bytes);
    append_le(directory, fields.bytes);
    append_le(directory, static_cast<std::uint16_t>(fields.name.size()));
    for (int field = 0; field < 4; ++field) append_le<std::uint16_t>(directory, 0);
    append_le<std::uint32_t>(directory, 0);
    append_le(directory, fields.local_offset);
    directory += fields.name;
  }
  auto offset = static_cast<std::uint32_t>(archive.size());
  archive += directory;
  append_le<std::uint32_t>(archive, 0x06054b50);
  append_le<std::uint32_t>(archive, 0);
  append_le(archive, static_cast<std::uint16_t>(parts.size()));
  append_le(archive, static_cast<std::uint16_t>(parts.size()));
  append_le(archive, static_cast<std::uint32_t>(directory.size()));
  append_le(archive, offset);
  append_le<std::uint16_t>(archive, 0);
  return archive;
}

inline std::string zip_of(const std::vector<ZipPart>& parts) {
  return zip_of(parts, [](std::size_t, ZipFields&) {});
}

inline std::string safetensors_of(const std::string& header, const std::string& data) {
  std::string bytes;
  append_le<std::uint64_t>(bytes, header.size());
  return bytes + header + data;
}

inline std::string pickled_text(const std::string& text) {
  std::string bytes = "X";
  append_le(bytes, static_cast<std::uint32_t>(text.size()));
  return bytes + text;
}

inline std::string pickled_number(std::int64_t value) {
  std::string bytes = "\x8a\x08";
  append_le(bytes, value);
  return bytes;
}

inline std::string pickled_numbers(const std::vector<std::int64_t>& values) {
  std::string bytes = "(";
  for (std::int64_t value : values) bytes += pickled_number(value);
  return bytes + "t";
}

// The call that torch writes for a tensor.
struct PickledTensor {
  std::string storage_type = "FloatStorage";
  std::string key = "0";
  std::string device = "cpu";
  std::int64_t count = 0;  // elements of the storage
  std::int64_t offset = 0;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
};

inline std::string pickled_tensor(const PickledTensor& tensor) {
  return "ctorch._utils\n_rebuild_tensor_v2\n((" + pickled_text("storage") + "ctorch\n" + tensor.storage_type + "\n" +
         pickled_text(tensor.key) + pickled_text(tensor.device) + pickled_number(tensor.count) + "tQ" +
         pickled_number(tensor.offset) + pickled_numbers(tensor.shape) + pickled_numbers(tensor.strides) +
         "\x89"
         "ccollections\nOrderedDict\n)RtR";
}

// {"name": tensor, ...} as a whole pickle.
inline std::string pickled_dict(const std::vector<std::pair<std::string, PickledTensor>>& tensors) {
  std::string bytes = "\x80\x02}(";
  for (const auto& [name, tensor] : tensors) bytes += pickled_text(name) + pickled_tensor(tensor);
  return bytes + "u.";
}

inline std::string torch_zip(const std::string& pickle, const std::map<std::string, std::string>& storages) {
  std::vector<ZipPart> parts = {{"archive/data.pkl", pickle, false}};
  for (const auto& [key, bytes] : storages) parts.push_back({"archive/data/" + key, bytes, false});
  parts.push_back({"archive/version", "3\n", false});
  return zip_of(parts);
}

}  // namespace starbridge::weights
