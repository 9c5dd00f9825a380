#include "port/uses.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"

namespace starbridge::port {
namespace {

// Methods worth knowing about. Names that other libraries' objects share (sum of numpy, sort of a list) are told apart by the
// word before the dot and by what stands in the brackets; what is left over is a likely use, not a certain one.
constexpr std::string_view kMethods =
    "addmm argmax argmin argsort atan baddbmm bfloat16 bmm cumprod cumsum double erf exponential_ gather half "
    "index_add index_add_ index_put index_put_ kthvalue log_softmax logsumexp matmul mean median mm norm normal_ "
    "prod put_ qr remainder rsqrt scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_ sign "
    "softmax sort std sum svd topk uniform_ unique var";

constexpr std::array<std::string_view, 14> kOtherObjects = {"np",  "numpy", "math",  "random", "pd", "pandas", "os",
                                                            "jnp", "tf",    "scipy", "torch",  "F",  "nn",     "cp"};

bool is_method(std::string_view word) {
  static const std::unordered_set<std::string_view> kSet = [] {
    std::unordered_set<std::string_view> set;
    for (std::size_t begin = 0; begin < kMethods.size();) {
      std::size_t end = std::min(kMethods.find(' ', begin), kMethods.size());
      set.insert(kMethods.substr(begin, end - begin));
      begin = end + 1;
    }
    return set;
  }();
  return kSet.contains(word);
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 128;
}
bool is_word(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Walks the code of a Python file without its strings and remarks. What stands in the fields of a format string is not seen.
class CodeWalk {
 public:
  explicit CodeWalk(std::string_view bytes) : bytes_(bytes) {}

  template <class Take>
  void each_method(Take take) {
    for (at_ = next_mark(0); at_ < bytes_.size(); at_ = next_mark(at_)) {
      switch (bytes_[at_]) {
        case '#':
          at_ = std::min(bytes_.find_first_of("\r\n", at_), bytes_.size());
          break;
        case '"':
        case '\'':
          skip_string();
          break;
        case '@':
          if (is_product()) take(std::string_view("@"), at_);
          ++at_;
          break;
        default:  // '.'
          visit_attribute(take);
      }
    }
  }

 private:
  std::size_t next_mark(std::size_t at) const {
    static constexpr std::array<bool, 256> kMarks = [] {
      std::array<bool, 256> marks{};
      for (char mark : {'#', '"', '\'', '@', '.'}) marks[static_cast<unsigned char>(mark)] = true;
      return marks;
    }();
    while (at < bytes_.size() && !kMarks[static_cast<unsigned char>(bytes_[at])]) ++at;
    return at;
  }

  void skip_string() {
    char quote = bytes_[at_];
    bool is_triple = bytes_.substr(at_, 3) == std::string(3, quote);
    at_ += is_triple ? 3 : 1;
    while (at_ < bytes_.size()) {
      char c = bytes_[at_];
      if (c == '\\') {  // also in a raw string a backslash keeps the quote from ending it
        at_ += 2;
        continue;
      }
      if (is_triple ? bytes_.substr(at_, 3) == std::string(3, quote) : c == quote) {
        at_ += is_triple ? 3 : 1;
        return;
      }
      if (!is_triple && (c == '\n' || c == '\r')) return;
      ++at_;
    }
  }

  // a @ b, not a decorator: something that ends an operand stands before it on its line.
  bool is_product() const {
    std::size_t before = at_;
    while (before > 0 && is_blank(bytes_[before - 1])) --before;
    if (before == 0) return false;
    char c = bytes_[before - 1];
    return is_word(c) || c == ')' || c == ']' || c == '\\';
  }

  template <class Take>
  void visit_attribute(Take& take) {
    std::size_t begin = ++at_;
    while (at_ < bytes_.size() && is_word(bytes_[at_])) ++at_;
    if (at_ >= bytes_.size() || bytes_[at_] != '(') return;
    std::string_view word = bytes_.substr(begin, at_ - begin);
    if (!is_method(word)) return;
    std::size_t object_end = begin - 1;
    std::size_t object = object_end;
    while (object > 0 && (is_word(bytes_[object - 1]) || bytes_[object - 1] == '.')) --object;
    std::string_view head = bytes_.substr(object, object_end - object);
    head = head.substr(0, head.find('.'));
    if (std::find(kOtherObjects.begin(), kOtherObjects.end(), head) != kOtherObjects.end()) return;
    std::string_view inside = bytes_.substr(at_ + 1, 8);
    bool is_list_sort =
        word == "sort" && (inside.substr(0, 1) == ")" || inside.substr(0, 3) == "key" || inside.substr(0, 7) == "reverse");
    if (!is_list_sort) take(word, begin);
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

// On a line that begins with an import.
bool stands_in_import(std::string_view bytes, std::size_t at) {
  std::size_t begin = bytes.find_last_of("\r\n", at);
  begin = bytes.find_first_not_of(" \t", begin == std::string_view::npos ? 0 : begin + 1);
  std::string_view line = bytes.substr(std::min(begin, bytes.size()));
  return line.substr(0, 7) == "import " || line.substr(0, 5) == "from ";
}

}  // namespace

std::vector<NameUse> collect_uses(const SourceFile& file, const python::Sites& sites) {
  std::vector<NameUse> uses;
  if (!sites.imports_torch) return uses;
  struct Use {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  std::unordered_map<std::string_view, Use> names;    // of sites
  std::unordered_map<std::string_view, Use> methods;  // of tensors
  auto note = [](std::unordered_map<std::string_view, Use>& found, std::string_view name, std::size_t at) {
    auto place = found.try_emplace(name, Use{at, 0}).first;
    place->second.first = std::min(place->second.first, at);
    ++place->second.count;
  };
  // What an import names is used where its name stands afterwards.
  std::vector<std::size_t> imported;
  for (const python::Site& site : sites.sites) {
    for (const python::ImportedName& name : site.names) imported.push_back(name.span.first);
  }
  std::sort(imported.begin(), imported.end());
  for (const python::Site& site : sites.sites) {
    if (site.kind != python::SiteKind::kName || site.name.rfind("torch.", 0) != 0) continue;
    bool is_import = std::binary_search(imported.begin(), imported.end(), std::size_t{site.span.first}) ||
                     stands_in_import(file.bytes, site.span.first);
    if (!is_import) note(names, site.name, site.span.first);
  }
  CodeWalk(file.bytes).each_method([&](std::string_view method, std::size_t at) { note(methods, method, at); });
  LineIndex lines(file.bytes);
  for (const auto& [name, use] : names) uses.push_back({std::string(name), lines.at(use.first), use.count});
  for (const auto& [name, use] : methods) uses.push_back({"Tensor." + std::string(name), lines.at(use.first), use.count});
  std::sort(uses.begin(), uses.end(), [](const NameUse& left, const NameUse& right) { return left.name < right.name; });
  return uses;
}

bool asks_for_16_bit(const std::vector<NameUse>& uses) {
  auto is_one_of = [](const NameUse& use, const auto& names) {
    return std::find(names.begin(), names.end(), use.name) != names.end();
  };
  return std::any_of(uses.begin(), uses.end(),
                     [&](const NameUse& use) { return is_one_of(use, kHalfNames) || is_one_of(use, kBfloat16Names); });
}

}  // namespace starbridge::port
