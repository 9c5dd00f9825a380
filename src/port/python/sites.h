// Sites: the places of a Python file that name a device, a collective, a CUDA-only name, a package or an API. Found once, without
// regard to a target; rewriting them for each target comes after (rewrite.h). Pure; any thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "port/python/flow.h"
#include "port/python/matched_rule.h"
#include "port/python/modules.h"

namespace starbridge::port {
class RuleSet;
}

namespace starbridge::port::python {

enum class SiteKind {
  kDeviceText,      // "cuda", "cuda:0", f"cuda:{i}" at a device position, dict(cuda=...) that a device looks up; span: the word
  kCollectiveText,  // "nccl" at a backend position; span: the word
  kNameText,        // "torch.cuda.FloatTensor" as text; span: the text
  kName,            // a dotted name in code: torch.cuda.is_available
  kMethod,          // x.cuda(), x.is_cuda; span: the method's name
  kImportFrom,      // from torch.cuda import amp
  kImportModule,    // import torch.cuda.amp as amp; span: the dotted name
  kEnvironment,     // os.environ["CUDA_VISIBLE_DEVICES"]; span: the text
  kPackage,         // import of a third-party package; span: the module
  kDtype,           // torch.float64, x.double()
  kDeviceIndex,     // x.to(0), torch.device(0): a bare number that means a CUDA device; span: the number
  kProfilerKey,     // sort_by="cuda_time_total"; span: the word of the device
  kConstruct,       // something that needs another shape elsewhere; name: the rule that tells
  kRule,            // what a declared rule looks for; no name
};

struct ImportedName {
  std::string name;  // as imported
  Span span;
  bool has_alias = false;
};

struct Site {
  SiteKind kind = SiteKind::kName;
  Span span;
  std::string name;                 // full dotted path, word, variable, package or dtype
  std::string head;                 // kName: the part of `name` the first written word stands for, through imports;
                                    // kDeviceText: the package whose presence the same test asks for
  std::vector<Span> segments;       // kName: where the words after the head are written; kMethod: see method_parts()
  std::vector<ImportedName> names;  // kImportFrom
  Span module_span{0, 0};           // kImportFrom: the module; kImportModule with `as` alone in its statement: the statement
  Span literal{0, 0};               // texts: the literal with prefix and quotes; kEnvironment too; {0, 0}: a keyword
  bool is_guarded = false;          // imports: stands in a try statement or under a test
  bool is_settled = false;          // stands in code that looks at several families of devices itself: nothing to change
  bool is_joined = false;           // texts: other literals beside it belong to the same string
  bool is_pattern = false;          // texts: stands in a case, where only literals and dotted names may stand
  Span target{0, 0};                // kEnvironment: the subscript, when something is assigned to it
  std::shared_ptr<const MatchedRule> rule;  // kRule
};

// Code that tells families of devices apart by itself; see branches.h.
struct Branch {
  Span span;
  unsigned families = 0;  // bits by position in port::families()
  bool is_chain = false;  // tests that a further family could join; not a list or a function
  std::size_t site_count = 0;
};

struct Sites {
  std::vector<Site> sites;           // by position
  std::size_t plugin_insert_at = 0;  // where "import <plugin>" goes: after the first top-level import of torch
  std::size_t header_end = 0;  // behind the docstring and imports from __future__: where an import may stand at the earliest
  bool imports_torch = false;  // anywhere in the file
  bool has_top_level_torch = false;
  std::string source_device;             // what the project is written for, "cuda"; empty: not known
  std::vector<Branch> branches;          // by position, none inside another
  std::vector<HeadImport> head_imports;  // of names that declared rules may do away with
  std::vector<Span> plugin_imports;      // whole lines "import torch_npu" with their line end
};

// Of a file alone.
// `rules`: declared ones; may be null.
Sites find_sites(const Syntax& syntax, std::string_view source, const RuleSet* rules = nullptr);

// Of a file that is part of a project: what it demands of other files is taken away and answered by them; see project_flow.h.
// One thread at a time.
class SiteFinder {
 public:
  // Whether a dotted path of the file's imports is the function in question.
  using IsIt = std::function<bool(const std::string& dotted)>;

  SiteFinder(const Syntax& syntax, std::string_view source, const Modules* modules, int file, const RuleSet* rules);
  ~SiteFinder();
  void run();
  std::vector<Demand> take_demands();
  void answer(const Demand& demand);                              // every kind but kArgument; names are the module's own
  void answer_argument(const Demand& demand, const IsIt& is_it);  // kArgument
  void run_comparisons();                                         // when all is answered; may demand again
  Sites finish();
  const Scopes& scopes() const;
  // Every word by which a demand could find something in this file, some more than once.
  void each_word(const std::function<void(std::string_view)>& take) const;

 private:
  class Collector;
  std::unique_ptr<Collector> collector_;
};

}  // namespace starbridge::port::python
