#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "base/json.h"
#include "kernel/card.h"
#include "kernel/finding.h"
#include "kernel/program.h"
#include "kernel/rule.h"

namespace starbridge::kernel {

namespace fs = std::filesystem;

TEST(Rules, AreSortedAndSpeakBothLanguages) {
  std::string before;
  for (const Rule& rule : rules()) {
    EXPECT_LT(before, rule.id);
    before = rule.id;
    EXPECT_FALSE(rule.title.en.empty() || rule.title.zh.empty()) << rule.id;
    EXPECT_FALSE(rule.explanation.en.empty() || rule.explanation.zh.empty()) << rule.id;
  }
  EXPECT_EQ(find_rule("shared-race")->id, "shared-race");
  EXPECT_EQ(find_rule("no-such-rule"), nullptr);
}

TEST(Rules, EachHasAProgramThatBreaksIt) {
  const std::set<std::string_view> without = {"sampled-launch",
                                              "unsupported"};  // remarks of the emulator, not faults of a program
  for (const Rule& rule : rules()) {
    if (without.count(rule.id) > 0) continue;
    const std::string kernels = std::string(SB_SOURCE_DIR) + "/tests/kernels";
    const std::string name(rule.id);
    EXPECT_TRUE(fs::exists(kernels + "/cuda/wrong/" + name + ".cu") || fs::exists(kernels + "/bang/wrong/" + name + ".mlu") ||
                fs::exists(kernels + "/ascend/wrong/" + name + ".asc"))
        << name;
  }
}

TEST(Cards, AreReadWithTheirCapability) {
  base::Result<EmulatedCard> card = find_card(cuda_machine(), "h100");
  ASSERT_TRUE(card.ok()) << card.error().render(base::Language::kEnglish);
  EXPECT_THAT(card->device_options, testing::Contains("-D__CUDA_ARCH__=900"));
  EXPECT_EQ(std::count(card->row.begin(), card->row.end(), '\t'), 12);
  base::Result<EmulatedCard> unknown = find_card(cuda_machine(), "h1000");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code(), "kernel.unknown_card");
}

TEST(Cards, OfCambriconAreReadWithTheirMemories) {
  const Machine* machine = machine_of_source("a/add.mlu");
  ASSERT_NE(machine, nullptr);
  base::Result<EmulatedCard> card = find_card(*machine, "");
  ASSERT_TRUE(card.ok()) << card.error().render(base::Language::kEnglish);
  EXPECT_EQ(card->id, "mlu370-x8");
  EXPECT_THAT(card->options, testing::Contains("-D__MLU_NRAM_SIZE__=768"));
  EXPECT_THAT(card->device_options, testing::Contains("-D__BANG_ARCH__=372"));
  base::Result<EmulatedCard> older = find_card(*machine, "mlu270");
  ASSERT_TRUE(older.ok());
  EXPECT_THAT(older->options, testing::Contains("-D__MLU_NRAM_SIZE__=512"));
}

TEST(Machines, AreToldApartByTheEndingOfASource) {
  EXPECT_EQ(machine_of_source("x.cu")->id, "cuda");
  EXPECT_EQ(machine_of_source("x.mlu")->id, "bang");
  EXPECT_EQ(machine_of_source("x.cpp"), nullptr);
}

class Sources : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("kernel_sources_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  fs::path folder_;
};

TEST_F(Sources, LeaveOutWhatAnotherSourceIncludes) {
  write("main.cu", "#include \"parts.cu\"\nint main() {}\n");
  write("parts.cu", "");
  write("host.cpp", "");
  base::Result<std::vector<std::string>> sources = sources_of(folder_.string());
  ASSERT_TRUE(sources.ok());
  EXPECT_THAT(*sources, testing::ElementsAre((folder_ / "host.cpp").string(), (folder_ / "main.cu").string()));
}

TEST_F(Sources, RefuseAFolderWithoutCuda) {
  write("host.cpp", "");
  EXPECT_EQ(sources_of(folder_.string()).error().code(), "kernel.no_kernel_source");
  EXPECT_EQ(sources_of((folder_ / "none").string()).error().code(), "base.file_not_found");
}

TEST_F(Sources, FindingsSurviveADamagedReport) {
  write("findings.jsonl",
        "{\"rule\":\"leak\",\"en\":\"a\",\"zh\":\"b\",\"side\":{\"write\":false}}\n"
        "{\"rule\":\"leak\",\"en\":\"a\",\"zh\":\"b\",\"side\":{\"write\":false}}\n{\"rule\":\"cut off");
  base::Result<std::vector<KernelFinding>> findings = read_findings(Toolchain{}, (folder_ / "findings.jsonl").string());
  ASSERT_TRUE(findings.ok());
  ASSERT_EQ(findings->size(), 1U);
  EXPECT_EQ((*findings)[0].count, 2U);
  EXPECT_FALSE((*findings)[0].is_error);
  base::Json sarif = to_sarif(*findings, base::Language::kEnglish, "1");
  EXPECT_EQ(sarif["runs"][0]["results"][0]["ruleId"], "leak");
  EXPECT_EQ(sarif["runs"][0]["results"][0]["level"], "note");
}

}  // namespace starbridge::kernel
