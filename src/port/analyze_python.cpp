#include <algorithm>
#include <array>

#include "port/analyze.h"
#include "port/python/rewrite.h"
#include "port/word_search.h"

namespace starbridge::port {
namespace {

using base::text;

// Most files of a large tree never touch a device: a word search spares them the parse.
bool may_matter(std::string_view bytes, const Tables& tables) {
  static constexpr std::array<std::string_view, 9> kWords = {"torch", "cuda", "CUDA",   "NCCL", "nccl",
                                                             "hccl",  "cncl", "ASCEND", "MLU"};
  static constexpr WordSearch<kWords.size()> kSearch(kWords);
  if (kSearch.stands_in(bytes)) return true;
  // Imports of packages the library table knows.
  for (std::size_t position = 0; position < bytes.size();) {
    std::size_t end = std::min(bytes.find('\n', position), bytes.size());
    std::size_t begin = position;
    while (begin < end && (bytes[begin] == ' ' || bytes[begin] == '\t' || bytes[begin] == '\f')) ++begin;
    if (begin < end && (bytes[begin] == 'i' || bytes[begin] == 'f')) {
      std::string_view line = base::trim(bytes.substr(begin, end - begin));
      bool is_import = line.substr(0, 7) == "import ";
      bool is_from = line.substr(0, 5) == "from ";
      std::string_view module = is_import || is_from ? base::trim(line.substr(is_import ? 7 : 5)) : std::string_view();
      module = module.substr(0, module.find_first_of(" ,;.\t#"));
      for (const Family& family : families()) {
        if (module.empty() || family.backend == "cuda") continue;
        if (tables.libraries.find_import(module, family.backend) != nullptr) return true;
      }
    }
    position = end + 1;
  }
  return false;
}

}  // namespace

std::vector<TargetResult> analyze_python(const SourceFile& file, const Context& context) {
  std::vector<TargetResult> results(context.targets.size());
  if (!may_matter(file.bytes, context.tables)) return results;
  python::Syntax syntax = python::Syntax::parse(file.bytes);
  LineIndex lines(file.bytes);
  if (syntax.error_at() != std::string_view::npos) {
    LineColumn at = lines.at(syntax.error_at());
    for (TargetResult& result : results) {
      result.findings.push_back(
          {"python-unparsable",
           Severity::kWork,
           {file.path, at.line, at.column, ""},
           text("this is not valid Python 3 and was left as it is", "此处不是合法的 Python 3，文件未作修改"),
           text("correct the syntax and port again", "修正语法后重新移植"),
           ""});
    }
    return results;
  }
  python::Sites sites = python::find_sites(syntax, file.bytes);
  for (std::size_t index = 0; index < context.targets.size(); ++index) {
    const Target& target = context.targets[index];
    if (target.family == nullptr) continue;
    python::RewriteOutput output =
        python::rewrite({file, lines, sites, target, context.names[index], context.tables, context.torch_version});
    results[index] = {std::move(output.edits), std::move(output.findings)};
  }
  return results;
}

}  // namespace starbridge::port
