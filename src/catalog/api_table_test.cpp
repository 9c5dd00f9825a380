#include "catalog/api_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "base/files.h"

namespace starbridge::catalog {
namespace {

using testing::HasSubstr;

const ApiTable& real() {
  static const ApiTable* table = new ApiTable(ApiTable::load(SB_DATA_DIR).value());
  return *table;
}

TEST(ApiTable, DocumentationOfTheSameVersionDecides) {
  auto rows = real().find("torch.matmul", "npu", "2.7.1", "a2");
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows.front().source, "npu-docs");
  EXPECT_TRUE(rows.front().covers_version);
  Judgement judgement = ApiTable::judge(rows);
  EXPECT_TRUE(judgement.status == Support::kNative || judgement.status == Support::kLimited);
  EXPECT_GT(judgement.confidence, 0.5);
}

TEST(ApiTable, ContradictingSourcesAreShownAndLowerTheConfidence) {
  auto rows = real().find("torch.nn.GRU", "npu", "2.7", "a2");
  ASSERT_GE(rows.size(), 2u);
  Judgement judgement = ApiTable::judge(rows);
  EXPECT_TRUE(judgement.is_contested);
  EXPECT_EQ(judgement.decided_by->source, "npu-docs");
  EXPECT_LT(judgement.confidence, 0.6);
  ASSERT_FALSE(judgement.against.empty());
  for (const Evidence& row : judgement.against) EXPECT_NE(row.source, "npu-docs");
}

TEST(ApiTable, OperatorsOfOtherLibrariesAndDtypesAreKnown) {
  EXPECT_EQ(ApiTable::judge(real().find("torchvision.ops.nms", "mlu")).status, Support::kNative);
  EXPECT_EQ(real().find("torchvision.ops.nms", "npu")[0].note, "needs_package:torchvision_npu");
  EXPECT_EQ(ApiTable::judge(real().find("mmcv.ops.CARAFE", "mlu")).status, Support::kNative);
  EXPECT_EQ(ApiTable::judge(real().find("mmcv.ops.CARAFE", "npu")).status, Support::kUnsupported);
  EXPECT_EQ(real().find("torch_npu.npu_gru", "npu")[0].vendor_name, "torch.nn.GRU");
  bool says_conversion = false;
  for (const Evidence& row : real().find("aten::_softmax_backward_data", "npu")) {
    says_conversion = says_conversion || row.note.find("computed_as:float64>float32") != std::string_view::npos;
  }
  EXPECT_TRUE(says_conversion);
}

TEST(ApiTable, OperatorsOfAnApiAreAddedToItsEvidence) {
  auto rows = real().find("torch.isin", "mlu", "2.4");
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows.front().name.substr(0, 11), "aten::isin.");
  EXPECT_EQ(ApiTable::judge(rows).status, Support::kNative);
}

TEST(ApiTable, AnOperatorWithoutAKernelFallsBackToTheCpu) {
  Judgement judgement = ApiTable::judge(real().find("aten::lgamma", "npu", "2.13"));
  EXPECT_EQ(judgement.status, Support::kCpuFallback);
  EXPECT_EQ(judgement.decided_by->source, "npu-missing");
}

TEST(ApiTable, CompositeOperatorsAreNotCalledMissing) {
  EXPECT_EQ(ApiTable::judge(real().find("aten::reshape", "npu", "2.13")).status, Support::kComposite);
  EXPECT_EQ(ApiTable::judge(real().find("aten::transpose.int", "mlu", "2.4")).status, Support::kComposite);
  for (const Evidence& row : real().op_rows("npu", "2.13")) {
    if (row.status != Support::kCpuFallback) continue;
    EXPECT_NE(row.name, "aten::view");
    EXPECT_NE(row.name, "aten::as_strided");
  }
}

TEST(ApiTable, NeighbouringVersionsAreWeakerEvidence) {
  auto rows = real().find("torch.matmul", "npu", "2.0", "a2");
  ASSERT_FALSE(rows.empty());
  EXPECT_FALSE(rows.front().covers_version);
  EXPECT_LT(ApiTable::judge(rows).confidence, ApiTable::judge(real().find("torch.matmul", "npu", "2.7", "a2")).confidence);
}

TEST(ApiTable, OlderEditionsSpeakOfTheirVersionOnly) {
  auto first = [](const char* version) { return real().find("torch.Tensor.ccol_indices", "npu", version, "a2").front(); };
  EXPECT_EQ(first("2.3").source, "npu-migration-2.3-2.4");
  EXPECT_EQ(first("2.3").status, Support::kUnsupported);
  EXPECT_EQ(first("").source, "npu-docs");
  EXPECT_FALSE(ApiTable::judge(real().find("torch.Tensor.ccol_indices", "npu", "", "a2")).is_contested);
}

TEST(ApiTable, HardwareOfAnotherClassIsLeftOut) {
  for (const Evidence& row : real().find("torch.nn.functional.grid_sample", "npu", "2.13", "a2")) EXPECT_NE(row.hardware, "950");
}

TEST(ApiTable, SilenceIsNotAnAnswer) {
  EXPECT_TRUE(real().find("torch.no_such_function", "npu").empty());
  EXPECT_EQ(ApiTable::judge({}).status, Support::kUnknown);
  EXPECT_EQ(ApiTable::judge({}).confidence, 0);
  EXPECT_FALSE(real().knows("torch.no_such_function"));
  EXPECT_FALSE(real().knows(""));
  EXPECT_EQ(real().nearest_names("torch.matmull", 1), (std::vector<std::string>{"torch.matmul"}));
  EXPECT_EQ(real().nearest_names("torch.nn.gru", 1), (std::vector<std::string>{"torch.nn.GRU"}));
  EXPECT_TRUE(real().nearest_names("", 3).empty());
  EXPECT_TRUE(real().nearest_names("completely unrelated words of a text", 3).empty());
  EXPECT_EQ(real().nearest_names("torch.softmax_", 3).size(), 3u);
}

TEST(ApiTable, EveryRowHasASourceWithAnAddress) {
  for (const char* backend : {"npu", "mlu", "musa"}) {
    for (const Evidence& row : real().op_rows(backend, "")) {
      ASSERT_NE(real().find_source(row.source), nullptr);
      EXPECT_FALSE(real().find_source(row.source)->ref.empty());
    }
  }
}

// The bound is generous because tests run beside builds; quiet machines load in under 20 ms.
TEST(ApiTable, LoadsQuickly) {
  auto start = std::chrono::steady_clock::now();
  ApiTable table = ApiTable::load(SB_DATA_DIR).value();
  auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start).count();
  EXPECT_GT(table.row_count(), 10'000u);
  RecordProperty("load_ms", static_cast<int>(spent));
  EXPECT_LT(spent, 1000);
}

struct BadRow {
  const char* file;
  const char* row;
  const char* says;
};
class BadApiTables : public testing::TestWithParam<BadRow> {};

TEST_P(BadApiTables, AreRefusedWithFileAndLine) {
  std::string dir = testing::TempDir() + "bad_api_tables_" + std::to_string(::getpid());
  std::filesystem::remove_all(dir);
  std::filesystem::create_directories(dir);
  std::filesystem::copy(std::string(SB_DATA_DIR) + "/compat", dir + "/compat");
  std::string path = dir + "/compat/" + GetParam().file;
  std::string content = base::read_file(path).value();
  std::size_t header = content.find('\n') + 1;
  ASSERT_TRUE(base::write_file_atomically(path, content.substr(0, header) + GetParam().row + "\n" + content.substr(header)).ok());
  auto loaded = ApiTable::load(dir);
  ASSERT_FALSE(loaded.ok());
  std::string refusal = loaded.error().render(base::Language::kEnglish);
  EXPECT_THAT(refusal, HasSubstr(GetParam().says));
  EXPECT_THAT(refusal, HasSubstr(std::string(GetParam().file) + ":2"));
  std::filesystem::remove_all(dir);
}

INSTANTIATE_TEST_SUITE_P(Rows, BadApiTables,
                         testing::Values(BadRow{"npu_docs.tsv", "torch.x\tmaybe\t\t\t\t\t\t", "unknown status \"maybe\""},
                                         BadRow{"npu_docs.tsv", "torch.x\tnative\ttwo\t\t\t\t\t", "a version such as 2.7"},
                                         BadRow{"npu_docs.tsv", "torch.x\tnative", "8 cells were expected, 2 found"},
                                         BadRow{"sources.tsv", "a\t-\tnpu\tfirst\t2026-01-01\tpublished\tx\ty\tz", "above zero"},
                                         BadRow{"sources.tsv", "a\t-\tnpu\t1\t2026\tpublished\tx\ty\tz", "YYYY-MM-DD"},
                                         BadRow{"sources.tsv", "a\t-\tnpu\t1\t2026-01-01\tsure\tx\ty\tz", "unknown confidence"},
                                         BadRow{"sources.tsv", "a\t-\tnpu\t1\t2026-01-01\tpublished\tx\t\tz",
                                                "needs an address"}));

}  // namespace
}  // namespace starbridge::catalog
