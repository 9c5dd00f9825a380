#include "port/python/cuda_code.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace starbridge::port::python {
namespace {

std::string lowered(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// A word of a name: "cuda" of "IS_CUDA_SYSTEM" and of "forward_cuda".
bool has_word(std::string_view name, std::string_view word) {
  for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
    bool begins = at == 0 || name[at - 1] == '_';
    std::size_t end = at + word.size();
    if (begins && (end == name.size() || name[end] == '_')) return true;
  }
  return false;
}

// Names that compiled modules go by, and functions that say of themselves that they are CUDA's. "move_to_cuda" brings something
// to the card, whichever it is.
bool is_name_of_kernel(std::string_view written) {
  std::string name = lowered(written);
  if (name == "_c" || name == "_ext" || ends_with(name, "_ext")) return true;
  bool is_cudas = ends_with(name, "_cuda") || name.rfind("cuda_", 0) == 0 || name.find("_cuda_") != std::string::npos;
  static constexpr std::array<std::string_view, 8> kPlain = {"to", "is", "use", "has", "with", "available", "no", "device"};
  return is_cudas && std::none_of(kPlain.begin(), kPlain.end(), [&](std::string_view word) { return has_word(name, word); });
}

class CodeFinder {
 public:
  CodeFinder(const Syntax& syntax, std::string_view source, Sites& sites) : syntax_(syntax), source_(source), sites_(sites) {}

  void run() {
    settle_versions();
    name_packages();
    for (NodeId id = 0; id != kNoNode; id = syntax_.next(id)) {
      if (is_if(id)) visit_if(id);
      if (syntax_.kind(id) == Kind::kImport || syntax_.kind(id) == Kind::kImportFrom) visit_import(id);
    }
    if (told_.empty()) return;
    sites_.sites.insert(sites_.sites.end(), told_.begin(), told_.end());
    std::stable_sort(sites_.sites.begin(), sites_.sites.end(),
                     [](const Site& left, const Site& right) { return left.span < right.span; });
  }

 private:
  Span span_of(NodeId id) const { return {syntax_.node(id).begin, syntax_.node(id).end}; }

  void tell(Span span, std::string rule) {
    Site& site = told_.emplace_back();
    site.kind = SiteKind::kConstruct;
    site.span = span;
    site.name = std::move(rule);
  }

  // --- engines ------------------------------------------------------------------------------------------------------
  // A branch or function that imports what is CUDA's alone is about CUDA from there on; of a whole file see cuda_only.h.
  void visit_import(NodeId id) {
    static constexpr std::array<std::string_view, 5> kPackages = {"tensorrt", "torch_tensorrt", "torch2trt", "pycuda",
                                                                  "polygraphy"};
    NodeId block = id;
    while (block != kNoNode && syntax_.kind(block) != Kind::kBlock) block = syntax_.node(block).parent;
    if (block == kNoNode) return;
    std::string_view words = syntax_.text(id);
    words.remove_prefix(std::min(words.find(' ') + 1, words.size()));  // npos + 1 is 0
    std::string_view package = words.substr(0, words.find_first_of(" .,;\n"));
    if (std::find(kPackages.begin(), kPackages.end(), package) == kPackages.end()) return;
    if (settle({syntax_.node(id).end, syntax_.node(block).end}) > 0) tell(span_of(id), "cuda-only-block");
  }

  // --- versions -----------------------------------------------------------------------------------------------------
  // torch.version.cuda says whether PyTorch was made for CUDA, and its number is CUDA's: where it is compared, taken apart or
  // printed, a version of CANN would be compared, taken apart or called a version of CUDA.
  void settle_versions() {
    std::vector<Site*> versions;
    bool is_number = false;
    for (Site& site : sites_.sites) {
      if (site.kind != SiteKind::kName || site.name.rfind("torch.version.", 0) != 0) continue;
      if (site.name == "torch.version.hip" || site.name == "torch.version.xpu") is_number = true;  // asks for the maker
      if (site.name.rfind("torch.version.cuda", 0) != 0 || site.is_settled) continue;
      versions.push_back(&site);
      is_number = is_number || !is_truth_alone(site);
    }
    if (!is_number || versions.empty()) return;
    tell(versions[0]->span, "cuda-version");
    for (Site* site : versions) site->is_settled = true;
  }

  // Stands in `if x`, `x and ...`, `not x`, `x is None`, `x is not None`, `bool(x)` or an assertion.
  bool is_truth_alone(const Site& site) const {
    NodeId node = node_at(site.span);
    if (node == kNoNode) return false;
    for (;;) {
      NodeId parent = syntax_.node(node).parent;
      switch (syntax_.kind(parent)) {
        case Kind::kParenthesized:
        case Kind::kBoolean:
        case Kind::kUnary:
          node = parent;
          continue;
        case Kind::kComparison: {
          std::string_view text = syntax_.text(parent);
          return text.find(" is ") != std::string_view::npos && ends_with(text, "None");
        }
        case Kind::kConditional:  // a if condition else b: the second child
          return syntax_.node(syntax_.node(parent).first_child).next_sibling == node;
        case Kind::kStatement:
          return starts_statement(parent, "if") || starts_statement(parent, "assert") || starts_statement(parent, "while");
        default:
          return false;
      }
    }
  }

  NodeId node_at(Span span) const {
    NodeId id = 0;
    while (id != kNoNode && (syntax_.node(id).begin != span.first || syntax_.node(id).end != span.second)) {
      NodeId inner = syntax_.node(id).first_child;
      while (inner != kNoNode && (syntax_.node(inner).begin > span.first || syntax_.node(inner).end < span.second))
        inner = syntax_.node(inner).next_sibling;
      id = inner;
    }
    return id;
  }

  bool starts_statement(NodeId id, std::string_view word) const {
    std::string_view text = syntax_.text(id);
    return text.substr(0, word.size()) == word && text.size() > word.size() &&
           std::isalnum(static_cast<unsigned char>(text[word.size()])) == 0 && text[word.size()] != '_';
  }

  bool is_if(NodeId id) const { return syntax_.kind(id) == Kind::kStatement && starts_statement(id, "if"); }

  // --- packages -----------------------------------------------------------------------------------------------------
  // `device != "cuda" or not is_xformers_available()`: the text carries the package it is asked together with.
  void name_packages() {
    for (Site& site : sites_.sites) {
      bool is_text = site.kind == SiteKind::kDeviceText && site.literal.second > 0;
      if (!is_text || site.is_settled || site.name != "cuda") continue;
      NodeId top = node_at(site.literal);
      bool is_compared = top != kNoNode && syntax_.kind(syntax_.node(top).parent) == Kind::kComparison;
      if (!is_compared) continue;
      NodeId boolean = kNoNode;
      for (NodeId up = syntax_.node(top).parent; up != kNoNode; up = syntax_.node(up).parent) {
        Kind kind = syntax_.kind(up);
        if (kind == Kind::kBoolean) boolean = up;
        if (kind != Kind::kBoolean && kind != Kind::kComparison && kind != Kind::kParenthesized && kind != Kind::kUnary) break;
      }
      if (boolean == kNoNode) continue;
      for (NodeId id = boolean; id != kNoNode && syntax_.node(id).begin < syntax_.node(boolean).end; id = syntax_.next(id)) {
        if (syntax_.kind(id) != Kind::kCall) continue;
        NodeId function = syntax_.child(id, Field::kFunction);
        Kind kind = syntax_.kind(function);
        std::string_view name =
            kind == Kind::kIdentifier || kind == Kind::kAttribute ? syntax_.name(function) : std::string_view();
        constexpr std::string_view kEnd = "_available";
        if (name.substr(0, 3) == "is_" && name.size() > 3 + kEnd.size() && ends_with(name, kEnd))
          site.head = name.substr(3, name.size() - 3 - kEnd.size());
      }
    }
  }

  // --- tests --------------------------------------------------------------------------------------------------------
  struct Parts {
    NodeId test = kNoNode;  // the first one
    NodeId first = kNoNode;
    std::vector<NodeId> tests;
    NodeId other = kNoNode;  // the block of `else`, or of the one `elif`
  };

  void visit_if(NodeId statement) {
    if (sites_in(span_of(statement)).empty()) return;
    Parts parts;
    bool was_block = false;
    for (NodeId part = syntax_.node(statement).first_child; part != kNoNode; part = syntax_.node(part).next_sibling) {
      bool is_block = syntax_.kind(part) == Kind::kBlock;
      if (!is_block) {
        parts.tests.push_back(part);
      } else if (parts.first == kNoNode) {
        parts.first = part;
      } else {
        parts.other = part;
      }
      was_block = is_block;
    }
    if (parts.tests.empty() || parts.first == kNoNode || !was_block) return;
    parts.test = parts.tests[0];
    settle_makers(statement, parts);
    settle_guard(statement, parts);
  }

  // `if IS_CUDA_SYSTEM or IS_ROCM_SYSTEM: ... elif IS_XPU_SYSTEM: ...`: flags of the project's own, that know nothing of other
  // cards.
  void settle_makers(NodeId statement, const Parts& parts) {
    bool names_cuda = false;
    bool names_other = false;
    for (NodeId test : parts.tests) {
      if (!sites_in(span_of(test)).empty()) return;
      for (NodeId id = test; id != kNoNode && syntax_.node(id).begin < syntax_.node(test).end; id = syntax_.next(id)) {
        if (syntax_.kind(id) != Kind::kIdentifier) continue;
        std::string name = lowered(syntax_.name(id));
        names_cuda = names_cuda || has_word(name, "cuda");
        for (std::string_view maker : {"rocm", "hip", "xpu", "hpu", "mps"}) names_other = names_other || has_word(name, maker);
      }
    }
    if (!names_cuda || !names_other) return;
    if (settle(span_of(statement)) > 0)
      tell({syntax_.node(statement).begin, syntax_.node(statement).begin + 2}, "cuda-maker-test");
  }

  // `if x.is_cuda: return _C.forward(x) else: <for every card>`.
  void settle_guard(NodeId statement, const Parts& parts) {
    if (parts.tests.size() > 1) return;
    std::vector<Site*> guards;
    for (Site* site : sites_in(span_of(parts.test))) {
      bool is_flag = site->kind == SiteKind::kMethod && site->name == "Tensor.is_cuda";
      bool is_compared = site->kind == SiteKind::kDeviceText && site->name == "cuda";
      if ((is_flag || is_compared) && !site->is_settled) guards.push_back(site);
    }
    if (guards.empty()) return;
    std::string_view test = syntax_.text(parts.test);
    bool is_negated = test.substr(0, 4) == "not " || test.find("!=") != std::string_view::npos;
    // What follows a branch that leaves is the other branch.
    Span rest{syntax_.node(statement).end, syntax_.node(statement).end};
    NodeId block = syntax_.node(statement).parent;
    if (parts.other != kNoNode) {
      rest = span_of(parts.other);
    } else if (leaves(parts.first) && syntax_.kind(block) == Kind::kBlock) {
      rest.second = syntax_.node(block).end;
    }
    Span first = span_of(parts.first);
    Span of_cuda = is_negated ? rest : first;
    Span of_others = is_negated ? first : rest;
    bool has_both = rest.first < rest.second && first.first < first.second;
    if (!has_both || !calls_kernel(of_cuda) || calls_kernel(of_others) || gives_up(of_others)) return;
    for (Site* site : guards) site->is_settled = true;
    tell(guards[0]->span, "cuda-kernel-guard");
  }

  bool leaves(NodeId block) const {
    NodeId last = kNoNode;
    for (NodeId part = syntax_.node(block).first_child; part != kNoNode; part = syntax_.node(part).next_sibling) last = part;
    if (last == kNoNode) return false;
    return syntax_.kind(last) == Kind::kReturn || starts_statement(last, "return") || starts_statement(last, "raise");
  }

  // A statement of the branch itself raises: there is no way for other cards.
  bool gives_up(Span span) const {
    for (NodeId id = first_in(span); id != kNoNode && syntax_.node(id).begin < span.second; id = syntax_.next(id)) {
      if (syntax_.kind(id) != Kind::kStatement || !starts_statement(id, "raise")) continue;
      NodeId holder = syntax_.node(syntax_.node(id).parent).parent;
      bool is_inside_of_test = holder != kNoNode && is_if(holder) && syntax_.node(holder).begin >= span.first;
      if (!is_inside_of_test) return true;
    }
    return false;
  }

  bool calls_kernel(Span span) const {
    for (NodeId id = first_in(span); id != kNoNode && syntax_.node(id).begin < span.second; id = syntax_.next(id)) {
      if (syntax_.kind(id) != Kind::kCall) continue;
      NodeId function = syntax_.child(id, Field::kFunction);
      while (syntax_.kind(function) == Kind::kAttribute) {
        if (is_name_of_kernel(syntax_.name(function))) return true;
        function = syntax_.child(function, Field::kObject);
      }
      if (syntax_.kind(function) == Kind::kIdentifier && is_name_of_kernel(syntax_.name(function))) return true;
    }
    return false;
  }

  // The first node that begins in the span, in the order of writing.
  NodeId first_in(Span span) const {
    NodeId id = 0;
    while (id != kNoNode && syntax_.node(id).begin < span.first) {
      // Leave out what ends before.
      if (syntax_.node(id).end <= span.first) {
        while (id != kNoNode && syntax_.node(id).next_sibling == kNoNode) id = syntax_.node(id).parent;
        id = id == kNoNode ? kNoNode : syntax_.node(id).next_sibling;
      } else {
        id = syntax_.next(id);
      }
    }
    return id;
  }

  std::vector<Site*> sites_in(Span span) {
    std::vector<Site*> found;
    auto site = std::lower_bound(sites_.sites.begin(), sites_.sites.end(), span.first,
                                 [](const Site& each, std::uint32_t at) { return each.span.first < at; });
    for (; site != sites_.sites.end() && site->span.first < span.second; ++site) found.push_back(&*site);
    return found;
  }

  std::size_t settle(Span span) {
    std::size_t count = 0;
    for (Site* site : sites_in(span)) {
      if (site->kind == SiteKind::kPackage || site->kind == SiteKind::kDtype || site->kind == SiteKind::kConstruct) continue;
      count += site->is_settled ? 0 : 1;
      site->is_settled = true;
    }
    return count;
  }

  const Syntax& syntax_;
  std::string_view source_;
  Sites& sites_;
  std::vector<Site> told_;
};

}  // namespace

void settle_cuda_code(const Syntax& syntax, std::string_view source, Sites& sites) {
  if (!sites.sites.empty()) CodeFinder(syntax, source, sites).run();
}

void settle_cuda_build(Sites& sites) {
  auto makes_cuda = [](const Site& site) {
    if (site.kind == SiteKind::kName) return site.name.rfind("torch.utils.cpp_extension.CUDA", 0) == 0;
    return site.kind == SiteKind::kImportFrom && site.name == "torch.utils.cpp_extension" &&
           std::any_of(site.names.begin(), site.names.end(),
                       [](const ImportedName& name) { return name.name.rfind("CUDA", 0) == 0; });
  };
  if (std::none_of(sites.sites.begin(), sites.sites.end(), makes_cuda)) return;
  for (Site& site : sites.sites) {
    bool is_of_card = site.kind == SiteKind::kDeviceText || site.kind == SiteKind::kMethod ||
                      (site.kind == SiteKind::kName && site.name.rfind("torch.cuda", 0) == 0) ||
                      (site.kind == SiteKind::kName && site.name == "torch.version.cuda");
    site.is_settled = site.is_settled || is_of_card;
  }
}

}  // namespace starbridge::port::python
