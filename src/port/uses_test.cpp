#include "port/uses.h"

#include <gtest/gtest.h>

#include "catalog/precision_rules.h"
#include "port/analyze.h"

namespace starbridge::port {
namespace {

std::map<std::string, std::size_t> uses_of(const std::string& source) {
  python::Syntax syntax = python::Syntax::parse(source);
  std::map<std::string, std::size_t> counts;
  for (const NameUse& use : collect_uses({"m.py", source}, python::find_sites(syntax, source))) counts[use.name] = use.count;
  return counts;
}

using Counts = std::map<std::string, std::size_t>;

TEST(Uses, NamesAreKnownThroughImports) {
  EXPECT_EQ(uses_of("import torch\nimport torch.nn.functional as F\nfrom torch import softmax as s\n"
                    "y = F.softmax(x, 1) + F.softmax(z, 1)\ny = s(y)\ntorch.svd(y)\n"),
            (Counts{{"torch.nn.functional.softmax", 2}, {"torch.softmax", 1}, {"torch.svd", 1}}));
}

TEST(Uses, MethodsAreToldByNameOutsideOfStringsAndRemarks) {
  EXPECT_EQ(uses_of("import torch\ny = x.softmax(-1)  # x.matmul(y)\nz = 'x.matmul(y)'\nw = \"\"\"\na.bmm(b)\n\"\"\" + r'\\'\nv "
                    "= x.half()\n"),
            (Counts{{"Tensor.half", 1}, {"Tensor.softmax", 1}}));
  EXPECT_EQ(uses_of("import torch\n@torch.no_grad()\ndef f(a, b):\n    return a @ b, (a) @b\n"),
            (Counts{{"Tensor.@", 2}, {"torch.no_grad", 1}}));
}

TEST(Uses, EveryMethodOfTheTablesIsSeen) {
  catalog::PrecisionRules rules = catalog::PrecisionRules::load(SB_DATA_DIR).value();
  auto check = [](const std::string& name) {
    if (name.rfind("Tensor.", 0) != 0) return;
    std::string method = name.substr(7);
    std::string source = "import torch\ny = " + (method == "@" ? std::string("a @ b") : "x." + method + "(1)") + "\n";
    EXPECT_EQ(uses_of(source), (Counts{{name, 1}})) << "add it to the methods of uses.cpp";
  };
  for (const catalog::PrecisionRule& rule : rules.rows()) {
    for (const std::string& name : rule.names) check(name);
  }
  for (const catalog::TestTolerance& row : rules.test_tolerances()) check(row.name);
}

TEST(Uses, OtherLibrariesAreLeftOut) {
  EXPECT_EQ(uses_of("import torch, numpy as "
                    "np\nnp.sort(a)\nnp.cumsum(b)\nrows.sort()\nrows.sort(key=len)\nrows.sort(reverse=True)\nt.sort(-1)\n"),
            (Counts{{"Tensor.sort", 1}}));
  EXPECT_EQ(uses_of("import numpy as np\nx.softmax(1)\n"), Counts{}) << "a file without torch";
}

TEST(Uses, BrokenStringsEndWithTheirLine) {
  EXPECT_EQ(uses_of("import torch\nx.bmm(y)\n").size(), 1U);
  EXPECT_EQ(collect_uses({"m.py", "x = 'a\ny.bmm(z)\n\"\"\"open"},
                         [] {
                           python::Sites sites;
                           sites.imports_torch = true;
                           return sites;
                         }())
                .size(),
            1U);
}

TEST(Uses, PlacesInNotebooksAreThoseOfTheFile) {
  std::string notebook =
      "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\n\"import torch\\n\",\n\"y = torch.svd(x)\"]}],\n"
      "\"metadata\": {}, \"nbformat\": 4, \"nbformat_minor\": 5}\n";
  static const catalog::Catalog catalog = catalog::Catalog::load(SB_DATA_DIR).value();
  static const Tables tables = Tables::load(catalog).value();
  Context context = make_context(tables, {make_target(*catalog.find_chip("ascend-910b3").value())});
  FileReport report = analyze_file({"n.ipynb", notebook}, FileKind::kNotebook, context);
  ASSERT_EQ(report.uses.size(), 1U);
  EXPECT_EQ(report.uses[0].first.line, 3);
}

}  // namespace
}  // namespace starbridge::port
