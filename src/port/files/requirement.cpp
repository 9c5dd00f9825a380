#include "port/files/requirement.h"

#include <algorithm>

namespace starbridge::port {
namespace {

using base::text;

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
  bool is_torch =
      requirement.folded_name == "torch" || requirement.folded_name == "torchvision" || requirement.folded_name == "torchaudio";
  if (!is_torch) {
    sheet.package(requirement.name.begin, requirement.folded_name);
    return;
  }
  if (sheet.target().is_cuda_named()) return;
  std::string_view local = sheet.text(requirement.local_part.begin, requirement.local_part.end);
  if (local.substr(0, 3) == "+cu") {
    sheet.edit(requirement.local_part.begin, requirement.local_part.end, "", "cuda-build");
  } else if (requirement.is_url) {
    sheet
        .find(requirement.name.begin, "torch-link", Severity::kWork,
              text("{} comes from a link, which may be a CUDA build", "{} 来自链接，可能是 CUDA 版本", requirement.folded_name))
        .advice = text("name the version instead of the link", "请写明版本而不是链接");
  }
}

std::optional<std::string> plugin_beside(const Requirement& requirement, Sheet& sheet) {
  std::string plugin(sheet.target().family->plugin);
  std::size_t at = requirement.name.begin;
  if (requirement.exact_version.empty()) {
    const catalog::StackVersion* version = sheet.target().chip->stack->version_to_use();
    Finding& finding = sheet.find(
        at, "torch-unpinned", Severity::kWarning,
        text("torch is not pinned, so the version of {} cannot be chosen", "torch 未固定版本，无法确定 {} 的版本", plugin));
    if (version != nullptr)
      finding.advice =
          text("pin torch=={} and add {}=={}", "固定 torch=={} 并加入 {}=={}", version->torch, plugin, version->plugin);
    return std::nullopt;
  }
  const catalog::StackVersion* row = sheet.target().chip->stack->version_for(requirement.exact_version);
  if (row == nullptr || row->plugin.empty()) {
    sheet
        .find(at, "torch-version", Severity::kWork,
              text("no {} is listed for torch {}", "没有与 torch {1} 对应的 {0}", plugin, requirement.exact_version))
        .advice = text("choose a torch version that {} supports: see starbridge compat",
                       "选择 {} 支持的 torch 版本：见 starbridge compat", plugin);
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
