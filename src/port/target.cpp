#include "port/target.h"

#include <algorithm>

namespace starbridge::port {

const std::array<Family, 4>& families() {
  static constexpr std::array<Family, 4> kFamilies = {
      Family{"cuda", "cuda", "", "nccl"}, Family{"npu", "npu", "torch_npu", "hccl"}, Family{"mlu", "mlu", "torch_mlu", "cncl"},
      Family{"musa", "musa", "torch_musa", "mccl"}};
  return kFamilies;
}

namespace {
template <class Member>
const Family* find_by(Member member, std::string_view value) {
  const auto& all = families();
  auto found =
      std::find_if(all.begin(), all.end(), [&](const Family& family) { return !value.empty() && family.*member == value; });
  return found == all.end() ? nullptr : &*found;
}
}  // namespace

const Family* find_family_of_device(std::string_view device) { return find_by(&Family::device, device); }
const Family* find_family_of_collective(std::string_view backend) { return find_by(&Family::collective, backend); }
const Family* find_family_of_plugin(std::string_view module) { return find_by(&Family::plugin, module); }

std::string_view device_word(std::string_view text) {
  for (const Family& family : families()) {
    if (text.substr(0, family.device.size()) != family.device) continue;
    std::string_view rest = text.substr(family.device.size());
    if (rest.empty()) return family.device;
    if (rest[0] == ':' && rest.find_first_of(" \t\n,/") == std::string_view::npos) return family.device;
    if (rest == "{}" || rest == "%d" || rest == "%s") return family.device;
  }
  return {};
}

std::string_view to_string(Style style) {
  static constexpr std::array<std::string_view, 3> kNames = {"vendor", "portable", "plug-in"};
  return kNames[static_cast<std::size_t>(style)];
}

std::optional<Style> find_style(std::string_view word) {
  for (Style style : {Style::kVendor, Style::kPortable, Style::kPlugIn}) {
    if (word == to_string(style)) return style;
  }
  return std::nullopt;
}

Target make_target(const catalog::Chip& chip, Style style) {
  Target target;
  target.chip = &chip;
  target.family = chip.stack->keeps_torch_cuda() ? &families()[0] : find_family_of_device(chip.stack->torch_device());
  target.style = style;
  target.support_class = chip.facts.text("support_class").value_or("");
  return target;
}

}  // namespace starbridge::port
