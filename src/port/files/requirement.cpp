#include "port/files/requirement.h"

#include <algorithm>

#include "port/version_matrix.h"

namespace starbridge::port {
namespace {

using base::text;

constexpr std::size_t kPairsShown = 4;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

std::size_t skip_blanks(std::string_view bytes, std::size_t at, std::size_t end) {
  while (at < end && (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\\' || bytes[at] == '\n' || bytes[at] == '\r')) ++at;
  return at;
}

std::size_t skip_version(std::string_view bytes, std::size_t at, std::size_t end) {
  while (at < end && (is_name_character(bytes[at]) || bytes[at] == '+' || bytes[at] == '!' || bytes[at] == '*')) ++at;
  return at;
}

// What is written of versions after a name: up to a marker, a remark, an option or a line end; without brackets and local part.
std::string constraint_of(std::string_view rest) {
  std::size_t end =
      std::min({rest.find(';'), rest.find('#'), rest.find(" --"), rest.find('\\'), rest.find('\n'), rest.find(')')});
  std::string written(base::trim(rest.substr(0, end)));
  if (!written.empty() && written[0] == '(') written.erase(0, 1);
  std::size_t plus = written.find('+');
  if (plus != std::string::npos) written.erase(plus, written.find_first_of(", ", plus) - plus);
  // What follows the name but is no version ("torch foo") is no constraint.
  bool is_constraint = !written.empty() && (std::string_view("=<>!~^*").find(written[0]) != std::string_view::npos ||
                                            (written[0] >= '0' && written[0] <= '9'));
  return is_constraint ? written : std::string();
}

}  // namespace

std::string folded_package(std::string_view name) {
  std::string folded = base::to_lower(name);
  for (char& c : folded) c = c == '_' || c == '.' ? '-' : c;
  return folded;
}

std::optional<Requirement> parse_requirement(std::string_view bytes, std::size_t begin, std::size_t end, bool is_conda) {
  std::size_t at = skip_blanks(bytes, begin, end);
  if (at >= end || bytes[at] == '-' || bytes[at] == '.') return std::nullopt;
  if (is_conda) {  // channel::name
    std::size_t colons = bytes.substr(0, end).find("::", at);
    if (colons != std::string_view::npos) at = colons + 2;
  }
  Requirement requirement;
  requirement.name.begin = at;
  while (at < end && is_name_character(bytes[at])) ++at;
  requirement.name.end = at;
  if (at == requirement.name.begin) return std::nullopt;
  if (at < end && (bytes[at] == '/' || bytes[at] == ':')) return std::nullopt;  // a path or a link
  requirement.folded_name = folded_package(bytes.substr(requirement.name.begin, at - requirement.name.begin));
  at = skip_blanks(bytes, at, end);
  if (at < end && bytes[at] == '[') {
    at = std::min(bytes.find(']', at), end);
    at = skip_blanks(bytes, std::min(at + 1, end), end);
  }
  std::string_view rest = bytes.substr(at, end - at);
  requirement.is_url = !rest.empty() && rest[0] == '@';
  requirement.has_hash = rest.find("--hash") != std::string_view::npos;
  std::size_t marker = rest.find(';');
  if (marker != std::string_view::npos && !requirement.is_url) {
    std::string_view written = rest.substr(marker);
    written = written.substr(0, std::min({written.find(" #"), written.find(" --"), written.find('\\'), written.find('\n')}));
    requirement.marker = std::string(base::trim(written));
  }
  if (!requirement.is_url) requirement.constraint = constraint_of(rest);
  bool is_parenthesised = !rest.empty() && rest[0] == '(';
  if (is_parenthesised) at = skip_blanks(bytes, at + 1, end);
  std::size_t equals = at;
  while (equals < end && bytes[equals] == '=') ++equals;
  std::size_t sign_length = equals - at;
  if (sign_length < (is_conda ? 1U : 2U)) return requirement;
  std::size_t version_begin = skip_blanks(bytes, equals, end);
  std::size_t version_end = skip_version(bytes, version_begin, end);
  std::string_view version = bytes.substr(version_begin, version_end - version_begin);
  std::size_t plus = version.find('+');
  if (plus != std::string_view::npos) requirement.local_part = {version_begin + plus, version_end};
  version = version.substr(0, plus);
  std::size_t after = skip_blanks(bytes, version_end, end);
  // "==2.7.*" and "==2.7.1,!=2.7.2" name no single version.
  bool is_single = version.find('*') == std::string_view::npos && !(after < end && bytes[after] == ',');
  if (is_single) requirement.exact_version = std::string(version);
  return requirement;
}

void judge_wheel_index(ByteSpan option, ByteSpan value, Sheet& sheet) {
  constexpr std::string_view kBefore = "/whl/cu";
  std::string_view address = sheet.text(value.begin, value.end);
  std::size_t at = address.find(kBefore);
  if (at == std::string_view::npos || sheet.target().is_cuda_named()) return;
  std::size_t begin = at + kBefore.size() - 2;  // "cu121"
  std::size_t end = begin + 2;
  while (end < address.size() && address[end] >= '0' && address[end] <= '9') ++end;
  bool is_written_out =
      end > begin + 2 && (end == address.size() || std::string_view("/ \t\"'").find(address[end]) != std::string_view::npos);
  if (!is_written_out || sheet.is_portable()) {
    sheet
        .find(value.begin + begin, "cuda-wheel-index", Severity::kWork,
              text("this index serves CUDA builds of PyTorch", "该软件源提供的是 CUDA 版 PyTorch"))
        .advice = text("use the CPU build of torch with the chip's plug-in", "使用 CPU 版 torch 加芯片插件");
    return;
  }
  sheet.edit(value.begin + begin, value.begin + end, "cpu", "cuda-wheel-index");
  std::string_view word = sheet.text(option.begin, option.end);
  if (word == "--index-url" || word == "-i") sheet.edit(option.begin, option.end, "--extra-index-url", "cuda-wheel-index");
}

bool is_plugin_of(const Requirement& requirement, const Target& target) {
  return !target.family->plugin.empty() && requirement.folded_name == folded_package(target.family->plugin);
}

bool is_foreign_plugin(const Requirement& requirement, const Target& target) {
  if (is_plugin_of(requirement, target)) return false;
  return std::any_of(families().begin(), families().end(), [&](const Family& family) {
    return !family.plugin.empty() && requirement.folded_name == folded_package(family.plugin);
  });
}

void judge_requirement(const Requirement& requirement, Sheet& sheet) {
  if (sheet.target().chip->stack->backend == "cuda") return;
  if (!requirement.is_url) {
    std::string package = requirement.folded_name == "pytorch" ? "torch" : requirement.folded_name;
    sheet.pin(requirement.name.begin, package, requirement.constraint, !requirement.marker.empty());
  }
  bool is_torch =
      requirement.folded_name == "torch" || requirement.folded_name == "torchvision" || requirement.folded_name == "torchaudio";
  if (!is_torch) {
    sheet.package(requirement.name.begin, requirement.folded_name);
    return;
  }
  if (sheet.target().is_cuda_named()) return;
  std::string_view local = sheet.text(requirement.local_part.begin, requirement.local_part.end);
  if (local.substr(0, 3) == "+cu" && requirement.has_hash) {
    // The hash is of the CUDA wheel: without the build in its version the line would be refused.
    sheet
        .find(requirement.name.begin, "cuda-build-hash", Severity::kWork,
              text("the hash of {} belongs to the CUDA build", "{} 的哈希属于 CUDA 构建", requirement.folded_name))
        .advice = text("take \"{}\" out of the version and hash that wheel: pip hash",
                       "去掉版本中的“{}”，并对相应 wheel 执行 pip hash", local);
  } else if (local.substr(0, 3) == "+cu") {
    sheet.edit(requirement.local_part.begin, requirement.local_part.end, "", "cuda-build");
  } else if (requirement.is_url) {
    sheet
        .find(requirement.name.begin, "torch-link", Severity::kWork,
              text("{} comes from a link, which may be a CUDA build", "{} 来自链接，可能是 CUDA 版本", requirement.folded_name))
        .advice = text("name the version instead of the link", "请写明版本而不是链接");
  }
}

namespace {

// A torch that is left open, or that has no plug-in: which pairs there are.
void tell_pairs(const Requirement& requirement, Sheet& sheet) {
  const catalog::Stack& stack = *sheet.target().chip->stack;
  std::string plugin(sheet.target().family->plugin);
  std::optional<VersionRange> range = VersionRange::parse(requirement.constraint);
  StackRows allowed = rows_for_torch(stack, range.value_or(VersionRange()));
  std::size_t at = requirement.name.begin;
  if (requirement.exact_version.empty() && !allowed.empty()) {
    const catalog::StackVersion* best = best_row(allowed);
    sheet
        .find(at, "torch-unpinned", Severity::kWarning,
              text("torch is not pinned, so the version of {} cannot be chosen", "torch 未固定版本，无法确定 {} 的版本", plugin))
        .advice = text("pin torch=={} and add {}=={}; listed are: {}", "固定 torch=={} 并加入 {}=={}；已列出的组合：{}",
                       best->torch, plugin, best->plugin, describe_rows(allowed, plugin, kPairsShown));
    return;
  }
  bool is_exact = !requirement.exact_version.empty();
  Finding& finding = sheet.find(at, "torch-version", Severity::kWork,
                                text("no {} is listed for torch {}", "没有与 torch {1} 对应的 {0}", plugin,
                                     base::sanitize_utf8(is_exact ? requirement.exact_version : requirement.constraint)));
  StackRows all = rows_for_torch(stack, VersionRange());
  if (!all.empty()) finding.advice = text("choose one of: {}", "请从以下组合中选择：{}", describe_rows(all, plugin, kPairsShown));
}

}  // namespace

std::optional<std::string> plugin_beside(const Requirement& requirement, Sheet& sheet) {
  std::string plugin(sheet.target().family->plugin);
  std::size_t at = requirement.name.begin;
  const catalog::Stack& stack = *sheet.target().chip->stack;
  const catalog::StackVersion* row = requirement.exact_version.empty() ? nullptr : stack.version_for(requirement.exact_version);
  if (row == nullptr || row->plugin.empty()) {
    tell_pairs(requirement, sheet);
    return std::nullopt;
  }
  if (requirement.has_hash) {
    sheet
        .find(at, "plugin-hash", Severity::kWork,
              text("this file pins hashes, so {}=={} must be added with its own", "该文件固定了哈希，{}=={} 须连同其哈希一起加入",
                   plugin, row->plugin))
        .advice = text("pip hash the wheel of {} and add the line", "对 {} 的 wheel 执行 pip hash 后加入该行", plugin);
    return std::nullopt;
  }
  return plugin + "==" + row->plugin;
}

}  // namespace starbridge::port
