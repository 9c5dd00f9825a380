// The native dialect: a strict YAML document.
#include "base/yaml.h"
#include "sched/job.h"

namespace starbridge::sched {
namespace {

using base::Error;
using base::text;
using base::YamlNode;

// Puts the place of `node` on an error of a value reader.
Error at_node(const Error& error, const YamlNode& node) {
  return Error(error.code(), error.message()).at(node.place()).next(error.next_step());
}

base::Result<std::string> read_command(const YamlNode& node) {
  if (node.is_scalar()) {
    std::string script = node.scalar();
    while (!script.empty() && script.back() == '\n') script.pop_back();
    return script;
  }
  SB_TRY(std::vector<std::string> arguments, node.as_string_list());
  return script_of_arguments(arguments);
}

base::Status read_chips(const YamlNode& node, const catalog::Catalog& catalog, JobSpec& job) {
  if (node.is_scalar() && node.scalar() == "any") return {};
  SB_TRY(std::vector<std::string> names, node.as_string_list());
  for (std::size_t index = 0; index < names.size(); ++index) {
    if (base::Result<Policy> policy = parse_policy(names[index]); policy.ok()) {
      job.policy = *policy;
      continue;
    }
    base::Result<const catalog::Chip*> chip = catalog.find_chip(names[index]);
    if (!chip.ok()) return at_node(chip.error(), node.is_sequence() ? node.items()[index] : node);
    job.chips.push_back((*chip)->id);
  }
  return {};
}

base::Status read_resources(const YamlNode& node, const catalog::Catalog& catalog, JobSpec& job) {
  SB_TRY_VOID(node.refuse_unknown_fields({"cards", "nodes", "chips", "policy", "memory_per_card", "accept_open_findings"}));
  if (const YamlNode* field = node.find("cards")) {
    SB_TRY(job.card_count, field->as_integer());
    if (job.card_count < 1 || job.card_count > kCardCountMax)
      return field->wrong(text("the number of cards must lie between 1 and {}", "卡数应在 1 到 {} 之间", kCardCountMax));
  }
  if (const YamlNode* field = node.find("nodes")) {
    SB_TRY(job.node_count, field->as_integer());
    if (job.node_count < 1) return field->wrong(text("the number of nodes must be positive", "节点数应为正数"));
  }
  if (const YamlNode* field = node.find("chips")) SB_TRY_VOID(read_chips(*field, catalog, job));
  if (const YamlNode* field = node.find("policy")) {
    base::Result<Policy> policy = parse_policy(field->scalar());
    if (!policy.ok()) return at_node(policy.error(), *field);
    job.policy = *policy;
  }
  if (const YamlNode* field = node.find("memory_per_card")) {
    base::Result<std::int64_t> bytes = parse_bytes(field->scalar());
    if (!bytes.ok()) return at_node(bytes.error(), *field);
    job.memory_per_card_bytes = *bytes;
  }
  if (const YamlNode* field = node.find("accept_open_findings")) {
    SB_TRY(job.accepts_open_findings, field->as_boolean());
  }
  return {};
}

base::Status read_environment(const YamlNode& node, JobSpec& job) {
  if (!node.is_mapping()) return node.wrong(text("variables are written as \"NAME: value\"", "变量应写成“NAME: value”"));
  for (const auto& [name, value] : node.fields()) {
    if (value.is_null()) {
      job.environment[name] = "";
      continue;
    }
    SB_TRY(job.environment[name], value.as_string());
  }
  return {};
}

base::Status read_times(const YamlNode& root, JobSpec& job) {
  for (auto [field_name, target] :
       {std::pair{"time_limit", &job.time_limit_ms}, std::pair{"estimate_on_a100", &job.reference_ms}}) {
    const YamlNode* field = root.find(field_name);
    if (field == nullptr) continue;
    base::Result<base::DurationMs> duration = parse_duration(field->scalar());
    if (!duration.ok()) return at_node(duration.error(), *field);
    *target = *duration;
  }
  if (const YamlNode* field = root.find("deadline")) {
    base::Result<base::TimeMs> deadline = base::parse_time(field->scalar());
    if (!deadline.ok()) return at_node(deadline.error(), *field);
    job.deadline_ms = *deadline;
  }
  return {};
}

}  // namespace

base::Result<JobSpec> parse_native_job(std::string_view content, const std::string& path, const catalog::Catalog& catalog) {
  SB_TRY(YamlNode root, base::parse_yaml(content, path));
  if (!root.is_mapping())
    return root.wrong(text("a job is a mapping with name and command", "作业应为含 name 与 command 的映射"))
        .next(text("see docs/jobs.md", "请看 docs/jobs.md"));
  SB_TRY_VOID(root.refuse_unknown_fields(
      {"name", "command", "project", "working_directory", "env", "resources", "time_limit", "deadline", "estimate_on_a100"}));
  JobSpec job;
  if (const YamlNode* field = root.find("name")) {
    SB_TRY(job.name, field->as_string());
  }
  SB_TRY(const YamlNode* command, root.require("command"));
  SB_TRY(job.script, read_command(*command));
  if (const YamlNode* field = root.find("project")) {
    SB_TRY(std::string folder, field->as_string());
    job.project = resolve_folder(folder, path);
  }
  if (const YamlNode* field = root.find("working_directory")) {
    SB_TRY(job.working_directory, field->as_string());
  }
  if (const YamlNode* field = root.find("env")) SB_TRY_VOID(read_environment(*field, job));
  if (const YamlNode* field = root.find("resources")) SB_TRY_VOID(read_resources(*field, catalog, job));
  SB_TRY_VOID(read_times(root, job));
  return finish_job(std::move(job), path);
}

}  // namespace starbridge::sched
