#include "kernel/program.h"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "base/files.h"
#include "base/subprocess.h"
#include "kernel/card.h"

namespace starbridge::kernel {

namespace fs = std::filesystem;
using base::Error;
using base::text;

namespace {

constexpr int kGraceS = 5;                            // after the runtime's own time limit
constexpr std::uint64_t kReservedKib = 300ULL << 20;  // addresses the card reserves without using them

// A folder that goes away with this object, unless it is the user's.
class WorkFolder {
 public:
  static base::Result<WorkFolder> make(const std::string& keep) {
    WorkFolder folder;
    if (!keep.empty()) {
      SB_TRY_VOID(base::make_directories(keep));
      folder.path_ = fs::absolute(keep).string();
      return folder;
    }
    std::string pattern = (fs::temp_directory_path() / "starbridge-kernel-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) return base::io_error(errno, text("making a folder", "创建目录"), pattern);
    folder.path_ = pattern;
    folder.is_temporary_ = true;
    return folder;
  }
  WorkFolder(WorkFolder&& other) noexcept : path_(std::move(other.path_)), is_temporary_(other.is_temporary_) {
    other.is_temporary_ = false;
  }
  WorkFolder& operator=(WorkFolder&&) = delete;
  ~WorkFolder() {
    std::error_code error;
    if (is_temporary_) fs::remove_all(path_, error);
  }
  const std::string& path() const { return path_; }

 private:
  WorkFolder() = default;
  std::string path_;
  bool is_temporary_ = false;
};

// A source that another one includes is a part of that one.
void drop_included(std::vector<std::string>& sources) {
  static const std::regex pattern(R"re(#\s*include\s*"([^"]+\.(?:cu|mlu|asc|cpp|cc|c))")re");
  std::set<std::string> included;
  for (const std::string& source : sources) {
    base::Result<std::string> content = base::read_file(source);
    if (!content.ok()) continue;
    for (std::sregex_iterator it(content->begin(), content->end(), pattern), end; it != end; ++it) {
      std::error_code error;
      included.insert(fs::weakly_canonical(fs::path(source).parent_path() / (*it)[1].str(), error).string());
    }
  }
  std::erase_if(sources, [&](const std::string& source) {
    std::error_code error;
    return included.count(fs::weakly_canonical(source, error).string()) > 0;
  });
}

// The machine of the first source that has one.
const Machine* machine_of(const std::vector<std::string>& sources) {
  for (const std::string& source : sources) {
    if (const Machine* machine = machine_of_source(source); machine != nullptr) return machine;
  }
  return nullptr;
}

bool is_fatal(const KernelFinding& finding) {
  static const std::string_view fatal[] = {"crash",       "deadlock",    "stack-overflow", "time-limit",
                                           "unsupported", "device-trap", "device-assert"};
  return std::find(std::begin(fatal), std::end(fatal), finding.rule) != std::end(fatal);
}

}  // namespace

std::size_t RunReport::error_count() const {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(), [](const KernelFinding& finding) { return finding.is_error; }));
}

bool RunReport::ran_well() const {
  return exit_code == 0 && !timed_out && std::none_of(findings.begin(), findings.end(), is_fatal);
}

base::Result<std::vector<std::string>> sources_of(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error))
    return Error("base.file_not_found", text("there is no such file or folder", "文件或目录不存在")).at(path);
  std::vector<std::string> sources;
  if (!fs::is_directory(path, error)) {
    sources.push_back(path);
  } else {
    // An operator of Ascend keeps its two halves in folders of these names.
    std::vector<fs::directory_entry> entries;
    for (const std::string& folder : {path, path + "/op_kernel", path + "/op_host"}) {
      for (const auto& entry : fs::directory_iterator(folder, error)) entries.push_back(entry);
    }
    for (const auto& entry : entries) {
      const std::string extension = entry.path().extension().string();
      const Machine* machine = machine_of_source(entry.path().string());
      if ((machine != nullptr && extension == machine->extension) || extension == ".cpp" || extension == ".cc" ||
          extension == ".c")
        sources.push_back(entry.path().string());
    }
    std::sort(sources.begin(), sources.end());
    drop_included(sources);
    // A folder that holds an operator for several chips is the program of the first one.
    const Machine* first = machine_of(sources);
    std::erase_if(sources, [&](const std::string& source) {
      const Machine* machine = machine_of_source(source);
      return machine != nullptr && machine != first;
    });
  }
  if (machine_of(sources) == nullptr)
    return Error("kernel.no_kernel_source",
                 text("no .cu, .mlu or Ascend C source is here", "此处没有 .cu、.mlu 或 Ascend C 源文件"))
        .at(path);
  return sources;
}

base::Result<RunReport> run_program(const RunRequest& request) {
  SB_TRY(std::vector<std::string> sources, sources_of(request.path));
  const Machine& machine = *machine_of(sources);
  SB_TRY(Toolchain toolchain, find_toolchain(machine));
  SB_TRY(EmulatedCard card, find_card(machine, request.card));
  sources.insert(sources.end(), request.with.begin(), request.with.end());
  SB_TRY(WorkFolder folder, WorkFolder::make(request.keep_folder));

  CompileRequest compile_request;
  compile_request.sources = sources;
  compile_request.includes = request.includes;
  compile_request.defines = request.defines;
  compile_request.standard = request.standard;
  compile_request.card = card;
  compile_request.fast_math = request.fast_math;
  compile_request.check = request.check;
  compile_request.is_timed = !request.times_path.empty();
  compile_request.output_folder = folder.path();
  RunReport report;
  report.card_name = card.name;
  const base::SystemClock clock;
  const base::TimeMs compile_start = clock.now_ms();
  CompileResult compiled;
  compiled.program = folder.path() + "/program";
  if (!request.is_compiled) {
    SB_TRY(compiled, compile(toolchain, compile_request));
  }
  report.compile_ms = clock.now_ms() - compile_start;

  const std::string findings_path = folder.path() + "/findings.jsonl";
  std::error_code removed;
  fs::remove(findings_path, removed);
  base::ProcessSpec spec;
  // Addresses are reserved, not used: the limit allows the reservation and the card's memory beside what the host program may
  // take.
  const std::uint64_t memory_mib = request.memory_mib == 0 ? 1ULL << 20 : request.memory_mib;
  spec.arguments = {"/bin/sh", "-c",
                    "ulimit -c 0; ulimit -v " + std::to_string(kReservedKib + 4 * memory_mib * 1024) + "; exec \"$@\"", "sh",
                    compiled.program};
  spec.arguments.insert(spec.arguments.end(), request.arguments.begin(), request.arguments.end());
  spec.working_directory = request.working_directory;
  spec.input = request.input;
  spec.merge_output = true;
  spec.on_output = request.on_output;
  spec.timeout_ms = base::DurationMs{request.time_limit_s + kGraceS} * 1000;
  spec.environment["SB_EMULATE_REPORT"] = findings_path;
  spec.environment["SB_EMULATE_CARD"] = card.row;
  spec.environment["SB_EMULATE_TIME_LIMIT"] = std::to_string(request.time_limit_s);
  spec.environment["SB_EMULATE_CHECK"] = request.check ? "1" : "0";
  if (!request.times_path.empty()) {
    spec.environment["SB_EMULATE_TIMES"] = request.times_path;
    spec.environment["SB_EMULATE_COSTS"] = request.costs;
  }
  if (!request.trace_path.empty()) spec.environment["SB_EMULATE_TRACE"] = request.trace_path;
  if (!request.inputs_out.empty()) spec.environment["SB_EMULATE_INPUTS_OUT"] = request.inputs_out;
  if (!request.inputs_in.empty()) spec.environment["SB_EMULATE_INPUTS_IN"] = request.inputs_in;
  if (request.inputs_in_order) spec.environment["SB_EMULATE_INPUTS_IN_ORDER"] = "1";
  if (!request.inputs_kind.empty()) spec.environment["SB_EMULATE_INPUTS_KIND"] = request.inputs_kind;
  if (request.seed) spec.environment["SB_EMULATE_SEED"] = std::to_string(*request.seed);
  if (request.memory_mib > 0) spec.environment["SB_EMULATE_MEMORY"] = std::to_string(request.memory_mib << 20);
  if (request.sample_blocks > 0) spec.environment["SB_EMULATE_SAMPLE"] = std::to_string(request.sample_blocks);
  if (request.workers > 0) spec.environment["SB_EMULATE_WORKERS"] = std::to_string(request.workers);
  SB_TRY(base::ProcessResult result, base::run_process(spec));
  report.exit_code = result.exit_code;
  report.signal = result.signal;
  report.timed_out = result.timed_out;
  report.output = std::move(result.out);
  report.run_ms = result.wall_ms;
  SB_TRY(report.findings, read_findings(toolchain, findings_path));
  std::erase_if(report.findings, [&](const KernelFinding& finding) {
    return std::find(request.without.begin(), request.without.end(), finding.rule) != request.without.end();
  });
  return report;
}

}  // namespace starbridge::kernel
