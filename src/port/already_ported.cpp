#include "port/already_ported.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "port/cuda_only.h"
#include "port/python/modules.h"
#include "port/target.h"
#include "port/word_search.h"

namespace starbridge::port {
namespace {

using base::text;

constexpr std::size_t kSupportedPlaces = 5;  // places that know the target's family: less may be a try of it
// Names of CUDA alone per place that knows the target's family. Measured on public projects: those that are ported through and
// through have 3 to 16, those that only began 46 and more.
constexpr std::size_t kCudaNamesPerPlace = 20;
// The same per file that asks the project's own device layer. Measured: 3 where the layer is in use everywhere, 10 and more where
// it was added beside code for CUDA.
constexpr std::size_t kCudaNamesPerAsker = 5;

// A finding beside the others of its file, at its place among them.
void add_to_file(std::vector<FileReport>& reports, std::size_t chip, Finding finding) {
  auto file =
      std::find_if(reports.begin(), reports.end(), [&](const FileReport& report) { return report.path == finding.place.file; });
  if (file == reports.end()) return;
  std::vector<Finding>& findings = file->results[chip].findings;
  auto at =
      std::find_if(findings.begin(), findings.end(), [&](const Finding& other) { return other.place.line > finding.place.line; });
  findings.insert(at, std::move(finding));
}

Finding describe(const CudaOnly& own, const std::string& path, const std::string& chip) {
  bool is_by_itself = own.through.empty();
  return {
      "cuda-only-file",
      Severity::kWarning,
      {path, 1, 1, ""},
      is_by_itself ? text("the file needs {}, which compiles for CUDA alone; its devices were left as they are",
                          "文件依赖仅支持 CUDA 的 {}，其中的设备名保持原样", own.language)
                   : text("the file is about {}, which needs {} for CUDA alone; its devices were left as they are",
                          "文件针对 {}，后者依赖仅支持 CUDA 的 {}，其中的设备名保持原样", own.through, own.language),
      text("write the kernels anew for {}, or choose another path there; to have the names edited: starbridge port --all-sites",
           "请为 {} 重写内核或改走其他路径；如仍需修改名称：starbridge port --all-sites", chip),
      ""};
}

// utils/device.py, accelerator/api.py: files about devices, by their own names or their folders'.
bool is_about_devices(const std::string& path) {
  std::size_t folder = path.rfind('/');
  folder = folder == std::string::npos || folder == 0 ? 0 : path.rfind('/', folder - 1) + 1;  // npos + 1 is 0
  std::string_view end = std::string_view(path).substr(folder);
  return end.find("device") != std::string_view::npos || end.find("accelerator") != std::string_view::npos ||
         end.find("platform") != std::string_view::npos;
}

// Files that import one about devices which knows the family, by family.
BranchCounts count_askers(const std::vector<FileReport>& reports) {
  std::vector<std::string> paths;
  std::vector<const FileReport*> files;
  for (const FileReport& report : reports) {
    if (report.kind != FileKind::kPython) continue;
    paths.push_back(report.path);
    files.push_back(&report);
  }
  BranchCounts askers{};
  bool has_layer = std::any_of(files.begin(), files.end(), [](const FileReport* file) {
    return is_about_devices(file->path) &&
           std::any_of(file->branch_counts.begin() + 1, file->branch_counts.end(), [](std::size_t count) { return count > 0; });
  });
  if (!has_layer) return askers;
  python::Modules modules(paths);
  for (std::size_t file = 0; file < files.size(); ++file) {
    if (files[file]->outline.changes_path) modules.note_path_change(static_cast<int>(file));
    std::array<bool, std::tuple_size_v<BranchCounts>> asks{};
    for (const std::string& dotted : files[file]->outline.imports) {
      auto target = modules.resolve(static_cast<int>(file), dotted);
      if (!target || target->file == static_cast<int>(file)) continue;
      const FileReport& layer = *files[static_cast<std::size_t>(target->file)];
      for (std::size_t family = 1; family < asks.size() && is_about_devices(layer.path); ++family)
        asks[family] = asks[family] || layer.branch_counts[family] > 0;
    }
    for (std::size_t family = 1; family < asks.size(); ++family) askers[family] += asks[family] ? 1 : 0;
  }
  return askers;
}

// A project that knows the card has its own ways in its code, and its own files for the card's packages and images. Commands for
// people and jobs are written for one card after the other; theirs are edited.
void drop_edits_of_supported(FileReport& report, std::size_t chip) {
  TargetResult& result = report.results[chip];
  bool is_command = (report.kind == FileKind::kShell || report.kind == FileKind::kMarkdown) && report.path[0] != '.';
  auto is_kept = [&](const Edit& edit) { return is_command && (edit.rule == "environment" || edit.rule == "slurm-resource"); };
  std::erase_if(result.edits, [&](const Edit& edit) { return !is_kept(edit); });
  result.new_files.clear();
}

}  // namespace

void leave_cuda_only(std::vector<FileReport>& reports, const Context& context) {
  std::vector<std::string> paths;
  std::vector<const python::Outline*> outlines;
  std::vector<FileReport*> files;
  for (FileReport& report : reports) {
    if (report.kind != FileKind::kPython) continue;
    paths.push_back(report.path);
    outlines.push_back(&report.outline);
    files.push_back(&report);
  }
  std::vector<CudaOnly> own = find_cuda_only(paths, outlines);
  for (std::size_t chip = 0; chip < context.targets.size(); ++chip) {
    const Target& target = context.targets[chip];
    if (target.family == nullptr || target.is_cuda_named() || context.edits_supported) continue;
    for (std::size_t file = 0; file < files.size(); ++file) {
      if (own[file].language.empty()) continue;
      TargetResult& result = files[file]->results[chip];
      if (count_device_edits(result) == 0) continue;
      drop_device_edits(result);
      add_to_file(reports, chip, describe(own[file], paths[file], target.chip->name));
    }
  }
}

std::vector<std::pair<std::string, base::Place>> find_shims(const SourceFile& file) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kShims = {
      {{"npu", "transfer_to_npu"}, {"mlu", "gpu_migration"}}};
  std::vector<std::pair<std::string, base::Place>> found;
  static constexpr WordSearch<kShims.size()> kSearch({kShims[0].second, kShims[1].second});
  std::array<bool, kShims.size()> is_seen{};
  for (auto hit = kSearch.find(file.bytes, 0); hit.word < kShims.size(); hit = kSearch.find(file.bytes, hit.position + 1)) {
    if (is_seen[hit.word]) continue;
    is_seen[hit.word] = true;
    auto [backend, word] = kShims[hit.word];
    std::size_t at = hit.position;
    std::size_t line_begin = file.bytes.rfind('\n', at) + 1;  // npos + 1 is 0
    std::string_view line = std::string_view(file.bytes).substr(line_begin, at - line_begin);
    std::string plugin = "torch_" + std::string(backend);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    bool is_import =
        (line.substr(0, 5) == "from " || line.substr(0, 7) == "import ") && line.find(plugin) != std::string_view::npos;
    if (!is_import) continue;
    LineColumn place = LineIndex(file.bytes).at(at);
    found.emplace_back(backend, base::Place{file.path, place.line, place.column, ""});
  }
  return found;
}

BranchCounts count_branches(const python::Sites& sites, const std::string& path, bool is_one_familys) {
  BranchCounts counts{};
  for (std::size_t family = 1; is_one_familys && family < counts.size(); ++family)
    counts[family] += path.find(families()[family].device) != std::string::npos ? 1 : 0;
  for (const python::Branch& branch : sites.branches) {
    for (std::size_t family = 0; family < counts.size(); ++family) counts[family] += branch.families >> family & 1U;
  }
  return counts;
}

void tell_shims(std::vector<FileReport>& reports, const Context& context, const std::map<std::string, base::Place>& shims) {
  for (std::size_t chip = 0; chip < context.targets.size(); ++chip) {
    if (context.targets[chip].family == nullptr) continue;
    auto shim = shims.find(std::string(context.targets[chip].family->backend));
    if (shim == shims.end()) continue;
    add_to_file(reports, chip,
                {"vendor-shim", Severity::kInfo, shim->second,
                 text("the project imports the vendor's interception of CUDA names; they were left as they are",
                      "项目已导入厂商的 CUDA 名称拦截，相关名称保持原样"),
                 text("without that import, port again", "去掉该导入后可重新移植"), ""});
  }
}

void leave_supported(std::vector<FileReport>& reports, const Context& context, const std::string& source_device) {
  BranchCounts places{};
  BranchCounts askers = count_askers(reports);
  std::array<std::string, 4> first;
  for (const FileReport& report : reports) {
    for (std::size_t family = 0; family < places.size(); ++family) {
      if (report.branch_counts[family] > 0 && (first[family].empty() || report.path < first[family])) first[family] = report.path;
      places[family] += report.branch_counts[family];
    }
  }
  for (std::size_t chip = 0; chip < context.targets.size(); ++chip) {
    const Family* family = context.targets[chip].family;
    if (family == nullptr || family->device == "cuda" || family->device == source_device || context.edits_supported) continue;
    auto index = static_cast<std::size_t>(family - families().data());
    if (places[index] < kSupportedPlaces) continue;
    std::size_t cuda_names = 0;
    for (const FileReport& report : reports) cuda_names += count_device_edits(report.results[chip]);
    if (cuda_names > std::max(places[index] * kCudaNamesPerPlace, askers[index] * kCudaNamesPerAsker)) continue;
    for (FileReport& report : reports) drop_edits_of_supported(report, chip);
    add_to_file(reports, chip,
                {"already-ported",
                 Severity::kInfo,
                 {first[index], 1, 1, ""},
                 text("the project supports {} already ({} places); {} names of CUDA alone were left as they are",
                      "项目已支持 {}（{} 处）；另有 {} 处仅涉及 CUDA 的名称保持原样", family->device, places[index], cuda_names),
                 text("to have them edited too: starbridge port --all-sites", "如需一并修改：starbridge port --all-sites"),
                 ""});
  }
}

}  // namespace starbridge::port
