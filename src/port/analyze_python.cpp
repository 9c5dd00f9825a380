#include <algorithm>

#include "port/analyze.h"
#include "port/files/setup_py.h"
#include "port/python/branches.h"
#include "port/python/cuda_code.h"
#include "port/python/rewrite.h"
#include "port/relevance.h"

namespace starbridge::port {
namespace {

using base::text;

}  // namespace

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
  bool is_helper = is_portable_helper(file.bytes);
  bool is_portable = std::any_of(context.targets.begin(), context.targets.end(),
                                 [](const Target& target) { return target.style == Style::kPortable; });
  HelperImport helper;
  if (is_portable) helper = (context.layout != nullptr ? *context.layout : PortableLayout({file.path})).import_for(file.path);
  for (std::size_t index = 0; index < context.targets.size(); ++index) {
    const Target& target = context.targets[index];
    if (target.family == nullptr || is_helper) continue;
    python::RewriteOutput output =
        python::rewrite({file, lines, sites, target, context.names[index], context.tables, context.torch_version, &helper});
    results[index] = {std::move(output.edits), std::move(output.findings), std::move(output.new_files), {}, 0};
  }
  if (is_setup_py(file.path)) add_setup_py(file, context, results);
  return results;
}

std::vector<TargetResult> analyze_python(const SourceFile& file, const Context& context, std::vector<NameUse>* uses) {
  if (!may_python_matter(file.bytes, context.tables, context.rules.get()))
    return std::vector<TargetResult>(context.targets.size());
  python::Syntax syntax = python::Syntax::parse(file.bytes);
  if (syntax.error_at() != std::string_view::npos) return refuse_python(file, syntax.error_at(), context);
  python::Sites sites = python::find_sites(syntax, file.bytes, context.rules.get());
  if (uses != nullptr) *uses = collect_uses(file, sites);
  std::string device = context.source_device;
  if (device.empty()) device = python::device_of_source(python::count_families(sites));
  python::settle_others(sites, file.bytes, device);
  if (is_setup_py(file.path) && !context.ports_kernels) python::settle_cuda_build(sites);
  return rewrite_python(file, sites, context);
}

}  // namespace starbridge::port
