#include "catalog/precision_rules.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "base/files.h"
#include "catalog/api_table.h"
#include "catalog/catalog.h"

namespace starbridge::catalog {
namespace {

const PrecisionRules& rules() {
  static const PrecisionRules rules = PrecisionRules::load(SB_DATA_DIR).value();
  return rules;
}

const PrecisionRule* rule_of(const std::string& id, const char* backend, const char* hardware) {
  for (const PrecisionRule* rule : rules().for_chip(backend, hardware)) {
    if (rule->id == id) return rule;
  }
  return nullptr;
}

TEST(PrecisionRules, ARowOfTheBackendWinsOverOneForAll) {
  EXPECT_EQ(rule_of("batch-norm", "mlu", "mlu590")->source, "diopi-mlu");
  EXPECT_EQ(rule_of("batch-norm", "npu", "a2")->source, "diopi-npu");
  EXPECT_EQ(rule_of("batch-norm", "musa", "")->backend, "*");
  for (const char* backend : {"npu", "mlu", "musa", "corex"}) {
    std::set<std::string> ids;
    for (const PrecisionRule* rule : rules().for_chip(backend, "a2")) EXPECT_TRUE(ids.insert(rule->id).second) << rule->id;
  }
}

TEST(PrecisionRules, HardwareNarrowsThem) {
  EXPECT_NE(rule_of("overflow-saturates", "npu", "910"), nullptr);
  EXPECT_EQ(rule_of("overflow-saturates", "npu", "a2"), nullptr);
  EXPECT_NE(rule_of("overflow-mode", "npu", "a2"), nullptr);
  EXPECT_EQ(rule_of("conv-tf32", "mlu", "mlu370"), nullptr);
}

TEST(PrecisionRules, EveryRowHasASourceAndBothLanguages) {
  Catalog catalog = Catalog::load(SB_DATA_DIR).value();
  ApiTable table = ApiTable::load(SB_DATA_DIR).value();
  auto is_listed = [&](const std::string& id) { return table.find_source(id) != nullptr || catalog.find_source(id) != nullptr; };
  for (const PrecisionRule& rule : rules().rows()) {
    EXPECT_TRUE(rule.source == "chip" || is_listed(rule.source)) << rule.id << " " << rule.source;
    EXPECT_NE(rule.title.en, rule.title.zh) << rule.id;
    EXPECT_FALSE(rule.names.empty()) << rule.id;
    bool is_of_chip = rule.when.find(':') != std::string::npos;
    EXPECT_TRUE(rule.source != "chip" || is_of_chip) << rule.id << ": only a dtype of the chip has a source there";
  }
  for (const TestTolerance& row : rules().test_tolerances()) EXPECT_TRUE(is_listed(row.source)) << row.name;
  EXPECT_EQ(rules().test_tolerance("torch.nn.BatchNorm2d", "mlu")->relative, 0.1);
  EXPECT_EQ(rules().test_tolerance("torch.nn.BatchNorm2d", "musa"), nullptr);
}

TEST(PrecisionRules, WrongRowsAreRefusedWithTheirLine) {
  std::string dir = testing::TempDir() + "bad_precision_" + std::to_string(::getpid());
  std::filesystem::create_directories(dir + "/compat");
  const std::string tests = "name\tbackend\trelative\tabsolute\trelative_half\tabsolute_half\tsource\n";
  const std::string header =
      "id\tbackend\thardware\twhen\trisk\tcompare\ttolerance\tnames\ttitle_en\ttitle_zh\twhy_en\twhy_zh\tsource\n";
  auto load = [&](const std::string& rule, const std::string& test) {
    EXPECT_TRUE(base::write_file_atomically(dir + "/compat/precision.tsv", header + rule).ok());
    EXPECT_TRUE(base::write_file_atomically(dir + "/compat/test_tolerances.tsv", tests + test).ok());
    return PrecisionRules::load(dir);
  };
  EXPECT_TRUE(load("a\t*\t\tany\thigh\tdump\tfloat32=1e-3:0\ttorch.x\tt\tt\tw\tw\ts\n", "").ok());
  for (const char* row :
       {"a\t*\t\tsometimes\thigh\tdump\tfloat32=1e-3\ttorch.x\tt\tt\tw\tw\ts\n",
        "a\t*\t\tany\thuge\tdump\tfloat32=1e-3\ttorch.x\tt\tt\tw\tw\ts\n",
        "a\t*\t\tany\thigh\tguess\tfloat32=1e-3\ttorch.x\tt\tt\tw\tw\ts\n",
        "a\t*\t\tany\thigh\tdump\t1e-3\ttorch.x\tt\tt\tw\tw\ts\n",
        "a\t*\t\tany\thigh\tdump\tfloat32=-1\ttorch.x\tt\tt\tw\tw\ts\n", "a\t*\t\tany\thigh\tdump\t\ttorch.x\tt\tt\tw\tw\ts\n",
        "a\t*\t\tany\thigh\tverify\t\ttorch.x\tt\tt\tw\tw\ts\n", "a\t*\t\tany\thigh\tfinite\t\ttorch.x\tt\tt\tw\tw\t\n"}) {
    base::Result<PrecisionRules> loaded = load(row, "");
    ASSERT_FALSE(loaded.ok()) << row;
    EXPECT_EQ(loaded.error().code(), "catalog.bad_data");
    EXPECT_EQ(loaded.error().place().line, 2);
  }
  EXPECT_FALSE(load("", "torch.x\tnpu\tx\t\t\t\ts\n").ok());
}

}  // namespace
}  // namespace starbridge::catalog
