// A declared rule: what a rule file says, as plain values (docs/rules.md has the format). It is matched in Python by
// port/python/rule_matcher.h, in text files by text_rules.h, and carried out by port/python/rule_rewriter.h. Any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "port/finding.h"
#include "port/rules.h"
#include "port/target.h"

namespace starbridge::port {

// Where a rule holds. Empty lists: everywhere.
struct RuleScope {
  std::vector<std::string> languages;      // kinds of files, as to_string(FileKind); "python" holds for notebooks' cells too
  std::vector<std::string> paths;          // globs; one must fit
  std::vector<std::string> paths_refused;  // globs; none may fit
  std::vector<std::string> families = {"npu", "mlu", "musa"};
  std::vector<std::string> chips;
  std::string dtype_lacking;        // holds only for chips that do not compute in it
  std::string torch_below;          // holds only for older PyTorch, "2.5.1", and where the project names no version
  std::vector<std::string> styles;  // of the output; empty: those whose words the texts of the rule allow
};

struct ArgumentTest {
  enum class Is { kAnything, kPresent, kAbsent, kText, kNumber, kTrue, kFalse, kNone };
  std::string keyword;
  int position = -1;  // among those without keyword, from 0; -1: keyword only
  Is is = Is::kAnything;
  std::vector<std::string> text;    // globs, one of which fits what stands between the quotes
  std::vector<std::string> equals;  // source texts, one of which it must be
};

struct RuleMatch {
  enum class Kind {
    kCall,         // a call of a function known through imports
    kName,         // any other use of such a name
    kMethod,       // a call of a method of any object
    kImport,       // an import of a module or of a name from one
    kEnvironment,  // a variable of the environment that is assigned to
    kDeviceText,   // a text that reaches a device position
    kText,         // a line of a file that is no code
  };
  Kind kind = Kind::kCall;
  std::vector<std::string> names;  // paths, methods, modules, variables, globs, or one pattern
  std::vector<ArgumentTest> arguments;
  bool has_only_these = false;  // no argument beside those of the tests, and none that is unpacked
  // Calls whose argument it is, also by way of brackets, subscripts and attributes: paths, or ".method".
  std::vector<std::string> inside;
  std::vector<std::string> outside;      // the same, of which none may be
  std::optional<bool> is_in_main_guard;  // under `if __name__ == "__main__"`
  std::optional<bool> is_at_module_level;
  std::optional<bool> is_in_loop;
  std::optional<bool> is_compared;       // an operand of a comparison, also by way of a subscript, or unpacked by an assignment
  std::vector<std::string> file_has;     // paths of which the file uses one
  std::vector<std::string> file_lacks;   // paths of which the file uses none
  std::vector<std::string> comes_after;  // paths of which one is used or imported further up at the module's level
  bool is_once_per_file = false;
  bool is_foreign = false;  // not when the project itself has the module
};

struct ArgumentEdit {
  enum class Kind { kAdd, kRemove, kRename, kSet };
  Kind kind = Kind::kAdd;
  std::string keyword;
  std::string value;  // template; kRename: the new keyword
};

// What an edit does. Empty: the rule only finds.
struct RuleAction {
  std::string rename;                   // another dotted name for what is called or named
  std::vector<ArgumentEdit> arguments;  // in their order
  std::string before;                   // around the whole expression
  std::string after;
  std::string replacement;  // template for the whole expression; kText: for the matched text, with \0 to \9
  std::string needs;        // a module that must be imported under this name where the edit goes

  bool is_empty() const { return rename.empty() && arguments.empty() && before.empty() && after.empty() && replacement.empty(); }
};

// An example beside the rule, held to it by `starbridge rules test`.
struct RuleCase {
  base::Place place;
  std::string name;
  std::string file = "example.py";
  std::string chip;  // empty: the first of the scope
  std::string style = "vendor";
  std::string torch;
  std::string source;
  std::optional<std::string> expect;    // the text after the rule's edits
  std::optional<int> finding_count;     // findings of the rule
  std::optional<std::string> suggests;  // a suggestion of one of them
  bool is_no_match = false;
};

struct DeclaredRule {
  std::string id;
  base::Text title;
  Severity severity = Severity::kWarning;
  Effort effort = Effort::kAssisted;
  Confidence confidence = Confidence::kCertain;
  RuleScope scope;
  RuleMatch match;
  RuleAction action;
  std::string suggestion;  // template of ready text
  base::Text message;      // templates
  base::Text advice;
  std::string source;                   // id of a row of data/compat/sources.tsv, or an address
  std::vector<std::string> instead_of;  // rules whose findings at the same place say less
  std::vector<RuleCase> cases;
  base::Place place;  // in its file

  // The words in the code of the rule that only the vendor's style has: "{device}".
  bool names_the_vendor() const;
  bool holds_for(const Target& target, const std::string& path, const std::string& torch_version) const;
  // Whether its edit may be written in the style; a finding holds for all.
  bool edits_in(Style style) const;
  bool holds_for_language(std::string_view file_kind) const;
};

// "2.5.1" is below "2.11": by numbers.
bool is_version_below(std::string_view version, std::string_view limit);
// "*" any run without '/', "**" any run, "?" one byte. Linear in the product of the lengths.
bool fits_glob(std::string_view glob, std::string_view text);

}  // namespace starbridge::port
