// What a person reads of a scan is held to approved texts in tests/scan; SB_UPDATE_GOLDEN=1 writes them instead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "base/files.h"
#include "base/json.h"
#include "cli/frame.h"

namespace starbridge::cli {
namespace {

using testing::HasSubstr;

const std::string kProject = std::string(SB_SOURCE_DIR) + "/tests/scan/in";

// Where the project lies on this machine is no part of the text.
std::string scan(std::vector<std::string> arguments) {
  ::setenv("STARBRIDGE_ROOT", SB_SOURCE_DIR, 1);
  ::setenv("LC_ALL", "C", 1);
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(run_command_line(arguments, out, err), 0) << err.str();
  std::string text = out.str();
  for (std::size_t at = text.find(kProject); at != std::string::npos; at = text.find(kProject, at))
    text.replace(at, kProject.size(), "PROJECT");
  return text;
}

struct Case {
  const char* name;
  std::vector<std::string> options;
};

class ScanTexts : public testing::TestWithParam<Case> {};

TEST_P(ScanTexts, AreAsApproved) {
  for (const std::string language : {"en", "zh"}) {
    std::vector<std::string> arguments = {"--lang", language, "scan", kProject};
    arguments.insert(arguments.end(), GetParam().options.begin(), GetParam().options.end());
    std::string text = scan(arguments);
    std::string path = std::string(SB_SOURCE_DIR) + "/tests/scan/" + GetParam().name + "." + language + ".txt";
    if (std::getenv("SB_UPDATE_GOLDEN") != nullptr) {
      ASSERT_TRUE(base::write_file_atomically(path, text).ok());
    }
    base::Result<std::string> approved = base::read_file(path);
    ASSERT_TRUE(approved.ok()) << path;
    EXPECT_EQ(text, *approved);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, ScanTexts,
                         testing::Values(Case{"ascend", {"--to", "ascend-910b3", "--all"}},
                                         Case{"mlu370", {"--to", "mlu370-x8", "--all"}},
                                         Case{"markdown", {"--to", "ascend-910b3", "--format", "markdown"}}),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(ScanCommand, PlansNameUsesOutsideOfStringsAndRemarks) {
  base::Json json = base::parse_json(scan({"scan", kProject, "--to", "ascend-910b3", "--json"}), "stdout").value();
  const base::Json& plan = json["chips"][0]["precision"];
  for (const base::Json& item : plan["items"]) {
    if (item["id"] == "softmax-low-precision") {
      EXPECT_EQ(item["count"], 1);
    }
    if (item["id"] == "sort-ties") {
      EXPECT_EQ(item["count"], 1);
      EXPECT_EQ(item["places"][0]["name"], "Tensor.topk");
    }
    EXPECT_FALSE(item["source"].get<std::string>().empty()) << item["id"];
  }
  ASSERT_EQ(plan["commands"].size(), 2U);
  EXPECT_THAT(plan["commands"][1].get<std::string>(), HasSubstr("starbridge weights dump-compare DUMPS-CUDA DUMPS-ascend-910b3"));
}

}  // namespace
}  // namespace starbridge::cli
