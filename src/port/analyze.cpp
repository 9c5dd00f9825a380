#include "port/analyze.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/text.h"
#include "port/declared/text_rules.h"
#include "port/preflight.h"
#include "port/suppressions.h"

namespace starbridge::port {
namespace {

using base::text;

bool ends_with(std::string_view name, std::string_view suffix) {
  return name.size() >= suffix.size() && name.substr(name.size() - suffix.size()) == suffix;
}

template <std::size_t kCount>
bool has_suffix(std::string_view name, const std::array<std::string_view, kCount>& suffixes) {
  return std::any_of(suffixes.begin(), suffixes.end(), [&](std::string_view suffix) { return ends_with(name, suffix); });
}

std::vector<TargetResult> analyze_kind(const SourceFile& file, FileKind kind, const Context& context, FileReport& report) {
  switch (kind) {
    case FileKind::kPython:
      return analyze_python(file, context, &report.uses);
    case FileKind::kNotebook:
      return analyze_notebook(file, context, &report.uses);
    case FileKind::kCuda:
      return analyze_cuda(file, context, report.cuda);
    case FileKind::kShell:
      return analyze_shell(file, context);
    case FileKind::kRequirements:
      return analyze_requirements(file, context);
    case FileKind::kDockerfile:
      return analyze_dockerfile(file, context);
    case FileKind::kYaml:
    case FileKind::kJson:
      return analyze_yaml(file, context);
    case FileKind::kToml:
      return analyze_toml(file, context);
    case FileKind::kSetupCfg:
      return analyze_setup_cfg(file, context);
    case FileKind::kBuild:
      return analyze_build(file, context);
    case FileKind::kIni:
      return analyze_ini(file, context);
    case FileKind::kMarkdown:
      return analyze_document(file, context);
    case FileKind::kOther:
      return std::vector<TargetResult>(context.targets.size());
  }
  return {};
}

}  // namespace

std::string_view to_string(FileKind kind) {
  static constexpr std::array<std::string_view, 14> kNames = {"python",     "notebook", "cuda",     "shell", "requirements",
                                                              "dockerfile", "yaml",     "json",     "toml",  "setup_cfg",
                                                              "build",      "ini",      "markdown", "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

FileKind classify(const std::string& path, std::string_view first_bytes) {
  std::string name = base::to_lower(std::filesystem::path(path).filename().string());
  if (ends_with(name, ".py") || ends_with(name, ".pyw")) return FileKind::kPython;
  if (ends_with(name, ".ipynb")) return FileKind::kNotebook;
  if (has_suffix(name, std::array<std::string_view, 3>{".cu", ".cuh", ".cu.h"})) return FileKind::kCuda;
  if (has_suffix(name, std::array<std::string_view, 6>{".cpp", ".cc", ".cxx", ".h", ".hpp", ".inl"})) {
    bool is_cuda =
        first_bytes.find("__global__") != std::string_view::npos || first_bytes.find("<<<") != std::string_view::npos ||
        first_bytes.find("cuda_runtime") != std::string_view::npos || first_bytes.find("ATen/cuda") != std::string_view::npos ||
        first_bytes.find("c10/cuda") != std::string_view::npos;
    return is_cuda ? FileKind::kCuda : FileKind::kOther;
  }
  if (has_suffix(name, std::array<std::string_view, 6>{".sh", ".bash", ".sbatch", ".slurm", ".slrm", ".zsh"}))
    return FileKind::kShell;
  bool is_requirements = name.find("requirements") != std::string::npos || name.find("constraints") != std::string::npos;
  bool is_in_requirements = std::filesystem::path(path).parent_path().filename() == "requirements";
  if (ends_with(name, ".txt") && (is_requirements || is_in_requirements)) return FileKind::kRequirements;
  if (name == "dockerfile" || name.rfind("dockerfile.", 0) == 0 || ends_with(name, ".dockerfile") || name == "containerfile")
    return FileKind::kDockerfile;
  if (name == kProjectRulesName) return FileKind::kOther;  // what the project says about porting is no part of it
  if (ends_with(name, ".yaml") || ends_with(name, ".yml")) return FileKind::kYaml;
  if (name == kRecordName) return FileKind::kOther;  // the record of a port holds the original words, and must keep them
  if (ends_with(name, ".json")) return FileKind::kJson;
  if (ends_with(name, ".toml") || name == "pipfile") return FileKind::kToml;
  if (name == "setup.cfg") return FileKind::kSetupCfg;
  if (name == "cmakelists.txt" || name == "makefile" || name == "gnumakefile" || ends_with(name, ".cmake") ||
      ends_with(name, ".mk"))
    return FileKind::kBuild;
  if (has_suffix(name, std::array<std::string_view, 3>{".ini", ".cfg", ".conf"})) return FileKind::kIni;
  if (has_suffix(name, std::array<std::string_view, 3>{".md", ".markdown", ".rst"})) return FileKind::kMarkdown;
  if (first_bytes.substr(0, 2) == "#!") {
    std::string_view line = first_bytes.substr(0, first_bytes.find('\n'));
    if (line.find("python") != std::string_view::npos) return FileKind::kPython;
    if (line.find("sh") != std::string_view::npos) return FileKind::kShell;
  }
  return FileKind::kOther;
}

Context make_context(const Tables& tables, std::vector<Target> targets) {
  Context context{tables, std::move(targets), {}, "", nullptr, nullptr, "", false, false, {}, "", false, tables.rules};
  for (const Target& target : context.targets) {
    context.names.emplace_back(tables.names, target.family != nullptr ? *target.family : families()[0]);
  }
  return context;
}

FileReport begin_report(const SourceFile& file, FileKind kind, const Context& context) {
  FileReport report;
  report.path = file.path;
  report.kind = kind;
  report.results.resize(context.targets.size());
  if (kind == FileKind::kOther) return report;
  auto tell_all = [&](std::string rule, const base::Text& message, const base::Text& advice) {
    for (TargetResult& result : report.results) {
      result.findings.push_back({rule, Severity::kWarning, {file.path, 1, 1, ""}, message, advice, ""});
    }
  };
  if (file.bytes.size() > kAnalyzedBytesMax) {
    tell_all("file-too-large",
             text("the file has more than {} bytes and was not analysed", "文件超过 {} 字节，未作分析", kAnalyzedBytesMax),
             text("check it by hand or split it", "请手工检查或拆分"));
    return report;
  }
  if (std::string_view(file.bytes).substr(0, 8192).find('\0') != std::string_view::npos) {
    tell_all("file-binary", text("the file holds NUL bytes and was not analysed", "文件含有 NUL 字节，未作分析"),
             text("save it as UTF-8 text", "请保存为 UTF-8 文本"));
    return report;
  }
  report.is_analyzed = true;
  report.line_count = LineIndex(file.bytes).line_count();
  return report;
}

namespace {
bool is_device_edit(const Edit& edit) {
  static constexpr std::array<std::string_view, 11> kRules = {
      "device-text", "device-method", "device-flag", "torch-name",    "device-index",      "profiler-key",
      "type-text",   "import-module", "import-from", "plugin-import", "collective-backend"};
  return std::find(kRules.begin(), kRules.end(), edit.rule) != kRules.end();
}
}  // namespace

std::size_t count_device_edits(const TargetResult& result) {
  return static_cast<std::size_t>(std::count_if(result.edits.begin(), result.edits.end(), is_device_edit));
}

void drop_device_edits(TargetResult& result) {
  result.edits.erase(std::remove_if(result.edits.begin(), result.edits.end(), is_device_edit), result.edits.end());
  // The helper goes with the last edit that asks it.
  auto is_import = [](const Edit& edit) { return edit.rule == "portable-import"; };
  bool is_asked = std::any_of(result.edits.begin(), result.edits.end(), [&](const Edit& edit) {
    return !is_import(edit) && edit.replacement.find(kHelperName) != std::string::npos;
  });
  if (is_asked) return;
  result.edits.erase(std::remove_if(result.edits.begin(), result.edits.end(), is_import), result.edits.end());
  auto is_helper = [](const NewFile& file) { return is_portable_helper(file.bytes); };
  result.new_files.erase(std::remove_if(result.new_files.begin(), result.new_files.end(), is_helper), result.new_files.end());
}

void end_report(FileReport& report, const SourceFile& file, const Context& context, std::vector<TargetResult> results) {
  report.results = std::move(results);
  Suppressions suppressions(file, context.today, context.rules.get());
  LineIndex lines(suppressions.empty() ? std::string_view() : std::string_view(file.bytes));
  for (std::size_t index = 0; index < report.results.size(); ++index) {
    TargetResult& result = report.results[index];
    if (context.targets[index].family != nullptr && context.shims.count(std::string(context.targets[index].family->backend)) > 0)
      drop_device_edits(result);
    if (!suppressions.empty()) {
      for (Pin& pin : result.pins) {
        std::vector<std::string_view> rules = suppressions.silenced(pin.place.line, kPreflightRules);
        pin.silenced.assign(rules.begin(), rules.end());
      }
    }
    if (!suppressions.empty()) result.suppressed_count = suppressions.apply(lines, result.edits, result.findings);
    base::Result<std::vector<Edit>> edits = normalize_edits(std::move(result.edits), file.bytes.size());
    // Overlapping rules are a fault of the rules, and no reason to write a wrong file.
    SB_CHECK(edits.ok());
    result.edits = std::move(edits).value();
    std::stable_sort(result.findings.begin(), result.findings.end(), [](const Finding& left, const Finding& right) {
      return std::tie(left.place.line, left.place.column) < std::tie(right.place.line, right.place.column);
    });
  }
}

FileReport analyze_file(const SourceFile& file, FileKind kind, const Context& context) {
  FileReport report = begin_report(file, kind, context);
  if (!report.is_analyzed) return report;
  std::vector<TargetResult> results = analyze_kind(file, kind, context, report);
  apply_text_rules(file, kind, context, results);
  end_report(report, file, context, std::move(results));
  return report;
}

}  // namespace starbridge::port
