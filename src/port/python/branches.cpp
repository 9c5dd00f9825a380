#include "port/python/branches.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <map>

#include "port/target.h"
#include "port/word_search.h"

namespace starbridge::port::python {
namespace {

struct FamilyWord {
  std::string_view word;
  unsigned family;  // index in families()
};
constexpr std::array<FamilyWord, 11> kWords = {{{"cuda", 0},
                                                {"cann", 1},
                                                {"nccl", 0},
                                                {"npu", 1},
                                                {"hccl", 1},
                                                {"ascend", 1},
                                                {"mlu", 2},
                                                {"cncl", 2},
                                                {"cambricon", 2},
                                                {"musa", 3},
                                                {"mccl", 3}}};
constexpr unsigned kCudaBit = 1;
constexpr std::size_t kTextBytesMax = 40;  // longer literals are messages

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

bool equals_folded(std::string_view text, std::string_view word) {
  return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                    [](char left, char right) { return std::tolower(static_cast<unsigned char>(left)) == right; });
}

// By byte: the words that may begin with it.
std::array<std::uint32_t, 256> words_by_first_byte() {
  static_assert(kWords.size() <= 32);
  std::array<std::uint32_t, 256> words{};
  for (std::size_t index = 0; index < kWords.size(); ++index) {
    auto first = static_cast<unsigned char>(kWords[index].word[0]);
    words[first] |= 1U << index;
    words[static_cast<std::size_t>(std::toupper(first))] |= 1U << index;
  }
  return words;
}

// The families whose words a name or short text holds: "is_torch_npu_available", "NPUAccelerator", "hccl"; not "input".
unsigned families_in(std::string_view text) {
  static const std::array<std::uint32_t, 256> kByFirstByte = words_by_first_byte();
  unsigned mask = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (std::uint32_t words = kByFirstByte[static_cast<unsigned char>(text[at])]; words != 0; words &= words - 1) {
      const FamilyWord& each = kWords[static_cast<std::size_t>(std::countr_zero(words))];
      std::size_t end = at + each.word.size();
      if (end > text.size() || !equals_folded(text.substr(at, each.word.size()), each.word)) continue;
      bool begins = at == 0 || !is_letter(text[at - 1]) || (!is_upper(text[at - 1]) && is_upper(text[at]));
      bool ends = end == text.size() || !is_letter(text[end]) || (is_upper(text[end]) && is_upper(text[end - 1]));
      if (begins && ends) mask |= 1U << each.family;
    }
  }
  return mask;
}

bool has_several(unsigned mask) { return (mask & (mask - 1)) != 0; }

class BranchFinder {
 public:
  BranchFinder(const Syntax& syntax, std::string_view source, Sites& sites) : syntax_(syntax), source_(source), sites_(sites) {}

  void run() {
    collect_mentions();
    unsigned all = 0;
    for (const Mention& mention : mentions_) all |= mention.mask;
    if ((all & ~kCudaBit) == 0) return settle_defaults();  // nothing but CUDA: there is nothing to tell apart
    settle_defaults();
    for (NodeId id = 0; id != kNoNode; id = syntax_.next(id)) visit(id);
    settle_definitions();
    settle_guarded_imports();
    mark_sites();
  }

 private:
  struct Mention {
    std::uint32_t begin;
    unsigned mask;
  };

  void collect_mentions() {
    std::vector<int> of_symbol(syntax_.symbols().size(), -1);
    for (NodeId id = 0; id != kNoNode; id = syntax_.next(id)) {
      const Node& node = syntax_.node(id);
      unsigned mask = 0;
      std::uint32_t begin = node.begin;
      switch (node.kind) {
        case Kind::kIdentifier:
        case Kind::kAttribute:
        case Kind::kKeywordArgument: {
          int& known = of_symbol[node.symbol];
          if (known < 0) known = static_cast<int>(families_in(syntax_.name(id)));
          mask = static_cast<unsigned>(known);
          if (node.kind == Kind::kAttribute && mask != 0) begin = syntax_.name_begin(id);
          break;
        }
        case Kind::kDottedName:
          mask = families_in(syntax_.text(id));
          break;
        case Kind::kString: {
          std::string_view text = syntax_.text(id);
          if (text.size() <= kTextBytesMax && text.find(' ') == std::string_view::npos) mask = families_in(text);
          break;
        }
        default:
          break;
      }
      if (mask != 0) mentions_.push_back({begin, mask});
    }
    std::sort(mentions_.begin(), mentions_.end(),
              [](const Mention& left, const Mention& right) { return left.begin < right.begin; });
    std::array<std::uint32_t, 4> counts{};
    counts_.push_back(counts);
    for (const Mention& mention : mentions_) {
      for (unsigned family = 0; family < counts.size(); ++family) counts[family] += (mention.mask >> family) & 1U;
      counts_.push_back(counts);
    }
  }

  unsigned mask_of(Span span) const {
    auto index_of = [&](std::uint32_t at) {
      return static_cast<std::size_t>(
          std::lower_bound(mentions_.begin(), mentions_.end(), at,
                           [](const Mention& mention, std::uint32_t place) { return mention.begin < place; }) -
          mentions_.begin());
    };
    const auto& before = counts_[index_of(span.first)];
    const auto& after = counts_[index_of(span.second)];
    unsigned mask = 0;
    for (unsigned family = 0; family < before.size(); ++family) mask |= after[family] > before[family] ? 1U << family : 0U;
    return mask;
  }
  unsigned mask_of(NodeId id) const { return mask_of({syntax_.node(id).begin, syntax_.node(id).end}); }

  // Only what is known to be a device; a word that is compared with anything else says nothing.
  unsigned mask_of_sites(NodeId id) const {
    unsigned mask = 0;
    auto site = std::lower_bound(sites_.sites.begin(), sites_.sites.end(), syntax_.node(id).begin,
                                 [](const Site& each, std::uint32_t at) { return each.span.first < at; });
    for (; site != sites_.sites.end() && site->span.first < syntax_.node(id).end; ++site) mask |= families_in(site->name);
    return mask;
  }

  bool is_if(NodeId id) const {
    return syntax_.kind(id) == Kind::kStatement && source_.compare(syntax_.node(id).begin, 2, "if") == 0 &&
           !is_letter(source_[std::min<std::size_t>(syntax_.node(id).begin + 2, source_.size() - 1)]);
  }

  void visit(NodeId id) {
    switch (syntax_.kind(id)) {
      case Kind::kStatement:
        if (is_if(id)) visit_if(id);
        if (syntax_.child(id, Field::kPattern) != kNoNode) visit_match(id);
        return;
      case Kind::kConditional:
        if (is_told_apart(mask_of(id))) settle(id, mask_of(id), true);
        return;
      case Kind::kBoolean:  // device.type == "cuda" or device.type == "npu"
        if (is_told_apart(mask_of(id)) && is_told_apart(mask_of_sites(id))) settle(id, mask_of(id), false);
        return;
      case Kind::kFunction:  // three families in one function are told apart, however it is written
        if (std::popcount(mask_of(id)) >= 3) settle(id, mask_of(id), false);
        return;
      case Kind::kTuple:
      case Kind::kList:
      case Kind::kSet:
      case Kind::kDictionary:
        return visit_collection(id);
      case Kind::kCall:
        return visit_table(id);
      default:
        return;
    }
  }

  static bool is_told_apart(unsigned mask) { return has_several(mask) && (mask & ~kCudaBit) != 0; }

  void visit_if(NodeId statement) {
    unsigned conditions = 0;
    bool is_chain = false;
    NodeId last_block = kNoNode;
    bool ends_with_else = false;
    bool was_block = false;
    for (NodeId part = syntax_.node(statement).first_child; part != kNoNode; part = syntax_.node(part).next_sibling) {
      bool is_block = syntax_.kind(part) == Kind::kBlock;
      // Several words in one test: only those known to be devices count.
      unsigned mask = is_block ? 0U : has_several(mask_of(part)) ? mask_of_sites(part) : mask_of(part);
      conditions |= mask;
      // `in ("cuda", "npu")` alone is a list, not a chain of tests.
      is_chain = is_chain || (mask != 0 && !has_several(mask));
      ends_with_else = is_block && was_block;
      was_block = is_block;
      if (is_block) last_block = part;
    }
    if (conditions == 0) return;
    note_sibling(statement, conditions);
    unsigned all = conditions;
    for (NodeId part = syntax_.node(statement).first_child; part != kNoNode; part = syntax_.node(part).next_sibling)
      all |= syntax_.kind(part) == Kind::kBlock ? mask_of(part) : 0U;
    bool tests_other = (conditions & ~kCudaBit) != 0;
    if (is_told_apart(all) && (tests_other || has_several(conditions))) return settle(statement, all, is_chain);
    // "if npu: return ..." makes the rest of its block the other branch.
    if (!tests_other || ends_with_else || last_block == kNoNode || !leaves(last_block)) return;
    NodeId block = syntax_.node(statement).parent;
    std::uint32_t end = syntax_.kind(block) == Kind::kBlock ? syntax_.node(block).end : syntax_.node(statement).end;
    Span rest{syntax_.node(statement).begin, end};
    if (is_told_apart(mask_of(rest))) settle(rest, mask_of(rest), is_chain);
  }

  void visit_match(NodeId statement) {
    unsigned cases = 0;
    for (NodeId part = syntax_.node(statement).first_child; part != kNoNode; part = syntax_.node(part).next_sibling)
      cases |= syntax_.node(part).field == Field::kPattern ? mask_of(part) : 0U;
    if (is_told_apart(cases)) settle(statement, cases, true);
  }

  // dict(cuda=..., npu=...)
  void visit_table(NodeId call) {
    NodeId function = syntax_.child(call, Field::kFunction);
    NodeId arguments = syntax_.child(call, Field::kArguments);
    if (syntax_.kind(function) != Kind::kIdentifier || syntax_.name(function) != "dict" || arguments == kNoNode) return;
    unsigned keys = 0;
    for (NodeId each = syntax_.node(arguments).first_child; each != kNoNode; each = syntax_.node(each).next_sibling)
      keys |= syntax_.kind(each) == Kind::kKeywordArgument ? families_in(syntax_.name(each)) : 0U;
    if (is_told_apart(keys)) settle(call, keys, false);
  }

  bool leaves(NodeId block) const {
    NodeId last = kNoNode;
    for (NodeId part = syntax_.node(block).first_child; part != kNoNode; part = syntax_.node(part).next_sibling) last = part;
    if (last == kNoNode) return false;
    std::string_view text = syntax_.text(last);
    return syntax_.kind(last) == Kind::kReturn || text.substr(0, 6) == "return" || text.substr(0, 5) == "raise" ||
           text.substr(0, 8) == "continue";
  }

  // "if cuda: ..." and, further down in the same block, "if npu: ...".
  void note_sibling(NodeId statement, unsigned conditions) {
    siblings_.push_back({syntax_.node(statement).parent, statement, conditions});
  }

  void visit_collection(NodeId id) {
    unsigned mask = 0;
    for (NodeId part = syntax_.node(id).first_child; part != kNoNode; part = syntax_.node(part).next_sibling) {
      NodeId element = syntax_.kind(part) == Kind::kPair ? syntax_.child(part, Field::kKey) : part;
      // pytest.param("cuda", ...), torch.device("npu"): each call is about its first argument.
      if (syntax_.kind(element) == Kind::kCall && syntax_.child(element, Field::kArguments) != kNoNode)
        element = syntax_.node(syntax_.child(element, Field::kArguments)).first_child;
      Kind kind = syntax_.kind(element);
      if (kind == Kind::kString || kind == Kind::kIdentifier || kind == Kind::kAttribute) mask |= mask_of(element);
    }
    if (!is_told_apart(mask)) return;
    // choices=["cuda", "npu"] says of the whole option that it takes both.
    NodeId holder = id;
    if (syntax_.kind(syntax_.node(id).parent) == Kind::kKeywordArgument)
      holder = syntax_.node(syntax_.node(syntax_.node(id).parent).parent).parent;
    settle(holder, mask, false);
  }

  // getattr(torch, device_type, torch.cuda): the last is what is taken when there is nothing of that name.
  void settle_defaults() {
    for (Site& site : sites_.sites) {
      if (site.kind != SiteKind::kName || site.name != "torch.cuda" || site.span.first < 2) continue;
      std::size_t line = source_.rfind('\n', site.span.first) + 1;  // npos + 1 is 0
      std::string_view before = source_.substr(line, site.span.first - line);
      std::size_t call = before.rfind("getattr(torch,");
      if (call != std::string_view::npos && before.find(')', call) == std::string_view::npos) site.is_settled = true;
    }
  }

  // Functions and classes named for a family in a file that has another family too.
  void settle_definitions() {
    struct Definition {
      Span span;
      unsigned mask;
    };
    std::vector<Definition> definitions;
    unsigned all = 0;
    for (NodeId id = 0; id != kNoNode; id = syntax_.next(id)) {
      if (syntax_.kind(id) != Kind::kFunction && syntax_.kind(id) != Kind::kClass) continue;
      NodeId name = syntax_.child(id, Field::kName);
      if (name == kNoNode) continue;
      unsigned mask = families_in(syntax_.text(name));
      if (mask == 0) continue;
      definitions.push_back({{syntax_.node(id).begin, syntax_.node(id).end}, mask});
      all |= mask;
    }
    if ((all & ~kCudaBit) == 0) return;
    unsigned in_file = mask_of(Span{0, static_cast<std::uint32_t>(source_.size())});
    for (const Definition& definition : definitions) {
      bool is_one_of_several = has_several(all) || ((definition.mask & kCudaBit) == 0 && has_several(in_file));
      if (is_one_of_several) settle(definition.span, definition.mask, false);
    }
  }

  // try: import torch_npu, and imports under a test: they do no harm where the plug-in is missing.
  void settle_guarded_imports() {
    for (Site& site : sites_.sites) {
      bool is_import = site.kind == SiteKind::kImportModule || site.kind == SiteKind::kImportFrom;
      if (is_import && site.is_guarded && site.name.rfind("torch_", 0) == 0) site.is_settled = true;
    }
    std::stable_sort(siblings_.begin(), siblings_.end(),
                     [](const Sibling& left, const Sibling& right) { return left.block < right.block; });
    for (std::size_t begin = 0; begin < siblings_.size();) {
      std::size_t end = begin;
      unsigned mask = 0;
      for (; end < siblings_.size() && siblings_[end].block == siblings_[begin].block; ++end) mask |= siblings_[end].mask;
      for (std::size_t index = begin; index < end && is_told_apart(mask); ++index)
        settle(siblings_[index].statement, mask, index == begin);
      begin = end;
    }
  }

  void settle(NodeId id, unsigned mask, bool is_chain) {
    settle(Span{syntax_.node(id).begin, syntax_.node(id).end}, mask, is_chain);
  }
  void settle(Span span, unsigned mask, bool is_chain) { regions_.push_back({span, mask, is_chain}); }

  void mark_sites() {
    std::sort(regions_.begin(), regions_.end(), [](const Branch& left, const Branch& right) {
      return left.span.first != right.span.first ? left.span.first < right.span.first : left.span.second > right.span.second;
    });
    std::vector<Branch> outer;  // regions inside others say nothing new
    for (const Branch& region : regions_) {
      if (outer.empty() || region.span.second > outer.back().span.second) outer.push_back(region);
    }
    for (Branch& region : outer) {
      auto from = std::lower_bound(sites_.sites.begin(), sites_.sites.end(), region.span.first,
                                   [](const Site& each, std::uint32_t at) { return each.span.first < at; });
      for (; from != sites_.sites.end() && from->span.first < region.span.second; ++from) {
        Site& site = *from;
        bool names_family = site.kind != SiteKind::kPackage && site.kind != SiteKind::kDtype;
        if (site.span.second > region.span.second || !names_family) continue;
        if (families_in(site.name) == 0 && site.kind != SiteKind::kDeviceIndex && site.kind != SiteKind::kConstruct) continue;
        site.is_settled = true;
        ++region.site_count;
      }
      if (region.site_count > 0) sites_.branches.push_back(region);
    }
  }

  struct Sibling {
    NodeId block;
    NodeId statement;
    unsigned mask;
  };

  const Syntax& syntax_;
  std::string_view source_;
  Sites& sites_;
  std::vector<Mention> mentions_;
  std::vector<std::array<std::uint32_t, 4>> counts_;  // before each mention
  std::vector<Sibling> siblings_;
  std::vector<Branch> regions_;
};

}  // namespace

void settle_branches(const Syntax& syntax, std::string_view source, Sites& sites) {
  if (!sites.sites.empty()) BranchFinder(syntax, source, sites).run();
}

void settle_all(Sites& sites) {
  for (Site& site : sites.sites) site.is_settled = site.kind != SiteKind::kPackage && site.kind != SiteKind::kDtype;
}

std::string_view device_of_source(const std::array<std::size_t, 4>& counts) {
  auto most = std::max_element(counts.begin(), counts.end());  // the first of equals, and cuda comes first
  return *most == 0 ? std::string_view() : families()[static_cast<std::size_t>(most - counts.begin())].device;
}

std::array<std::size_t, 4> count_families(std::string_view source) {
  std::array<std::size_t, 4> counts{};
  static constexpr std::array<std::string_view, 4> kDevices = {"cuda", "npu", "mlu", "musa"};
  static constexpr WordSearch<4> kSearch(kDevices);
  for (auto hit = kSearch.find(source, 0); hit.word < 4; hit = kSearch.find(source, hit.position + 1)) {
    char before = hit.position == 0 ? '\n' : source[hit.position - 1];
    counts[hit.word] += before == '.' || before == '"' || before == '\'' ? 1 : 0;  // torch.npu, x.npu(), "npu"
    // "import torch_npu" outside every block says more than one word among others.
    constexpr std::string_view kImport = "\nimport torch_";
    std::size_t begin = hit.position < kImport.size() ? 0 : hit.position - kImport.size();
    counts[hit.word] += source.substr(begin, hit.position - begin) == kImport ? 3 : 0;
  }
  return counts;
}

std::array<std::size_t, 4> count_families(const Sites& sites) {
  std::array<std::size_t, 4> counts{};
  for (const Site& site : sites.sites) {
    if (site.kind == SiteKind::kPackage || site.kind == SiteKind::kDtype) continue;
    unsigned mask = families_in(site.name);
    for (unsigned family = 0; family < counts.size(); ++family) counts[family] += (mask >> family) & 1U;
  }
  return counts;
}

void settle_others(Sites& sites, std::string_view source, std::string_view device) {
  sites.source_device = device;
  unsigned own = kCudaBit;
  for (unsigned family = 0; family < families().size(); ++family) own |= families()[family].device == device ? 1U << family : 0U;
  for (Site& site : sites.sites) {
    if (site.kind == SiteKind::kPackage || site.kind == SiteKind::kDtype) continue;
    unsigned mask = families_in(site.name);
    bool is_others = !device.empty() && mask != 0 && (mask & own) == 0;
    std::size_t line_end = std::min(source.find('\n', site.span.second), source.size());
    std::string_view rest = source.substr(site.span.second, line_end - site.span.second);
    bool is_marked = rest.find("#ignore-cuda") != std::string_view::npos || rest.find("# ignore-cuda") != std::string_view::npos;
    site.is_settled = site.is_settled || is_others || is_marked;
  }
}

std::set<std::string> files_of_families(const std::vector<std::string>& paths) {
  // Those of other makers too: cpu_accelerator.py beside xpu_accelerator.py is nobody's CUDA.
  static constexpr std::array<std::string_view, 12> kMakers = {"cuda", "npu",  "mlu",  "musa", "xpu", "hpu",
                                                               "mps",  "sdaa", "supa", "gcu",  "cpu", "rocm"};
  std::map<std::string, std::set<std::string_view>> makers;  // path with the maker's word left out -> makers
  std::vector<std::pair<std::string, std::string>> candidates;
  for (const std::string& path : paths) {
    for (std::string_view maker : kMakers) {
      for (std::size_t at = path.find(maker); at != std::string::npos; at = path.find(maker, at + 1)) {
        std::size_t end = at + maker.size();
        bool is_word = (at == 0 || !is_letter(path[at - 1])) && (end == path.size() || !is_letter(path[end]));
        if (!is_word) continue;
        candidates.emplace_back(path, path.substr(0, at) + "?" + path.substr(end));
        makers[candidates.back().second].insert(maker);
      }
    }
  }
  auto counts_as_several = [&](const std::string& pattern) {
    const std::set<std::string_view>& found = makers[pattern];
    std::size_t known = 0;
    for (const Family& family : families()) known += found.count(family.device);
    return known > 1 || (known == 1 && found.size() > 1);
  };
  std::set<std::string> all(paths.begin(), paths.end());
  std::set<std::string> found;
  for (const auto& [path, pattern] : candidates) {
    if (!counts_as_several(pattern)) continue;
    found.insert(path);
    // op_builder/x.py beside op_builder/npu/x.py and op_builder/mlu/x.py is CUDA's own.
    std::size_t folder = pattern.find("?/");
    if (folder == std::string::npos || (folder > 0 && pattern[folder - 1] != '/')) continue;
    if (std::string base = pattern.substr(0, folder) + pattern.substr(folder + 2); all.count(base) > 0) found.insert(base);
  }
  return found;
}

}  // namespace starbridge::port::python
