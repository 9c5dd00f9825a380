#include "kernel/toolchain.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <thread>

#include "base/files.h"
#include "base/subprocess.h"
#include "kernel/ascend_sources.h"
#include "kernel/assembly_text.h"

namespace starbridge::kernel {

namespace fs = std::filesystem;
using base::Error;
using base::text;

namespace {

constexpr base::DurationMs kCompileMsMax = 300000;
constexpr const char* kPassName = "libstarbridge_emulate_pass.so";

std::vector<std::string> library_folders() {
  std::vector<std::string> folders;
  if (const char* named = std::getenv("STARBRIDGE_KERNEL_LIB"); named != nullptr) folders.emplace_back(named);
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  for (fs::path folder = self.parent_path(); !error && folder.has_relative_path(); folder = folder.parent_path())
    folders.push_back((folder / "lib").string());
  return folders;
}

Error missing(const std::string& what, const char* zh) {
  return Error("kernel.no_toolchain", text("{}", "{}", what)).next(base::Text{"run tools/install kernel, then build again", zh});
}

bool has_suffix(const std::string& path, std::initializer_list<const char*> suffixes) {
  std::string extension = base::to_lower(fs::path(path).extension().string());
  return std::any_of(suffixes.begin(), suffixes.end(), [&](const char* suffix) { return extension == suffix; });
}

// The words of the line of `clang -###` that runs the compiler proper.
std::vector<std::string> words_of(const std::string& listing) {
  std::size_t at = listing.find("\"-cc1\"");
  std::vector<std::string> words;
  if (at == std::string::npos) return words;
  std::size_t begin = listing.rfind('\n', at);
  begin = begin == std::string::npos ? 0 : begin + 1;
  std::size_t end = std::min(listing.find('\n', at), listing.size());
  std::string word;
  bool in_quotes = false;
  for (std::size_t i = begin; i < end; ++i) {
    char c = listing[i];
    if (c == '\\' && in_quotes && i + 1 < end) {
      word += listing[++i];
    } else if (c == '"') {
      if (in_quotes) words.push_back(std::move(word));
      word.clear();
      in_quotes = !in_quotes;
    } else if (in_quotes) {
      word += c;
    }
  }
  return words;
}

// Removes `option` and its value.
void drop(std::vector<std::string>& words, const std::string& option) {
  for (std::size_t i = 0; i + 1 < words.size();) {
    if (words[i] == option)
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i), words.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    else
      ++i;
  }
}

const char* device_cpu() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c")) return "x86-64-v3";
#endif
  return "x86-64";
}

// "file:line:column: error: words" of the compiler as one of our errors.
Error compile_error(const Toolchain& toolchain, const std::string& output, const std::string& source) {
  static const std::regex pattern(R"(^(.+?):(\d+):(\d+): (?:fatal )?error: (.*)$)");
  std::string first;
  base::Place place{source, 0, 0, ""};
  int count = 0;
  std::string line;
  for (std::size_t at = 0; at < output.size();) {
    std::size_t end = std::min(output.find('\n', at), output.size());
    line = output.substr(at, end - at);
    at = end + 1;
    std::smatch match;
    if (line.size() > 4000 || !std::regex_match(line, match, pattern)) continue;
    if (++count > 1) continue;
    place = {match[1], std::atoi(match[2].str().c_str()), std::atoi(match[3].str().c_str()), ""};
    first = match[4];
  }
  if (first.empty()) first = output.substr(0, 2000);
  Error error("kernel.does_not_compile", text("{}", "{}", base::sanitize_utf8(first)));
  base::Text next = count > 1 ? text("{} errors in all", "共 {} 个错误", count) : base::Text{};
  static const std::regex unknown(
      R"((?:undeclared identifier|no member named|unknown type name|no template named) '?([A-Za-z_][\w:]*)'?)");
  static const std::regex header(R"('([^']+)' file not found)");
  std::smatch match;
  if (std::regex_search(first, match, unknown)) {
    std::string nearest = base::nearest_word(match[1].str(), known_names(toolchain));
    if (!nearest.empty())
      next = text("the nearest name that the emulated card knows is {}", "仿真卡已知的最接近名称是 {}", nearest);
  } else if (std::regex_search(first, match, header)) {
    next = text("add the folder of {} with -I", "用 -I 指定 {} 所在目录", match[1].str());
  }
  Error located = std::move(error).at(place);
  return next.empty() ? std::move(located) : std::move(located).next(next);
}

struct Step {
  std::vector<std::string> arguments;
  std::string mode;  // for the pass
  std::string source;
  base::ProcessResult result;
  std::optional<Error> failure;
};

void carry_out(Step& step) {
  base::ProcessSpec spec;
  spec.arguments = step.arguments;
  spec.environment["SB_EMULATE_PASS"] = step.mode;
  spec.timeout_ms = kCompileMsMax;
  base::Result<base::ProcessResult> result = base::run_process(spec);
  if (result.ok())
    step.result = *result;
  else
    step.failure = std::move(result).error();
}

// The driver's command line for one source, up to what is made of it.
std::vector<std::string> driver_words(const Toolchain& toolchain, const CompileRequest& request, const std::string& source) {
  const bool is_c = has_suffix(source, {".c"});
  std::vector<std::string> driver = {toolchain.compiler, "-x", is_c ? "c" : "c++", "-O2", "-gline-tables-only", "-w",
                                     request.library.empty() ? "-fPIE" : "-fPIC"};
  if (!is_c) driver.push_back("-std=gnu++" + request.standard.substr(request.standard.rfind('+') + 1));
  driver.push_back("-I" + fs::path(source).parent_path().string() + (fs::path(source).has_parent_path() ? "" : "."));
  for (const std::string& include : request.includes) driver.push_back("-I" + include);
  for (const std::string& define : request.defines) driver.push_back("-D" + define);
  for (const std::string& prelude : request.preludes) driver.insert(driver.end(), {"-include", prelude});
  driver.insert(driver.end(), request.card.options.begin(), request.card.options.end());
  // What the runtime reports is the place it returns to: a last call must not be a jump.
  if (toolchain.machine->id != "cuda") driver.emplace_back("-fno-optimize-sibling-calls");
  driver.insert(driver.end(), {"-isystem", toolchain.headers, "-isystem", toolchain.shared_headers});
  for (const std::string& include : request.system_includes) driver.insert(driver.end(), {"-isystem", include});
  driver.insert(driver.end(), {"-ferror-limit=20", "-fno-color-diagnostics", "-c", source});
  return driver;
}

// What the compiler proper is told for a source with kernels, for either half.
base::Result<std::vector<std::string>> kernel_words(const Toolchain& toolchain, const std::vector<std::string>& driver,
                                                    const std::string& source) {
  base::ProcessSpec ask;
  ask.arguments = driver;
  ask.arguments.push_back("-###");
  ask.timeout_ms = kCompileMsMax;
  SB_TRY(base::ProcessResult listing, base::run_process(ask));
  std::vector<std::string> words = words_of(listing.err);
  if (words.empty()) return compile_error(toolchain, listing.err, source);
  drop(words, "-x");
  drop(words, "-o");
  words.pop_back();  // the source
  for (std::string_view extra : {std::string_view("-x"), std::string_view("cuda"), std::string_view("-target-sdk-version=12.4"),
                                 std::string_view("-include"), toolchain.machine->door})
    words.emplace_back(extra);
  words.push_back("-aux-triple");
  words.push_back(words[static_cast<std::size_t>(std::find(words.begin(), words.end(), "-triple") - words.begin()) + 1]);
  return words;
}

}  // namespace

base::Result<Toolchain> find_toolchain(const Machine& machine) {
  Toolchain toolchain;
  toolchain.machine = &machine;
  SB_TRY(std::string root, base::installation_root());
  const std::string id(machine.id);
  const std::string door = "/" + std::string(machine.door);
  toolchain.headers = root + "/src/emulate/" + id + "/include";
  toolchain.shared_headers = root + "/src/emulate/common/include";
  if (!fs::exists(toolchain.headers + door)) {
    toolchain.headers = root + "/include/" + id;
    toolchain.shared_headers = root + "/include/common";
  }
  if (!fs::exists(toolchain.headers + door)) return missing("the emulated card's headers are missing", "缺少仿真卡的头文件");
  std::optional<std::string> compiler = base::find_program("clang++-19");
  if (!compiler) return missing("clang++-19 is not installed", "请运行 tools/install kernel，然后重新构建");
  toolchain.compiler = *compiler;
  toolchain.symbolizer = base::find_program("llvm-symbolizer-19").value_or("");
  const std::string runtime = "libstarbridge_" + id + ".so";
  for (const std::string& folder : library_folders()) {
    if (toolchain.runtime.empty() && fs::exists(folder + "/" + runtime)) toolchain.runtime = folder + "/" + runtime;
    if (toolchain.pass.empty() && fs::exists(folder + "/" + kPassName)) toolchain.pass = folder + "/" + kPassName;
  }
  if (toolchain.runtime.empty()) return missing(runtime + " is not built", "请运行 tools/install kernel，然后重新构建");
  if (toolchain.pass.empty())
    return missing(std::string(kPassName) + " is not built", "请运行 tools/install kernel，然后重新构建");
  return toolchain;
}

base::Result<std::string> read_kernels(const Toolchain& toolchain, const CompileRequest& request, const std::string& source) {
  std::string plugin = fs::path(toolchain.pass).parent_path().string() + "/libstarbridge_front.so";
  if (!fs::exists(plugin)) return missing("libstarbridge_front.so is not built", "请运行 tools/install kernel，然后重新构建");
  SB_TRY(std::vector<std::string> words, kernel_words(toolchain, driver_words(toolchain, request, source), source));
  std::erase(words, "-emit-obj");
  const std::string out = request.output_folder + "/kernels.tree";
  words.insert(words.end(), {"-fcuda-is-device", "-load", plugin, "-plugin", "starbridge-front", "-plugin-arg-starbridge-front",
                             "out=" + out, source});
  words.insert(words.end() - 1, request.card.device_options.begin(), request.card.device_options.end());
  Step step{words, "", source, {}, std::nullopt};
  carry_out(step);
  if (step.failure) return std::move(*step.failure);
  if (!step.result.ok()) return compile_error(toolchain, step.result.err + step.result.out, source);
  return base::read_file(out);
}

base::Result<CompileResult> compile(const Toolchain& toolchain, const CompileRequest& request) {
  const std::string& folder = request.output_folder;
  const Machine& machine = *toolchain.machine;
  const std::string pass_mode(machine.pass_mode);
  const std::string library = "-lstarbridge_" + std::string(machine.id);
  std::string overlay;
  if (machine.id == "cuda") {
    std::vector<std::string> folders = request.includes;
    for (const std::string& source : request.sources)
      folders.push_back(fs::path(source).has_parent_path() ? fs::path(source).parent_path().string() : ".");
    SB_TRY(overlay, write_overlay(request.sources, folders, folder));
  }
  std::string launchers;
  if (machine.id == "ascend") {
    SB_TRY(launchers, write_launchers(request.sources, folder));
  }
  std::vector<Step> steps;
  std::vector<std::string> host_objects, device_objects;
  for (std::size_t i = 0; i < request.sources.size(); ++i) {
    const std::string& source = request.sources[i];
    const bool has_kernels = machine_of_source(source) == &machine;
    std::vector<std::string> driver = driver_words(toolchain, request, source);
    // The source is the last word.
    if (!overlay.empty() && has_kernels) driver.insert(driver.end() - 2, {"-ivfsoverlay", overlay});
    if (!launchers.empty()) driver.insert(driver.end() - 2, "-I" + launchers);
    const std::string host_object = folder + "/host" + std::to_string(i) + ".o";
    host_objects.push_back(host_object);
    if (!has_kernels) {
      driver.insert(driver.end(), {"-o", host_object});
      steps.push_back({driver, "", source, {}, std::nullopt});
      continue;
    }
    SB_TRY(std::vector<std::string> words, kernel_words(toolchain, driver, source));
    if (!launchers.empty()) words.insert(words.end(), {"-include", tiling_header_of(launchers, source)});
    words.push_back("-fpass-plugin=" + toolchain.pass);
    std::vector<std::string> host = words;
    host.insert(host.end(), {"-fcuda-include-gpubinary", "/dev/null", "-o", host_object, source});
    std::vector<std::string> device = words;
    drop(device, "-target-cpu");
    std::erase(device, "-pic-is-pie");
    std::erase(device, "-ffp-contract=on");
    const std::string device_object = folder + "/device" + std::to_string(i) + ".o";
    device_objects.push_back(device_object);
    device.insert(device.end(), {"-fcuda-is-device", "-target-cpu", device_cpu(),
                                 machine.id == "cuda" ? "-ffp-contract=fast" : "-ffp-contract=off"});
    device.insert(device.end(), request.card.device_options.begin(), request.card.device_options.end());
    if (machine.id == "ascend" && request.check) device.emplace_back("-DSB_CHECKED=1");
    // The chips' scalar units have no vectors of the compiler's.
    if (request.is_timed) {
      std::erase(device, "-vectorize-loops");
      std::erase(device, "-vectorize-slp");
    }
    if (request.fast_math) {
      for (const char* extra : {"-ffast-math", "-menable-no-infs", "-menable-no-nans", "-D__USE_FAST_MATH__=1"}) {
        if (std::string_view(extra) != "-menable-no-infs" && std::string_view(extra) != "-menable-no-nans")
          device.emplace_back(extra);
      }
    }
    device.insert(device.end(), {"-o", device_object, source});
    steps.push_back({host, "host", source, {}, std::nullopt});
    steps.push_back({device,
                     pass_mode + (request.check      ? "check"
                                  : request.is_timed ? "time"
                                                     : "run"),
                     source,
                     {},
                     std::nullopt});
  }
  // Two compilers at a time: a program's two halves, or two sources.
  for (std::size_t i = 0; i < steps.size(); i += 2) {
    std::thread other;
    if (i + 1 < steps.size()) other = std::thread([&] { carry_out(steps[i + 1]); });
    carry_out(steps[i]);
    if (other.joinable()) other.join();
  }
  CompileResult result;
  for (Step& step : steps) {
    if (step.failure) return std::move(*step.failure);
    if (!step.result.ok()) return compile_error(toolchain, step.result.err + step.result.out, step.source);
    result.warnings += step.result.err;
  }
  const std::string library_folder = fs::path(toolchain.runtime).parent_path().string();
  const bool is_library = !request.library.empty();
  const fs::path made = is_library ? fs::path(request.library) : fs::path(folder) / "program";
  const std::string device_name = is_library ? made.stem().string() + ".device.so" : "device.so";
  const std::string device_library = (made.parent_path() / device_name).string();
  result.program = made.string();
  std::vector<Step> links;
  std::vector<std::string> device_link = {toolchain.compiler, "-shared", "-Wl,-Bsymbolic", "-o", device_library};
  device_link.insert(device_link.end(), device_objects.begin(), device_objects.end());
  std::vector<std::string> link = {toolchain.compiler, "-o", result.program};
  // The two halves find each other wherever they are moved to together.
  if (is_library) {
    device_link.push_back("-Wl,-soname," + device_name);
    link.insert(link.end(), {"-shared", "-Wl,-rpath,$ORIGIN"});
  }
  link.insert(link.end(), host_objects.begin(), host_objects.end());
  if (!device_objects.empty()) {
    device_link.insert(device_link.end(), {"-L" + library_folder, library, "-Wl,-rpath," + library_folder, "-lm"});
    links.push_back({device_link, "", request.sources[0], {}, std::nullopt});
    link.push_back(device_library);
  }
  link.insert(link.end(), request.link.begin(), request.link.end());
  link.insert(link.end(), {"-L" + library_folder, library, "-Wl,-rpath," + library_folder, "-lm", "-lpthread", "-ldl"});
  links.push_back({link, "", request.sources[0], {}, std::nullopt});
  for (Step& step : links) {
    carry_out(step);
    if (step.failure) return std::move(*step.failure);
    if (!step.result.ok()) {
      std::smatch match;
      static const std::regex undefined(R"(undefined reference to `([^']+)')");
      std::string output = step.result.err;
      if (std::regex_search(output, match, undefined))
        return Error("kernel.does_not_compile", text("{} is used but defined nowhere", "使用了未定义的 {}", match[1].str()))
            .at(request.sources[0])
            .next(text("add the source that defines it with --with, or a library call the emulated card lacks is used",
                       "用 --with 加入定义它的源文件，或程序使用了仿真卡没有的库函数"));
      return Error("kernel.does_not_compile", text("{}", "{}", base::sanitize_utf8(output.substr(0, 2000))))
          .at(request.sources[0]);
    }
  }
  return result;
}

namespace {

// Most names of BANG C are put together by macros: the preprocessor spells them out.
std::string preprocessed_door(const Toolchain& toolchain) {
  base::ProcessSpec spec;
  spec.arguments = {toolchain.compiler,
                    "-x",
                    "c++",
                    "-std=gnu++17",
                    "-E",
                    "-P",
                    "-w",
                    "-D__CUDA__",
                    "-isystem",
                    toolchain.headers,
                    "-isystem",
                    toolchain.shared_headers,
                    toolchain.headers + "/" + std::string(toolchain.machine->door)};
  spec.timeout_ms = kCompileMsMax;
  base::Result<base::ProcessResult> result = base::run_process(spec);
  return result.ok() ? result->out : "";
}

}  // namespace

std::vector<std::string> known_names(const Toolchain& toolchain) {
  const std::regex name{std::string(toolchain.machine->names)};
  std::set<std::string> names;
  auto collect = [&](const std::string& content) {
    for (std::sregex_iterator it(content.begin(), content.end(), name), end; it != end; ++it) {
      std::string found = (*it)[1];
      if (found.rfind("__sb", 0) != 0) names.insert(std::move(found));
    }
  };
  if (toolchain.machine->id != "cuda") collect(preprocessed_door(toolchain));
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(toolchain.headers, error)) {
    if (!entry.is_regular_file()) continue;
    base::Result<std::string> content = base::read_file(entry.path().string());
    if (content.ok()) collect(*content);
  }
  return {names.begin(), names.end()};
}

}  // namespace starbridge::kernel
