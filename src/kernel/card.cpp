#include "kernel/card.h"

#include <charconv>

#include "base/files.h"
#include "catalog/tsv.h"

namespace starbridge::kernel {

namespace {
constexpr std::string_view kColumns[] = {"id",
                                         "name",
                                         "major",
                                         "minor",
                                         "multiprocessors",
                                         "clock_mhz",
                                         "memory_clock_mhz",
                                         "bus_bits",
                                         "l2_kib",
                                         "threads_per_multiprocessor",
                                         "blocks_per_multiprocessor",
                                         "shared_per_multiprocessor_kib",
                                         "shared_per_block_kib",
                                         "fp32_to_fp64",
                                         "source"};
}

base::Result<std::vector<EmulatedCard>> emulated_cards() {
  SB_TRY(std::string root, base::installation_root());
  const std::string path = root + "/data/emulate/cuda_cards.tsv";
  SB_TRY(std::string content, base::read_file(path));
  std::vector<EmulatedCard> cards;
  std::vector<std::string_view> columns(std::begin(kColumns), std::end(kColumns));
  SB_TRY_VOID(catalog::read_tsv(content, path, columns, [&](const catalog::TsvRow& row) -> base::Status {
    EmulatedCard card{std::string(row.cells[0]), std::string(row.cells[1]), 0, ""};
    for (std::size_t i = 1; i + 1 < row.cells.size(); ++i) {
      if (i > 1) {
        int number = 0;
        auto [end, error] = std::from_chars(row.cells[i].data(), row.cells[i].data() + row.cells[i].size(), number);
        if (error != std::errc() || end != row.cells[i].data() + row.cells[i].size() || number < 0)
          return catalog::bad_data(path, row.line, std::string(columns[i]),
                                   base::text("a whole number is wanted", "此处应为整数"));
        if (i == 2) card.capability += number * 10;
        if (i == 3) card.capability += number;
        card.row += '\t';
      }
      card.row += row.cells[i];
    }
    cards.push_back(std::move(card));
    return {};
  }));
  return cards;
}

base::Result<EmulatedCard> find_card(const std::string& id) {
  SB_TRY(std::vector<EmulatedCard> cards, emulated_cards());
  std::vector<std::string> names;
  for (EmulatedCard& card : cards) {
    if (card.id == id) return std::move(card);
    names.push_back(card.id);
  }
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  return base::Error("kernel.unknown_card", base::text("no emulated card is called \"{}\"", "没有名为 \"{}\" 的仿真卡", id))
      .next(base::text("the cards are {}", "可用的卡：{}", known));
}

}  // namespace starbridge::kernel
