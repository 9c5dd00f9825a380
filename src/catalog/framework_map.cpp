#include "catalog/framework_map.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/files.h"
#include "catalog/tsv.h"

namespace starbridge::catalog {
namespace {

using base::Result;
using base::Status;
using base::text;

struct Code {
  std::string_view code;
  std::string_view en;
  std::string_view zh;
};

constexpr std::array<Code, 12> kCodes = {{{"argument_names", "other argument names", "参数名不同"},
                                          {"argument_missing", "lacks arguments", "缺少参数"},
                                          {"argument_dropped", "ignores arguments", "忽略参数"},
                                          {"argument_list", "other arguments", "参数列表不同"},
                                          {"default_differs", "other defaults", "默认值不同"},
                                          {"extra_arguments", "further arguments", "多出参数"},
                                          {"overloads", "other overloads", "重载形式不同"},
                                          {"optimisation_arguments_missing", "lacks arguments for speed", "缺少性能相关参数"},
                                          {"differs", "behaves differently; see its page", "行为有差异，见其说明页"},
                                          {"rewritten_call", "the call takes another shape", "调用形式不同"},
                                          {"written_out", "has to be written out", "需展开实现"},
                                          {"no_rule", "no counterpart is listed", "未列出对应项"}}};

auto key_of(const FrameworkRow& row) { return std::tuple<std::string_view, std::string_view>(row.framework, row.name); }

}  // namespace

Result<FrameworkMap> FrameworkMap::load(const std::string& data_dir) {
  FrameworkMap map;
  std::string path = data_dir + "/compat/framework_names.tsv";
  SB_TRY(std::string content, base::read_file(path));
  SB_TRY_VOID(
      read_tsv(content, path, {"name", "framework", "status", "target", "note", "source"}, [&](const TsvRow& row) -> Status {
        std::optional<MapStatus> status = map_status_from_name(row.cells[2]);
        if (!status) {
          return bad_data(path, row.line, "status",
                          text("unknown status \"{}\"", "未知状态“{}”", base::sanitize_utf8(row.cells[2])));
        }
        bool needs_target = *status == MapStatus::kSame || *status == MapStatus::kRenamed;
        if (needs_target && row.cells[3].empty())
          return bad_data(path, row.line, "target", text("a target is needed", "此处需要目标名称"));
        if (row.cells[0].empty() || row.cells[1].empty() || row.cells[5].empty())
          return bad_data(path, row.line, "name", text("name, framework and source are needed", "需要名称、框架与来源"));
        map.rows_.push_back({std::string(row.cells[0]), std::string(row.cells[1]), *status, std::string(row.cells[3]),
                             std::string(row.cells[4]), std::string(row.cells[5])});
        return {};
      }));
  std::stable_sort(map.rows_.begin(), map.rows_.end(),
                   [](const FrameworkRow& left, const FrameworkRow& right) { return key_of(left) < key_of(right); });
  return map;
}

std::span<const FrameworkRow> FrameworkMap::find(std::string_view name, std::string_view framework) const {
  std::tuple<std::string_view, std::string_view> key(framework, name);
  auto low = std::lower_bound(rows_.begin(), rows_.end(), key,
                              [](const FrameworkRow& row, const auto& wanted) { return key_of(row) < wanted; });
  auto high =
      std::upper_bound(low, rows_.end(), key, [](const auto& wanted, const FrameworkRow& row) { return wanted < key_of(row); });
  return std::span<const FrameworkRow>(low, high);
}

bool FrameworkMap::knows_framework(std::string_view framework) const {
  return std::any_of(rows_.begin(), rows_.end(), [&](const FrameworkRow& row) { return row.framework == framework; });
}

std::vector<std::string> FrameworkMap::frameworks() const {
  std::vector<std::string> names;
  for (const FrameworkRow& row : rows_) {
    if (names.empty() || names.back() != row.framework) names.push_back(row.framework);
  }
  return names;
}

base::Text describe_change(std::string_view codes) {
  base::Text all;
  while (!codes.empty()) {
    std::size_t comma = codes.find(',');
    std::string_view word = codes.substr(0, comma);
    codes = comma == std::string_view::npos ? std::string_view() : codes.substr(comma + 1);
    std::size_t colon = word.find(':');
    std::string_view code = word.substr(0, colon);
    std::string names(colon == std::string_view::npos ? std::string_view() : word.substr(colon + 1));
    for (std::size_t plus = names.find('+'); plus != std::string::npos; plus = names.find('+', plus))
      names.replace(plus, 1, ", ");
    for (std::size_t arrow = names.find('>'); arrow != std::string::npos; arrow = names.find('>', arrow + 4))
      names.replace(arrow, 1, " -> ");
    const auto* found = std::find_if(kCodes.begin(), kCodes.end(), [&](const Code& known) { return known.code == code; });
    base::Text piece = found == kCodes.end() ? base::Text{std::string(code), std::string(code)}
                                             : base::Text{std::string(found->en), std::string(found->zh)};
    if (!names.empty()) piece = {piece.en + " (" + names + ")", piece.zh + "（" + names + "）"};
    all = all.empty() ? piece : base::Text{all.en + "; " + piece.en, all.zh + "；" + piece.zh};
  }
  return all;
}

}  // namespace starbridge::catalog
