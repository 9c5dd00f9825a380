#include "port/telemetry.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"

namespace starbridge::port {
namespace {

namespace fs = std::filesystem;

class Telemetry : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("starbridge-telemetry-" + std::to_string(::getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_ / "in");
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string write(const std::string& name, const std::string& bytes) {
    EXPECT_TRUE(base::write_file_atomically((root_ / name).string(), bytes).ok());
    return (root_ / name).string();
  }
  ProjectReport scan() {
    static const catalog::Catalog catalog = catalog::Catalog::load(SB_DATA_DIR).value();
    static const Tables tables = Tables::load(catalog).value();
    return scan_project((root_ / "in").string(), make_context(tables, {make_target(*catalog.find_chip("ascend-910b3").value())}))
        .value();
  }

  fs::path root_;
};

TEST_F(Telemetry, LinesTheScanDidNotSeeAreFindings) {
  std::string file = write("in/train.py", "import torch\nx.to('cuda')\n\n\n\n\ny.to(load())\n");
  ProjectReport report = scan();
  TelemetrySummary summary = join_telemetry(report, {{file, 2, "Tensor.to", 3},
                                                     {file, 7, "Tensor.to", 2},
                                                     {file, 7, "str(torch.device)", 1},
                                                     {"/elsewhere.py", 1, "torch.zeros", 4}});
  EXPECT_EQ(summary.call_count, 6U);
  EXPECT_EQ(summary.line_count, 2U);
  EXPECT_EQ(summary.unseen_count, 1U);
  EXPECT_EQ(summary.outside_count, 4U);
  ASSERT_EQ(report.chips[0].findings.size(), 1U);
  EXPECT_EQ(report.chips[0].findings[0].rule, "run-time-use");
  EXPECT_EQ(report.chips[0].findings[0].place.line, 7);
}

TEST_F(Telemetry, ARecordIsReadAndOthersAreRefused) {
  std::string good = write(
      "good.json",
      R"({"schema": "starbridge.torch_telemetry/1", "calls": [{"file": "/a.py", "line": 3, "name": "torch.zeros", "count": 2}]})");
  base::Result<std::vector<RuntimeCall>> calls = read_telemetry(good);
  ASSERT_TRUE(calls.ok());
  ASSERT_EQ(calls->size(), 1U);
  EXPECT_EQ((*calls)[0].line, 3);
  for (const char* bytes :
       {"{}", "[]", R"({"schema": "starbridge.torch_telemetry/2", "calls": []})",
        R"({"schema": "starbridge.torch_telemetry/1", "calls": 3})",
        R"({"schema": "starbridge.torch_telemetry/1", "calls": [{"file": "/a.py", "line": "3", "name": "x", "count": 2}]})",
        R"({"schema": "starbridge.torch_telemetry/1", "calls": [{"file": "/a.py", "line": 3, "name": "x", "count": -2}]})"}) {
    base::Result<std::vector<RuntimeCall>> refused = read_telemetry(write("bad.json", bytes));
    ASSERT_FALSE(refused.ok()) << bytes;
    EXPECT_EQ(refused.error().code(), "port.bad_telemetry") << bytes;
  }
  EXPECT_FALSE(read_telemetry((root_ / "missing.json").string()).ok());
}

}  // namespace
}  // namespace starbridge::port
