// The Kubernetes dialect: Job (batch/v1) and PyTorchJob (kubeflow.org/v1). Extended resources of any vendor's device plug-in
// count cards; what StarBridge has beyond Kubernetes stands in annotations "starbridge.io/...".
#include <functional>

#include "base/yaml.h"
#include "sched/job.h"

namespace starbridge::sched {
namespace {

using base::Error;
using base::text;
using base::YamlNode;

Error at_node(const Error& error, const YamlNode& node) {
  return Error(error.code(), error.message()).at(node.place()).next(error.next_step());
}

const YamlNode* find_path(const YamlNode& node, std::initializer_list<std::string_view> keys) {
  const YamlNode* at = &node;
  for (std::string_view key : keys) {
    if (at != nullptr) at = at->find(key);
  }
  return at;
}

class KubernetesReader {
 public:
  KubernetesReader(const std::string& path, const catalog::Catalog& catalog) : path_(path), catalog_(catalog) {}

  base::Result<JobSpec> read(const YamlNode& document) {
    SB_TRY(const YamlNode* kind, document.require("kind"));
    SB_TRY(const YamlNode* spec, document.require("spec"));
    if (const YamlNode* name = find_path(document, {"metadata", "name"})) {
      SB_TRY(job_.name, name->as_string());
    }
    SB_TRY_VOID(read_annotations(document));
    if (kind->scalar() == "Job") {
      SB_TRY_VOID(read_batch_job(*spec));
    } else {
      SB_TRY_VOID(read_pytorch_job(*spec));
    }
    return finish_job(std::move(job_), path_);
  }

 private:
  base::Status read_annotations(const YamlNode& document) {
    const YamlNode* annotations = find_path(document, {"metadata", "annotations"});
    if (annotations == nullptr) return {};
    for (const auto& [key, value] : annotations->fields()) {
      constexpr std::string_view kPrefix = "starbridge.io/";
      if (key.substr(0, kPrefix.size()) != kPrefix) continue;
      SB_TRY_VOID(read_annotation(key.substr(kPrefix.size()), value));
    }
    return {};
  }

  base::Status read_annotation(const std::string& name, const YamlNode& value) {
    auto store = [&](auto result, auto& target) -> base::Status {
      if (!result.ok()) return at_node(result.error(), value);
      target = *result;
      return {};
    };
    if (name == "project") {
      job_.project = resolve_folder(value.scalar(), path_);
      return {};
    }
    if (name == "policy") return store(parse_policy(value.scalar()), job_.policy);
    if (name == "deadline") return store(base::parse_time(value.scalar()), job_.deadline_ms);
    if (name == "estimate-on-a100") return store(parse_duration(value.scalar()), job_.reference_ms);
    if (name == "memory-per-card") return store(parse_bytes(value.scalar()), job_.memory_per_card_bytes);
    if (name == "accept-open-findings") {
      job_.accepts_open_findings = value.scalar() == "true";
      return {};
    }
    if (name == "chips") return read_chips(value);
    return value.wrong(text("unknown annotation starbridge.io/{}", "未知注解 starbridge.io/{}", base::sanitize_utf8(name)))
        .next(text("see docs/jobs.md", "请看 docs/jobs.md"));
  }

  base::Status read_chips(const YamlNode& value) {
    std::string_view rest = value.scalar();
    while (!rest.empty()) {
      std::size_t comma = rest.find(',');
      base::Result<const catalog::Chip*> chip = catalog_.find_chip(base::trim(rest.substr(0, comma)));
      if (!chip.ok()) return at_node(chip.error(), value);
      job_.chips.push_back((*chip)->id);
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
    return {};
  }

  base::Status read_time_limit(const YamlNode& spec) {
    const YamlNode* seconds = spec.find("activeDeadlineSeconds");
    if (seconds == nullptr) return {};
    std::int64_t value = 0;
    SB_TRY(value, seconds->as_integer());
    if (value < 1 || value > 10LL * 366 * 86'400)
      return seconds->wrong(text("the time limit must be positive and below ten years", "时限应为正数且小于十年"));
    job_.time_limit_ms = value * 1000;
    return {};
  }

  base::Status read_batch_job(const YamlNode& spec) {
    SB_TRY_VOID(read_time_limit(spec));
    std::int64_t pods = 1;
    for (std::string_view field : {"completions", "parallelism"}) {
      const YamlNode* value = spec.find(field);
      if (value == nullptr) continue;
      std::int64_t count = 0;
      SB_TRY(count, value->as_integer());
      if (count < 1 || count > kCardCountMax)
        return value->wrong(text("\"{}\" must lie between 1 and {}", "“{}”应在 1 到 {} 之间", field, kCardCountMax));
      if (field == "parallelism") pods = count;
    }
    const YamlNode* pod = find_path(spec, {"template", "spec"});
    if (pod == nullptr) return spec.wrong(text("the field \"template.spec\" is missing", "缺少字段“template.spec”"));
    std::int64_t cards = 0;
    SB_TRY(cards, read_pod(*pod));
    job_.card_count = cards * pods;
    if (pods > 1) job_.node_count = pods;
    return {};
  }

  base::Status read_pytorch_job(const YamlNode& spec) {
    if (const YamlNode* policy = spec.find("runPolicy")) SB_TRY_VOID(read_time_limit(*policy));
    SB_TRY(const YamlNode* replicas, spec.require("pytorchReplicaSpecs"));
    std::int64_t total = 0;
    std::int64_t nodes = 0;
    for (std::string_view role : {"Worker", "Master"}) {  // the master's command is the job's when both have one
      const YamlNode* group = replicas->find(role);
      if (group == nullptr) continue;
      std::int64_t count = 1;
      if (const YamlNode* field = group->find("replicas")) {
        SB_TRY(count, field->as_integer());
        if (count < 0 || count > kCardCountMax)
          return field->wrong(text("the number of replicas must lie between 0 and {}", "副本数应在 0 到 {} 之间", kCardCountMax));
      }
      const YamlNode* pod = find_path(*group, {"template", "spec"});
      if (pod == nullptr) return group->wrong(text("the field \"template.spec\" is missing", "缺少字段“template.spec”"));
      std::int64_t cards = 0;
      SB_TRY(cards, read_pod(*pod));
      total += cards * count;
      nodes += count;
    }
    if (nodes == 0) return replicas->wrong(text("there is neither a Master nor a Worker", "既没有 Master 也没有 Worker"));
    job_.card_count = total;
    if (nodes > 1) job_.node_count = nodes;
    return {};
  }

  // Cards of one pod; the container that asks for them gives command, variables and folder.
  base::Result<std::int64_t> read_pod(const YamlNode& pod) {
    SB_TRY(const YamlNode* containers, pod.require("containers"));
    if (!containers->is_sequence() || containers->items().empty())
      return containers->wrong(text("a list of containers was expected", "此处应为容器列表"));
    std::int64_t cards = 0;
    for (const YamlNode& container : containers->items()) {
      std::int64_t own = 0;
      SB_TRY(own, count_cards(container));
      if (own > 0 && cards > 0)
        return Error("sched.unsupported", text("two containers of one pod ask for cards", "同一 Pod 中有两个容器申请加速卡"))
            .at(container.place());
      if (own > 0) SB_TRY_VOID(read_container(container));
      cards += own;
    }
    if (cards == 0) {
      return containers->wrong(text("no container asks for a card", "没有容器申请加速卡"))
          .next(text("add resources.limits with nvidia.com/gpu: 1", "请在 resources.limits 中加入 nvidia.com/gpu: 1"));
    }
    return cards;
  }

  bool is_card_resource(const std::string& name) const {
    if (name == "nvidia.com/gpu") return true;
    for (const catalog::Chip& chip : catalog_.chips()) {
      const catalog::Fact* fact = chip.facts.find("kubernetes_resource");
      if (fact == nullptr) continue;
      for (const catalog::Observation& observation : fact->observations) {
        if (observation.value == name) return true;
      }
    }
    return false;
  }

  base::Result<std::int64_t> count_cards(const YamlNode& container) const {
    for (std::string_view group : {"limits", "requests"}) {
      const YamlNode* resources = find_path(container, {"resources", group});
      if (resources == nullptr) continue;
      for (const auto& [name, value] : resources->fields()) {
        if (!is_card_resource(name)) continue;
        std::string digits = value.scalar();  // "8" in quotes is as good as 8 for Kubernetes
        bool is_number = !digits.empty() && digits.size() < 7 && digits.find_first_not_of("0123456789") == std::string::npos;
        if (!is_number || std::stoll(digits) < 1)
          return value.wrong(text("the number of cards must be a positive whole number", "卡数应为正整数"));
        return std::int64_t{std::stoll(digits)};
      }
    }
    return std::int64_t{0};
  }

  base::Status read_container(const YamlNode& container) {
    std::vector<std::string> arguments;
    for (std::string_view field : {"command", "args"}) {
      const YamlNode* list = container.find(field);
      if (list == nullptr) continue;
      SB_TRY(std::vector<std::string> part, list->as_string_list());
      arguments.insert(arguments.end(), part.begin(), part.end());
    }
    if (arguments.empty()) {
      return Error("sched.unsupported", text("the container has no command; what its image would run is not known here",
                                             "容器没有 command；此处无法得知镜像的启动命令"))
          .at(container.place())
          .next(text("write command: [...]", "请写明 command: [...]"));
    }
    job_.script = script_of_arguments(arguments);
    if (const YamlNode* folder = container.find("workingDir")) {
      SB_TRY(job_.working_directory, folder->as_string());
    }
    if (const YamlNode* list = container.find("env")) SB_TRY_VOID(read_environment(*list));
    return {};
  }

  base::Status read_environment(const YamlNode& list) {
    for (const YamlNode& item : list.items()) {
      SB_TRY(const YamlNode* name, item.require("name"));
      const YamlNode* value = item.find("value");
      if (value == nullptr && item.find("valueFrom") != nullptr) {
        return Error("sched.unsupported", text("valueFrom cannot be resolved outside a cluster", "集群之外无法解析 valueFrom"))
            .at(item.place())
            .next(text("write the value", "请直接写值"));
      }
      job_.environment[name->scalar()] = value == nullptr ? "" : value->scalar();
    }
    return {};
  }

  const std::string& path_;
  const catalog::Catalog& catalog_;
  JobSpec job_;
};

}  // namespace

base::Result<JobSpec> parse_kubernetes_job(std::string_view content, const std::string& path, const catalog::Catalog& catalog) {
  SB_TRY(std::vector<YamlNode> documents, base::parse_yaml_documents(content, path));
  const YamlNode* chosen = nullptr;
  std::string kinds;
  for (const YamlNode& document : documents) {
    const YamlNode* kind = document.find("kind");
    if (kind == nullptr) continue;
    kinds += (kinds.empty() ? "" : ", ") + base::sanitize_utf8(kind->scalar());
    if (kind->scalar() != "Job" && kind->scalar() != "PyTorchJob") continue;
    if (chosen != nullptr) {
      return Error("sched.unsupported", text("the file holds two jobs", "文件中有两个作业"))
          .at(document.place())
          .next(text("submit them one by one", "请逐个提交"));
    }
    chosen = &document;
  }
  if (chosen == nullptr) {
    return Error("sched.unsupported", text("there is no Job or PyTorchJob in the file, only {}",
                                           "文件中没有 Job 或 PyTorchJob，只有 {}", kinds.empty() ? "-" : kinds))
        .at(path, 1);
  }
  return KubernetesReader(path, catalog).read(*chosen);
}

}  // namespace starbridge::sched
