#include "port/words.h"

#include "port/python/sinks.h"

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

void Sheet::variable(std::size_t begin, std::size_t end) {
  std::string written(text(begin, end));
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
