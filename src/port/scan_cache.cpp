#include "port/scan_cache.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/hash.h"
#include "base/xxh64.h"
#include "port/cache_archive.h"

namespace starbridge::port {

template <class Archive>
void visit(Archive& archive, FileStamp& value) {
  visit(archive, value.device);
  visit(archive, value.inode);
  visit(archive, value.modified_ns);
  visit(archive, value.changed_ns);
}
template <class Archive>
void visit(Archive& archive, base::Place& value) {
  visit(archive, value.file);
  visit(archive, value.line);
  visit(archive, value.column);
  visit(archive, value.field);
}
template <class Archive>
void visit(Archive& archive, base::Text& value) {
  visit(archive, value.en);
  visit(archive, value.zh);
}
template <class Archive>
void visit(Archive& archive, Edit& value) {
  visit(archive, value.begin);
  visit(archive, value.end);
  visit(archive, value.replacement);
  visit(archive, value.rule);
}
template <class Archive>
void visit(Archive& archive, Finding& value) {
  visit(archive, value.rule);
  visit(archive, value.severity);
  visit(archive, value.place);
  visit(archive, value.message);
  visit(archive, value.advice);
  visit(archive, value.source);
  visit(archive, value.suggestion);
}
template <class Archive>
void visit(Archive& archive, NewFile& value) {
  visit(archive, value.path);
  visit(archive, value.bytes);
}
template <class Archive>
void visit(Archive& archive, Pin& value) {
  visit(archive, value.package);
  visit(archive, value.written);
  visit(archive, value.place);
  visit(archive, value.is_conditional);
  visit(archive, value.silenced);
}
template <class Archive>
void visit(Archive& archive, TargetResult& value) {
  visit(archive, value.edits);
  visit(archive, value.findings);
  visit(archive, value.new_files);
  visit(archive, value.pins);
  visit(archive, value.suppressed_count);
}
template <class Archive>
void visit(Archive& archive, NameUse& value) {
  visit(archive, value.name);
  visit(archive, value.first.line);
  visit(archive, value.first.column);
  visit(archive, value.count);
}
template <class Archive>
void visit(Archive& archive, CudaKernel& value) {
  visit(archive, value.name);
  visit(archive, value.file);
  visit(archive, value.line);
  visit(archive, value.line_count);
  visit(archive, value.is_template);
  visit(archive, value.features);
}
template <class Archive>
void visit(Archive& archive, CudaLaunch& value) {
  visit(archive, value.kernel);
  visit(archive, value.file);
  visit(archive, value.line);
  visit(archive, value.grid);
  visit(archive, value.block);
}
template <class Archive>
void visit(Archive& archive, CudaInventory& value) {
  visit(archive, value.kernels);
  visit(archive, value.launches);
  visit(archive, value.libraries);
  visit(archive, value.features);
  visit(archive, value.device_line_count);
}
namespace python {
template <class Archive>
void visit(Archive& archive, Outline::Part& value) {
  visit(archive, value.name);
  visit(archive, value.begin_line);
  visit(archive, value.end_line);
  visit(archive, value.is_step);
  visit(archive, value.calls);
}
template <class Archive>
void visit(Archive& archive, Outline& value) {
  visit(archive, value.imports);
  visit(archive, value.has_main);
  visit(archive, value.changes_path);
  visit(archive, value.cuda_language);
  visit(archive, value.does_something);
  visit(archive, value.parts);
}
}  // namespace python

template <class Archive>
void visit(Archive& archive, FileReport& value) {
  visit(archive, value.path);
  visit(archive, value.kind);
  visit(archive, value.is_analyzed);
  visit(archive, value.line_count);
  visit(archive, value.branch_counts);
  visit(archive, value.results);
  visit(archive, value.uses);
  visit(archive, value.cuda);
  visit(archive, value.outline);
  visit(archive, value.commands);
}
template <class Archive>
void visit(Archive& archive, PythonFacts& value) {
  visit(archive, value.shims);
  visit(archive, value.family_counts);
  visit(archive, value.is_helper);
}
template <class Archive>
void visit(Archive& archive, ScannedFile& value) {
  visit(archive, value.path);
  visit(archive, value.stamp);
  visit(archive, value.is_read);
  visit(archive, value.hash);
  visit(archive, value.python);
  visit(archive, value.report);
}

namespace python {
template <class Archive>
void visit(Archive& archive, Demand& value) {
  visit(archive, value.kind);
  visit(archive, value.name);
  visit(archive, value.parameter);
  visit(archive, value.position);
  visit(archive, value.role);
}
template <class Archive>
void visit(Archive& archive, FlowRecord::Question& value) {
  visit(archive, value.file);
  visit(archive, value.demand);
}
template <class Archive>
void visit(Archive& archive, FlowRecord::File& value) {
  visit(archive, value.parse);
  visit(archive, value.parse_phase);
  visit(archive, value.demands_hash);
  visit(archive, value.imports_hash);
  for (auto& asked : value.asked) visit(archive, asked);
}
template <class Archive>
void visit(Archive& archive, FlowRecord& value) {
  for (auto& questions : value.questions) visit(archive, questions);
  visit(archive, value.files);
  visit(archive, value.settings);
}
}  // namespace python

template <class Archive>
void visit(Archive& archive, ScanSnapshot& value) {
  visit(archive, value.files);
  visit(archive, value.flow);
  visit(archive, value.source_device);
  std::vector<std::string> shims(value.shims.begin(), value.shims.end());
  visit(archive, shims);
  value.shims = {shims.begin(), shims.end()};
  visit(archive, value.has_helper);
}

namespace {

constexpr std::size_t kHashDigits = 16;
constexpr std::size_t kSnapshotsKept = 64;
constexpr std::string_view kFormat = "starbridge scan cache 3\n";

std::string folder() { return base::cache_directory() + "/scan"; }

std::string hex_of(std::string_view bytes) {
  base::Xxh64 hash;
  hash.add(std::as_bytes(std::span(bytes)));
  return hash.hex();
}

// Name, size and times of a file, or of all files below a folder.
bool add_stamps(const std::string& path, std::string& key) {
  std::error_code failure;
  std::vector<std::string> paths = {path};
  if (std::filesystem::is_directory(path, failure)) {
    paths.clear();
    for (auto entry = std::filesystem::recursive_directory_iterator(path, failure);
         !failure && entry != std::filesystem::recursive_directory_iterator(); entry.increment(failure)) {
      if (entry->is_regular_file(failure)) paths.push_back(entry->path().string());
    }
    std::sort(paths.begin(), paths.end());
  }
  for (const std::string& each : paths) {
    struct stat info {};
    if (::stat(each.c_str(), &info) != 0) return false;
    key += each + " " + std::to_string(info.st_size) + " " + std::to_string(info.st_mtim.tv_sec) + "." +
           std::to_string(info.st_mtim.tv_nsec) + "\n";
  }
  return !failure && !paths.empty();
}

std::string file_of(const std::string& root, const std::string& options) {
  return folder() + "/" + base::sha256_hex(root + "\n" + options).substr(0, 32);
}

// The part of a key that names the place of the snapshot, so that a new build takes the place of an old one.
std::string options_of(const std::string& key) { return key.substr(0, key.find("\n\n")); }

void forget_oldest() {
  std::error_code failure;
  std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> kept;
  for (const auto& entry : std::filesystem::directory_iterator(folder(), failure)) {
    kept.emplace_back(entry.last_write_time(failure), entry.path());
  }
  if (kept.size() <= kSnapshotsKept) return;
  std::sort(kept.begin(), kept.end());
  for (std::size_t index = 0; index + kSnapshotsKept < kept.size(); ++index) std::filesystem::remove(kept[index].second, failure);
}

}  // namespace

std::uint64_t content_hash(std::string_view bytes) {
  base::Xxh64 hash;
  hash.add(std::as_bytes(std::span(bytes)));
  return hash.digest();
}

std::string scan_key(const std::string& root, const Context& context) {
  std::error_code failure;
  std::string key = std::filesystem::canonical(root, failure).string();
  if (failure) return "";
  for (const Target& target : context.targets) key += "\n" + target.chip->id + " " + std::string(to_string(target.style));
  key += "\n" + context.torch_version + (context.edits_supported ? " all" : "") + (context.ports_kernels ? " kernels" : "") + "\n\n" + context.today + "\n";
  if (context.rules != nullptr) key += context.rules->fingerprint() + "\n";
  std::string program = std::filesystem::read_symlink("/proc/self/exe", failure).string();
  base::Result<std::string> installation = base::installation_root();
  if (failure || !installation.ok()) return "";
  if (!add_stamps(program, key) || !add_stamps(*installation + "/data", key)) return "";
  return key;
}

std::string encode(ScanSnapshot& snapshot) {
  CacheWriter writer;
  visit(writer, snapshot);
  return writer.take();
}

std::optional<ScanSnapshot> decode(std::string_view encoded) {
  CacheReader reader(encoded);
  ScanSnapshot snapshot;
  visit(reader, snapshot);
  if (!reader.is_at_end()) return std::nullopt;
  return snapshot;
}

std::optional<ScanSnapshot> load_snapshot(const std::string& root, const std::string& key) {
  base::Result<std::string> bytes = base::read_file(file_of(root, options_of(key)));
  std::string head = std::string(kFormat) + base::sha256_hex(key) + "\n";
  if (!bytes.ok() || bytes->size() < head.size() + kHashDigits || bytes->compare(0, head.size(), head) != 0) return std::nullopt;
  std::string_view encoded = std::string_view(*bytes).substr(head.size() + kHashDigits);
  if (hex_of(encoded) != std::string_view(*bytes).substr(head.size(), kHashDigits)) return std::nullopt;
  return decode(encoded);
}

void save_snapshot(const std::string& root, const std::string& key, std::string_view encoded) {
  if (!base::make_directories(folder()).ok()) return;
  std::string content = std::string(kFormat) + base::sha256_hex(key) + "\n" + hex_of(encoded);
  content += encoded;
  if (base::write_cache_file(file_of(root, options_of(key)), content).ok()) forget_oldest();
}

}  // namespace starbridge::port
