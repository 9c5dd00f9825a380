#include "port/declared/rule_set.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "port/declared/rule_cases.h"
#include "port/declared/template.h"
#include "port/declared/text_pattern.h"
#include "port/project.h"
#include "port/test_tables.h"

namespace starbridge::port {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "rules.XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  std::string write(const std::string& name, const std::string& bytes) const {
    fs::create_directories(fs::path(path_ + "/" + name).parent_path());
    std::ofstream(path_ + "/" + name) << bytes;
    return path_ + "/" + name;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string rule_file(const std::string& rules) { return "schema: starbridge.rules/1\nrules:\n" + rules; }

const char* const kHead =
    "  - id: own-rule\n    title: {en: a, zh: b}\n    severity: warning\n    effort: assisted\n    match:\n";

std::string error_of(const std::string& bytes) {
  Folder folder;
  auto rules = RuleSet::load(folder.write("r.yaml", bytes));
  return rules.ok() ? "" : rules.error().render(base::Language::kEnglish).substr(folder.path().size() + 1);
}

TEST(RuleSet, EveryBuiltInRuleKeepsItsCases) {
  ASSERT_GT(tables().rules->rules().size(), 10U);
  for (const auto& rule : tables().rules->rules()) {
    EXPECT_TRUE(missing_cases(*rule).empty()) << rule->id << ": " << missing_cases(*rule).en;
    EXPECT_FALSE(rule->message.zh.empty()) << rule->id;
    auto outcomes = run_cases(*rule, tables(), tables().rules);
    ASSERT_TRUE(outcomes.ok()) << outcomes.error().render(base::Language::kEnglish);
    for (const CaseOutcome& outcome : *outcomes) {
      EXPECT_TRUE(outcome.passes) << outcome.example->place.to_string() << ": " << outcome.why.en << "\n" << outcome.actual;
    }
  }
}

TEST(RuleSet, AMistakeIsToldWithFileLineAndField) {
  struct Case {
    const char* name;
    std::string bytes;
    const char* told;
  };
  const std::string head = kHead;
  const Case cases[] = {
      {"another schema", "schema: starbridge.rules/9\n", "r.yaml:1"},
      {"unknown field", rule_file(head + "      call: [a.b]\n    colour: red\n"), "r.yaml:9:13 (rules[0].colour)"},
      {"unknown word",
       rule_file("  - id: x\n    title: {en: a, zh: b}\n    severity: grave\n    effort: none\n    match: {call: [a]}\n"),
       "r.yaml:5:15 (rules[0].severity)"},
      {"only one language",
       rule_file("  - id: x\n    title: {en: a}\n    severity: info\n    effort: none\n    match: {call: [a]}\n"),
       "the field \"zh\" is missing"},
      {"nothing to look for", rule_file(head + "      only_these: true\n"), "nothing to look for"},
      {"two things to look for", rule_file(head + "      call: [a]\n      name: [b]\n"), "one kind of thing"},
      {"a hole for nothing", rule_file(head + "      call: [a]\n    suggest: \"{lr}\"\n"), "{lr} stands for nothing here"},
      {"automatic without a deed",
       rule_file("  - id: x\n    title: {en: a, zh: b}\n    severity: info\n    effort: automatic\n    match: {call: [a]}\n"),
       "(rules[0].effort)"},
      {"bad expression", rule_file(head + "      text: \"(\"\n"), "not a regular expression"},
      {"costly expression", rule_file(head + "      text: \"((a{9}){9}){9}\"\n"), "repetitions multiply"},
      {"back reference", rule_file(head + "      text: '(a)\\1'\n"), "back references"},
      {"arguments of a name", rule_file(head + "      name: [a]\n      arguments: [{keyword: x}]\n"),
       "only calls have arguments"},
      {"a case that says nothing", rule_file(head + "      call: [a]\n    cases: [{source: x}]\n"), "(rules[0].cases[0])"},
      {"bad id",
       rule_file("  - id: Own Rule\n    title: {en: a, zh: b}\n    severity: info\n    effort: none\n    match: {call: [a]}\n"),
       "r.yaml:3:9 (rules[0].id)"},
      {"a name twice", rule_file(head + "      call: [a]\n" + head + "      call: [b]\n"), "is called own-rule already"},
      {"a name of the program",
       rule_file(
           "  - id: device-text\n    title: {en: a, zh: b}\n    severity: info\n    effort: none\n    match: {call: [a]}\n"),
       "is called device-text already"},
      {"unknown family", rule_file(head + "      call: [a]\n    scope: {families: [tpu]}\n"), "no family is called tpu"},
      {"no YAML", "schema: [\n", "r.yaml:"},
      {"disable what is not there", "schema: starbridge.rules/1\ndisable: [nothing-such]\n",
       "no declared rule is called nothing-such"},
  };
  for (const Case& c : cases) EXPECT_NE(error_of(c.bytes).find(c.told), std::string::npos) << c.name << ": " << error_of(c.bytes);
}

TEST(RuleSet, FilesIncludeEachOtherAndFoldersAreReadByName) {
  Folder folder;
  std::string one = rule_file("  - {id: one, title: {en: a, zh: b}, severity: info, effort: none, match: {call: [a]}}\n");
  std::string two = rule_file("  - {id: two, title: {en: a, zh: b}, severity: info, effort: none, match: {call: [a]}}\n");
  folder.write("b/two.yaml", "include: [../one.yaml]\n" + two);
  folder.write("one.yaml", "include: b/two.yaml\n" + one);  // in a circle
  folder.write("notes.txt", "no rules");
  auto rules = RuleSet::load(folder.path());
  ASSERT_TRUE(rules.ok()) << rules.error().render(base::Language::kEnglish);
  EXPECT_NE((*rules)->find_declared("one"), nullptr);
  EXPECT_NE((*rules)->find_declared("two"), nullptr);
  std::string before = (*rules)->fingerprint();
  folder.write("b/two.yaml", two + "\n");
  EXPECT_NE(RuleSet::load(folder.path()).value()->fingerprint(), before);
  folder.write("one.yaml", "schema: starbridge.rules/1\ninclude: [gone.yaml]\n");
  EXPECT_EQ(RuleSet::load(folder.path()).error().place().line, 2);
  EXPECT_EQ(RuleSet::load(folder.path() + "/nothing").error().code(), "base.file_not_found");
}

TEST(RuleSet, AProjectBringsRulesAndSilencesOthersButReadsNothingOutside) {
  Folder folder;
  folder.write("t.py", "import torch\nimport ourlib\nourlib.use_gpu(3)\nm = torch.nn.DataParallel(m)\n");
  folder.write(".starbridge-rules.yaml",
               "schema: starbridge.rules/1\ndisable: [data-parallel]\nrules:\n  - id: our-gpu\n    title: {en: ours, zh: 自有}\n"
               "    severity: work\n    effort: automatic\n    match:\n      call: [ourlib.use_gpu]\n"
               "      arguments: [{keyword: index, position: 0}]\n    do: {replace: \"ourlib.use_card('{device}', {index})\"}\n");
  Context context = make_context(tables(), {make_target(*catalogue().find_chip("ascend-910b3").value())});
  auto project = scan_project(folder.path(), context);
  ASSERT_TRUE(project.ok()) << project.error().render(base::Language::kEnglish);
  const ChipReport& chip = project->chips[0];
  EXPECT_EQ(chip.edit_count, 1U);
  EXPECT_EQ(chip.find_rule("our-gpu")->title_en, "ours");
  EXPECT_EQ(project->files[0].results[0].edits[0].rule, "our-gpu");
  for (const Finding& finding : chip.findings) EXPECT_NE(finding.rule, "data-parallel");

  Folder outside;
  outside.write("secret.yaml", "password: 1\n");
  folder.write(".starbridge-rules.yaml",
               "schema: starbridge.rules/1\ninclude: [../" + fs::path(outside.path()).filename().string() + "/secret.yaml]\n");
  auto refused = scan_project(folder.path(), context);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().place().line, 2);
  EXPECT_EQ(refused.error().render(base::Language::kEnglish).find("password"), std::string::npos);
}

FileReport analyze_with(const std::string& rules, const std::string& path, const std::string& bytes) {
  Folder folder;
  Context context = make_context(tables(), {make_target(*catalogue().find_chip("ascend-910b3").value())});
  context.rules = RuleSet::load(folder.write("r.yaml", rules), tables().rules.get()).value();
  return analyze_file({path, bytes}, classify(path, bytes), context);
}

TEST(RuleSet, TextRulesLeaveRemarksAndCodeAlone) {
  std::string rules =
      rule_file(std::string("  - id: own-image\n    title: {en: a, zh: b}\n    severity: info\n    effort: automatic\n") +
                "    match: {text: 'registry/([a-z]+)-gpu'}\n    do: {replace: 'registry/\\1-{device}'}\n");
  auto ported = [&](const std::string& path, const std::string& bytes) {
    return apply_edits(bytes, analyze_with(rules, path, bytes).results[0].edits);
  };
  EXPECT_EQ(ported("a.yaml", "image: registry/train-gpu # registry/train-gpu\n"),
            "image: registry/train-npu # registry/train-gpu\n");
  EXPECT_EQ(ported("a.sh", "docker run registry/a-gpu registry/b-gpu\r\n# registry/a-gpu\r\n"),
            "docker run registry/a-npu registry/b-npu\r\n# registry/a-gpu\r\n");
  EXPECT_EQ(ported("a.py", "x = 'registry/train-gpu'\n"), "x = 'registry/train-gpu'\n");
  EXPECT_EQ(ported("a.yaml", "x: " + std::string(3000, 'a') + "registry/train-gpu\n").find("npu"), std::string::npos);
}

// Two rules, or a rule and the program, that want the same bytes: one of them becomes a finding, and nothing breaks.
TEST(RuleSet, RulesThatMeetAreFindings) {
  std::string rules = rule_file(
      "  - {id: one, title: {en: a, zh: b}, severity: info, effort: automatic, match: {call: [lib.f]}, do: {rename: lib.g}}\n"
      "  - {id: two, title: {en: a, zh: b}, severity: info, effort: automatic, match: {call: [lib.f]}, do: {rename: lib.h}}\n"
      "  - {id: three, title: {en: a, zh: b}, severity: info, effort: automatic, match: {call: [torch.cuda.synchronize]}, do: "
      "{wrap: {before: 'lib.t(', after: ')'}}}\n");
  FileReport report = analyze_with(rules, "t.py", "import lib, torch\nlib.f(lib.f(torch.cuda.synchronize('cuda')))\n");
  EXPECT_EQ(apply_edits("import lib, torch\nlib.f(lib.f(torch.cuda.synchronize('cuda')))\n", report.results[0].edits),
            "import lib, torch\nimport torch_npu\nlib.g(lib.g(lib.t(torch.npu.synchronize('npu'))))\n");
  EXPECT_EQ(report.results[0].findings.size(), 2U);
  EXPECT_EQ(report.results[0].findings[0].rule, "two");
}

TEST(RuleSet, PartsThatStayKeepTheirOwnEdits) {
  std::string rules = rule_file(
      "  - id: one\n    title: {en: a, zh: b}\n    severity: info\n    effort: automatic\n    match:\n      call: [lib.f]\n"
      "      arguments: [{keyword: x, position: 0}, {keyword: y, position: 1}]\n    do: {replace: 'lib.g({x}, by={y|None})'}\n");
  auto ported = [&](const std::string& source) {
    return apply_edits(source, analyze_with(rules, "t.py", source).results[0].edits);
  };
  EXPECT_EQ(ported("import lib, torch\nlib.f(a.cuda(),  y=2)\n"), "import lib, torch\nimport torch_npu\nlib.g(a.npu(), by=2)\n");
  EXPECT_EQ(ported("import lib\nlib.f(\n  a)\n"), "import lib\nlib.g(a, by=None)\n");
  // A remark would be lost; the parts would change places.
  EXPECT_EQ(ported("import lib\nlib.f(a,  # why\n  2)\n"), "import lib\nlib.f(a,  # why\n  2)\n");
  EXPECT_EQ(ported("import lib\nlib.f(y=2, x=1)\n"), "import lib\nlib.f(y=2, x=1)\n");
}

TEST(Template, HolesFallbacksAndBrackets) {
  auto value = [](const std::string& hole, std::string& out) {
    out = "<" + hole + ">";
    return hole != "none";
  };
  EXPECT_EQ(fill("a {b} {none|c} {none} {{d}} {e", value), "a <b> c  {d} {e");
}

TEST(Glob, StarsStopAtSlashesUnlessDoubled) {
  const std::tuple<const char*, const char*, bool> cases[] = {{"*.py", "a.py", true},
                                                              {"*.py", "b/a.py", false},
                                                              {"**/*.py", "a.py", true},
                                                              {"**/*.py", "b/c/a.py", true},
                                                              {"tests/**", "tests/a/b", true},
                                                              {"tests/**", "test/a", false},
                                                              {"a?c", "abc", true},
                                                              {"", "", true},
                                                              {"", "a", false},
                                                              {"**", "a/b", true},
                                                              {"*cuda*", "a cuda:0", true}};
  for (const auto& [glob, text, fits] : cases) EXPECT_EQ(fits_glob(glob, text), fits) << glob << " " << text;
  EXPECT_FALSE(fits_glob(std::string(200, '*') + "b", std::string(2000, 'a')));
}

TEST(TextPattern, FindsEveryPlaceAndNeverLoops) {
  TextPattern pattern = TextPattern::compile("x*").value();
  EXPECT_EQ(pattern.find_all("axxbx").size(), 2U);
  EXPECT_EQ(TextPattern::compile("^a").value().find_all("aa").size(), 1U);
  EXPECT_TRUE(TextPattern::compile("(a|aa)+b").value().find_all(std::string(2000, 'a')).empty());
}

}  // namespace
}  // namespace starbridge::port
