#include "kernel/port/port.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "base/files.h"
#include "kernel/folder.h"
#include "kernel/port/ascend_spelling.h"
#include "kernel/port/host.h"
#include "kernel/port/normalise.h"
#include "kernel/toolchain.h"

namespace starbridge::kernel::port {

namespace fs = std::filesystem;
using base::Error;
using base::text;
using front::Tree;

namespace {

struct RefusalRow {
  const char *word, *en, *zh, *next_en, *next_zh;
};
constexpr RefusalRow kRefusals[] = {
#define SB_REFUSAL(word, en, zh, next_en, next_zh) {word, en, zh, next_en, next_zh},
#include "kernel/port/refusals.def"
#undef SB_REFUSAL
};

std::string fill(std::string pattern, const std::string& about) {
  if (std::size_t at = pattern.find("{}"); at != std::string::npos) pattern.replace(at, 2, about);
  return pattern;
}

base::Result<Tree> read_module(const PortRequest& request) {
  TemporaryFolder folder;
  if (folder.path.empty()) return base::io_error(errno, text("making a folder", "创建目录"), "/tmp");
  SB_TRY(Toolchain toolchain, find_toolchain(cuda_machine()));
  CompileRequest compile_request;
  compile_request.includes = request.includes;
  compile_request.defines = request.defines;
  compile_request.system_includes = request.system_includes;
  compile_request.standard = request.standard;
  compile_request.output_folder = folder.path;
  SB_TRY(compile_request.card, find_card(cuda_machine(), ""));
  SB_TRY(std::string tree_text, read_kernels(toolchain, compile_request, request.path));
  std::string why;
  std::optional<Tree> module = front::read(tree_text, &why);
  SB_CHECK(module.has_value());  // the plugin wrote what the reader does not read
  return *module;
}

// What the port is written for: memory of one core, and how its language is spelled.
struct Target {
  bool is_ascend = false;
  long long bytes = 0;  // of NRAM or UB a kernel may use
  AscendCore core;
  const HostNames* names = &cnrt_names();
  std::string extension = ".mlu";
  std::vector<std::string> support = {"starbridge_port.h", "starbridge_cuda.h"};  // in data/kernels
};

base::Result<Target> target_of(const std::string& chip) {
  Target target;
  target.is_ascend = chip.rfind("ascend", 0) == 0;
  SB_TRY(EmulatedCard card, find_card(*machine_of_source(target.is_ascend ? "x.asc" : "x.mlu"), chip));
  const auto number = [&](const char* column) { return card.numbers.at(column); };
  if (!target.is_ascend) {
    target.bytes = (number("nram_kib") - number("stack_kib")) * 1024;  // less what the compiler keeps for the stack
    return target;
  }
  if (number("has_pad_copy") == 0)
    return Error("kernel.cannot_port", text("{} copies whole blocks of 32 bytes only", "{} 只能按 32 字节整块搬运", chip))
        .next(text("port to a 910B", "请移植到 910B 系列"));
  target.core.ub_bytes = number("ub_free_bytes") / 32 * 32;
  target.core.vector_cores = static_cast<int>(number("vectors") > 0 ? number("vectors") : number("cubes"));
  target.bytes = target.core.ub_bytes - kAscendOwnBytes;
  target.names = &acl_names();
  target.extension = ".asc";
  target.support = {"ascend/starbridge_port.h", "ascend/starbridge_core.h", "ascend/starbridge_vectors.h",
                    "ascend/starbridge_lanes.h", "starbridge_cuda.h"};
  return target;
}

// Through the passes, each looked at before the next.
base::Result<Tree> through(Tree kernel, std::initializer_list<Tree (*)(const Tree&)> passes) {
  for (auto pass : passes) {
    kernel = pass(kernel);
    const std::string fault = find_fault(kernel);
    if (!fault.empty()) return Error("kernel.pass_fault", text("{}: {}", "{}：{}", kernel->name, fault));
  }
  return kernel;
}
base::Result<Tree> prepared(const Tree& kernel) {
  return through(kernel, {lower_exits, drop_unused, propagate, distribute_exits, split_lives});
}

// As many threads per block as fit: CUDA allows 1024.
Emitted emitted(const Tree& kernel, long long nram, Choices choices) {
  Emitted result = BangEmitter(kernel, nram, 1024, choices).run();
  if (result.refusal.rfind("capacity", 0) != 0) return result;
  choices.shares_tiles = true;
  for (int threads = 1024; threads >= 64; threads /= 2) {
    result = BangEmitter(kernel, nram, threads, choices).run();
    if (result.refusal.rfind("capacity", 0) != 0) break;
  }
  return result;
}

// Threads in one line, or rows as launched; where warps act on their own, warps as rows if more of the work is done by vectors
// so.
base::Result<Emitted> best_of(const Tree& ready, long long nram, const Choices& choices) {
  SB_TRY(Tree plain, through(ready, {mask_meetings, convert_choices}));
  Emitted first = emitted(plain, nram, choices);
  bool has_warps = false;
  front::each(ready->args.back(),
              [&](const Tree& part) { has_warps |= part->op == "warp" || (part->op == "barrier" && part->extra == "warp"); });
  if (!has_warps && (first.refusal.empty() || first.refusal.rfind("barrier_divergent", 0) != 0)) return first;
  SB_TRY(Tree split, through(ready, {split_warps, propagate, mask_meetings, convert_choices}));
  Emitted second = emitted(split, nram, choices);
  if (!second.refusal.empty()) return first;
  const bool is_better = vector_share(second.vector_operations, second.thread_operations) >
                         vector_share(first.vector_operations, first.thread_operations);
  bool has_rows = false;  // then a launch may have rows that are no whole warps
  front::each(ready->args.back(), [&](const Tree& part) { has_rows |= part->op == "special" && part->name == "tid.y"; });
  return !first.refusal.empty() || (is_better && !has_rows) ? second : first;
}

base::Result<PortedKernel> port_kernel(const Tree& tree, const Target& target, const Choices& choices) {
  PortedKernel kernel;
  kernel.name = tree->name;
  kernel.file = tree->args[1]->name;
  kernel.line = tree->line;
  if (tree->op == "refuse") {
    kernel.emitted.refusal = tree->extra;
    kernel.emitted.refusal_line = tree->line;
    if (tree->args.size() > 2 && !tree->args[2]->name.empty()) kernel.file = tree->args[2]->name;
    return kernel;
  }
  SB_TRY(Tree ready, prepared(tree));
  SB_TRY(kernel.emitted, best_of(ready, target.bytes, choices));
  if (target.is_ascend) spell_in_ascend_c(kernel.emitted, target.core);
  return kernel;
}

}  // namespace

std::string kernel_heading(const PortedKernel& kernel) {
  const Emitted& emitted = kernel.emitted;
  std::string words =
      "// " + kernel.name + ": from " + fs::path(kernel.file).filename().string() + ":" + std::to_string(kernel.line) +
      ". Vector built-ins do " + std::to_string(vector_share(emitted.vector_operations, emitted.thread_operations)) +
      " % of the arithmetic and move " + std::to_string(vector_share(emitted.vector_bytes, emitted.thread_bytes)) +
      " % of the bytes (loops of unknown length counted as ten turns).\n";
  for (const Fallback& fallback : emitted.fallbacks)
    words += "// Thread by thread, line " + std::to_string(fallback.line) + ": " + fallback.reason + ".\n";
  return words;
}

namespace {

std::string build_file(const std::vector<std::string>& programs, const std::string& chip) {
  const std::string stem = fs::path(programs[0]).stem().string();
  std::string all;
  for (const std::string& program : programs) all += " " + program;
  return "# Builds with Cambricon's compiler; the emulated chip needs no build: starbridge kernel check " + programs[0] +
         " --chip " + chip + "\nNEUWARE_HOME ?= /usr/local/neuware\nCNCC ?= $(NEUWARE_HOME)/bin/cncc\n\n" + stem + ":" + all +
         " starbridge_port.h starbridge_cuda.h\n\t$(CNCC) -O3 --bang-mlu-arch=mtp_372 -std=c++17 -I$(NEUWARE_HOME)/include -I." +
         all + " -o $@ -L$(NEUWARE_HOME)/lib64 -lcnrt -lcndrv\n";
}

std::string ascend_build_file(const std::vector<std::string>& programs, const std::string& chip) {
  const std::string stem = fs::path(programs[0]).stem().string();
  std::string all;
  for (const std::string& program : programs) all += " " + program;
  return "# Builds with CANN's compiler; the emulated chip needs no build: starbridge kernel check " + programs[0] + " --chip " +
         chip + "\ncmake_minimum_required(VERSION 3.16)\nfind_package(ASC REQUIRED)\nproject(" + stem +
         " LANGUAGES ASC CXX)\nadd_executable(" + stem + all + ")\ntarget_compile_options(" + stem +
         " PRIVATE $<$<COMPILE_LANGUAGE:ASC>:--npu-arch=dav-2201 -std=c++17>)\ntarget_link_libraries(" + stem +
         " PRIVATE ascendcl tiling_api register platform m dl)\n";
}

// A source file of the program and the headers in quotes it brings along.
struct Sources {
  const PortRequest& request;
  const Tree& module;
  const PortReport& report;
  const Target& target;
  std::set<std::string> done;
  std::vector<std::pair<std::string, std::string>> written;  // name in the folder, content

  std::set<std::string> own_names, seen;

  // Of the program and the headers it brings along.
  void collect_names(const std::string& path) {
    if (!seen.insert(fs::weakly_canonical(path).string()).second) return;
    base::Result<std::string> content = base::read_file(path);
    if (!content.ok()) return;
    own_names.merge(defined_names(*content));
    for (const std::string& include : quoted_includes(*content)) {
      std::vector<std::string> places = {(fs::path(path).parent_path() / include).string()};
      for (const std::string& folder : request.includes) places.push_back((fs::path(folder) / include).string());
      for (const std::string& place : places) {
        std::error_code error;
        if (fs::is_regular_file(place, error)) collect_names(place);
      }
    }
  }

  base::Status take(const std::string& path, const std::string& name, bool is_program) {
    if (!done.insert(fs::weakly_canonical(path).string()).second) return {};
    HostRequest host;
    host.path = path;
    host.own_names = own_names;
    host.names = target.names;
    SB_TRY(host.text, base::read_file(path));
    auto is_here = [&](const std::string& file) {
      std::error_code error;
      return fs::equivalent(file, path, error);
    };
    for (const Tree& node : module->args) {
      if (node->op == "kernel" || node->op == "refuse" || node->args.empty() || !is_here(node->args[0]->name)) continue;
      host.nodes.push_back(node);
    }
    std::set<std::string> heads;
    std::size_t index = 0;
    for (const Tree& node : module->args) {
      if (node->op != "kernel" && node->op != "refuse") continue;
      const PortedKernel& kernel = report.kernels[index++];
      if (!is_here(node->args[1]->name) || !kernel.emitted.refusal.empty()) continue;
      std::string& place = host.kernels[node->args[0]->name];
      std::string head, list;
      for (const Tree& each : node->args[0]->args) {
        if (each->op == "head") head = each->name;
        if (each->op == "list") list = each->name;
      }
      if (!head.empty() && heads.insert(node->args[0]->name).second)
        place += "// " + node->args[0]->name + ": one launcher per instantiation below.\n" + head + "\nvoid launch_" +
                 node->args[0]->name + "(port::Launch at" + (list.empty() ? "" : ", " + list) + ");\n\n";
      place += kernel_heading(kernel) + kernel.emitted.text;
    }
    SB_TRY(std::string content, translate_host(host));
    const std::string from = !is_program        ? ""
                             : target.is_ascend ? "#define PORT_VECTOR_CORES " + std::to_string(target.core.vector_cores) +
                                                      "\n#include \"starbridge_port.h\"\n"
                                                : "#include <bang.h>\n#include \"starbridge_port.h\"\n";
    written.emplace_back(name, from + content);
    for (const std::string& include : quoted_includes(host.text)) {
      std::vector<std::string> places = {(fs::path(path).parent_path() / include).string()};
      for (const std::string& folder : request.includes) places.push_back((fs::path(folder) / include).string());
      for (const std::string& place : places) {
        std::error_code error;
        if (!fs::is_regular_file(place, error)) continue;
        const std::size_t up = include.rfind("../");
        const std::string name_here = up == std::string::npos ? include : include.substr(up + 3);
        if (fs::path(include).is_absolute())
          return Error("kernel.cannot_port", text("the header {} is named by a full path", "头文件 {} 使用了绝对路径", include))
              .at(path)
              .next(text("give its folder with -I", "请用 -I 指定其目录"));
        SB_TRY_VOID(take(place, name_here, false));
        break;
      }
    }
    return {};
  }
};

base::Status write_all(const PortRequest& request, const Target& target,
                       const std::vector<std::pair<std::string, std::string>>& written, const std::vector<std::string>& programs,
                       PortReport& report) {
  SB_TRY(std::string root, base::installation_root());
  std::vector<std::pair<std::string, std::string>> files = written;
  for (const std::string& name : target.support) {
    SB_TRY(std::string support, base::read_file(root + "/data/kernels/" + name));
    files.emplace_back(fs::path(name).filename().string(), support);
  }
  files.emplace_back(target.is_ascend ? "CMakeLists.txt" : "Makefile",
                     target.is_ascend ? ascend_build_file(programs, request.chip) : build_file(programs, request.chip));
  std::map<std::string, std::string> known;
  for (const auto& [name, content] : files) {
    const auto [at, is_new] = known.emplace(name, content);
    if (!is_new && at->second != content)
      return Error("kernel.cannot_port",
                   text("two sources bring different kernels out of {}", "两个源文件由 {} 得到不同的内核", name))
          .at(request.path)
          .next(text("launch a kernel of a header in one source", "请只在一个源文件中启动头文件里的内核"));
  }
  for (const auto& [name, content] : files) {
    if (known.erase(name) == 0) continue;
    const fs::path to = fs::path(request.output_folder) / name;
    SB_TRY_VOID(base::make_directories(to.parent_path().string()));
    SB_TRY_VOID(base::write_file_atomically(to.string(), content));
    report.files.push_back(to.string());
  }
  return {};
}

}  // namespace

base::Text refusal_text(const std::string& reason, base::Text& next) {
  const std::size_t colon = reason.find(':');
  const std::string word = reason.substr(0, colon), about = colon == std::string::npos ? "" : reason.substr(colon + 1);
  for (const RefusalRow& row : kRefusals) {
    if (word != row.word) continue;
    next = {row.next_en, row.next_zh};
    return {fill(row.en, about), fill(row.zh, about)};
  }
  next = {};
  return {word + " " + about, word + " " + about};
}

int vector_share(long long by_vector, long long by_thread) {
  return by_vector + by_thread == 0 ? 100 : static_cast<int>(100 * by_vector / (by_vector + by_thread));
}

base::Result<std::string> kernel_trees(const PortRequest& request) {
  SB_TRY(Tree module, read_module(request));
  std::string out;
  for (const Tree& tree : module->args) {
    if (tree->op != "kernel") continue;
    SB_TRY(Tree ready, prepared(tree));
    SB_TRY(ready, through(ready, {mask_meetings, convert_choices}));
    out += front::print(ready);
  }
  return out;
}

namespace {

base::Result<PortedModule> kernels_of(const PortRequest& request, const Target& target) {
  if (fs::path(request.path).extension() != ".cu")
    return Error("kernel.no_kernel_source", text("only .cu sources are ported", "仅支持移植 .cu 源文件")).at(request.path);
  PortedModule result;
  result.language = target.is_ascend ? "Ascend C" : "BANG C";
  SB_TRY(result.tree, read_module(request));
  std::set<std::string> launched;
  for (const Tree& node : result.tree->args) {
    if (node->op == "launch") launched.insert(node->name);
  }
  for (const Tree& node : result.tree->args) {
    if (node->op != "kernel" && node->op != "refuse") continue;
    SB_TRY(PortedKernel kernel, port_kernel(node, target, request.choices));
    kernel.is_launched = launched.count(node->args[0]->name) > 0;
    result.kernels.push_back(std::move(kernel));
  }
  return result;
}

// One source of the program: its kernels into `report`, what is to be written into `written`.
base::Status port_source(const PortRequest& request, const Target& target, PortReport& report,
                         std::vector<std::pair<std::string, std::string>>& written) {
  SB_TRY(PortedModule module, kernels_of(request, target));
  PortReport own;
  own.kernels = std::move(module.kernels);
  for (const PortedKernel& kernel : own.kernels) {
    if (kernel.emitted.refusal.empty() || !kernel.is_launched) continue;
    base::Text next;
    base::Text why = refusal_text(kernel.emitted.refusal, next);
    return Error("kernel.cannot_port", base::Text{kernel.name + ": " + why.en, kernel.name + "：" + why.zh})
        .at(base::Place{kernel.file, kernel.emitted.refusal_line, 0, ""})
        .next(next);
  }
  Sources sources{request, module.tree, own, target, {}, {}, {}, {}};
  sources.collect_names(request.path);
  for (const std::string& other : request.with) sources.collect_names(other);
  SB_TRY_VOID(sources.take(request.path, fs::path(request.path).stem().string() + target.extension, true));
  written.insert(written.end(), sources.written.begin(), sources.written.end());
  report.language = module.language;
  report.kernels.insert(report.kernels.end(), own.kernels.begin(), own.kernels.end());
  return {};
}

}  // namespace

base::Result<PortedModule> port_kernels(const PortRequest& request) {
  SB_TRY(Target target, target_of(request.chip));
  SB_TRY(PortedModule result, kernels_of(request, target));
  if (result.kernels.empty())
    return Error("kernel.no_kernel_source", text("there are no CUDA kernels here", "此处没有 CUDA 内核")).at(request.path);
  return result;
}

base::Result<PortReport> port_program(const PortRequest& request) {
  PortReport report;
  SB_TRY(Target target, target_of(request.chip));
  report.chip = request.chip;
  report.memory = target.is_ascend ? "UB" : "NRAM";
  std::vector<std::pair<std::string, std::string>> written;
  std::vector<std::string> programs, paths = request.with;
  paths.insert(paths.begin(), request.path);
  for (const std::string& path : paths) {
    PortRequest one = request;
    one.path = path;
    programs.push_back(fs::path(path).stem().string() + target.extension);
    SB_TRY_VOID(port_source(one, target, report, written));
  }
  if (report.kernels.empty())
    return Error("kernel.no_kernel_source", text("there are no CUDA kernels here", "此处没有 CUDA 内核")).at(request.path);
  if (request.output_folder.empty()) return report;
  SB_TRY_VOID(write_all(request, target, written, programs, report));
  // The programs first, the main one before the others.
  auto is_program = [&](const std::string& file) {
    return std::find(programs.begin(), programs.end(), fs::path(file).filename().string()) != programs.end();
  };
  std::stable_partition(report.files.begin(), report.files.end(), is_program);
  return report;
}

}  // namespace starbridge::kernel::port
