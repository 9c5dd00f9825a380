#include "emulate/common/settings.h"

#include <cstdlib>

namespace starbridge::emulate {

namespace {

std::string word(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::uint64_t number(const char* name, std::uint64_t otherwise) {
  std::string value = word(name);
  return value.empty() ? otherwise : std::strtoull(value.c_str(), nullptr, 10);
}

Settings read_settings() {
  Settings result;
  result.is_check = number("SB_EMULATE_CHECK", 0) != 0;
  result.is_adversarial = !word("SB_EMULATE_SEED").empty();
  result.seed = number("SB_EMULATE_SEED", 0);
  result.sample_blocks = number("SB_EMULATE_SAMPLE", 0);
  result.workers = static_cast<int>(number("SB_EMULATE_WORKERS", 0));
  result.report_path = word("SB_EMULATE_REPORT");
  result.memory_bytes = number("SB_EMULATE_MEMORY", 0);
  if (std::string card = word("SB_EMULATE_CARD"); !card.empty()) result.card = card;
  result.time_limit_s = static_cast<double>(number("SB_EMULATE_TIME_LIMIT", 0));
  result.findings_max = number("SB_EMULATE_FINDINGS_MAX", result.findings_max);
  result.times_path = word("SB_EMULATE_TIMES");
  result.is_timed = !result.times_path.empty() && !result.is_check;
  return result;
}

}  // namespace

__attribute__((init_priority(101))) const Settings kSettings = read_settings();

void read_card_row(std::string& name, std::initializer_list<int*> fields) {
  const std::string& row = settings().card;
  std::size_t tab = row.find('\t');
  if (tab == std::string::npos) return;
  name = row.substr(0, tab);
  for (int* field : fields) {
    if (tab == std::string::npos) break;
    *field = std::atoi(row.c_str() + tab + 1);
    tab = row.find('\t', tab + 1);
  }
}

}  // namespace starbridge::emulate
