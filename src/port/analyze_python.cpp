#include <algorithm>
#include <array>
#include <cctype>

#include "port/analyze.h"
#include "port/files/setup_py.h"
#include "port/python/rewrite.h"
#include "port/word_search.h"

namespace starbridge::port {
namespace {

using base::text;

bool is_word_byte(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Where a statement ends: at a line end that no backslash carries over, a semicolon or a comment.
std::size_t statement_end(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      at += text.substr(at + 1, 2) == "\r\n" ? 2 : 1;
    } else if (text[at] == '\n' || text[at] == ';' || text[at] == '#') {
      return at;
    }
  }
  return text.size();
}

// The modules of an import, from behind its keyword: "a.b as c, d".
bool imports_known_package(std::string_view list, const catalog::LibraryMap& libraries) {
  constexpr std::string_view kBlanks = " \t\f\r\n\\";
  list = list.substr(0, statement_end(list));
  for (std::size_t begin = 0; begin < list.size();) {
    std::size_t end = std::min(list.find(',', begin), list.size());
    std::string_view module = list.substr(begin, end - begin);
    module = module.substr(std::min(module.find_first_not_of(kBlanks), module.size()));
    module = module.substr(0, module.find_first_of(kBlanks));
    for (const Family& family : families()) {
      if (module.empty() || family.backend == "cuda") continue;
      if (libraries.find_import(module, family.backend) != nullptr) return true;
    }
    begin = end + 1;
  }
  return false;
}

}  // namespace

// Most files of a large tree never touch a device: a word search spares them the parse.
bool may_python_matter(std::string_view bytes, const Tables& tables) {
  // Words that always matter, devices whose names are parts of other words, and what begins an import.
  static constexpr std::array<std::string_view, 15> kWords = {"torch",  "cuda", "CUDA", "NCCL", "nccl", "hccl", "cncl",  "mccl",
                                                              "ASCEND", "MLU",  "npu",  "mlu",  "musa", "from", "import"};
  constexpr std::size_t kFirstDevice = 10;
  constexpr std::size_t kFirstImport = 13;
  static constexpr WordSearch<kWords.size()> kSearch(kWords);
  for (auto hit = kSearch.find(bytes, 0); hit.word < kWords.size(); hit = kSearch.find(bytes, hit.position + 1)) {
    if (hit.word < kFirstDevice) return true;
    std::size_t end = hit.position + kWords[hit.word].size();
    bool ends_word = end == bytes.size() || !is_word_byte(bytes[end]);
    bool begins_word = hit.position == 0 || !is_word_byte(bytes[hit.position - 1]);
    if (!ends_word) continue;
    // x.npu(), "npu:0", is_npu; but not "input".
    if (hit.word < kFirstImport && (begins_word || bytes[hit.position - 1] == '_')) return true;
    if (hit.word >= kFirstImport && begins_word && imports_known_package(bytes.substr(end), tables.libraries)) return true;
  }
  return false;
}

bool may_python_pass_devices(std::string_view bytes) {
  static constexpr std::array<std::string_view, 2> kWords = {".to(", "device"};
  static constexpr WordSearch<kWords.size()> kSearch(kWords);
  return kSearch.find(bytes, 0).word < kWords.size();
}

std::vector<TargetResult> refuse_python(const SourceFile& file, std::size_t error_at, const Context& context) {
  LineColumn at = LineIndex(file.bytes).at(error_at);
  std::vector<TargetResult> results(context.targets.size());
  for (TargetResult& result : results) {
    result.findings.push_back({"python-unparsable",
                               Severity::kWork,
                               {file.path, at.line, at.column, ""},
                               text("this is not valid Python 3 and was left as it is", "此处不是合法的 Python 3，文件未作修改"),
                               text("correct the syntax and port again", "修正语法后重新移植"),
                               ""});
  }
  return results;
}

namespace {
// Rare enough to be parsed once more.
void add_setup_py(const SourceFile& file, const Context& context, std::vector<TargetResult>& results) {
  python::Syntax syntax = python::Syntax::parse(file.bytes);
  if (syntax.error_at() != std::string_view::npos) return;
  std::vector<TargetResult> asked = per_target(file, context, [&](Sheet& sheet) { judge_setup_py(syntax, sheet); });
  for (std::size_t index = 0; index < results.size(); ++index) {
    TargetResult& result = results[index];
    result.edits.insert(result.edits.end(), asked[index].edits.begin(), asked[index].edits.end());
    result.findings.insert(result.findings.end(), asked[index].findings.begin(), asked[index].findings.end());
    result.pins = std::move(asked[index].pins);
  }
}
}  // namespace

std::vector<TargetResult> rewrite_python(const SourceFile& file, const python::Sites& sites, const Context& context) {
  std::vector<TargetResult> results(context.targets.size());
  LineIndex lines(file.bytes);
  for (std::size_t index = 0; index < context.targets.size(); ++index) {
    const Target& target = context.targets[index];
    if (target.family == nullptr) continue;
    python::RewriteOutput output =
        python::rewrite({file, lines, sites, target, context.names[index], context.tables, context.torch_version});
    results[index] = {std::move(output.edits), std::move(output.findings), {}};
  }
  if (is_setup_py(file.path)) add_setup_py(file, context, results);
  return results;
}

std::vector<TargetResult> analyze_python(const SourceFile& file, const Context& context) {
  if (!may_python_matter(file.bytes, context.tables)) return std::vector<TargetResult>(context.targets.size());
  python::Syntax syntax = python::Syntax::parse(file.bytes);
  if (syntax.error_at() != std::string_view::npos) return refuse_python(file, syntax.error_at(), context);
  return rewrite_python(file, python::find_sites(syntax, file.bytes), context);
}

}  // namespace starbridge::port
