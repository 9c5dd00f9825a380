#include "kernel/scan.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "base/files.h"
#include "kernel/machine.h"
#include "kernel/source_words.h"

namespace starbridge::kernel {

namespace fs = std::filesystem;
using base::Error;
using base::text;

namespace {

constexpr std::size_t kFileBytesMax = 16U << 20;  // larger ones are data
constexpr int kFilesMax = 20000;

Effort effort_of(std::string_view word) {
  if (word == "rewrite") return Effort::kRewrite;
  if (word == "restructure") return Effort::kRestructure;
  return word == "none" ? Effort::kNone : Effort::kSame;
}

std::vector<std::string_view> split_words(std::string_view words) {
  std::vector<std::string_view> result;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (end > at) result.push_back(words.substr(at, end - at));
    at = end + 1;
  }
  return result;
}

std::vector<Feature> read_features() {
  std::vector<Feature> features;
#define SB_KERNEL_FEATURE(machine, id, words, en, zh) features.push_back({machine, id, {en, zh}, split_words(words), {}});
#define SB_KERNEL_NEED(machine, id, target, effort, en, zh) \
  features.back().needs.push_back({target, effort_of(effort), {en, zh}});
#include "kernel/scan_features.def"
#undef SB_KERNEL_NEED
#undef SB_KERNEL_FEATURE
  return features;
}

bool fits(std::string_view pattern, std::string_view word) {
  if (pattern.back() == '*') return word.substr(0, pattern.size() - 1) == pattern.substr(0, pattern.size() - 1);
  return pattern == word;
}

bool is_kernel_word(std::string_view word) { return word == "__global__" || word == "__mlu_global__" || word == "__mlu_entry__"; }
bool is_device_word(std::string_view word) {
  return word == "__device__" || word == "__mlu_func__" || word == "__mlu_device__" || word == "__aicore__";
}

// One function with a body: where it lies among the words, and what it is.
struct Function {
  std::string name;
  std::size_t open = 0, close = 0;  // words of its braces
  int line = 0, end_line = 0;
  bool is_kernel = false, is_template = false;
  std::set<std::string_view> features;
  std::set<std::string> calls;
};

class Reader {
 public:
  Reader(const std::vector<Word>& words, std::string name, std::string_view machine, ScanResult& result)
      : words_(words), name_(std::move(name)), machine_(machine), result_(result) {}

  std::vector<Function> read() {
    std::vector<Function> functions;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::string_view word = words_[i].text;
      if (word == "<<<") add_launch(i);
      if (!is_kernel_word(word) && !is_device_word(word)) continue;
      Function function;
      if (find_body(i, function)) {
        read_body(function);
        i = function.open;  // launches inside are found on the way
        functions.push_back(std::move(function));
      }
    }
    return functions;
  }

 private:
  std::string_view at(std::size_t i) const { return i < words_.size() ? words_[i].text : std::string_view(); }

  // Behind the bracket that closes the one at `i`; the end of the text when nothing does.
  std::size_t behind(std::size_t i, std::string_view open, std::string_view close) const {
    int depth = 0;
    for (; i < words_.size(); ++i) {
      if (at(i) == open) ++depth;
      if (at(i) == close && --depth == 0) return i + 1;
    }
    return words_.size();
  }

  // From the word that makes it a function of the chip to its body. False: a declaration, a variable, a macro.
  bool find_body(std::size_t i, Function& function) const {
    function.is_template = is_template_before(i);
    std::size_t name = words_.size();
    for (std::size_t k = i; k < words_.size() && k < i + 200; ++k) {
      const std::string_view word = at(k);
      if (is_kernel_word(word)) function.is_kernel = true;
      if (word == ";" || word == "{" || word == "}" || word == "=") return false;
      if (word != "(") continue;
      const std::string_view before = k == 0 ? std::string_view() : at(k - 1);
      if (before == "__launch_bounds__" || before == "__attribute__" || before == "annotate" || before == "alignas") {
        k = behind(k, "(", ")") - 1;
        continue;
      }
      name = k - 1;
      break;
    }
    if (name >= words_.size() || !is_name(at(name))) return false;
    std::size_t k = behind(name + 1, "(", ")");
    // Initialisers of a constructor, const, noexcept, a trailing type.
    while (k < words_.size() && at(k) != "{" && at(k) != ";" && at(k) != "}") {
      if (at(k) == "=") return false;
      k = at(k) == "(" ? behind(k, "(", ")") : k + 1;
    }
    if (at(k) != "{") return false;
    function.name = std::string(at(name));
    function.open = k;
    function.close = behind(k, "{", "}");
    function.line = words_[i].line;
    function.end_line = words_[std::min(function.close, words_.size()) - 1].line;
    return true;
  }

  bool is_template_before(std::size_t i) const {
    // template <...> [extern "C"] [static] [inline] __global__
    while (i > 0 && (is_name(at(i - 1)) || at(i - 1) == "\"")) {
      if (at(i - 1) == "template") return true;
      --i;
    }
    return i > 0 && at(i - 1) == ">";
  }

  void read_body(Function& function) {
    for (std::size_t k = function.open; k < function.close; ++k) {
      const std::string_view word = at(k);
      if (!is_name(word)) continue;
      if (at(k + 1) == "(" || at(k + 1) == "<") function.calls.insert(std::string(word));
      for (const Feature& feature : kernel_features()) {
        if (feature.machine != machine_) continue;
        if (std::any_of(feature.words.begin(), feature.words.end(), [&](std::string_view each) { return fits(each, word); }))
          function.features.insert(feature.id);
      }
    }
    result_.device_line_count += function.end_line - function.line + 1;
  }

  void add_launch(std::size_t i) {
    ScannedLaunch launch;
    std::size_t name = i;
    // kernel<T><<<: back over the template arguments.
    if (name > 0 && at(name - 1) == ">") {
      int depth = 0;
      while (name > 0) {
        --name;
        if (at(name) == ">") ++depth;
        if (at(name) == "<" && --depth == 0) break;
      }
    }
    if (name == 0 || !is_name(at(name - 1))) return;
    for (std::size_t k = name - 1; k < i; ++k) launch.kernel += base::sanitize_utf8(at(k));
    launch.file = name_;
    launch.line = words_[i].line;
    std::string argument;
    int depth = 0;
    for (std::size_t k = i + 1; k < words_.size() && k < i + 400; ++k) {
      const std::string_view word = at(k);
      if (word == "(" || word == "{" || word == "[") ++depth;
      if (word == ")" || word == "}" || word == "]") --depth;
      const bool is_end = word == ">>>" && depth == 0;
      if (is_end || (word == "," && depth == 0)) {
        launch.arguments.push_back(base::sanitize_utf8(argument));
        argument.clear();
        if (is_end) break;
        continue;
      }
      if (!argument.empty() && is_name(word) && is_name(at(k - 1))) argument += ' ';
      argument += word;
    }
    result_.launches.push_back(std::move(launch));
  }

  const std::vector<Word>& words_;
  std::string name_;
  std::string_view machine_;
  ScanResult& result_;
};

// Features of a function and of all it calls, by name.
std::set<std::string_view> reached(const Function& from, const std::map<std::string, std::vector<const Function*>>& by_name) {
  std::set<std::string_view> features;
  std::set<std::string> seen;
  std::vector<const Function*> open = {&from};
  while (!open.empty()) {
    const Function* function = open.back();
    open.pop_back();
    features.insert(function->features.begin(), function->features.end());
    for (const std::string& callee : function->calls) {
      auto found = by_name.find(callee);
      if (found == by_name.end() || !seen.insert(callee).second) continue;
      open.insert(open.end(), found->second.begin(), found->second.end());
    }
  }
  return features;
}

struct Source {
  std::string name;
  std::string_view machine;
  std::vector<Word> words;
  std::string bytes;
  std::vector<Function> functions;
};

// Which machine a source is written for, from its words; empty: none.
std::string_view machine_of_words(const std::string& path, const std::vector<Word>& words) {
  std::string_view found;
  for (const Word& word : words) {
    if (word.text == "__aicore__" || word.text == "kernel_operator") return "ascend";
    if (word.text == "__mlu_entry__" || word.text == "__mlu_global__" || word.text == "__mlu_func__") return "bang";
    if (word.text == "__global__" || word.text == "__device__") found = "cuda";
  }
  if (!found.empty()) return found;
  const Machine* machine = machine_of_source(path);
  return machine == nullptr ? std::string_view() : machine->id;
}

void read_source(Source& source, ScanResult& result) {
  source.functions = Reader(source.words, source.name, source.machine, result).read();
  ++result.file_count;
  for (const Word& word : source.words) {
    if (!is_name(word.text)) continue;
    for (const Feature& feature : kernel_features()) {
      if (feature.machine != source.machine) continue;
      if (std::any_of(feature.words.begin(), feature.words.end(), [&](std::string_view each) { return fits(each, word.text); }))
        ++result.features[source.machine][feature.id];
    }
  }
}

void add_kernels(const std::vector<Source>& sources, ScanResult& result) {
  std::map<std::string_view, std::map<std::string, std::vector<const Function*>>> by_name;
  for (const Source& source : sources) {
    for (const Function& function : source.functions) by_name[source.machine][function.name].push_back(&function);
  }
  for (const Source& source : sources) {
    for (const Function& function : source.functions) {
      if (!function.is_kernel) continue;
      const std::set<std::string_view> features = reached(function, by_name[source.machine]);
      result.kernels.push_back({base::sanitize_utf8(function.name),
                                source.name,
                                function.line,
                                function.end_line - function.line + 1,
                                source.machine,
                                function.is_template,
                                {features.begin(), features.end()}});
    }
  }
}

bool is_source(const fs::path& path) {
  static const std::set<std::string> kinds = {".cu",  ".cuh", ".mlu", ".mluh", ".asc", ".asch", ".h",
                                              ".hpp", ".cpp", ".cc",  ".cxx",  ".c",   ".inl",  ".inc"};
  return kinds.count(path.extension().string()) > 0;
}

base::Result<std::vector<std::string>> files_of(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error))
    return Error("base.file_not_found", text("there is no such file or folder", "文件或目录不存在")).at(path);
  if (!fs::is_directory(path, error)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  fs::recursive_directory_iterator walk(path, fs::directory_options::skip_permission_denied, error), end;
  for (; !error && walk != end && files.size() < kFilesMax; walk.increment(error)) {
    const std::string leaf = walk->path().filename().string();
    if (walk->is_directory(error) && !leaf.empty() && leaf[0] == '.') walk.disable_recursion_pending();
    if (walk->is_regular_file(error) && is_source(walk->path())) files.push_back(walk->path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::string_view to_string(Effort effort) {
  switch (effort) {
    case Effort::kRewrite:
      return "rewrite";
    case Effort::kRestructure:
      return "restructure";
    case Effort::kNone:
      return "none";
    default:
      return "same";
  }
}

const std::vector<Feature>& kernel_features() {
  static const std::vector<Feature> table = read_features();
  return table;
}

ScanResult scan_kernel_text(std::string_view content, const std::string& name, std::string_view machine) {
  ScanResult result;
  std::vector<Source> sources(1);
  sources[0].name = name;
  sources[0].bytes = std::string(content);
  sources[0].words = words_of_source(sources[0].bytes);
  sources[0].machine = machine.empty() ? machine_of_words(name, sources[0].words) : machine;
  read_source(sources[0], result);
  add_kernels(sources, result);
  return result;
}

base::Result<ScanResult> scan_kernels(const std::string& path) {
  SB_TRY(std::vector<std::string> files, files_of(path));
  ScanResult result;
  std::vector<Source> sources;
  sources.reserve(files.size());  // words point into the bytes
  for (const std::string& file : files) {
    std::error_code error;
    if (fs::file_size(file, error) > kFileBytesMax && files.size() > 1) continue;
    base::Result<std::string> content = base::read_file(file);
    if (!content.ok()) {
      if (files.size() == 1) return std::move(content).error();
      continue;
    }
    Source source;
    source.name = files.size() == 1 ? file : fs::path(file).lexically_relative(path).string();
    source.bytes = std::move(*content);
    sources.push_back(std::move(source));
    Source& added = sources.back();
    added.words = words_of_source(added.bytes);
    added.machine = machine_of_words(file, added.words);
    if (added.machine.empty()) {
      sources.pop_back();
      continue;
    }
    read_source(added, result);
  }
  add_kernels(sources, result);
  if (result.empty())
    return Error("kernel.no_kernel_source", text("there are no kernels here", "此处没有内核"))
        .at(path)
        .next(text("kernels are functions marked __global__, __mlu_entry__, __mlu_global__ or __aicore__",
                   "内核是标有 __global__、__mlu_entry__、__mlu_global__ 或 __aicore__ 的函数"));
  return result;
}

}  // namespace starbridge::kernel
