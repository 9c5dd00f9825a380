// dump_syntax: what the room's own Python parser makes of files, for comparisons with CPython's ast (test_syntax.py).
// Reads file names from standard input, one a line. Writes per file "file accepted|refused NODES", then per node
// "kind begin end is_in_field"; offsets in bytes.
#include <array>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "port/python/parser.h"
#include "port/python/syntax.h"

namespace {

using starbridge::port::python::Kind;
using starbridge::port::python::kNoNode;
using starbridge::port::python::NodeId;
using starbridge::port::python::Parser;
using starbridge::port::python::Syntax;

constexpr std::array<const char*, static_cast<std::size_t>(Kind::kError) + 1> kNames = {"Other",
                                                                                        "Module",
                                                                                        "Identifier",
                                                                                        "String",
                                                                                        "Interpolation",
                                                                                        "ConcatenatedString",
                                                                                        "Constant",
                                                                                        "Attribute",
                                                                                        "Call",
                                                                                        "ArgumentList",
                                                                                        "Keyword",
                                                                                        "Subscript",
                                                                                        "Slice",
                                                                                        "Conditional",
                                                                                        "Boolean",
                                                                                        "Comparison",
                                                                                        "Binary",
                                                                                        "Unary",
                                                                                        "Parenthesized",
                                                                                        "Tuple",
                                                                                        "List",
                                                                                        "Set",
                                                                                        "Dictionary",
                                                                                        "Pair",
                                                                                        "Star",
                                                                                        "NamedExpression",
                                                                                        "Await",
                                                                                        "Yield",
                                                                                        "Comprehension",
                                                                                        "Generator",
                                                                                        "Assignment",
                                                                                        "AugmentedAssignment",
                                                                                        "Type",
                                                                                        "Lambda",
                                                                                        "Function",
                                                                                        "Class",
                                                                                        "Parameters",
                                                                                        "Separator",
                                                                                        "DefaultParameter",
                                                                                        "TypedDefaultParameter",
                                                                                        "TypedParameter",
                                                                                        "Return",
                                                                                        "Block",
                                                                                        "Statement",
                                                                                        "Import",
                                                                                        "ImportFrom",
                                                                                        "FutureImport",
                                                                                        "AliasedImport",
                                                                                        "DottedName",
                                                                                        "RelativeImport",
                                                                                        "WildcardImport",
                                                                                        "Error"};

void dump(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  std::string source = bytes.str();
  Syntax syntax;
  if (!Parser(source, syntax).run()) {
    std::cout << "file refused 0\n";
    return;
  }
  std::cout << "file accepted " << syntax.nodes().size() << "\n";
  for (NodeId id = 0; id < syntax.nodes().size(); ++id) {
    bool is_in_field = false;
    for (NodeId above = syntax.node(id).parent; above != kNoNode && !is_in_field; above = syntax.node(above).parent)
      is_in_field = syntax.kind(above) == Kind::kInterpolation;
    std::cout << kNames[static_cast<std::size_t>(syntax.kind(id))] << ' ' << syntax.node(id).begin << ' ' << syntax.node(id).end
              << ' ' << is_in_field << '\n';
  }
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string path; std::getline(std::cin, path);) dump(path);
  return 0;
}
