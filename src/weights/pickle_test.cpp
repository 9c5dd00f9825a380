#include "weights/pickle.h"

#include <gmock/gmock.h>

#include <cmath>

#include "weights/pickle_text.h"
#include "weights/test_files.h"
#include "weights/torch_objects.h"

namespace starbridge::weights {
namespace {

using namespace std::string_literals;

// The graph as Python would print it, with calls as CALL(name, arguments).
std::string shown(const Pickle& pickle, NodeId id, int depth = 0) {
  if (depth > 20) return "...";
  const Node& node = pickle.node(id);
  std::string items;
  for (std::size_t at = 0; at < node.items.size(); ++at) {
    items += (at == 0                                       ? ""
              : node.kind == NodeKind::kDict && at % 2 == 1 ? ": "
                                                            : ", ") +
             shown(pickle, node.items[at], depth + 1);
  }
  auto extra = [&](const char* name, NodeId value) {
    return value == kNoNode ? "" : std::string(" ") + name + "=" + shown(pickle, value, depth + 1);
  };
  switch (node.kind) {
    case NodeKind::kNone:
      return "None";
    case NodeKind::kBool:
      return node.integer != 0 ? "True" : "False";
    case NodeKind::kInteger:
      return std::to_string(node.integer);
    case NodeKind::kBigInteger:
      return node.is_decimal ? std::string(node.text) : "big" + std::to_string(node.text.size());
    case NodeKind::kFloat:
      return std::to_string(node.real);
    case NodeKind::kText:
      return "'" + std::string(node.text) + "'";
    case NodeKind::kBytes:
      return "b'" + std::string(node.text) + "'";
    case NodeKind::kTuple:
      return "(" + items + ")";
    case NodeKind::kList:
      return "[" + items + "]";
    case NodeKind::kDict:
      return "{" + items + "}";
    case NodeKind::kSet:
      return (node.is_frozen ? "frozen{" : "set{") + items + "}";
    case NodeKind::kGlobal:
      return std::string(node.text) + "." + std::string(node.text2);
    case NodeKind::kCall:
      return "CALL(" + items + extra("added", node.added) + extra("state", node.state) + ")";
    case NodeKind::kPersistent:
      return "P<" + items + ">";
    case NodeKind::kBuffer:
      return "buffer" + std::to_string(node.integer);
    case NodeKind::kExtension:
      return "extension" + std::to_string(node.integer);
  }
  return "?";
}

std::string read(const std::string& text) {
  base::Result<Pickle> pickle = read_pickle(text);
  return pickle.ok() ? shown(*pickle, pickle->root) : pickle.error().render(base::Language::kEnglish);
}

TEST(Pickle, KnowsEveryOpcodeOfEveryProtocol) {
  struct Case {
    std::string text;
    std::string wanted;
  };
  const std::vector<Case> cases = {{"N.", "None"},
                                   {"\x88.", "True"},
                                   {"\x89.", "False"},
                                   {"I01\n.", "True"},
                                   {"I00\n.", "False"},
                                   {"I-12\n.", "-12"},
                                   {"I123456789012345678901\n.", "123456789012345678901"},
                                   {"L5L\n.", "5"},
                                   {"L99999999999999999999L\n.", "99999999999999999999"},
                                   {"J\xfe\xff\xff\xff.", "-2"},
                                   {"K\xff.", "255"},
                                   {"M\x01\x02.", "513"},
                                   {"\x8a\x00."s, "0"},
                                   {"\x8a\x01\xff.", "-1"},
                                   {"\x8a\x02\xff\x00."s, "255"},
                                   {"\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01."s, "big9"},
                                   {"\x8b\x01\x00\x00\x00\x07."s, "7"},
                                   {"F1.5\n.", "1.500000"},
                                   {"G\x3f\xf8\x00\x00\x00\x00\x00\x00."s, "1.500000"},
                                   {"S'a\\x41\\n'\n.", "'aA\n'"},
                                   {"S\"it's\"\n.", "'it's'"},
                                   {"V\\u00e9x\n.", "'\xc3\xa9x'"},
                                   {"X\x02\x00\x00\x00hi."s, "'hi'"},
                                   {"\x8c\x02hi.", "'hi'"},
                                   {"\x8d\x02\x00\x00\x00\x00\x00\x00\x00hi."s, "'hi'"},
                                   {"T\x02\x00\x00\x00hi."s, "'hi'"},
                                   {"U\x02hi.", "'hi'"},
                                   {"U\x01\xff.", "b'\xff'"},
                                   {"B\x02\x00\x00\x00hi."s, "b'hi'"},
                                   {"C\x02hi.", "b'hi'"},
                                   {"\x8e\x02\x00\x00\x00\x00\x00\x00\x00hi."s, "b'hi'"},
                                   {"\x96\x02\x00\x00\x00\x00\x00\x00\x00hi."s, "b'hi'"},
                                   {"\x97\x98.", "buffer0"},
                                   {").", "()"},
                                   {"].", "[]"},
                                   {"}.", "{}"},
                                   {"\x8f.", "set{}"},
                                   {"K\x01\x85.", "(1)"},
                                   {"K\x01K\x02\x86.", "(1, 2)"},
                                   {"K\x01K\x02K\x03\x87.", "(1, 2, 3)"},
                                   {"(K\x01t.", "(1)"},
                                   {"(K\x01l.", "[1]"},
                                   {"(K\x01K\x02"
                                    "d.",
                                    "{1: 2}"},
                                   {"(K\x01\x91.", "frozen{1}"},
                                   {"]K\x01"
                                    "a.",
                                    "[1]"},
                                   {"](K\x01K\x02"
                                    "e.",
                                    "[1, 2]"},
                                   {"}K\x01K\x02s.", "{1: 2}"},
                                   {"}(K\x01K\x02u.", "{1: 2}"},
                                   {"\x8f(K\x01\x90.", "set{1}"},
                                   {"cos\nsystem\n.", "os.system"},
                                   {"\x8c\x02os\x8c\x01x\x93.", "os.x"},
                                   {"cos\nsystem\nK\x01\x85R.", "CALL(os.system, (1))"},
                                   {"cm\nC\n)\x81.", "CALL(m.C, ())"},
                                   {"cm\nC\n)}\x92.", "CALL(m.C, (), {})"},
                                   {"(K\x01im\nC\n.", "CALL(m.C, (1))"},
                                   {"(cm\nC\nK\x01o.", "CALL(m.C, (1))"},
                                   {"cm\nC\n)\x81}b.", "CALL(m.C, () state={})"},
                                   {"cm\nC\n)RK\x01"
                                    "a.",
                                    "CALL(m.C, () added=[1])"},
                                   {"cm\nC\n)R(K\x01K\x02u.", "CALL(m.C, () added={1: 2})"},
                                   {"Pid\n.", "P<'id'>"},
                                   {"K\x05Q.", "P<5>"},
                                   {"\x82\x07.", "extension7"},
                                   {"\x83\x07\x00."s, "extension7"},
                                   {"\x84\x07\x00\x00\x00."s, "extension7"},
                                   {"K\x01p0\n0g0\n.", "1"},
                                   {"K\x01q\x05"
                                    "0h\x05."s,
                                    "1"},
                                   {"K\x01r\x05\x00\x00\x00"
                                    "0j\x05\x00\x00\x00."s,
                                    "1"},
                                   {"K\x01\x94"
                                    "0h\x00."s,
                                    "1"},
                                   {"K\x01(K\x02"
                                    "1.",
                                    "1"},
                                   {"K\x01"
                                    "2\x86.",
                                    "(1, 1)"},
                                   {"(0K\x01.", "1"},
                                   {"\x80\x05\x95\x02\x00\x00\x00\x00\x00\x00\x00K\x01."s, "1"}};
  for (const Case& test : cases) EXPECT_EQ(read(test.text), test.wanted) << testing::PrintToString(test.text);
}

TEST(Pickle, RefusesWhatPythonWouldRefuse) {
  const std::vector<std::string> cases = {"",
                                          "K",
                                          ".",
                                          "0.",
                                          "a.",
                                          "]a.",
                                          "(.",
                                          "t.",
                                          "(K\x01"
                                          "d.",
                                          "}(K\x01u.",
                                          "}K\x01s.",
                                          "\x85.",
                                          "(\x85.",
                                          "K\x01(\x85.",
                                          "h\x01.",
                                          "g7\n.",
                                          "gx\n.",
                                          "X\xff\xff\xff\xffhi.",
                                          "\x8d\xff\xff\xff\xff\xff\xff\xff\xffhi.",
                                          "\x8b\xff\xff\xff\xff.",
                                          "T\xff\xff\xff\xff.",
                                          "Ix\n.",
                                          "I\n.",
                                          "Fx\n.",
                                          "S'a\n.",
                                          "Sa'\n.",
                                          "S'a\\",
                                          "V\\u12\n.",
                                          "\x80\x06.",
                                          "\x95\xff\xff\xff\xff\xff\xff\xff\xff.",
                                          "R.",
                                          "K\x01R.",
                                          "\x81.",
                                          "b.",
                                          "K\x01"
                                          "b.",
                                          "Q.",
                                          "o.",
                                          "(o.",
                                          "\x93.",
                                          "K\x01K\x02\x93.",
                                          "\x98.",
                                          "N(K\x01"
                                          "e.",
                                          "K\x01K\x02"
                                          "a.",
                                          "(K\x01\x91(K\x02\x90.",
                                          "\xff.",
                                          "cos\n",
                                          "2.",
                                          "K\x01(e.",
                                          "(K\x01"
                                          "e."};
  for (const std::string& text : cases) {
    base::Result<Pickle> pickle = read_pickle(text);
    ASSERT_FALSE(pickle.ok()) << testing::PrintToString(text);
    EXPECT_EQ(pickle.error().code(), "weights.malformed");
    EXPECT_THAT(pickle.error().message().en, testing::HasSubstr("byte "));
  }
}

TEST(Pickle, StopsAtLimits) {
  std::string numbers = "(";
  for (std::size_t count = 0; count <= kStackMax; ++count) numbers += 'N';
  EXPECT_EQ(read_pickle(numbers).error().code(), "weights.limit");
  EXPECT_EQ(read_pickle(std::string(kStackMax + 1, '(')).error().code(), "weights.limit");
  EXPECT_EQ(read_pickle("K\x01" + std::string(kStackMax + 1, '2')).error().code(), "weights.limit");
}

// A thousand laughs: each list holds the one before ten times. Reading is linear; the walk must end.
TEST(Pickle, AMemoBombEndsTheWalk) {
  std::string text = "\x80\x02]q\x00"s;
  for (char level = 1; level < 30; ++level) {
    text += "](";
    for (int copy = 0; copy < 10; ++copy) text += "h"s + static_cast<char>(level - 1);
    text += "eq"s + level;
  }
  text += ".";
  base::Result<Pickle> pickle = read_pickle(text);
  ASSERT_TRUE(pickle.ok());
  EXPECT_LT(pickle->nodes.size(), 100u);
  EXPECT_EQ(find_tensors(*pickle).error().code(), "weights.limit");
}

TEST(Pickle, DeepNestingEndsTheWalkWithoutRecursingOn) {
  std::string text;
  for (int level = 0; level < 100'000; ++level) text += "]";
  for (int level = 1; level < 100'000; ++level) text += "a";
  text += ".";
  base::Result<Pickle> pickle = read_pickle(text);
  ASSERT_TRUE(pickle.ok());
  EXPECT_EQ(find_tensors(*pickle).error().code(), "weights.limit");
}

TEST(Pickle, AnObjectInsideItselfIsNoEndlessWalk) {
  std::string text =
      "]q\x00h\x00"
      "a."s;
  base::Result<Pickle> pickle = read_pickle(text);
  ASSERT_TRUE(pickle.ok());
  EXPECT_TRUE(find_tensors(*pickle).ok());
}

TEST(Pickle, KeepsPlacesForRewriting) {
  std::string text =
      "\x80\x02(X\x03\x00\x00\x00"
      "cpuq\x01h\x01K\x07t."s;
  Pickle pickle = read_pickle(text, true).value();
  const std::vector<PushSite>& sites = pickle.tuple_sites.at(pickle.root);
  ASSERT_EQ(sites.size(), 4u);  // three elements and the tuple's own opcode
  EXPECT_EQ(text.substr(sites[0].begin, sites[0].end - sites[0].begin),
            "X\x03\x00\x00\x00"
            "cpu"s);
  EXPECT_TRUE(sites[1].is_get);
  EXPECT_EQ(text[sites[3].begin], 't');
}

TEST(DangerousGlobals, AreWhatWeightsNeverNeed) {
  for (auto [module, name] : {std::pair("os", "system"),
                              {"posix", "system"},
                              {"nt", "system"},
                              {"builtins", "eval"},
                              {"builtins", "getattr"},
                              {"__builtin__", "exec"},
                              {"subprocess", "Popen"},
                              {"socket", "socket"},
                              {"torch.hub", "load"},
                              {"importlib", "import_module"},
                              {"operator", "attrgetter"},
                              {"torch.serialization", "os.system"},
                              {"io", "open"},
                              {"types", "CodeType"}}) {
    EXPECT_TRUE(is_dangerous_global(module, name)) << module << "." << name;
  }
  for (auto [module, name] : {std::pair("torch._utils", "_rebuild_tensor_v2"),
                              {"collections", "OrderedDict"},
                              {"builtins", "set"},
                              {"pathlib", "PosixPath"},
                              {"argparse", "Namespace"},
                              {"my.model", "Outer.Inner"},
                              {"functools", "partial"},
                              {"types", "SimpleNamespace"}}) {
    EXPECT_FALSE(is_dangerous_global(module, name)) << module << "." << name;
  }
}

}  // namespace
}  // namespace starbridge::weights
