#include "base/yaml.h"

#include <gtest/gtest.h>

#include <random>

#include "base/json.h"

namespace starbridge::base {
namespace {

std::string nested_dashes(int depth) {
  std::string text;
  for (int level = 0; level < depth; ++level) text += "- ";
  return text + "x";
}

TEST(Yaml, ValuesKnowTheirPlace) {
  YamlNode root = parse_yaml("name: job\nresources:\n  cards: 8\n  chips:\n    - a\n    - b\n", "job.yaml").value();
  const YamlNode* chips = root.find("resources")->find("chips");
  EXPECT_EQ(chips->items()[1].place().to_string(), "job.yaml:6:7 (resources.chips[1])");
  EXPECT_EQ(root.find("resources")->find("cards")->as_integer().value(), 8);
}

TEST(Yaml, TypedReadersRefuseTheWrongKind) {
  YamlNode root = parse_yaml("a: \"8\"\nb: x\nc: [1]\nd: ~\ne: 1.5\nf: yes\n", "t").value();
  EXPECT_FALSE(root.find("a")->as_integer().ok());  // quoted numbers are text
  EXPECT_FALSE(root.find("b")->as_number().ok());
  EXPECT_FALSE(root.find("c")->as_string().ok());
  EXPECT_TRUE(root.find("d")->is_null());
  EXPECT_DOUBLE_EQ(root.find("e")->as_number().value(), 1.5);
  EXPECT_TRUE(root.find("f")->as_boolean().value());
  EXPECT_EQ(root.require("zz").error().code(), "base.wrong_field");
}

TEST(Yaml, UnknownFieldsGetASuggestion) {
  YamlNode root = parse_yaml("nmae: x\n", "job.yaml").value();
  Error error = root.refuse_unknown_fields({"name", "command"}).error();
  EXPECT_EQ(error.place().line, 1);
  EXPECT_EQ(error.next_step().en, "did you mean \"name\"?");
}

TEST(Yaml, JsonFollowsTheCoreSchema) {
  YamlNode root = parse_yaml("{a: 1, b: '1', c: true, d: null, e: [1.5, x], f: 0x1F}", "t").value();
  EXPECT_EQ(to_string(root.to_json(), -1), R"({"a":1,"b":"1","c":true,"d":null,"e":[1.5,"x"],"f":"0x1F"})");
}

TEST(Yaml, AnchorsExpandAndBombsAreRefused) {
  EXPECT_EQ(parse_yaml("a: &x [1, 2]\nb: *x\n", "t").value().find("b")->items().size(), 2U);
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    std::string previous(1, static_cast<char>(c - 1));
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 9; ++i) bomb += (i > 0 ? ",*" : "*") + previous;
    bomb += "]\n";
  }
  EXPECT_EQ(parse_yaml(bomb, "t").error().code(), "base.document_too_large");
}

TEST(Yaml, MalformedDocumentsAreRefusedWithAPlace) {
  struct Case {
    std::string text;
    const char* code;
    int line;
  };
  for (const Case& c :
       {Case{"a: [1\nb: 2\n", "base.malformed_yaml", 2}, Case{"a: 1\na: 2\n", "base.malformed_yaml", 2},
        Case{"a:\n\t- b\n", "base.malformed_yaml", 2}, Case{"a: &x {b: *x}\n", "base.malformed_yaml", 1},
        Case{"? [k]\n: v\n", "base.malformed_yaml", 1}, Case{"a: \xFF\n", "base.malformed_yaml", 0},
        Case{std::string(100'000, '['), "base.document_too_deep", 0}, Case{nested_dashes(1000), "base.document_too_deep", 1}}) {
    auto result = parse_yaml(c.text, "t.yaml");
    ASSERT_FALSE(result.ok()) << c.text.substr(0, 20);
    EXPECT_EQ(result.error().code(), c.code) << c.text.substr(0, 20);
    if (c.line > 0) {
      EXPECT_EQ(result.error().place().line, c.line) << c.text.substr(0, 20);
    }
  }
}

TEST(Yaml, SeveralDocumentsOnlyWhenAskedFor) {
  EXPECT_EQ(parse_yaml_documents("a: 1\n---\nb: 2\n", "t").value().size(), 2U);
  EXPECT_FALSE(parse_yaml("a: 1\n---\nb: 2\n", "t").ok());
  EXPECT_TRUE(parse_yaml("", "t").value().is_null());
}

TEST(Yaml, RandomTextNeverCrashes) {
  std::mt19937 random(3);
  const std::string alphabet = "ab:-[]{}&*!|>'\"#%@,?\n  \t0~\\<.";
  for (int round = 0; round < 20'000; ++round) {
    std::string document(random() % 60, ' ');
    for (char& c : document) c = alphabet[random() % alphabet.size()];
    auto result = parse_yaml_documents(document, "t");
    if (result.ok()) {
      for (const YamlNode& node : *result) static_cast<void>(to_string(node.to_json()));
    }
  }
}

TEST(Json, ErrorsCarryLineAndColumn) {
  Error error = parse_json("{\n  \"a\": 1,\n  \"b\" 2\n}", "x.json").error();
  EXPECT_EQ(error.place().file, "x.json");
  EXPECT_EQ(error.place().line, 3);
  EXPECT_EQ(parse_json(std::string(1000, '['), "x").error().code(), "base.document_too_deep");
  EXPECT_EQ(parse_json("", "x").error().code(), "base.malformed_json");
  EXPECT_EQ(parse_json("\"\xFF\"", "x").error().code(), "base.malformed_json");
}

}  // namespace
}  // namespace starbridge::base
