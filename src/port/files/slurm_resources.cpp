#include "port/files/slurm_resources.h"

#include <algorithm>
#include <array>

namespace starbridge::port {
namespace {

using base::text;

bool is_number(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// One item of --gres: "gpu", "gpu:8", "gpu:a100:8", "gpu:a100"; --tres-per-node writes "gres/gpu:8".
struct GresItem {
  ByteSpan name;           // "gpu"
  ByteSpan name_and_type;  // "gpu:a100"
  bool has_type = false;
};

GresItem read_item(std::string_view item, std::size_t begin) {
  GresItem read;
  if (item.substr(0, 5) == "gres/") {
    item.remove_prefix(5);
    begin += 5;
  }
  std::size_t first = std::min(item.find(':'), item.size());
  read.name = {begin, begin + first};
  read.name_and_type = read.name;
  if (first == item.size()) return read;
  std::size_t second = std::min(item.find(':', first + 1), item.size());
  if (!is_number(item.substr(first + 1, second - first - 1))) {
    read.has_type = true;
    read.name_and_type.end = begin + second;
  }
  return read;
}

class SlurmJudge {
 public:
  explicit SlurmJudge(Sheet& sheet) : sheet_(sheet) {
    gres_ = sheet.target().chip->slurm_gres().value_or("");
    name_ = gres_.substr(0, gres_.find(':'));
    if (sheet.target().is_cuda_named() && sheet.target().chip->vendor == "nvidia") name_ = "gpu";
  }

  void judge(const std::vector<SlurmOption>& options) {
    bool has_gres = std::any_of(options.begin(), options.end(), [&](const SlurmOption& option) {
      std::string_view name = sheet_.text(option.name.begin, option.name.end);
      return name == "--gres" || name == "--tres-per-node";
    });
    for (const SlurmOption& option : options) {
      std::string_view name = sheet_.text(option.name.begin, option.name.end);
      if (name == "--gres" || name == "--tres-per-node") judge_list(option);
      if (name == "--gpus-per-node") judge_per_node(option, has_gres);
      if (name == "--constraint" || name == "-C") judge_constraint(option);
      judge_count(option, name);
    }
  }

 private:
  bool keeps_gpu() const { return name_ == "gpu"; }
  std::string_view value_of(const SlurmOption& option) const { return sheet_.text(option.value.begin, option.value.end); }

  void judge_list(const SlurmOption& option) {
    std::string_view value = value_of(option);
    for (std::size_t at = 0; at < value.size();) {
      std::size_t comma = std::min(value.find(',', at), value.size());
      judge_item(read_item(value.substr(at, comma - at), option.value.begin + at));
      at = comma + 1;
    }
  }

  void judge_item(const GresItem& item) {
    static constexpr std::array<std::string_view, 5> kCards = {"gpu", "npu", "mlu", "dcu", "gcu"};
    std::string_view name = sheet_.text(item.name.begin, item.name.end);
    if (std::find(kCards.begin(), kCards.end(), name) == kCards.end() || name == name_) return;
    if (name_.empty()) {
      sheet_
          .find(item.name.begin, "slurm-resource-unknown", Severity::kWork,
                text("no Slurm resource name is known for {}", "未知 {} 的 Slurm 资源名", sheet_.target().chip->name))
          .advice = text("ask the cluster's operator for the name in gres.conf", "请向集群管理员询问 gres.conf 中的名称");
      return;
    }
    ByteSpan replaced = item.has_type ? item.name_and_type : item.name;
    // The type of the card asked for has no meaning there; the target's own type takes its place where one is known.
    sheet_.edit(replaced.begin, replaced.end, item.has_type && !keeps_gpu() ? gres_ : name_, "slurm-resource");
  }

  void judge_per_node(const SlurmOption& option, bool has_gres) {
    if (keeps_gpu() || name_.empty()) return;
    std::string_view value = value_of(option);
    std::size_t colon = value.rfind(':');
    std::string_view count = value.substr(colon == std::string_view::npos ? 0 : colon + 1);
    if (has_gres || !is_number(count) || value.find(',') != std::string_view::npos) {
      tell_gpus(option, "--gpus-per-node");
      return;
    }
    sheet_.edit(option.name.begin, option.name.end, "--gres", "slurm-resource");
    sheet_.edit(option.value.begin, option.value.end - count.size(), (colon == std::string_view::npos ? name_ : gres_) + ":",
                "slurm-resource");
  }

  void tell_gpus(const SlurmOption& option, std::string_view name) {
    sheet_
        .find(option.name.begin, "slurm-gpus", Severity::kWork,
              text("Slurm counts only NVIDIA-style GPUs with {}", "Slurm 的 {} 只统计 GPU 类型的资源", name))
        .advice = text("write --gres={}:N per node", "改写为每节点 --gres={}:N", name_);
  }

  void judge_count(const SlurmOption& option, std::string_view name) {
    static constexpr std::array<std::string_view, 9> kCounts = {
        "--gpus",           "-G",         "--gpus-per-task", "--gpus-per-socket", "--cpus-per-gpu", "--mem-per-gpu",
        "--ntasks-per-gpu", "--gpu-bind", "--gpu-freq"};
    if (keeps_gpu() || name_.empty() || std::find(kCounts.begin(), kCounts.end(), name) == kCounts.end()) return;
    tell_gpus(option, name);
  }

  void judge_constraint(const SlurmOption& option) {
    static constexpr std::array<std::string_view, 12> kModels = {"a100", "a800", "h100", "h800", "h200", "h20",
                                                                 "v100", "p100", "t4",   "l40",  "rtx",  "a40"};
    if (sheet_.target().chip->vendor == "nvidia") return;
    std::string value = base::to_lower(value_of(option));
    bool names_card = std::any_of(kModels.begin(), kModels.end(),
                                  [&](std::string_view model) { return value.find(model) != std::string::npos; });
    if (!names_card) return;
    sheet_
        .find(option.name.begin, "slurm-constraint", Severity::kWork,
              text("the constraint {} names an NVIDIA card", "约束 {} 指定了 NVIDIA 加速卡", base::sanitize_utf8(value)))
        .advice = text("name a feature of the nodes with {}", "改为装有 {} 的节点特性", sheet_.target().chip->name);
  }

  Sheet& sheet_;
  std::string gres_;  // "npu:ascend910b3"
  std::string name_;  // "npu"; empty: not known
};

}  // namespace

void judge_slurm(const std::vector<SlurmOption>& options, Sheet& sheet) { SlurmJudge(sheet).judge(options); }

}  // namespace starbridge::port
