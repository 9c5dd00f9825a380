// Words: what files other than Python share: variables, resources and device words that read differently on a target. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "port/analyze.h"

namespace starbridge::port {

// A variable whose counterpart behaves differently is renamed only when the value means the same there: lists of cards do, log
// levels and folders of toolkits do not.
bool keeps_its_value(std::string_view variable);

// What a setting, option or field of this name holds: by the names everybody uses, or by what the project's Python does with it.
const python::TextRole* role_of_setting(const Context& context, std::string_view name);

// Collects edits and findings of one file for one target.
class Sheet {
 public:
  Sheet(const SourceFile& file, const LineIndex& lines, const Target& target, const Context& context, TargetResult& result)
      : file_(file), lines_(lines), target_(target), tables_(context.tables), layout_(context.layout), result_(result) {}

  void edit(std::size_t begin, std::size_t end, std::string replacement, std::string rule);
  Finding& find(std::size_t at, std::string rule, Severity severity, base::Text message);
  // A variable's name at [begin, end): renamed, or told about, by the table of variables.
  void variable(std::size_t begin, std::size_t end);
  // The same where the text up to `assignment_end` assigns to it, "NAME=VALUE" alone or before a command: in the portable style
  // the assignment is repeated behind it for the target's variable.
  void assignment(std::size_t begin, std::size_t end, std::size_t assignment_end);
  // A device or collective word in a command that a shell expands: in the portable style it asks the helper.
  void shell_word(std::size_t begin, std::size_t end, bool is_device);
  void add_file(std::string path, std::string bytes) { result_.new_files.push_back({std::move(path), std::move(bytes)}); }
  const std::string& path() const { return file_.path; }
  bool is_portable() const { return target_.style == Style::kPortable; }
  // "cuda" or "cuda:0" at [begin, end) known to name a device; "nccl" known to name a collective backend.
  void device_word(std::size_t begin, std::size_t end);
  void collective_word(std::size_t begin, std::size_t end);
  // A version asked for at `at`, for the preflight.
  void pin(std::size_t at, std::string package, std::string written, bool is_conditional = false);
  // A package named at `at`.
  void package(std::size_t at, std::string_view name);

  const Target& target() const { return target_; }
  std::string_view text(std::size_t begin, std::size_t end) const {
    return std::string_view(file_.bytes).substr(begin, end - begin);
  }

 private:
  void judge_visible_devices(std::size_t begin, std::size_t end);
  std::string counterpart_of(const std::string& variable) const;
  // Where the portable style has no form for every card: what a person sets on the target.
  void note_setting(std::size_t begin, const std::string& replacement, const std::string& rule);

  const SourceFile& file_;
  const LineIndex& lines_;
  const Target& target_;
  const Tables& tables_;
  const PortableLayout* layout_;
  TargetResult& result_;
};

// One result per target of the context: `take(sheet)` fills those whose family is known.
template <class Take>
std::vector<TargetResult> per_target(const SourceFile& file, const Context& context, Take take) {
  std::vector<TargetResult> results(context.targets.size());
  LineIndex lines(file.bytes);
  for (std::size_t index = 0; index < context.targets.size(); ++index) {
    if (context.targets[index].family == nullptr) continue;
    Sheet sheet(file, lines, context.targets[index], context, results[index]);
    take(sheet);
  }
  return results;
}

}  // namespace starbridge::port
