#include "port/files/setup_py.h"

#include "port/files/requirement.h"
#include "port/python/flow.h"

namespace starbridge::port {
namespace {

using python::Field;
using python::Kind;
using python::kNoNode;
using python::NodeId;
using python::Syntax;

class SetupReader {
 public:
  SetupReader(const Syntax& syntax, Sheet& sheet) : syntax_(syntax), sheet_(sheet) {}

  void read() {
    for (NodeId id = 0; id < syntax_.nodes().size(); ++id) {
      if (syntax_.kind(id) == Kind::kCall && is_setup(syntax_.child(id, Field::kFunction))) read_call(id);
    }
  }

 private:
  // setup(...), setuptools.setup(...)
  bool is_setup(NodeId function) const {
    Kind kind = syntax_.kind(function);
    return (kind == Kind::kIdentifier || kind == Kind::kAttribute) && syntax_.name(function) == "setup";
  }

  void read_call(NodeId call) {
    NodeId python = resolve(python::argument_of(syntax_, call, "python_requires", -1));
    if (syntax_.kind(python) == Kind::kString) {
      python::Literal literal = python::read_literal(syntax_, python);
      if (is_plain(literal)) sheet_.pin(literal.begin, "python", std::string(literal.text));
    }
    for (std::string_view keyword : {"install_requires", "setup_requires", "tests_require"})
      read_list(resolve(python::argument_of(syntax_, call, keyword, -1)));
    NodeId extras = resolve(python::argument_of(syntax_, call, "extras_require", -1));
    if (syntax_.kind(extras) != Kind::kDictionary) return;
    for (NodeId pair = syntax_.node(extras).first_child; pair != kNoNode; pair = syntax_.node(pair).next_sibling) {
      if (syntax_.kind(pair) == Kind::kPair) read_list(resolve(syntax_.child(pair, Field::kValue)));
    }
  }

  // A name is the one thing that is assigned to it; assigned twice, it is not known.
  NodeId resolve(NodeId value) const {
    if (value == kNoNode || syntax_.kind(value) != Kind::kIdentifier) return value;
    NodeId found = kNoNode;
    for (NodeId id = 0; id < syntax_.nodes().size(); ++id) {
      if (syntax_.kind(id) != Kind::kAssignment && syntax_.kind(id) != Kind::kAugmentedAssignment) continue;
      NodeId left = syntax_.child(id, Field::kLeft);
      if (syntax_.kind(left) != Kind::kIdentifier || syntax_.node(left).symbol != syntax_.node(value).symbol) continue;
      if (found != kNoNode || syntax_.kind(id) == Kind::kAugmentedAssignment) return kNoNode;
      found = syntax_.child(id, Field::kRight);
    }
    return found;
  }

  void read_list(NodeId list) {
    if (syntax_.kind(list) != Kind::kList && syntax_.kind(list) != Kind::kTuple) return;
    for (NodeId item = syntax_.node(list).first_child; item != kNoNode; item = syntax_.node(item).next_sibling) {
      if (syntax_.kind(item) != Kind::kString) continue;
      python::Literal literal = python::read_literal(syntax_, item);
      if (!is_plain(literal)) continue;
      std::optional<Requirement> requirement = parse_requirement(sheet_.text(0, literal.begin + literal.text.size()),
                                                                 literal.begin, literal.begin + literal.text.size());
      if (!requirement || is_foreign_plugin(*requirement, sheet_.target())) continue;
      judge_requirement(*requirement, sheet_);
    }
  }

  static bool is_plain(const python::Literal& literal) {
    return !literal.has_fields && literal.text.find('\\') == std::string_view::npos;
  }

  const Syntax& syntax_;
  Sheet& sheet_;
};

}  // namespace

bool is_setup_py(std::string_view path) {
  return path == "setup.py" || (path.size() > 9 && path.substr(path.size() - 9) == "/setup.py");
}

void judge_setup_py(const python::Syntax& syntax, Sheet& sheet) { SetupReader(syntax, sheet).read(); }

}  // namespace starbridge::port
