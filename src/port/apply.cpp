#include "port/apply.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "port/diff.h"

namespace starbridge::port {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::Json;
using base::Status;
using base::text;

struct EditedFile {
  std::string path;
  const std::vector<Edit>* edits;
};

std::vector<EditedFile> edited_files(const ProjectReport& report) {
  SB_CHECK(report.chips.size() == 1);
  std::vector<EditedFile> files;
  for (const FileReport& file : report.files) {
    if (!file.results[0].edits.empty()) files.push_back({file.path, &file.results[0].edits});
  }
  return files;
}

bool is_single_file(const std::string& root) {
  std::error_code failure;
  return fs::is_regular_file(root, failure);
}

std::string full_path(const std::string& root, const std::string& path) {
  return is_single_file(root) ? root : root + "/" + path;
}

Json manifest_entry(const EditedFile& file, const std::string& original, const std::string& ported) {
  Json entry = {{"path", base::sanitize_utf8(file.path)},
                {"original_sha256", base::sha256_hex(original)},
                {"ported_sha256", base::sha256_hex(ported)},
                {"reverse", Json::array()}};
  for (const Edit& edit : reverse_edits(original, *file.edits))
    entry["reverse"].push_back({edit.begin, edit.end, edit.replacement});
  return entry;
}

Json manifest_head(const ProjectReport& report) {
  Json head = {{"schema", "starbridge.port_record/1"},
               {"chip", report.chips[0].target.chip->id},
               {"style", to_string(report.chips[0].target.style)},
               {"files", Json::array()},
               {"new_files", Json::array()}};
  for (const NewFile& file : report.chips[0].new_files)
    head["new_files"].push_back({{"path", base::sanitize_utf8(file.path)}, {"sha256", base::sha256_hex(file.bytes)}});
  return head;
}

Status write_new_files(const ProjectReport& report, const std::string& root) {
  for (const NewFile& file : report.chips[0].new_files)
    SB_TRY_VOID(base::write_file_atomically(root + "/" + file.path, file.bytes));
  return {};
}

Error no_space_or(int errno_value, const std::string& path) {
  return base::io_error(errno_value, text("cannot copy the file", "无法复制文件"), path);
}

// Copies a file's bytes inside the kernel where the file system can; falls back to plain copying.
Status copy_bytes(const std::string& from, const std::string& to, unsigned mode) {
  int in = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (in < 0) return no_space_or(errno, from);
  int out = ::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode | 0200);
  int failure = out < 0 ? errno : 0;
  std::vector<char> buffer;
  while (failure == 0) {
    ssize_t moved = buffer.empty() ? ::copy_file_range(in, nullptr, out, nullptr, 1UL << 30, 0) : 0;
    if (moved > 0) continue;
    if (moved == 0 && buffer.empty()) break;
    if (buffer.empty()) buffer.resize(1 << 20);
    ssize_t got = ::read(in, buffer.data(), buffer.size());
    if (got < 0) failure = errno;
    if (got <= 0) break;
    for (ssize_t put = 0; put < got && failure == 0;) {
      ssize_t now = ::write(out, buffer.data() + put, static_cast<std::size_t>(got - put));
      if (now < 0) failure = errno;
      put += std::max<ssize_t>(now, 0);
    }
  }
  if (out >= 0) {
    if (failure == 0 && ::fchmod(out, mode) != 0) failure = errno;
    if (::close(out) != 0 && failure == 0) failure = errno;
  }
  ::close(in);
  if (failure != 0) return no_space_or(failure, to);
  return {};
}

Status copy_entry(const std::string& root, const std::string& output, const TreeEntry& entry) {
  std::string from = root + "/" + entry.path;
  std::string to = output + "/" + entry.path;
  std::error_code failure;
  if (entry.kind == TreeEntry::Kind::kDirectory) {
    fs::create_directory(to, failure);
  } else if (entry.kind == TreeEntry::Kind::kSymlink) {
    fs::copy_symlink(from, to, failure);
  } else if (entry.kind == TreeEntry::Kind::kFile) {
    return copy_bytes(from, to, entry.mode);
  }
  if (failure) return no_space_or(failure.value(), to);
  return {};
}

Status fill_copy(const ProjectReport& report, const std::string& output, const OnProgress& on_progress) {
  SB_TRY(std::vector<TreeEntry> entries, walk_tree(report.root, nullptr));
  std::size_t done = 0;
  for (const TreeEntry& entry : entries) {
    SB_TRY_VOID(copy_entry(report.root, output, entry));
    if (on_progress && ++done % 64 == 0) on_progress(done, entries.size());
  }
  Json manifest = manifest_head(report);
  for (const EditedFile& file : edited_files(report)) {
    SB_TRY(std::string original, base::read_file(full_path(report.root, file.path)));
    std::string ported = apply_edits(original, *file.edits);
    manifest["files"].push_back(manifest_entry(file, original, ported));
    struct stat info {};
    std::string to = output + "/" + file.path;
    if (::stat(to.c_str(), &info) != 0) return base::io_error(errno, text("cannot read the copy", "无法读取副本"), to);
    SB_TRY_VOID(base::write_file_atomically(to, ported, info.st_mode & 07777));
  }
  SB_TRY_VOID(write_new_files(report, output));
  return base::write_file_atomically(output + "/" + kManifestName, base::to_string(manifest, 1) + "\n");
}

bool is_empty_folder(const std::string& path) {
  std::error_code failure;
  return fs::is_directory(path, failure) && fs::is_empty(path, failure) && !failure;
}

base::Result<Json> read_manifest(const std::string& root) {
  base::Result<Json> manifest = base::read_json(root + "/" + kManifestName);
  bool is_record = manifest.ok() && manifest->is_object() && manifest->value("schema", "") == "starbridge.port_record/1" &&
                   manifest->contains("files") && (*manifest)["files"].is_array() && (*manifest)["chip"].is_string();
  if (is_record) return manifest;
  return Error("port.no_manifest", text("there is no readable record of a port here", "此处没有可读的移植记录"))
      .at(root + "/" + kManifestName)
      .next(text("name the folder that \"starbridge port\" wrote", "请给出 starbridge port 生成的目录"));
}

struct Restored {
  std::string path;
  std::string bytes;
};

// One file of the record turned back. An empty path: it has its original bytes already.
base::Result<Restored> restore(const std::string& root, const Json& entry) {
  std::string path = entry.value("path", "");
  bool is_inside = !path.empty() && path[0] != '/' && path.find("..") == std::string::npos;
  auto mismatch = [&] {
    return Error("port.manifest_mismatch", text("the file was changed after the port", "文件在移植之后被改动过"))
        .at(root + "/" + path)
        .next(text("undo those changes, or port the original anew", "撤销这些改动，或从原项目重新移植"));
  };
  if (!is_inside || !entry.contains("reverse") || !entry["reverse"].is_array()) return mismatch();
  SB_TRY(std::string bytes, base::read_file(full_path(root, path)));
  std::string hash = base::sha256_hex(bytes);
  if (hash == entry.value("original_sha256", "")) return Restored{};
  if (hash != entry.value("ported_sha256", "")) return mismatch();
  std::vector<Edit> edits;
  for (const Json& edit : entry["reverse"]) {
    bool is_edit = edit.is_array() && edit.size() == 3 && edit[0].is_number_unsigned() && edit[1].is_number_unsigned() &&
                   edit[2].is_string();
    if (!is_edit) return mismatch();
    edits.push_back({edit[0].get<std::size_t>(), edit[1].get<std::size_t>(), edit[2].get<std::string>(), "reverse"});
  }
  base::Result<std::vector<Edit>> normal = normalize_edits(std::move(edits), bytes.size());
  if (!normal.ok()) return mismatch();
  std::string original = apply_edits(bytes, *normal);
  if (base::sha256_hex(original) != entry.value("original_sha256", "")) return mismatch();
  return Restored{path, std::move(original)};
}

// Paths of the files the port added that are still there, as they were written.
base::Result<std::vector<std::string>> added_files(const std::string& root, const Json& manifest) {
  std::vector<std::string> paths;
  for (const Json& entry : manifest.value("new_files", Json::array())) {
    std::string path = entry.is_object() ? entry.value("path", "") : "";
    auto mismatch = [&] {
      return Error("port.manifest_mismatch", text("the file was changed after the port", "文件在移植之后被改动过"))
          .at(root + "/" + path)
          .next(text("undo those changes, or port the original anew", "撤销这些改动，或从原项目重新移植"));
    };
    if (path.empty() || path[0] == '/' || path.find("..") != std::string::npos) return mismatch();
    std::error_code failure;
    if (!fs::exists(root + "/" + path, failure)) continue;
    SB_TRY(std::string bytes, base::read_file(root + "/" + path));
    if (base::sha256_hex(bytes) != entry.value("sha256", "")) return mismatch();
    paths.push_back(root + "/" + path);
  }
  return paths;
}

unsigned mode_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0644;
}

}  // namespace

base::Result<std::string> make_patch(const ProjectReport& report) {
  std::string patch;
  for (const EditedFile& file : edited_files(report)) {
    SB_TRY(std::string original, base::read_file(full_path(report.root, file.path)));
    patch += unified_diff(file.path, original, *file.edits);
  }
  for (const NewFile& file : report.chips[0].new_files) patch += new_file_diff(file.path, file.bytes);
  return patch;
}

Status write_copy(const ProjectReport& report, const std::string& output, const OnProgress& on_progress) {
  std::error_code failure;
  if (fs::exists(fs::symlink_status(output, failure)) && !is_empty_folder(output)) {
    return Error("base.file_exists", text("the output exists already", "输出位置已存在"))
        .at(output)
        .next(text("remove it or choose another name with -o", "删除它，或用 -o 换个名字"));
  }
  fs::path root = fs::weakly_canonical(report.root, failure);
  fs::path target = fs::weakly_canonical(output, failure);
  auto inside = std::mismatch(root.begin(), root.end(), target.begin(), target.end());
  if (inside.first == root.end()) {
    return Error("base.usage", text("the output lies inside the project", "输出位置在项目之内"))
        .at(output)
        .next(text("choose a folder outside", "请选择项目之外的目录"));
  }
  std::string scratch = output + ".starbridge-" + std::to_string(::getpid());
  if (is_single_file(report.root)) {
    return Error("base.usage",
                 text("a single file is ported with --patch or --in-place", "单个文件请用 --patch 或 --in-place 移植"))
        .at(report.root);
  }
  SB_TRY_VOID(base::make_directories(scratch));
  Status filled = fill_copy(report, scratch, on_progress);
  if (filled.ok()) {
    fs::remove(output, failure);  // an empty folder
    fs::rename(scratch, output, failure);
    if (failure) filled = base::io_error(failure.value(), text("cannot put the copy in its place", "无法把副本放到位"), output);
  }
  if (!filled.ok()) fs::remove_all(scratch, failure);
  return filled;
}

Status write_in_place(const ProjectReport& report) {
  if (is_single_file(report.root)) {
    for (const EditedFile& file : edited_files(report)) {
      SB_TRY(std::string original, base::read_file(report.root));
      SB_TRY_VOID(base::write_file_atomically(report.root, apply_edits(original, *file.edits), mode_of(report.root)));
    }
    std::string folder = fs::path(report.root).parent_path().string();
    return write_new_files(report, folder.empty() ? "." : folder);
  }
  std::error_code failure;
  if (fs::exists(report.root + "/" + kManifestName, failure)) {
    return Error("port.already_ported", text("the folder was ported before", "该目录之前已移植过"))
        .at(report.root + "/" + kManifestName)
        .next(text("run starbridge port --reverse on it first", "请先对它运行 starbridge port --reverse"));
  }
  std::vector<Restored> ported;
  Json manifest = manifest_head(report);
  for (const EditedFile& file : edited_files(report)) {
    SB_TRY(std::string original, base::read_file(report.root + "/" + file.path));
    ported.push_back({file.path, apply_edits(original, *file.edits)});
    manifest["files"].push_back(manifest_entry(file, original, ported.back().bytes));
  }
  SB_TRY_VOID(base::write_file_atomically(report.root + "/" + kManifestName, base::to_string(manifest, 1) + "\n"));
  for (const Restored& file : ported) {
    std::string path = report.root + "/" + file.path;
    SB_TRY_VOID(base::write_file_atomically(path, file.bytes, mode_of(path)));
  }
  return write_new_files(report, report.root);
}

base::Result<Reversal> reverse_port(const std::string& root) {
  SB_TRY(Json manifest, read_manifest(root));
  SB_TRY(std::vector<std::string> added, added_files(root, manifest));
  std::vector<Restored> files;
  for (const Json& entry : manifest["files"]) {
    if (!entry.is_object())
      return Error("port.no_manifest", text("the record is damaged", "移植记录已损坏")).at(root + "/" + kManifestName);
    SB_TRY(Restored restored, restore(root, entry));
    if (!restored.path.empty()) files.push_back(std::move(restored));
  }
  for (const Restored& file : files) {
    std::string path = root + "/" + file.path;
    SB_TRY_VOID(base::write_file_atomically(path, file.bytes, mode_of(path)));
  }
  for (const std::string& path : added) {
    if (::unlink(path.c_str()) != 0) return base::io_error(errno, text("cannot remove the added file", "无法删除新增文件"), path);
  }
  if (::unlink((root + "/" + kManifestName).c_str()) != 0)
    return base::io_error(errno, text("cannot remove the record", "无法删除移植记录"), root);
  return Reversal{manifest["chip"].get<std::string>(), manifest["files"].size()};
}

base::Result<std::string> ported_chip(const std::string& root) {
  SB_TRY(Json manifest, read_manifest(root));
  return manifest["chip"].get<std::string>();
}

}  // namespace starbridge::port
