#include "port/python/outline.h"

#include <algorithm>
#include <array>
#include <functional>

#include "port/python/modules.h"
#include "port/source_file.h"
#include "port/word_search.h"

namespace starbridge::port::python {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

// Reads the words of one import statement.
class ImportLine {
 public:
  explicit ImportLine(std::string_view text) : text_(text) {}

  // "import a.b as c, d"
  void read_import(std::vector<std::string>& imports) {
    do {
      std::string path = take_path();
      if (path.empty()) return;
      imports.push_back(path);
      skip_alias();
    } while (take(','));
  }

  // "from ..a import (b, c as d)"
  void read_from(std::vector<std::string>& imports) {
    std::string module = take_path();
    if (module.empty() || take_word() != "import") return;
    is_in_brackets_ = take('(');
    do {
      skip_blanks();
      if (take('*')) {
        imports.push_back(module + ".*");
        return;
      }
      std::string_view name = take_word();
      if (name.empty()) break;
      bool ends_with_dot = module.back() == '.';
      imports.push_back(module + (ends_with_dot ? "" : ".") + std::string(name));
      skip_alias();
    } while (take(','));
  }

 private:
  void skip_blanks() {
    for (;;) {
      if (at_ < text_.size() && is_blank(text_[at_])) {
        ++at_;
      } else if (at_ + 1 < text_.size() && text_[at_] == '\\' && (text_[at_ + 1] == '\n' || text_[at_ + 1] == '\r')) {
        at_ += text_[at_ + 1] == '\r' && at_ + 2 < text_.size() && text_[at_ + 2] == '\n' ? 3 : 2;
      } else if (is_in_brackets_ && at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) {
        ++at_;
      } else if (is_in_brackets_ && at_ < text_.size() && text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return;
      }
    }
  }
  bool take(char c) {
    skip_blanks();
    bool is_there = at_ < text_.size() && text_[at_] == c;
    at_ += is_there ? 1 : 0;
    return is_there;
  }
  std::string_view take_word() {
    skip_blanks();
    std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  std::string take_path() {
    skip_blanks();
    std::string path;
    while (take('.')) path += '.';
    for (std::string_view word = take_word(); !word.empty(); word = take_word()) {
      if (word == "import" && !path.empty() && path.find_first_not_of('.') == std::string::npos) {  // from . import x
        at_ -= word.size();
        break;
      }
      path += word;
      if (!take('.')) break;
      path += '.';
    }
    return path;
  }
  void skip_alias() {
    std::size_t before = at_;
    if (take_word() == "as") {
      take_word();
    } else {
      at_ = before;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool is_in_brackets_ = false;
};

bool starts_with_word(std::string_view text, std::string_view word) {
  return text.substr(0, word.size()) == word && text.size() > word.size() && !is_word(text[word.size()]);
}

// Languages and bindings in which kernels for CUDA are written from Python. None of them compiles for another maker's chip.
bool is_cuda_language(std::string_view module, std::string_view source) {
  auto is_under = [&](std::string_view package) {
    return module.substr(0, package.size()) == package && (module.size() == package.size() || module[package.size()] == '.');
  };
  if (is_under("cutlass") || is_under("cuda") || is_under("pycuda") || is_under("nvshmem")) return true;
  // These two are also used for arrays and on the CPU.
  if (is_under("numba.cuda")) return source.find(".jit") != std::string_view::npos;
  static constexpr std::array<std::string_view, 4> kMakers = {"RawKernel", "RawModule", "ElementwiseKernel",
                                                              "compile_with_cache"};
  return is_under("cupy") && std::any_of(kMakers.begin(), kMakers.end(),
                                         [&](std::string_view maker) { return source.find(maker) != std::string_view::npos; });
}

// A module that loads the library of NVSHMEM itself.
bool loads_nvshmem(std::string_view source) {
  static constexpr WordSearch<1> kSearch(std::array<std::string_view, 1>{"libnvshmem"});
  return kSearch.find(source, 0).word == 0 && source.find("CDLL(") != std::string_view::npos;
}

Outline::Name name_of(std::string_view word) {
  auto hash = static_cast<Outline::Name>(std::hash<std::string_view>()(word) >> 32U);
  return hash == 0 ? 1 : hash;
}

// Methods that frameworks call once per step, and functions that tell by what they call that they are one.
constexpr std::array<std::string_view, 9> kStepMethods = {"forward",         "__call__",   "training_step",
                                                          "validation_step", "test_step",  "predict_step",
                                                          "compute_loss",    "train_step", "denoise"};
constexpr std::array<std::string_view, 6> kStepCalls = {"backward",      "zero_grad",  "generate",
                                                        "training_step", "train_step", "forward_backward"};
// Words of what a loop goes over whose turns are steps.
constexpr std::array<std::string_view, 6> kStepWords = {"loader", "epoch", "batch", "dataset", "num_iter", "timesteps"};

template <std::size_t kSize>
bool is_one_of(std::string_view word, const std::array<std::string_view, kSize>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class PartReader {
 public:
  PartReader(Outline& outline, const Syntax& syntax, std::string_view source)
      : outline_(outline), syntax_(syntax), lines_(source) {}

  void read() {
    for (NodeId id = 0; id != kNoNode; id = syntax_.next(id)) {
      const Node& node = syntax_.node(id);
      if (node.kind == Kind::kFunction) {
        open(id, name_of_function(id));
      } else if (is_loop(id)) {
        open(id, "");
      } else if (node.kind == Kind::kCall) {
        take_call(id);
      }
      if (node.parent == 0 && does_something(id)) outline_.does_something = true;
    }
    // A loop is of interest for its steps alone.
    auto is_plain_loop = [](const Outline::Part& part) { return part.name == 0 && !part.is_step; };
    outline_.parts.erase(std::remove_if(outline_.parts.begin(), outline_.parts.end(), is_plain_loop), outline_.parts.end());
    for (Outline::Part& part : outline_.parts) {
      std::sort(part.calls.begin(), part.calls.end());
      part.calls.erase(std::unique(part.calls.begin(), part.calls.end()), part.calls.end());
    }
  }

 private:
  struct Open {
    std::uint32_t end;
    std::size_t part;
  };

  bool is_loop(NodeId id) const {
    if (syntax_.kind(id) != Kind::kStatement) return false;
    std::string_view text = syntax_.text(id);
    return starts_with_word(text, "for") || starts_with_word(text, "while") || starts_with_word(text, "async for");
  }
  std::string_view name_of_function(NodeId id) const {
    NodeId name = syntax_.child(id, Field::kName);
    return name == kNoNode ? std::string_view() : syntax_.name(name);
  }
  bool is_method(NodeId function) const {
    NodeId block = syntax_.node(function).parent;
    return block != kNoNode && block != 0 && syntax_.kind(syntax_.node(block).parent) == Kind::kClass;
  }

  void close_until(std::uint32_t at) {
    while (!open_.empty() && open_.back().end <= at) open_.pop_back();
  }

  void open(NodeId id, std::string_view function_name) {
    const Node& node = syntax_.node(id);
    close_until(node.begin);
    Outline::Part part;
    part.begin_line = lines_.at(node.begin).line;
    part.end_line = lines_.at(node.end > node.begin ? node.end - 1 : node.end).line;
    if (!function_name.empty()) {
      part.name = name_of(function_name);
      part.is_step = is_method(id) && is_one_of(function_name, kStepMethods);
    } else {
      part.is_step = goes_over_steps(id);
    }
    open_.push_back({node.end, outline_.parts.size()});
    outline_.parts.push_back(std::move(part));
  }

  // By the words before the loop's body.
  bool goes_over_steps(NodeId loop) const {
    NodeId body = syntax_.child(loop, Kind::kBlock);
    std::uint32_t end = body == kNoNode ? syntax_.node(loop).end : syntax_.node(body).begin;
    std::string head(syntax_.text(loop).substr(0, end - syntax_.node(loop).begin));
    std::transform(head.begin(), head.end(), head.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::any_of(kStepWords.begin(), kStepWords.end(),
                       [&](std::string_view word) { return head.find(word) != std::string::npos; });
  }

  void take_call(NodeId id) {
    NodeId function = syntax_.child(id, Field::kFunction);
    Kind kind = syntax_.kind(function);
    if (kind != Kind::kAttribute && kind != Kind::kIdentifier) return;
    close_until(syntax_.node(id).begin);
    std::string_view name = syntax_.name(function);
    bool is_step = is_one_of(name, kStepCalls);
    // What calls backward in a loop steps; a function that calls it is one step.
    bool is_marked = false;
    for (auto each = open_.rbegin(); each != open_.rend(); ++each) {
      Outline::Part& part = outline_.parts[each->part];
      part.calls.push_back(name_of(name));
      if (is_step && !is_marked) {
        part.is_step = true;
        is_marked = true;
      }
      if (part.name != 0) break;  // what an outer function does is told by its calling this one
    }
  }

  bool does_something(NodeId id) const {
    const Node& node = syntax_.node(id);
    if (node.kind == Kind::kStatement) {
      std::string_view text = syntax_.text(id);
      return !starts_with_word(text, "try") && !starts_with_word(text, "if") && !starts_with_word(text, "global");
    }
    return node.kind == Kind::kCall;
  }

  Outline& outline_;
  const Syntax& syntax_;
  LineIndex lines_;
  std::vector<Open> open_;
};

}  // namespace

Outline read_outline(std::string_view source) {
  Outline outline;
  outline.changes_path = changes_path(source);
  if (loads_nvshmem(source)) outline.cuda_language = "libnvshmem";
  bool is_continued = false;
  for (std::size_t at = 0; at < source.size();) {
    std::size_t word = at;
    while (word < source.size() && is_blank(source[word])) ++word;
    std::string_view line = source.substr(word);
    if (!is_continued && line.size() > 6 && (line[0] == 'i' || line[0] == 'f')) {
      std::size_t known = outline.imports.size();
      if (starts_with_word(line, "import")) {
        ImportLine(line.substr(6)).read_import(outline.imports);
      } else if (starts_with_word(line, "from")) {
        ImportLine(line.substr(4)).read_from(outline.imports);
      } else if (starts_with_word(line, "if")) {
        std::string_view test = line.substr(2, std::min(line.find('\n'), line.size()) - 2);
        bool is_main = test.find("__name__") != std::string_view::npos && test.find("__main__") != std::string_view::npos;
        outline.has_main = outline.has_main || is_main;
      }
      // Behind a test or in a function it may be done without.
      for (; word == at && known < outline.imports.size() && outline.cuda_language.empty(); ++known) {
        if (is_cuda_language(outline.imports[known], source)) outline.cuda_language = outline.imports[known];
      }
    }
    std::size_t end = source.find_first_of("\n\r", word);
    // "\\" before a line end of two bytes too.
    is_continued = end != std::string_view::npos && end > 0 &&
                   (source[end - 1] == '\\' || (is_continued && source[end] == '\n' && source[end - 1] == '\r'));
    at = end == std::string_view::npos ? source.size() : end + 1;
  }
  std::sort(outline.imports.begin(), outline.imports.end());
  outline.imports.erase(std::unique(outline.imports.begin(), outline.imports.end()), outline.imports.end());
  return outline;
}

void add_parts(Outline& outline, const Syntax& syntax, std::string_view source) { PartReader(outline, syntax, source).read(); }

}  // namespace starbridge::port::python
