#include "kernel/card.h"

#include <charconv>

#include "base/files.h"
#include "catalog/tsv.h"

namespace starbridge::kernel {

namespace {

using Columns = std::vector<std::string_view>;

// The first two columns are id and name, the last is the source, all between are whole numbers.
const Columns kCudaColumns = {"id",
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
const Columns kBangColumns = {"id",         "name",          "arch",       "nram_kib",   "wram_kib",
                              "sram_kib",   "clusters",      "cores",      "stack_kib",  "clock_mhz",
                              "memory_mib", "address_align", "size_align", "wram_align", "source"};

const Columns kAscendColumns = {"id",        "name",      "npu_arch",   "aicore",        "cubes",        "vectors",  "ub_bytes",  "ub_free_bytes", "l1_bytes", "l0a_bytes",
                                "l0b_bytes", "l0c_bytes", "bias_bytes", "fixpipe_bytes", "has_pad_copy", "has_bf16", "queue_max", "memory_mib",    "source"};

std::string cell(const catalog::TsvRow& row, const Columns& columns, std::string_view column) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == column) return std::string(row.cells[i]);
  }
  return "";
}

void add_options(const Machine& machine, const catalog::TsvRow& row, const Columns& columns, EmulatedCard& card) {
  if (machine.id == "cuda") {
    card.device_options = {"-U__CUDA_ARCH__",
                           "-D__CUDA_ARCH__=" + cell(row, columns, "major") + cell(row, columns, "minor") + "0"};
    return;
  }
  if (machine.id == "ascend") {
    card.device_options = {"-D__CCE_AICORE__=" + cell(row, columns, "aicore"), "-D__NPU_ARCH__=" + cell(row, columns, "npu_arch")};
    return;
  }
  card.options = {"-D__MLU_NRAM_SIZE__=" + cell(row, columns, "nram_kib"),
                  "-D__MLU_WRAM_SIZE__=" + cell(row, columns, "wram_kib"),
                  "-D__MLU_SRAM_SIZE__=" + cell(row, columns, "sram_kib")};
  card.device_options = {"-D__BANG_ARCH__=" + cell(row, columns, "arch")};
}

}  // namespace

base::Result<std::vector<EmulatedCard>> emulated_cards(const Machine& machine) {
  SB_TRY(std::string root, base::installation_root());
  const bool is_cuda = machine.id == "cuda", is_ascend = machine.id == "ascend";
  const std::string path = root + "/data/emulate/" + (is_cuda ? "cuda_cards.tsv" : is_ascend ? "ascend_chips.tsv" : "mlu_chips.tsv");
  SB_TRY(std::string content, base::read_file(path));
  std::vector<EmulatedCard> cards;
  const Columns& columns = is_cuda ? kCudaColumns : is_ascend ? kAscendColumns : kBangColumns;
  SB_TRY_VOID(catalog::read_tsv(content, path, columns, [&](const catalog::TsvRow& row) -> base::Status {
    EmulatedCard card{std::string(row.cells[0]), std::string(row.cells[1]), "", {}, {}, {}};
    for (std::size_t i = 1; i + 1 < row.cells.size(); ++i) {
      if (i > 1) {
        int number = 0;
        auto [end, error] = std::from_chars(row.cells[i].data(), row.cells[i].data() + row.cells[i].size(), number);
        if (error != std::errc() || end != row.cells[i].data() + row.cells[i].size() || number < 0)
          return catalog::bad_data(path, row.line, std::string(columns[i]),
                                   base::text("a whole number is wanted", "此处应为整数"));
        card.row += '\t';
        card.numbers[std::string(columns[i])] = number;
      }
      card.row += row.cells[i];
    }
    add_options(machine, row, columns, card);
    cards.push_back(std::move(card));
    return {};
  }));
  return cards;
}

base::Result<EmulatedCard> find_card(const Machine& machine, const std::string& id) {
  SB_TRY(std::vector<EmulatedCard> cards, emulated_cards(machine));
  std::vector<std::string> names;
  for (EmulatedCard& card : cards) {
    if (card.id == (id.empty() ? machine.default_card : id)) return std::move(card);
    names.push_back(card.id);
  }
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  return base::Error("kernel.unknown_card", base::text("no emulated card is called \"{}\"", "没有名为 \"{}\" 的仿真卡", id))
      .next(base::text("the cards are {}", "可用的卡：{}", known));
}

}  // namespace starbridge::kernel
