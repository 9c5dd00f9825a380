#include "sched/job.h"

#include <algorithm>
#include <filesystem>

#include "base/json.h"

namespace starbridge::sched {

using base::Error;
using base::Json;
using base::text;

std::string_view to_string(Policy policy) {
  switch (policy) {
    case Policy::kCheapest:
      return "cheapest";
    case Policy::kFastest:
      return "fastest";
    case Policy::kDomesticOnly:
      return "domestic-only";
    case Policy::kDeadline:
      return "deadline";
  }
  return "cheapest";
}

base::Result<Policy> parse_policy(std::string_view name) {
  for (Policy policy : {Policy::kCheapest, Policy::kFastest, Policy::kDomesticOnly, Policy::kDeadline}) {
    if (to_string(policy) == name) return policy;
  }
  return Error("base.wrong_field", text("there is no policy \"{}\"", "没有策略“{}”", base::sanitize_utf8(name)))
      .next(text("choose cheapest, fastest, domestic-only or deadline", "可选 cheapest、fastest、domestic-only 或 deadline"));
}

Dialect detect_dialect(std::string_view content) {
  if (content.substr(0, 2) == "#!" || content.find("#SBATCH") != std::string_view::npos) return Dialect::kSbatch;
  bool has_kind = content.find("kind:") != std::string_view::npos || content.find("\"kind\"") != std::string_view::npos;
  bool has_version = content.find("apiVersion") != std::string_view::npos;
  return has_kind && has_version ? Dialect::kKubernetes : Dialect::kNative;
}

base::Result<JobSpec> parse_job(std::string_view content, const std::string& path, const catalog::Catalog& catalog) {
  switch (detect_dialect(content)) {
    case Dialect::kNative:
      return parse_native_job(content, path, catalog);
    case Dialect::kSbatch:
      return parse_sbatch_job(content, path, catalog);
    case Dialect::kKubernetes:
      return parse_kubernetes_job(content, path, catalog);
  }
  return parse_native_job(content, path, catalog);
}

base::Result<base::DurationMs> parse_duration(std::string_view given) {
  auto refuse = [&] {
    return Error("base.wrong_field", text("\"{}\" is not a length of time", "“{}”不是时长", base::sanitize_utf8(given)))
        .next(text("write it as 90s, 30m, 2h, 1d or 01:30:00", "请写成 90s、30m、2h、1d 或 01:30:00"));
  };
  constexpr std::int64_t kSecondsMax = 10LL * 366 * 86'400;
  std::string_view digits = base::trim(given);
  std::int64_t seconds = 0;
  std::int64_t part = 0;
  int parts = 0;
  bool has_digit = false;
  for (std::size_t index = 0; index < digits.size(); ++index) {
    char c = digits[index];
    if (c >= '0' && c <= '9') {
      part = part * 10 + (c - '0');
      has_digit = true;
      if (part > kSecondsMax) return refuse();
    } else if (c == ':' && has_digit && parts < 2) {
      seconds = (seconds + part) * 60;
      part = 0;
      has_digit = false;
      ++parts;
    } else if (index + 1 == digits.size() && has_digit && parts == 0) {
      std::int64_t unit = c == 's' ? 1 : c == 'm' ? 60 : c == 'h' ? 3600 : c == 'd' ? 86'400 : 0;
      if (unit == 0) return refuse();
      part *= unit;
    } else {
      return refuse();
    }
  }
  seconds += part;
  if (!has_digit || seconds > kSecondsMax) return refuse();
  return seconds * 1000;
}

base::Result<std::int64_t> parse_bytes(std::string_view given) {
  std::string_view digits = base::trim(given);
  std::int64_t value = 0;
  std::size_t used = 0;
  while (used < digits.size() && digits[used] >= '0' && digits[used] <= '9' && value < (1LL << 40))
    value = value * 10 + (digits[used++] - '0');
  std::string unit = base::to_lower(digits.substr(used));
  std::int64_t factor = unit.empty() || unit == "b"    ? 1
                        : unit == "k" || unit == "kib" ? 1LL << 10
                        : unit == "m" || unit == "mib" ? 1LL << 20
                        : unit == "g" || unit == "gib" ? 1LL << 30
                        : unit == "mb"                 ? 1'000'000
                        : unit == "gb"                 ? 1'000'000'000
                                                       : 0;
  if (used == 0 || factor == 0 || value > (1LL << 50) / factor) {
    return Error("base.wrong_field", text("\"{}\" is not an amount of memory", "“{}”不是内存大小", base::sanitize_utf8(given)))
        .next(text("write it as 32GiB", "请写成 32GiB"));
  }
  return value * factor;
}

std::string shell_quote(std::string_view argument) {
  bool is_plain = !argument.empty() &&
                  argument.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%") ==
                      std::string_view::npos;
  if (is_plain) return std::string(argument);
  std::string quoted = "'";
  for (char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string script_of_arguments(const std::vector<std::string>& arguments) {
  bool is_shell = arguments.size() == 3 &&
                  (arguments[0] == "sh" || arguments[0] == "bash" || arguments[0] == "/bin/sh" || arguments[0] == "/bin/bash") &&
                  (arguments[1] == "-c" || arguments[1] == "-lc");
  std::string script;
  if (is_shell) {
    script = arguments[2];
  } else {
    for (const std::string& argument : arguments) script += (script.empty() ? "" : " ") + shell_quote(argument);
  }
  while (!script.empty() && script.back() == '\n') script.pop_back();
  return script;
}

std::string resolve_folder(const std::string& folder, const std::string& job_path) {
  std::filesystem::path path(folder);
  if (path.is_relative()) path = std::filesystem::absolute(job_path).parent_path() / path;
  std::string resolved = path.lexically_normal().string();
  while (resolved.size() > 1 && resolved.back() == '/') resolved.pop_back();
  return resolved;
}

base::Result<JobSpec> finish_job(JobSpec job, const std::string& path) {
  auto refuse = [&](const char* field, base::Text message) {
    return Error("base.wrong_field", std::move(message)).at(path).in_field(field);
  };
  if (base::trim(job.script).empty())
    return refuse("command", text("the job has no command", "作业没有命令")).next(text("say what to run", "请写明要运行的命令"));
  for (const std::string* words : {&job.name, &job.script, &job.project, &job.working_directory}) {
    // The operating system ends texts at a zero byte: what follows would be dropped without a word.
    if (words->find('\0') != std::string::npos)
      return refuse("command", text("the job holds a zero byte", "作业内容含零字节"));
  }
  if (job.time_limit_ms < 0 || job.reference_ms < 0 || job.deadline_ms < 0 || job.memory_per_card_bytes < 0)
    return refuse("time_limit", text("times and sizes cannot be negative", "时间与大小不能为负"));
  if (job.card_count < 1 || job.card_count > kCardCountMax) {
    return refuse("cards", text("the number of cards must lie between 1 and {}, not {}", "卡数应在 1 到 {} 之间，而不是 {}",
                                kCardCountMax, job.card_count));
  }
  if (job.node_count < 0 || job.node_count > job.card_count) {
    return refuse("nodes",
                  text("{} cards cannot lie on {} nodes", "{} 张卡无法分布在 {} 个节点上", job.card_count, job.node_count));
  }
  if (job.node_count > 0 && job.card_count % job.node_count != 0) {
    return refuse("nodes", text("{} cards cannot be shared evenly by {} nodes", "{} 张卡无法平均分给 {} 个节点", job.card_count,
                                job.node_count));
  }
  if (job.policy == Policy::kDeadline && job.deadline_ms == 0)
    return refuse("deadline", text("the policy deadline needs a deadline", "deadline 策略需要给出 deadline"));
  for (const auto& [name, value] : job.environment) {
    if (name.empty() || name.find('=') != std::string::npos || name.find('\0') != std::string::npos ||
        value.find('\0') != std::string::npos) {
      return refuse("env", text("\"{}\" cannot be the name of a variable", "“{}”不能作为变量名", base::sanitize_utf8(name)));
    }
  }
  // Without a project a job runs where its file lies, or in a folder given from there; inside a project folders stay relative,
  // because the project may be ported into a copy.
  if (job.project.empty())
    job.working_directory = resolve_folder(job.working_directory.empty() ? "." : job.working_directory, path);
  if (job.name.empty()) job.name = std::filesystem::path(path).stem().string();
  std::sort(job.chips.begin(), job.chips.end());
  job.chips.erase(std::unique(job.chips.begin(), job.chips.end()), job.chips.end());
  return job;
}

Json to_json(const JobSpec& job) {
  return {{"name", job.name},
          {"script", job.script},
          {"project", job.project},
          {"working_directory", job.working_directory},
          {"environment", job.environment},
          {"card_count", job.card_count},
          {"node_count", job.node_count},
          {"chips", job.chips},
          {"policy", to_string(job.policy)},
          {"memory_per_card_bytes", job.memory_per_card_bytes},
          {"time_limit_ms", job.time_limit_ms},
          {"deadline_ms", job.deadline_ms},
          {"reference_ms", job.reference_ms},
          {"accepts_open_findings", job.accepts_open_findings}};
}

base::Result<JobSpec> job_from_json(const Json& json) {
  try {
    JobSpec job;
    json.at("name").get_to(job.name);
    json.at("script").get_to(job.script);
    job.project = json.value("project", "");
    job.working_directory = json.value("working_directory", "");
    if (json.contains("environment")) json.at("environment").get_to(job.environment);
    job.card_count = json.value("card_count", std::int64_t{1});
    job.node_count = json.value("node_count", std::int64_t{0});
    if (json.contains("chips")) json.at("chips").get_to(job.chips);
    SB_TRY(job.policy, parse_policy(json.value("policy", "cheapest")));
    job.memory_per_card_bytes = json.value("memory_per_card_bytes", std::int64_t{0});
    job.time_limit_ms = json.value("time_limit_ms", std::int64_t{0});
    job.deadline_ms = json.value("deadline_ms", std::int64_t{0});
    job.reference_ms = json.value("reference_ms", std::int64_t{0});
    job.accepts_open_findings = json.value("accepts_open_findings", false);
    return job.project.empty() && job.working_directory.empty() ? finish_job(std::move(job), "/job")
                                                                : finish_job(std::move(job), "job");
  } catch (const Json::exception& failure) {
    return Error("base.wrong_field", text("the job is not complete: {}", "作业不完整：{}", base::sanitize_utf8(failure.what())));
  }
}

}  // namespace starbridge::sched
