#include "port/words.h"

#include <algorithm>

#include "port/python/sinks.h"
#include "port/visible_devices.h"

namespace starbridge::port {

using catalog::MapStatus;

bool keeps_its_value(std::string_view variable) { return variable.find("VISIBLE_DEVICES") != std::string_view::npos; }

const python::TextRole* role_of_setting(const Context& context, std::string_view name) {
  std::string plain(name);
  for (char& c : plain) c = c == '-' ? '_' : c;
  if (context.settings != nullptr) {
    auto found = context.settings->find(plain);
    if (found != context.settings->end()) return &found->second;
  }
  return python::role_of_name(base::to_lower(plain));
}

void Sheet::edit(std::size_t begin, std::size_t end, std::string replacement, std::string rule) {
  if (text(begin, end) == replacement) return;
  if (is_portable()) return note_setting(begin, replacement, rule);
  result_.edits.push_back({begin, end, std::move(replacement), std::move(rule)});
}

Finding& Sheet::find(std::size_t at, std::string rule, Severity severity, base::Text message) {
  LineColumn place = lines_.at(at);
  Finding finding;
  finding.rule = std::move(rule);
  finding.severity = severity;
  finding.place = {file_.path, place.line, place.column, ""};
  finding.message = std::move(message);
  result_.findings.push_back(std::move(finding));
  return result_.findings.back();
}

void Sheet::note_setting(std::size_t begin, const std::string& replacement, const std::string& rule) {
  bool is_removal = replacement.empty() && rule != "cuda-build";  // another chip's plug-in may stay
  if (is_removal) return;
  find(begin, "setting-per-card", Severity::kWarning,
       base::text("this holds for one kind of card and was left as it is", "该设置只适用于一种加速卡，保持原样"))
      .advice = replacement.empty() ? base::text("on {} leave it out", "在 {} 上应去掉", target_.chip->name)
                                    : base::text("on {} write: {}", "在 {} 上应写：{}", target_.chip->name, replacement);
}

// The variable of the target that does what `variable` does for CUDA, or the other way round; empty when there is none.
std::string Sheet::counterpart_of(const std::string& variable) const {
  if (target_.is_cuda_named()) return "";
  for (const catalog::EnvRow& row : tables_.env.rows()) {
    if (row.backend != target_.family->backend || row.target.empty() || row.target == row.name) continue;
    bool is_plain = row.status != MapStatus::kKeep && (row.status != MapStatus::kChanged || keeps_its_value(row.target));
    if (is_plain && row.name == variable) return row.target;
    if (is_plain && row.target == variable) return row.name;
  }
  return "";
}

void Sheet::assignment(std::size_t begin, std::size_t end, std::size_t assignment_end) {
  std::string other = counterpart_of(std::string(text(begin, end)));
  std::size_t line_begin = std::string_view(file_.bytes).rfind('\n', begin) + 1;  // npos + 1 is 0
  std::size_t line_end = std::min(file_.bytes.find('\n', assignment_end), file_.bytes.size());
  // Both are set already.
  if (!other.empty() && text(line_begin, line_end).find(other + "=") != std::string_view::npos) return;
  if (other.empty() || !is_portable()) return variable(begin, end);
  std::string_view value = text(end, assignment_end);
  // A command in the value must not run twice.
  if (value.find('`') != std::string_view::npos || value.find("$(") != std::string_view::npos)
    return note_setting(begin, other, "environment");
  result_.edits.push_back({assignment_end, assignment_end, " " + other + std::string(value), "environment"});
}

void Sheet::shell_word(std::size_t begin, std::size_t end, bool is_device) {
  if (!is_portable()) return is_device ? device_word(begin, end) : collective_word(begin, end);
  std::string_view word = text(begin, end);
  std::size_t name_end = begin + std::min(word.find(':'), word.size());
  std::string_view name = text(begin, name_end);
  bool is_known = is_device ? find_family_of_device(name) != nullptr : find_family_of_collective(word) != nullptr;
  bool is_own = name == (is_device ? target_.family->device : target_.family->collective) && target_.is_cuda_named();
  if (!is_known || is_own) return;
  std::size_t line_begin = std::string_view(file_.bytes).rfind('\n', begin) + 1;
  std::string_view before = text(line_begin, begin);
  bool is_quoted = std::count(before.begin(), before.end(), '\'') % 2 == 1;  // nothing is expanded there
  if (layout_ == nullptr || is_quoted) return is_device ? device_word(begin, end) : collective_word(begin, end);
  HelperImport helper = layout_->import_for("script.py");  // commands are given in the project's folder
  result_.edits.push_back({begin, is_device ? name_end : end,
                           fmt::format("$(python3 -m {} {})", helper.module, is_device ? "name" : "collective"),
                           is_device ? "device-text" : "collective-backend"});
  add_file(helper.path, tables_.portable_helper);
}

void Sheet::pin(std::size_t at, std::string package, std::string written, bool is_conditional) {
  LineColumn place = lines_.at(at);
  result_.pins.push_back(
      {std::move(package), std::move(written), {file_.path, place.line, place.column, ""}, is_conditional, {}});
}

void Sheet::judge_visible_devices(std::size_t begin, std::size_t end) {
  if (target_.family->backend != "npu" || !is_list_of_cards(text(begin, end))) return;
  std::optional<VisibleDevices> devices = read_visible_devices(file_.bytes, end);
  if (!devices) return;
  base::Text wrong = describe_order(*devices, target_.chip->name);
  if (!wrong.empty()) find(begin, "visible-devices-order", Severity::kWarning, wrong).suggestion = devices->in_order;
}

void Sheet::variable(std::size_t begin, std::size_t end) {
  std::string written(text(begin, end));
  judge_visible_devices(begin, end);
  std::string name = written;
  for (const catalog::EnvRow& row : tables_.env.rows()) {
    if (!row.target.empty() && row.target == written && row.target != row.name && row.backend != target_.family->backend)
      name = row.name;
  }
  if (target_.is_cuda_named()) {
    edit(begin, end, name, "environment");
    return;
  }
  const catalog::EnvRow* row = tables_.env.find(name, target_.family->backend);
  if (row == nullptr || row->target == written || row->status == MapStatus::kKeep) return;
  if (row->target.empty()) {
    Finding& finding = find(
        begin, "environment-without-counterpart", Severity::kWarning,
        base::text("the variable {} has no counterpart on {}", "环境变量 {} 在 {} 上没有对应项", written, target_.chip->name));
    finding.source = row->source;
    finding.advice = {row->note, row->note};
    return;
  }
  if (row->status == MapStatus::kChanged) {
    find(
        begin, "environment-changed", Severity::kInfo,
        base::text("{} becomes {}, which behaves differently: {}", "{} 改为 {}，行为有差异：{}", written, row->target, row->note))
        .source = row->source;
  }
  if (row->status != MapStatus::kChanged || keeps_its_value(row->target)) edit(begin, end, row->target, "environment");
}

void Sheet::device_word(std::size_t begin, std::size_t end) {
  std::string_view word = text(begin, end);
  std::string_view name = word.substr(0, word.find(':'));
  if (find_family_of_device(name) != nullptr)
    edit(begin, begin + name.size(), std::string(target_.family->device), "device-text");
}

void Sheet::collective_word(std::size_t begin, std::size_t end) {
  if (find_family_of_collective(text(begin, end)) != nullptr)
    edit(begin, end, std::string(target_.family->collective), "collective-backend");
}

void Sheet::package(std::size_t at, std::string_view name) {
  const catalog::LibraryRow* row = tables_.libraries.find_package(name, target_.chip->stack->backend);
  if (row == nullptr || row->status == "ported" || row->status == "neutral") return;
  Severity severity = row->status == "partial" ? Severity::kWarning : Severity::kWork;
  Finding& finding = find(at, "package-" + row->status, severity,
                          base::text("the package {} is \"{}\" on {}", "软件包 {} 的状态为“{}”（{}）", row->package, row->status,
                                     target_.chip->name));
  finding.source = row->source;
  std::string advice = row->replacement;
  if (!row->note.empty()) advice += (advice.empty() ? "" : "; ") + row->note;
  if (!advice.empty()) finding.advice = base::text("use instead: {}", "改用：{}", advice);
}

}  // namespace starbridge::port
