#include "verify/verification.h"

#include <stdlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "base/files.h"
#include "base/json.h"
#include "base/subprocess.h"
#include "pool/emulated_device.h"
#include "verify/checkpoints.h"
#include "verify/extension_build.h"

namespace starbridge::verify {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::Json;
using base::text;

constexpr std::size_t kTailBytes = 3000;
constexpr std::size_t kCheckpointsMax = 64;

struct Run {
  std::string folder;   // copy of the project
  std::string records;  // what the probe wrote
  base::ProcessResult process;
  ExtensionBuild extension;
};

std::string tail_of(const std::string& out) {
  std::string tail = out.substr(out.size() > kTailBytes ? out.size() - kTailBytes : 0);
  return base::sanitize_utf8(base::trim(tail));
}

base::Status copy_project(const std::string& from, const std::string& to) {
  std::error_code failure;
  // A link to the project stands for the project: as a link in the copy it would have the run write into the original.
  fs::copy(fs::canonical(from, failure), to, fs::copy_options::recursive | fs::copy_options::copy_symlinks, failure);
  if (failure) return base::io_error(failure.value(), text("cannot copy the project", "无法复制项目"), from);
  return {};
}

// What a kept run was, so that a later verification may use it.
base::Status write_run(const Request& request, const Run& run) {
  Json json = {{"schema", "starbridge.verify_run/1"},
               {"command", request.command},
               {"seed", request.seed},
               {"exit_code", run.process.exit_code},
               {"signal", run.process.signal},
               {"timed_out", run.process.timed_out},
               {"wall_ms", run.process.wall_ms},
               {"extension", to_string(run.extension.state)},
               {"out", base::sanitize_utf8(run.process.out)}};
  return base::write_file_atomically(fs::path(run.folder).parent_path().string() + "/run.json", base::to_string(json) + "\n");
}

base::Result<Run> run_side(const Request& request, const std::string& who, const std::string& project, const catalog::Chip& chip,
                           const std::string& root, const std::string& scratch, bool builds_extension) {
  Run run{scratch + "/" + who + "/project", scratch + "/" + who + "/records", {}, {}};
  SB_TRY_VOID(base::make_directories(run.records));
  SB_TRY_VOID(copy_project(project, run.folder));
  std::vector<int> indices;
  for (int index = 0; index < request.card_count; ++index) indices.push_back(index);
  SB_TRY(auto environment, pool::device_environment({chip, indices, true, run.records, run.records + "/device-report.json"}));
  environment["PYTHONPATH"] = root + "/python/probe:" + environment["PYTHONPATH"];
  environment["STARBRIDGE_PROBE_FOLDER"] = run.records;
  environment["STARBRIDGE_PROBE_PROJECT"] = run.folder;
  environment["STARBRIDGE_PROBE_SEED"] = std::to_string(request.seed);
  environment["PYTHONHASHSEED"] = "0";
  environment["PYTHONUNBUFFERED"] = "1";
  environment["PYTHONDONTWRITEBYTECODE"] = "1";
  // One thread adds in one order: differences then come from the port, not from chance.
  environment["OMP_NUM_THREADS"] = "1";
  environment["MKL_NUM_THREADS"] = "1";
  base::ProcessSpec spec;
  spec.arguments = request.command;
  if (spec.arguments[0] == "python" || spec.arguments[0] == "python3") {
    SB_TRY(spec.arguments[0], pool::torch_python());
  } else if (spec.arguments[0] == "torchrun") {
    SB_TRY(std::string python, pool::torch_python());
    spec.arguments[0] = fs::path(python).parent_path().string() + "/torchrun";
  }
  if (builds_extension) {
    SB_TRY(std::string python, pool::torch_python());
    // Kernels of an extension are given tensors: these lie in the emulated chip's memory then.
    if (has_extension(run.folder)) environment["STARBRIDGE_KERNEL_RUNTIME"] = "1";
    std::function<void(std::string_view)> tell;
    if (request.on_output) tell = [&](std::string_view piece) { request.on_output(who, piece); };
    SB_TRY(run.extension, build_extension(run.folder, python, environment, tell));
  }
  spec.working_directory = run.folder;
  for (const auto& [name, value] : environment) spec.environment[name] = value;
  spec.timeout_ms = request.timeout_ms;
  spec.merge_output = true;
  if (request.on_output) spec.on_output = [&](std::string_view piece) { request.on_output(who, piece); };
  SB_TRY(run.process, base::run_process(spec));
  if (!request.keep_folder.empty()) SB_TRY_VOID(write_run(request, run));
  return run;
}

Error other_run(base::Text what, const std::string& where) {
  return Error("verify.other_run", std::move(what))
      .at(where)
      .next(text("leave --original-run out, or give the folder of a --keep with this command",
                 "请去掉 --original-run，或给出用同一命令 --keep 保存的目录"));
}

// A kept run is only worth something whole: without its records every number of the port would look like one too many.
base::Status check_is_whole(const Run& run) {
  std::error_code failure;
  for (const std::string* folder : {&run.folder, &run.records}) {
    if (!fs::is_directory(*folder, failure))
      return other_run(text("a folder of the kept run is gone", "保存的运行缺少一个目录"), *folder);
  }
  return {};
}

base::Result<Run> read_run(const Request& request) {
  std::string folder = fs::absolute(request.original_run).string() + "/original";
  SB_TRY(Json json, base::read_json(folder + "/run.json"));
  auto other = [&](base::Text what) { return other_run(std::move(what), folder + "/run.json"); };
  auto has = [&](const char* name, auto is_kind) { return json.contains(name) && (json[name].*is_kind)(); };
  if (!json.is_object() || json.value("schema", Json()) != "starbridge.verify_run/1" ||
      !has("exit_code", &Json::is_number_integer) || !has("signal", &Json::is_number_integer) ||
      !has("timed_out", &Json::is_boolean) || !has("wall_ms", &Json::is_number_integer) || !has("out", &Json::is_string))
    return other(text("not a run that verify kept", "不是 verify 保存的运行"));
  if (json.value("command", Json()) != Json(request.command) || json.value("seed", Json()) != Json(request.seed))
    return other(text("the kept run is of another command or seed", "保存的运行使用了不同的命令或随机种子"));
  Run run{folder + "/project", folder + "/records", {}, {}};
  run.extension.state = json.value("extension", Json()) == "built"    ? ExtensionState::kBuilt
                        : json.value("extension", Json()) == "failed" ? ExtensionState::kFailed
                                                                      : ExtensionState::kNone;
  run.process.exit_code = json["exit_code"].get<int>();
  run.process.signal = json["signal"].get<int>();
  run.process.timed_out = json["timed_out"].get<bool>();
  run.process.wall_ms = json["wall_ms"].get<std::int64_t>();
  run.process.out = json["out"].get<std::string>();
  SB_TRY_VOID(check_is_whole(run));
  return run;
}

// Files PREFIX.PID.jsonl of a run in the order in which their processes began.
std::vector<std::string> record_files(const Run& run, const std::string& prefix) {
  std::vector<std::pair<long, std::string>> found;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(run.records, failure)) {
    std::string name = entry.path().filename().string();
    if (name.rfind(prefix, 0) == 0)
      found.emplace_back(std::strtol(name.c_str() + prefix.size(), nullptr, 10), entry.path().string());
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> paths;
  for (auto& [process, path] : found) paths.push_back(std::move(path));
  return paths;
}

// Numbers that the processes of a run noted. Steps count per process unless the processes share them: then the last one wins.
Series recorded_series(const Run& run, const std::string& prefix, bool shares_steps) {
  std::map<std::string, std::map<std::pair<std::size_t, std::int64_t>, double>> recorded;
  std::vector<std::string> files = record_files(run, prefix);
  for (std::size_t process = 0; process < files.size(); ++process) {
    base::Result<std::string> lines = base::read_file(files[process]);
    if (!lines.ok()) continue;
    std::string_view rest = *lines;
    while (!rest.empty()) {
      std::size_t end = std::min(rest.find('\n'), rest.size());
      Json json = Json::parse(rest.substr(0, end), nullptr, false);
      rest.remove_prefix(std::min(rest.size(), end + 1));
      if (!json.is_object() || !json.contains("value")) continue;
      const Json& value = json["value"];
      if (!value.is_number() && !value.is_string()) continue;
      // Text: what is not finite.
      recorded[json.value("name", "")][{shares_steps ? 0 : process, json.value("step", std::int64_t{0})}] =
          value.is_number() ? value.get<double>() : std::strtod(value.get<std::string>().c_str(), nullptr);
    }
  }
  Series series;
  for (const auto& [name, steps] : recorded) {
    for (const auto& [step, value] : steps) series[name].push_back(value);
  }
  return series;
}

Series series_of(const Run& run) {
  Series series = read_printed_losses(run.process.out);
  // What a script records on purpose goes before what it prints.
  for (auto& [name, values] : recorded_series(run, "records.", true)) series[name] = std::move(values);
  return series;
}

// Checkpoints that both runs wrote, by relative path.
std::vector<std::string> common_checkpoints(const Run& original, const Run& port) {
  std::vector<std::string> found;
  std::error_code failure;
  for (auto entry = fs::recursive_directory_iterator(original.folder, failure); entry != fs::recursive_directory_iterator();
       entry.increment(failure)) {
    std::string suffix = entry->path().extension().string();
    if (suffix != ".pt" && suffix != ".pth" && suffix != ".ckpt" && suffix != ".safetensors") continue;
    std::string relative = fs::relative(entry->path(), original.folder, failure).string();
    if (fs::is_regular_file(port.folder + "/" + relative, failure) && found.size() < kCheckpointsMax) found.push_back(relative);
  }
  std::sort(found.begin(), found.end());
  return found;
}

void read_files(const Run& port, Report& report) {
  std::set<std::string> executed, imported;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(port.records, failure)) {
    if (entry.path().filename().string().rfind("files.", 0) != 0) continue;
    base::Result<Json> json = base::read_json(entry.path().string());
    if (!json.ok() || !json->is_object()) continue;
    for (const Json& path : json->value("executed", Json::array())) executed.insert(path.get<std::string>());
    for (const Json& path : json->value("imported", Json::array())) imported.insert(path.get<std::string>());
  }
  std::set<std::string> all;
  for (auto entry = fs::recursive_directory_iterator(port.folder, failure); entry != fs::recursive_directory_iterator();
       entry.increment(failure)) {
    if (entry->path().extension() == ".py") all.insert(fs::relative(entry->path(), port.folder, failure).string());
  }
  for (const std::string& path : all) {
    report.files.emplace_back(path, executed.count(path) > 0   ? FileUse::kExecuted
                                    : imported.count(path) > 0 ? FileUse::kImported
                                                               : FileUse::kParsed);
  }
}

void read_device_reports(const Run& port, Report& report) {
  std::map<std::string, std::int64_t> fell_back, refused;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(port.records, failure)) {
    if (entry.path().filename().string().rfind("device-report.json", 0) != 0) continue;
    base::Result<Json> json = base::read_json(entry.path().string());
    if (!json.ok() || !json->is_object() || !json->contains("operators")) continue;
    for (const auto& [name, counts] : (*json)["operators"].items()) {
      report.executed_operator_count += counts.value("executed", std::int64_t{0}) + counts.value("fell_back", std::int64_t{0});
      if (std::int64_t count = counts.value("fell_back", std::int64_t{0}); count > 0) fell_back[name] += count;
      if (std::int64_t count = counts.value("refused", std::int64_t{0}); count > 0) refused[name] += count;
    }
    for (const Json& device : json->value("devices", Json::array()))
      report.peak_bytes = std::max(report.peak_bytes, device.value("peak_bytes", std::int64_t{0}));
  }
  report.fell_back.assign(fell_back.begin(), fell_back.end());
  report.refused.assign(refused.begin(), refused.end());
}

// The first thing that does not agree, said in a sentence; empty when all does.
base::Text first_disagreement(const Report& report) {
  if (report.port_exit_code != 0)
    return text("the port ended with exit code {}", "移植版以退出码 {} 结束", report.port_exit_code);
  if (report.original_extension.state == ExtensionState::kBuilt && report.port_extension.state != ExtensionState::kBuilt)
    return text("the original ran with its extension, which the port could not build", "原版使用了其扩展，移植版未能构建该扩展");
  for (const SeriesComparison& row : report.series) {
    if (row.original_count != row.port_count)
      return text("{} has {} values in the original and {} in the port", "{} 在原版中有 {} 个值，移植版中有 {} 个", row.name,
                  row.original_count, row.port_count);
    if (row.first_diverging_step)
      return text("{} diverges at step {}", "{} 在第 {} 步开始偏离", row.name, *row.first_diverging_step);
  }
  for (const TensorComparison& row : report.tensors) {
    if (!row.agrees)
      return text("the tensor {} of {} differs {}", "{1} 中的张量 {0} 不一致 {2}", row.name, row.file, row.problem);
  }
  return {};
}

// The module that a failed Python run lacks, as the interpreter names it last; empty when it lacks none.
std::string missing_module(const std::string& out) {
  const std::string_view begin = "ModuleNotFoundError: No module named '";
  std::size_t at = out.rfind(begin);
  if (at == std::string::npos) return "";
  std::size_t name = at + begin.size();
  std::size_t end = out.find_first_of("'.\n", name);  // of a.b the package is a
  return end == std::string::npos ? "" : base::sanitize_utf8(out.substr(name, end - name));
}

base::Text next_step_of(const Run& run) {
  std::string module = missing_module(run.process.out);
  base::Result<std::string> python = pool::torch_python();
  if (module.empty() || !python.ok()) return text("make the original run first", "请先让原版能够运行");
  return text("install the package that has {0} for the Python of these runs: {1} -m pip install {0}",
              "请为运行所用的 Python 安装提供 {0} 的软件包：{1} -m pip install {0}", module, *python);
}

base::Result<Report> run_both(const Request& request, const std::string& scratch) {
  SB_TRY(std::string root, base::installation_root());
  Report report;
  SB_TRY(Run original, request.original_run.empty() ? run_side(request, "original", request.original, *request.reference_chip,
                                                               root, scratch, has_ported_kernels(request.port))
                                                    : read_run(request));
  report.original_ms = original.process.wall_ms;
  if (!original.process.ok()) {
    base::Text what =
        original.process.timed_out
            ? text("the original did not end within {}", "原版未在 {} 内结束", base::format_duration(request.timeout_ms))
            : text("the original ended with exit code {}", "原版以退出码 {} 结束", original.process.exit_code);
    std::string tail = tail_of(original.process.out);
    return Error("verify.original_failed", {what.en + "\n" + tail, what.zh + "\n" + tail})
        .at(request.original)
        .next(next_step_of(original));
  }
  SB_TRY(Run port, run_side(request, "port", request.port, *request.chip, root, scratch,
                            original.extension.state == ExtensionState::kBuilt));
  SB_TRY_VOID(check_is_whole(original));  // someone may have removed it meanwhile
  report.port_ms = port.process.wall_ms;
  report.original_extension = original.extension;
  report.port_extension = port.extension;
  report.port_exit_code = port.process.timed_out     ? 124
                          : port.process.signal != 0 ? 128 + port.process.signal
                                                     : port.process.exit_code;
  if (report.port_exit_code != 0) report.port_tail = tail_of(port.process.out);
  report.original_series = series_of(original);
  report.port_series = series_of(port);
  report.series = compare(report.original_series, report.port_series, request.tolerance);
  for (const std::string& file : common_checkpoints(original, port)) {
    compare_checkpoint(original.folder + "/" + file, port.folder + "/" + file, file, request.tolerance, report.tensors);
  }
  read_files(port, report);
  read_device_reports(port, report);
  if (report.series.empty() && report.tensors.empty()) {
    // Tests print no loss; then what the project's own code reads out of tensors is compared.
    report.original_series = recorded_series(original, "reads.", false);
    report.port_series = recorded_series(port, "reads.", false);
    report.series = compare(report.original_series, report.port_series, request.tolerance);
    report.compares_reads = !report.series.empty();
  }
  if (report.series.empty() && report.tensors.empty() && report.port_exit_code == 0) {
    return Error("verify.nothing_to_compare",
                 text("both runs ended well, but printed no loss, saved no checkpoint and read no number out of a tensor",
                      "两次运行均正常结束，但没有打印 loss、没有保存检查点，也没有从张量中读取数值"))
        .at(request.original)
        .next(text("print \"loss VALUE\" lines, save a .pt file, or call starbridge_probe.record",
                   "打印“loss 数值”、保存 .pt 文件，或调用 starbridge_probe.record"));
  }
  base::Text reason = first_disagreement(report);
  report.agrees = reason.empty();
  report.reason_en = reason.en;
  report.reason_zh = reason.zh;
  return report;
}

}  // namespace

base::Result<Report> verify(const Request& request) {
  SB_CHECK(request.chip != nullptr);
  SB_CHECK(request.reference_chip != nullptr);
  for (const std::string* folder : {&request.original, &request.port}) {
    std::error_code failure;
    if (!fs::is_directory(*folder, failure))
      return Error("base.not_a_directory", text("a project folder was expected", "此处应为项目目录")).at(*folder);
  }
  if (request.command.empty())
    return Error("base.usage", text("the command to run is missing", "缺少要运行的命令"))
        .next(text("add -- python train.py", "请加上 -- python train.py"));
  std::string scratch = request.keep_folder;
  if (scratch.empty()) {
    std::string pattern = (fs::temp_directory_path() / "starbridge-verify-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      return base::io_error(errno, text("cannot make a temporary folder", "无法创建临时目录"), pattern);
    scratch = pattern;
  } else {
    scratch = fs::absolute(scratch).string();
    std::error_code failure;
    if (fs::exists(scratch, failure) && !fs::is_empty(scratch, failure))
      return base::io_error(EEXIST, text("the folder is not empty", "目录非空"), scratch);
    SB_TRY_VOID(base::make_directories(scratch));
  }
  base::Result<Report> report = run_both(request, scratch);
  std::error_code failure;
  if (request.keep_folder.empty()) fs::remove_all(scratch, failure);
  return report;
}

Json to_json(const Report& report) {
  Json json = {
      {"agrees", report.agrees},
      {"reason", report.reason_en},
      {"compared", report.compares_reads ? "reads" : "losses_and_checkpoints"},
      {"original_ms", report.original_ms},
      {"port_ms", report.port_ms},
      {"port_exit_code", report.port_exit_code},
      {"extension", {{"original", to_string(report.original_extension.state)}, {"port", to_string(report.port_extension.state)}}},
      {"series", Json::array()},
      {"tensors", Json::array()},
      {"files", Json::object()}};
  for (const SeriesComparison& row : report.series) {
    Json entry = {{"name", row.name},
                  {"original_count", row.original_count},
                  {"port_count", row.port_count},
                  {"difference_max", row.difference_max},
                  {"relative_max", row.relative_max},
                  {"agrees", row.agrees()}};
    if (row.first_diverging_step) entry["first_diverging_step"] = *row.first_diverging_step;
    if (report.compares_reads && row.agrees()) {
      json["series"].push_back(std::move(entry));
      continue;  // thousands of numbers that nobody asks for
    }
    if (report.original_series.count(row.name) > 0) entry["original"] = report.original_series.at(row.name);
    if (report.port_series.count(row.name) > 0) entry["port"] = report.port_series.at(row.name);
    json["series"].push_back(std::move(entry));
  }
  for (const TensorComparison& row : report.tensors) {
    Json entry = {
        {"file", row.file},     {"name", row.name},    {"absolute_max", row.absolute_max}, {"relative_max", row.relative_max},
        {"cosine", row.cosine}, {"agrees", row.agrees}};
    if (!row.problem.empty()) entry["problem"] = row.problem;
    json["tensors"].push_back(std::move(entry));
  }
  for (const auto& [path, use] : report.files)
    json["files"][path] = use == FileUse::kExecuted ? "executed" : use == FileUse::kImported ? "imported" : "parsed";
  json["emulated_device"] = {{"is_emulated", true},
                             {"operator_count", report.executed_operator_count},
                             {"peak_bytes", report.peak_bytes},
                             {"fell_back", Json::object()},
                             {"refused", Json::object()}};
  for (const auto& [name, count] : report.fell_back) json["emulated_device"]["fell_back"][name] = count;
  for (const auto& [name, count] : report.refused) json["emulated_device"]["refused"][name] = count;
  if (!report.port_tail.empty()) json["port_tail"] = report.port_tail;
  return json;
}

}  // namespace starbridge::verify
