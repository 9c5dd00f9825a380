#include "port/python/sites.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "port/python/branches.h"
#include "port/python/comparisons.h"
#include "port/python/constructs.h"
#include "port/python/cuda_code.h"
#include "port/python/flow.h"
#include "port/python/import_sites.h"
#include "port/python/modules.h"
#include "port/python/rule_matcher.h"
#include "port/python/scopes.h"
#include "port/python/sinks.h"
#include "port/python/site_details.h"
#include "port/target.h"

namespace starbridge::port::python {
namespace {

// Longer paths are no names of an API; tables would look for each of their parents.
constexpr std::size_t kPathBytesMax = 4096;
bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

}  // namespace

class SiteFinder::Collector {
 public:
  Collector(const Syntax& syntax, std::string_view source, const Modules* modules, int file, const RuleSet* rules)
      : syntax_(syntax),
        source_(source),
        modules_(modules),
        file_(file),
        scopes_(syntax),
        flow_(
            syntax, scopes_, [this](NodeId string, TextRole role) { on_text(string, role); },
            [this](Demand demand) { on_demand(std::move(demand)); }),
        comparisons_(syntax, scopes_, flow_, [this](NodeId string) { add_environment(string); }),
        imports_(syntax, source, sites_),
        constructs_(syntax, scopes_, sites_),
        rules_(syntax, scopes_, source, rules, modules, file, sites_),
        role_of_symbol_(syntax.symbols().size()) {}

  void run() {
    for (NodeId id = 0; id != kNoNode; id = syntax_.next(id)) visit(id);
  }

  void run_comparisons() { comparisons_.run(); }

  Sites finish() {
    sites_.header_end = end_of_header(syntax_, source_);
    constructs_.finish();
    rules_.finish();
    std::sort(sites_.sites.begin(), sites_.sites.end(),
              [](const Site& left, const Site& right) { return left.span < right.span; });
    settle_branches(syntax_, source_, sites_);
    settle_cuda_code(syntax_, source_, sites_);
    return std::move(sites_);
  }

  void answer(const Demand& demand) {
    switch (demand.kind) {
      case Demand::Kind::kImported:
        return flow_.reach_name(demand.name, demand.role);
      case Demand::Kind::kImportedKeys:
        return flow_.reach_name_keys(demand.name);
      case Demand::Kind::kReturned:
        return flow_.reach_returned(demand.name, demand.role);
      case Demand::Kind::kMethodReturned:
        return flow_.reach_method_returned(demand.name, demand.role);
      case Demand::Kind::kMethodArgument:
        return answer_method_argument(demand);
      case Demand::Kind::kAttribute:
        flow_.reach_attribute(demand.name, demand.role);
        return answer_named(demand, true);
      case Demand::Kind::kKey:
        return answer_named(demand, false);
      case Demand::Kind::kFixture:
        return flow_.reach_fixture(demand.name, demand.role);
      case Demand::Kind::kArgument:
        return;  // needs to know whose function: answer_argument
    }
  }

  void answer_argument(const Demand& demand, const IsIt& is_it) {
    std::vector<Symbol> names = {syntax_.symbols().find(demand.name)};
    if (names[0] == kNoSymbol) return;  // an import under another name still writes this one
    for (std::size_t index = 0; index < scopes_.imported_paths().size(); ++index) {  // from m import f as g
      const std::string& path = scopes_.imported_paths()[index];
      std::size_t dot = path.rfind('.');
      bool is_renamed = scopes_.imported_names()[index] != names[0];
      if (is_renamed && path.compare(dot == std::string::npos ? 0 : dot + 1, std::string::npos, demand.name) == 0)
        names.push_back(scopes_.imported_names()[index]);
    }
    for (Symbol name : names) {
      for (NodeId call : scopes_.calls_of(name)) {
        std::string path = scopes_.dotted_path(syntax_.child(call, Field::kFunction));
        if (path.empty() || !is_it(path)) continue;
        flow_.reach_argument(call, demand);
        if (demand.role == TextRole::kDevice)
          constructs_.visit_passed(argument_of(syntax_, call, demand.parameter, demand.position));
      }
    }
  }

  std::vector<Demand> take_demands() { return std::move(demands_); }
  const Scopes& scopes() const { return scopes_; }
  void each_word(const std::function<void(std::string_view)>& take) const {
    for (Symbol symbol = kKeywords.size(); symbol < syntax_.symbols().size(); ++symbol) take(syntax_.symbols().text(symbol));
    for (const auto& [name, value] : named_values_) take(name);
    for (const Option& option : options_) take(option.name);
  }

 private:
  Span span_of(NodeId id) const { return {syntax_.node(id).begin, syntax_.node(id).end}; }
  Span name_span_of(NodeId attribute) const { return {syntax_.name_begin(attribute), syntax_.node(attribute).end}; }
  Site& add(SiteKind kind, Span span, std::string name) {
    Site& site = sites_.sites.emplace_back();
    site.kind = kind;
    site.span = span;
    site.name = std::move(name);
    return site;
  }
  // A site inside a string literal.
  Site& add_text(SiteKind kind, NodeId string, Span span, std::string_view name) {
    Site& site = add(kind, span, std::string(name));
    site.literal = span_of(string);
    site.is_joined = syntax_.kind(syntax_.node(string).parent) == Kind::kConcatenatedString;
    NodeId pattern = string;
    while (syntax_.node(pattern).field != Field::kPattern && syntax_.kind(syntax_.node(pattern).parent) == Kind::kOther)
      pattern = syntax_.node(pattern).parent;
    site.is_pattern = syntax_.node(pattern).field == Field::kPattern;
    return site;
  }

  void visit(NodeId id) {
    switch (syntax_.kind(id)) {
      case Kind::kCall:
        return visit_call(id);
      case Kind::kAttribute:
        return visit_attribute(id);
      case Kind::kIdentifier:
        return visit_identifier(id);
      case Kind::kComparison:
        return comparisons_.visit_comparison(id);
      case Kind::kSubscript:
        return visit_subscript(id);
      case Kind::kStatement:
        if (syntax_.child(id, Field::kPattern) != kNoNode) comparisons_.visit_match(id);
        return;
      case Kind::kAssignment:
        return visit_named_value(syntax_.child(id, Field::kLeft), syntax_.child(id, Field::kRight));
      case Kind::kDefaultParameter:
      case Kind::kTypedDefaultParameter:
        return visit_named_value(syntax_.child(id, Field::kName), syntax_.child(id, Field::kValue));
      case Kind::kPair: {
        NodeId key = syntax_.child(id, Field::kKey);
        if (syntax_.kind(key) != Kind::kString) return;
        std::string_view text = read_literal(syntax_, key).text;
        if (modules_ != nullptr) named_values_.emplace_back(text, syntax_.child(id, Field::kValue));
        return reach_if_named(text, syntax_.child(id, Field::kValue));
      }
      case Kind::kImport:
        imports_.visit_import(id);
        return rules_.visit_import(id);
      case Kind::kImportFrom:
        imports_.visit_import_from(id);
        return rules_.visit_import(id);
      default:
        return;
    }
  }

  void reach_if_named(std::string_view name, NodeId value) {
    if (const TextRole* role = role_of_name(name)) flow_.reach(value, *role);
  }

  // The same for a name of the tree, whose role is looked up once per file.
  void reach_if_named(Symbol name, NodeId value) {
    std::optional<const TextRole*>& role = role_of_symbol_[name];
    if (!role) role = role_of_name(syntax_.symbols().text(name));
    if (*role != nullptr) flow_.reach(value, **role);
  }

  void visit_named_value(NodeId target, NodeId value) {
    bool is_named = syntax_.kind(target) == Kind::kAttribute || syntax_.kind(target) == Kind::kIdentifier;
    if (is_named && value != kNoNode) reach_if_named(syntax_.node(target).symbol, value);
  }

  // --- calls ----------------------------------------------------------------------------------------------------
  void visit_call(NodeId call) {
    NodeId function = syntax_.child(call, Field::kFunction);
    NodeId arguments = syntax_.child(call, Field::kArguments);
    if (function == kNoNode || syntax_.kind(arguments) != Kind::kArgumentList) return;
    std::string path = scopes_.dotted_path(function);
    for (NodeId argument = syntax_.node(arguments).first_child; argument != kNoNode;
         argument = syntax_.node(argument).next_sibling) {
      if (syntax_.kind(argument) != Kind::kKeywordArgument) continue;
      reach_if_named(syntax_.node(argument).symbol, syntax_.child(argument, Field::kValue));
      if (modules_ != nullptr && is_configuration(syntax_, function))
        named_values_.emplace_back(syntax_.name(argument), syntax_.child(argument, Field::kValue));
    }
    if (!path.empty()) visit_known_call(call, path);
    bool is_of_object = may_be_object(path);
    constructs_.visit_call(call, is_of_object ? std::string_view() : std::string_view(path));
    rules_.visit_call(call, is_of_object ? std::string() : path);
    if (syntax_.kind(function) == Kind::kAttribute && is_of_object) visit_method(call, function);
    if (syntax_.kind(function) == Kind::kAttribute || path == "click.option") visit_option(call, function, path);
  }

  void visit_known_call(NodeId call, const std::string& path) {
    for (int position : {0, 1}) {
      if (const PositionalSink* sink = positional_sink(path, position)) {
        flow_.reach(argument_of(syntax_, call, sink->role == TextRole::kCollective ? "backend" : "device", position), sink->role);
      }
    }
    if (path == "torch.set_default_tensor_type") add_name_text(argument_of(syntax_, call, "t", 0));
    bool reads_environment =
        path == "os.getenv" || path == "os.putenv" || path == "os.unsetenv" || starts_with(path, "os.environ.");
    if (reads_environment) add_environment(argument_of(syntax_, call, "key", 0));
  }

  void visit_method(NodeId call, NodeId function) {
    std::string_view method = syntax_.name(function);
    if (method == "to") {
      flow_.reach(argument_of(syntax_, call, "device", 0), TextRole::kDevice);
    } else if (method == "type") {
      add_name_text(argument_of(syntax_, call, "dtype", 0));
    } else if (method == "startswith") {
      comparisons_.visit_prefix_test(call);
    } else if (method == "get" || method == "pop") {
      comparisons_.visit_lookup(syntax_.child(function, Field::kObject), argument_of(syntax_, call, "key", 0));
    } else if (find_family_of_device(method) != nullptr && !scopes_.defines_method(syntax_.node(function).symbol)) {
      add(SiteKind::kMethod, name_span_of(function), "Tensor." + std::string(method)).segments = method_parts(syntax_, call);
      flow_.reach(argument_of(syntax_, call, "device", 0), TextRole::kDevice);
    } else if (method == "double" || method == "bfloat16") {
      add(SiteKind::kDtype, name_span_of(function), method == "double" ? "float64" : "bfloat16");
    }
  }

  // parser.add_argument("--device", default="cuda", choices=[...]) and click.option.
  void visit_option(NodeId call, NodeId function, const std::string& path) {
    std::string_view method = syntax_.kind(function) == Kind::kAttribute ? syntax_.name(function) : std::string_view();
    bool is_option = path == "click.option" || method == "add_argument" || method == "DEFINE_string";
    if (!is_option) return;
    const TextRole* role = nullptr;
    NodeId value = argument_of(syntax_, call, "default", method == "DEFINE_string" ? 1 : -1);
    NodeId choices = argument_of(syntax_, call, "choices", -1);
    if (NodeId dest = argument_of(syntax_, call, "dest", -1); syntax_.kind(dest) == Kind::kString)
      options_.push_back({std::string(read_literal(syntax_, dest).text), value, choices});
    for (int position = 0; position < 3 && role == nullptr; ++position) {
      NodeId option = argument_of(syntax_, call, "", position);
      if (syntax_.kind(option) != Kind::kString) continue;
      std::string word(read_literal(syntax_, option).text);
      word.erase(0, word.find_first_not_of('-') == std::string::npos ? word.size() : word.find_first_not_of('-'));
      std::replace(word.begin(), word.end(), '-', '_');
      role = role_of_name(word);
      if (role == nullptr) options_.push_back({std::move(word), value, choices});
    }
    if (role == nullptr) return;
    flow_.reach(value, *role);
    flow_.reach(choices, *role);
  }

  // --- texts --------------------------------------------------------------------------------------------------------
  void on_text(NodeId string, TextRole role) {
    if (syntax_.kind(string) == Kind::kKeywordArgument) return add_keyword(string);
    auto [prefix, text, begin, has_fields] = read_literal(syntax_, string);
    if (prefix.find_first_of("bB") != std::string_view::npos) return;
    if (role == TextRole::kDevice) {
      std::string_view word = device_word(text);
      if (!word.empty()) add_text(SiteKind::kDeviceText, string, {begin, begin + static_cast<std::uint32_t>(word.size())}, word);
      return rules_.visit_device_text(string, text);
    }
    std::string folded = base::to_lower(text);  // "NCCL": PyTorch takes either case
    if (find_family_of_collective(folded) != nullptr) {
      add_text(SiteKind::kCollectiveText, string, {begin, begin + static_cast<std::uint32_t>(text.size())}, folded);
      return;
    }
    // "cpu:gloo,cuda:nccl": device and collective by pairs
    for (std::size_t position = 0; position < text.size();) {
      std::size_t end = text.find_first_of(":,", position);
      if (end == std::string_view::npos) end = text.size();
      std::string_view word = text.substr(position, end - position);
      Span span{begin + static_cast<std::uint32_t>(position), begin + static_cast<std::uint32_t>(end)};
      if (find_family_of_device(word) != nullptr) add_text(SiteKind::kDeviceText, string, span, word);
      if (find_family_of_collective(word) != nullptr) add_text(SiteKind::kCollectiveText, string, span, word);
      position = end + 1;
    }
  }

  // dict(cuda=...): the key is no literal.
  void add_keyword(NodeId argument) {
    std::string_view word = syntax_.name(argument);
    if (find_family_of_device(word) == nullptr) return;
    std::uint32_t begin = syntax_.node(argument).begin;
    add(SiteKind::kDeviceText, {begin, begin + static_cast<std::uint32_t>(word.size())}, std::string(word));
  }

  void add_name_text(NodeId string) {
    if (syntax_.kind(string) != Kind::kString) return;
    auto [prefix, text, begin, has_fields] = read_literal(syntax_, string);
    if (starts_with(text, "torch."))
      add_text(SiteKind::kNameText, string, {begin, begin + static_cast<std::uint32_t>(text.size())}, text);
  }

  void add_environment(NodeId string) {
    if (syntax_.kind(string) != Kind::kString) return;
    auto [prefix, text, begin, has_fields] = read_literal(syntax_, string);
    if (has_fields) return;
    Span span{begin, begin + static_cast<std::uint32_t>(text.size())};
    add_text(SiteKind::kEnvironment, string, span, text).target = assigned_subscript(syntax_, string);
    rules_.visit_environment(string, text);
  }

  void visit_subscript(NodeId id) {
    NodeId key = syntax_.child(id, Field::kSubscript);
    if (scopes_.dotted_path(syntax_.child(id, Field::kValue)) == "os.environ") return add_environment(key);
    comparisons_.visit_lookup(syntax_.child(id, Field::kValue), key);
  }

  // --- names --------------------------------------------------------------------------------------------------------
  void visit_identifier(NodeId id) {
    // Heads of attribute chains are handled with their chain; here only names that stand alone, e.g. `autocast` from an import.
    NodeId parent = syntax_.node(id).parent;
    if (syntax_.kind(parent) == Kind::kAttribute || !scopes_.is_import(syntax_.node(id).symbol)) return;
    std::string path = scopes_.dotted_path(id);
    rules_.visit_name(id, path);
    if (starts_with(path, "torch.")) add_name(id, path);
  }

  void visit_attribute(NodeId id) {
    NodeId parent = syntax_.node(id).parent;
    bool is_inner = syntax_.kind(parent) == Kind::kAttribute && syntax_.node(id).field == Field::kObject;
    std::string_view word = syntax_.name(id);
    Symbol symbol = syntax_.node(id).symbol;
    bool is_flag = word.size() > 3 && starts_with(word, "is_") && find_family_of_device(word.substr(3)) != nullptr;
    if (is_flag && may_be_object(scopes_.dotted_path(id)) && scopes_.attribute_values(symbol).empty() &&
        !scopes_.defines_method(symbol)) {
      NodeId object = syntax_.child(id, Field::kObject);
      add(SiteKind::kMethod, name_span_of(id), "Tensor." + std::string(word)).segments = {span_of(object)};
    }
    if (is_inner || !scopes_.may_be_imported(id)) return;
    std::string path = scopes_.dotted_path(id);
    rules_.visit_name(id, path);
    bool is_torch = path == "torch" || starts_with(path, "torch.") || starts_with(path, "torch_");
    if (is_torch) add_name(id, path);
  }

  void add_name(NodeId id, const std::string& path) {
    if (path.size() > kPathBytesMax) return;
    Site site;
    site.kind = SiteKind::kName;
    site.span = span_of(id);
    site.name = path;
    NodeId head = id;
    while (syntax_.kind(head) == Kind::kAttribute) {
      site.segments.push_back(name_span_of(head));
      head = syntax_.child(head, Field::kObject);
    }
    std::reverse(site.segments.begin(), site.segments.end());
    site.head = scopes_.dotted_path(head);
    for (std::string_view dtype : {"float64", "double", "bfloat16", "complex64", "complex128"}) {
      if (path == "torch." + std::string(dtype))
        add(SiteKind::kDtype, site.span, dtype == "double" ? "float64" : std::string(dtype));
    }
    sites_.sites.push_back(std::move(site));
  }

  // --- the rest of the project --------------------------------------------------------------------------------------
  void on_demand(Demand demand) {
    if (modules_ == nullptr) return;
    if (is_by_name(demand) && is_common_name(demand.name)) return;
    // Every file follows what it puts under these names by itself.
    bool is_setting = demand.kind == Demand::Kind::kAttribute || demand.kind == Demand::Kind::kKey;
    if (is_setting && role_of_name(demand.name) != nullptr) return;
    if (demanded_.insert(hash_of(demand)).second) demands_.push_back(std::move(demand));
  }

  // obj.method(...): by the name alone, for the class is not known.
  void answer_method_argument(const Demand& demand) {
    Symbol name = syntax_.symbols().find(demand.name);
    if (name == kNoSymbol) return;
    for (NodeId call : scopes_.calls_of(name)) {
      if (syntax_.kind(syntax_.child(call, Field::kFunction)) == Kind::kAttribute) flow_.reach_argument(call, demand);
    }
  }

  // Options "--name", keyword arguments name=... of configurations, and entries "name": ... of dictionaries.
  void answer_named(const Demand& demand, bool has_options) {
    for (const Option& option : options_) {
      if (!has_options || option.name != demand.name) continue;
      flow_.reach(option.value, demand.role);
      flow_.reach(option.choices, demand.role);
    }
    for (const auto& [name, value] : named_values_) {
      if (name == demand.name) flow_.reach(value, demand.role);
    }
  }

  // Whether `path`, which an import began, may end at a method of an object: net.cuda() after `from model import net`.
  bool may_be_object(const std::string& path) {
    if (path.empty()) return true;
    if (modules_ == nullptr) return path[0] == '.' && path.find('.', path.find_first_not_of('.')) != std::string::npos;
    auto [known, is_new] = is_object_path_.try_emplace(path, false);
    if (is_new) {
      std::optional<Modules::Target> target = modules_->resolve(file_, path);
      known->second = target && target->name.find('.') != std::string::npos;
    }
    return known->second;
  }

  struct Option {
    std::string name;  // "dist_backend"
    NodeId value;
    NodeId choices;
  };

  const Syntax& syntax_;
  std::string_view source_;
  const Modules* modules_;
  int file_;
  Scopes scopes_;
  Flow flow_;
  Comparisons comparisons_;
  Sites sites_;
  ImportSites imports_;
  Constructs constructs_;
  RuleMatcher rules_;
  std::vector<Option> options_;
  std::vector<std::pair<std::string_view, NodeId>>
      named_values_;                                      // of dictionaries by their text keys, of configurations by keyword
  std::unordered_map<std::string, bool> is_object_path_;  // what may_be_object said
  std::unordered_set<std::size_t> demanded_;              // hashes: a file demands each thing once
  std::vector<Demand> demands_;
  std::vector<std::optional<const TextRole*>> role_of_symbol_;
};

SiteFinder::SiteFinder(const Syntax& syntax, std::string_view source, const Modules* modules, int file, const RuleSet* rules)
    : collector_(std::make_unique<Collector>(syntax, source, modules, file, rules)) {}
SiteFinder::~SiteFinder() = default;
void SiteFinder::run() { collector_->run(); }
std::vector<Demand> SiteFinder::take_demands() { return collector_->take_demands(); }
void SiteFinder::answer(const Demand& demand) { collector_->answer(demand); }
void SiteFinder::answer_argument(const Demand& demand, const IsIt& is_it) { collector_->answer_argument(demand, is_it); }
void SiteFinder::run_comparisons() { collector_->run_comparisons(); }
Sites SiteFinder::finish() { return collector_->finish(); }
void SiteFinder::each_word(const std::function<void(std::string_view)>& take) const { collector_->each_word(take); }

const Scopes& SiteFinder::scopes() const { return collector_->scopes(); }

Sites find_sites(const Syntax& syntax, std::string_view source, const RuleSet* rules) {
  SiteFinder finder(syntax, source, nullptr, -1, rules);
  finder.run();
  finder.run_comparisons();
  return finder.finish();
}

}  // namespace starbridge::port::python
