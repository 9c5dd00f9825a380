// What a person reads is held to approved texts in tests/compat; SB_UPDATE_GOLDEN=1 writes them instead. Data that changes
// changes them: read the difference before committing it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/files.h"
#include "base/json.h"
#include "cli/compat_answers.h"
#include "cli/test_run.h"

namespace starbridge::cli {
namespace {

using base::Json;
using testing::HasSubstr;

struct Case {
  const char* name;
  std::vector<std::string> arguments;
  int code;
};

class CompatTexts : public testing::TestWithParam<Case> {};

TEST_P(CompatTexts, AreAsApproved) {
  for (const std::string language : {"en", "zh"}) {
    std::vector<std::string> arguments = {"--lang", language, "compat"};
    arguments.insert(arguments.end(), GetParam().arguments.begin(), GetParam().arguments.end());
    Ran ran = run(arguments);
    EXPECT_EQ(ran.code, GetParam().code) << ran.err;
    std::string path = std::string(SB_SOURCE_DIR) + "/tests/compat/" + GetParam().name + "." + language + ".txt";
    if (std::getenv("SB_UPDATE_GOLDEN") != nullptr) {
      std::filesystem::create_directories(std::filesystem::path(path).parent_path());
      ASSERT_TRUE(base::write_file_atomically(path, ran.out + ran.err).ok());
    }
    base::Result<std::string> approved = base::read_file(path);
    ASSERT_TRUE(approved.ok()) << path;
    EXPECT_EQ(ran.out + ran.err, *approved);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, CompatTexts,
    testing::Values(Case{"contested", {"torch.nn.GRU", "--to", "ascend-910b3", "--torch", "2.7"}, 0},
                    Case{"several",
                         {"torch.isin", "nn.functional.softmax", "aten::lgamma", "NCCL_DEBUG", "flash-attn",
                          "torchvision.ops.nms", "torch.cuda.get_device_capability", "torch.softmaxx", "--to", "ascend-910b3"},
                         1},
                    Case{"mlu370", {"torch.matmul", "torch.abs", "mmcv.ops.CARAFE", "--to", "mlu370-x8"}, 0},
                    Case{"unknown", {"torch.nn.gru", "--to", "mlu590"}, 1},
                    Case{"mindspore", {"torch.nn.GRU", "torch.abs", "torch.amax", "torch.no_such", "--to", "mindspore"}, 1},
                    Case{"paddle", {"torch.nn.GRU", "torch.svd", "--to", "paddle"}, 0}),
    [](const auto& each) { return std::string(each.param.name); });

std::string list_file(const std::string& content) {
  std::string path = testing::TempDir() + "compat_names_" + std::to_string(::getpid()) + ".txt";
  EXPECT_TRUE(base::write_file_atomically(path, content).ok());
  return path;
}

TEST(CompatCommand, NamesComeFromAFileAsWell) {
  std::string path = list_file("\xEF\xBB\xBFtorch.isin\r\n\n# a remark\n  nn.functional.relu  # another\n");
  Ran ran = run({"compat", "torch.abs", "--from", path, "--to", "ascend-910b3", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  Json json = base::parse_json(ran.out, "stdout").value();
  ASSERT_EQ(json["names"].size(), 3U);
  EXPECT_EQ(json["names"][0]["name"], "torch.abs");
  EXPECT_EQ(json["names"][2]["name"], "torch.nn.functional.relu");
  EXPECT_THAT(run({"compat", "--from", path, "--to", "ascend-910b3", "--brief"}).out, HasSubstr("2 names"));
}

TEST(CompatCommand, EveryRowOfJsonCarriesItsSource) {
  Ran ran = run({"compat", "torch.nn.GRU", "NCCL_DEBUG", "flash-attn", "--to", "ascend-910b3", "--torch", "2.7", "--json"});
  Json json = base::parse_json(ran.out, "stdout").value();
  const Json& gru = json["names"][0];
  EXPECT_EQ(gru["conflicts"][0]["source"], "npu-migration");
  for (const Json& row : gru["evidence"]) {
    EXPECT_THAT(row["ref"].get<std::string>(), HasSubstr("@"));
    EXPECT_FALSE(row["date"].get<std::string>().empty());
  }
  EXPECT_EQ(json["names"][1]["variable"]["target"], "ASCEND_GLOBAL_LOG_LEVEL");
  EXPECT_FALSE(json["names"][1]["variable"]["ref"].get<std::string>().empty());
  EXPECT_EQ(json["names"][2]["package"]["status"], "replaced");
}

TEST(CompatCommand, AProjectIsAListOfNamesWithTheirUses) {
  std::string project = std::string(SB_SOURCE_DIR) + "/tests/scan/in";
  Ran ran = run({"compat", "--project", project, "--to", "paddle", "--json"});
  Json json = base::parse_json(ran.out, "stdout").value();
  bool is_seen = false;
  for (const Json& answer : json["names"]) {
    EXPECT_GT(answer["uses"], 0);
    if (answer["name"] != "torch.nn.Linear") continue;
    is_seen = true;
    EXPECT_THAT(answer["target"].get<std::string>(), HasSubstr("nn.Linear"));
  }
  EXPECT_TRUE(is_seen);
  EXPECT_THAT(run({"compat", "--project", project, "--to", "mindspore"}).out, HasSubstr("torch.Tensor.softmax"));
  EXPECT_THAT(run({"compat", "--project", project, "--to", "ascend-910b3", "--lang", "zh"}).out, HasSubstr("次使用"));
  EXPECT_EQ(run({"compat", "--project", "/no/such/project", "--to", "paddle"}).code, 3);
  EXPECT_EQ(run({"compat", "--project", std::string(SB_SOURCE_DIR) + "/tests/compat", "--to", "paddle"}).code, 2);
}

TEST(CompatCommand, WrongListsAreRefusedWithTheirLine) {
  Ran ran = run({"compat", "--from", list_file("torch.abs\ntorch abs\n"), "--to", "ascend-910b3"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr(":2"));
  EXPECT_EQ(run({"compat", "--from", "/no/such/file", "--to", "ascend-910b3"}).code, 3);
  EXPECT_EQ(run({"compat", "--from", list_file("# nothing\n"), "--to", "ascend-910b3"}).code, 2);
  EXPECT_EQ(run({"compat", "--to", "ascend-910b3"}).code, 2);
  EXPECT_EQ(run({"compat", "torch.abs", "--to", "no-such-chip"}).code, 3);
  EXPECT_FALSE(read_compat_names(std::string("torch.\0abs", 10), "list").ok());
  EXPECT_FALSE(read_compat_names(std::string(5000, 'a'), "list").ok());
  std::string many;
  for (std::size_t count = 0; count <= kCompatNamesMax; ++count) many += "a\n";
  EXPECT_FALSE(read_compat_names(many, "list").ok());
}

}  // namespace
}  // namespace starbridge::cli
