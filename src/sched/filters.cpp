#include "sched/filters.h"

#include <algorithm>
#include <array>

#include "sched/placement.h"

namespace starbridge::sched {

using base::text;

namespace {

std::string gib(std::int64_t bytes) { return fmt::format("{:.0f} GiB", static_cast<double>(bytes) / (1LL << 30)); }

std::int64_t cards_of(const pool::PoolSnapshot& snapshot, const std::string& chip) {
  std::int64_t count = 0;
  for (const pool::Node& node : snapshot.pool.nodes) {
    count += std::count_if(node.cards.begin(), node.cards.end(),
                           [&](const pool::Card& card) { return card.chip == chip && card.is_healthy; });
  }
  return count;
}

}  // namespace

std::optional<base::Text> filter_chip_list(const FilterInput& in) {
  if (in.job.chips.empty() || std::find(in.job.chips.begin(), in.job.chips.end(), in.chip.id) != in.job.chips.end())
    return std::nullopt;
  return text("the job does not name this chip", "作业未列出该芯片");
}

std::optional<base::Text> filter_policy(const FilterInput& in) {
  // Vendors outside China; everyone else in the catalogue is domestic.
  static constexpr std::array<std::string_view, 3> kForeign = {"nvidia", "amd", "intel"};
  bool is_foreign = std::find(kForeign.begin(), kForeign.end(), in.chip.vendor) != kForeign.end();
  if (in.job.policy != Policy::kDomesticOnly || !is_foreign) return std::nullopt;
  return text("the policy allows domestic chips only", "策略只允许国产芯片");
}

std::optional<base::Text> filter_verdict(const FilterInput& in) {
  auto found = in.verdicts.find(in.chip.id);
  if (found == in.verdicts.end()) return std::nullopt;
  if (!found->second.is_runnable)
    return base::Text{"the project cannot run there: " + found->second.words.en, "项目无法在其上运行：" + found->second.words.zh};
  if (found->second.has_open_findings && !in.job.accepts_open_findings) {
    return text("the project has open findings there; accept_open_findings would allow it",
                "项目在其上仍有待处理问题；设置 accept_open_findings 可放行");
  }
  return std::nullopt;
}

std::optional<base::Text> filter_memory(const FilterInput& in) {
  std::optional<std::int64_t> memory = in.chip.memory_bytes();
  if (in.job.memory_per_card_bytes == 0 || !memory || *memory >= in.job.memory_per_card_bytes) return std::nullopt;
  return text("it has {} per card, the job needs {}", "每卡 {}，作业需要 {}", gib(*memory), gib(in.job.memory_per_card_bytes));
}

std::optional<base::Text> filter_capacity(const FilterInput& in) {
  std::int64_t count = cards_of(in.snapshot, in.chip.id);
  if (count < in.job.card_count)
    return text("the pool has {} of them, the job needs {}", "池中共 {} 张，作业需要 {} 张", count, in.job.card_count);
  if (seat(in.snapshot, in.chip.id, in.job.card_count, in.job.node_count, true)) return std::nullopt;
  return text("{} nodes with {} cards each cannot be found", "找不到 {} 个各有 {} 张卡的节点", in.job.node_count,
              in.job.card_count / std::max<std::int64_t>(1, in.job.node_count));
}

const std::vector<Filter>& filters() {
  static const std::vector<Filter> all = {filter_chip_list, filter_policy, filter_verdict, filter_memory, filter_capacity};
  return all;
}

}  // namespace starbridge::sched
