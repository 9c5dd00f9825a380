#include "port/uses.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/text.h"

namespace starbridge::port {
namespace {

// Methods worth knowing about. Names that other libraries' objects share (sum of numpy, sort of a list) are told apart by the
// word before the dot and by what stands in the brackets; what is left over is a likely use, not a certain one.
constexpr std::array<std::string_view, 50> kMethods = {"@",
                                                       "addmm",
                                                       "argmax",
                                                       "argmin",
                                                       "argsort",
                                                       "baddbmm",
                                                       "bfloat16",
                                                       "bmm",
                                                       "cumprod",
                                                       "cumsum",
                                                       "double",
                                                       "erf",
                                                       "exponential_",
                                                       "half",
                                                       "index_add",
                                                       "index_add_",
                                                       "index_put",
                                                       "index_put_",
                                                       "kthvalue",
                                                       "log_softmax",
                                                       "logsumexp",
                                                       "matmul",
                                                       "mean",
                                                       "mm",
                                                       "norm",
                                                       "normal_",
                                                       "prod",
                                                       "put_",
                                                       "qr",
                                                       "remainder",
                                                       "rsqrt",
                                                       "scatter_add",
                                                       "scatter_add_",
                                                       "scatter_reduce",
                                                       "scatter_reduce_",
                                                       "sign",
                                                       "softmax",
                                                       "sort",
                                                       "std",
                                                       "sum",
                                                       "svd",
                                                       "topk",
                                                       "uniform_",
                                                       "var",
                                                       "gather",
                                                       "scatter",
                                                       "scatter_",
                                                       "unique",
                                                       "median",
                                                       "atan"};
constexpr std::array<std::string_view, 14> kOtherObjects = {"np",  "numpy", "math",  "random", "pd", "pandas", "os",
                                                            "jnp", "tf",    "scipy", "torch",  "F",  "nn",     "cp"};

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
    while (at_ < bytes_.size()) {
      char c = bytes_[at_];
      if (c == '#') {
        at_ = std::min(bytes_.find_first_of("\r\n", at_), bytes_.size());
      } else if (c == '"' || c == '\'') {
        skip_string();
      } else if (is_letter(c)) {
        std::size_t begin = at_;
        while (at_ < bytes_.size() && is_word(bytes_[at_])) ++at_;
        visit_word(begin, take);
      } else {
        if (c == '@' && is_product()) take(std::string_view("@"), at_);
        ++at_;
      }
    }
  }

 private:
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
  void visit_word(std::size_t begin, Take& take) {
    if (begin == 0 || bytes_[begin - 1] != '.' || at_ >= bytes_.size() || bytes_[at_] != '(') return;
    std::string_view word = bytes_.substr(begin, at_ - begin);
    if (std::find(kMethods.begin(), kMethods.end(), word) == kMethods.end()) return;
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
  std::unordered_map<std::string, std::pair<std::size_t, std::size_t>> found;  // name -> first byte, count
  auto note = [&](std::string name, std::size_t at) {
    auto [place, is_new] = found.emplace(std::move(name), std::pair(at, std::size_t{0}));
    place->second.first = std::min(place->second.first, at);
    ++place->second.second;
  };
  // What an import names is used where its name stands afterwards.
  std::vector<std::size_t> imported;
  for (const python::Site& site : sites.sites) {
    for (const python::ImportedName& name : site.names) imported.push_back(name.span.first);
  }
  std::sort(imported.begin(), imported.end());
  for (const python::Site& site : sites.sites) {
    bool is_import = std::binary_search(imported.begin(), imported.end(), std::size_t{site.span.first}) ||
                     stands_in_import(file.bytes, site.span.first);
    if (site.kind == python::SiteKind::kName && site.name.rfind("torch.", 0) == 0 && !is_import) note(site.name, site.span.first);
  }
  CodeWalk(file.bytes).each_method([&](std::string_view method, std::size_t at) { note("Tensor." + std::string(method), at); });
  LineIndex lines(file.bytes);
  for (auto& [name, use] : found) uses.push_back({name, lines.at(use.first), use.second});
  std::sort(uses.begin(), uses.end(), [](const NameUse& left, const NameUse& right) { return left.name < right.name; });
  return uses;
}

}  // namespace starbridge::port
