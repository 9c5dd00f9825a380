// Analyze: what each target needs done in one file. Pure; any thread.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "port/cuda_inventory.h"
#include "port/edit.h"
#include "port/finding.h"
#include "port/portable.h"
#include "port/python/names.h"
#include "port/python/outline.h"
#include "port/python/sites.h"
#include "port/reach.h"
#include "port/source_file.h"
#include "port/tables.h"
#include "port/target.h"
#include "port/uses.h"

namespace starbridge::port {

enum class FileKind {
  kPython,
  kNotebook,
  kCuda,
  kShell,
  kRequirements,
  kDockerfile,
  kYaml,
  kJson,
  kToml,
  kSetupCfg,
  kBuild,
  kIni,
  kMarkdown,
  kOther
};
std::string_view to_string(FileKind kind);
// By name, suffix and first line. Unknown kinds are copied as they are.
FileKind classify(const std::string& path, std::string_view first_bytes);

// The record that a port carries (see apply.h). It is no part of the project.
inline constexpr std::string_view kRecordName = ".starbridge-port.json";

constexpr std::size_t kAnalyzedBytesMax = 16UL << 20;

// What is analysed against: the tables, the targets and their name translations (same order).
struct Context {
  const Tables& tables;
  std::vector<Target> targets;
  std::vector<python::Names> names;
  std::string torch_version;
  // Names of settings that the project's Python hands to a device or a collective; null: only the names everybody uses.
  const std::map<std::string, python::TextRole>* settings = nullptr;
  const PortableLayout* layout = nullptr;  // of the tree, for the portable style; null: a file by itself
  std::string source_device;               // what the project is written for, "cuda"; empty: each file says it of itself
  bool edits_supported = false;            // also projects that support the target already, see project.h
  bool ports_kernels = false;              // the kernels of the project's extensions go with it: so does their build script
  // Backends whose interception of CUDA names the project imports (transfer_to_npu): CUDA names are right there as they stand.
  std::set<std::string> shims;
  std::string today;        // YYYY-MM-DD, for suppressions with a date; empty: dates are not looked at
  bool uses_cache = false;  // reports of files that did not change since the last scan are kept, see scan_cache.h
  std::shared_ptr<const RuleSet> rules;  // declared ones; those of the tables unless files are given or the project has its own
};
Context make_context(const Tables& tables, std::vector<Target> targets);

// A package, interpreter or toolkit that a file asks for, and in which versions; see preflight.h.
struct Pin {
  std::string package;  // folded: "torch", "torch-npu", "python", "cann"
  std::string written;  // ">=2.1,<2.4"; empty: any
  base::Place place;
  bool is_conditional = false;        // behind an environment marker
  std::vector<std::string> silenced;  // rules that a remark in the file silences here
};

struct TargetResult {
  std::vector<Edit> edits;  // normalised
  std::vector<Finding> findings;
  std::vector<NewFile> new_files;  // that the edits need; the same file may be asked for more than once
  std::vector<Pin> pins;
  std::size_t suppressed_count = 0;  // edits and findings that remarks in the file silenced
};

// Places that tell cards apart and know the family, by position in families().
using BranchCounts = std::array<std::size_t, 4>;

struct FileReport {
  std::string path;
  FileKind kind = FileKind::kOther;
  bool is_analyzed = false;
  int line_count = 0;
  BranchCounts branch_counts{};       // Python
  std::vector<TargetResult> results;  // one per target
  std::vector<NameUse> uses;
  CudaInventory cuda;
  python::Outline outline;            // Python and notebooks
  std::vector<std::string> commands;  // of files that may start programs, see command_words
  Reached reached;                    // of a project
};

// A file by itself.
FileReport analyze_file(const SourceFile& file, FileKind kind, const Context& context);
// The same in two steps, for files whose analysis needs others: begin says with is_analyzed whether the file can be analysed.
FileReport begin_report(const SourceFile& file, FileKind kind, const Context& context);
// Drops the edits of names that a program carries at run time; those of variables, resources and packages stay.
void drop_device_edits(TargetResult& result);
std::size_t count_device_edits(const TargetResult& result);
void end_report(FileReport& report, const SourceFile& file, const Context& context, std::vector<TargetResult> results);

// The part of each kind, in its own file. Each returns one result per target of the context whose family is known.
// `uses`, where given, takes the names of PyTorch that the file uses.
std::vector<TargetResult> analyze_python(const SourceFile& file, const Context& context, std::vector<NameUse>* uses = nullptr);
// Its parts: the result for a file that cannot be parsed; for one whose sites are known.
std::vector<TargetResult> refuse_python(const SourceFile& file, std::size_t error_at, const Context& context);
std::vector<TargetResult> rewrite_python(const SourceFile& file, const python::Sites& sites, const Context& context);
std::vector<TargetResult> analyze_notebook(const SourceFile& file, const Context& context, std::vector<NameUse>* uses = nullptr);
std::vector<TargetResult> analyze_cuda(const SourceFile& file, const Context& context, CudaInventory& inventory);
std::vector<TargetResult> analyze_shell(const SourceFile& file, const Context& context);
std::vector<TargetResult> analyze_requirements(const SourceFile& file, const Context& context);
std::vector<TargetResult> analyze_dockerfile(const SourceFile& file, const Context& context);
std::vector<TargetResult> analyze_yaml(const SourceFile& file, const Context& context);  // also JSON
std::vector<TargetResult> analyze_toml(const SourceFile& file, const Context& context);
std::vector<TargetResult> analyze_setup_cfg(const SourceFile& file, const Context& context);
std::vector<TargetResult> analyze_ini(const SourceFile& file, const Context& context);
std::vector<TargetResult> analyze_document(const SourceFile& file, const Context& context);  // Markdown, reStructuredText
std::vector<TargetResult> analyze_build(const SourceFile& file, const Context& context);

}  // namespace starbridge::port
