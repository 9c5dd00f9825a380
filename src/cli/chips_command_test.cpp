#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "base/json.h"
#include "cli/test_run.h"

namespace starbridge::cli {
namespace {

using base::Json;
using testing::HasSubstr;
using testing::Not;

TEST(ChipsCommand, ListsEveryChipWithItsMarks) {
  Ran ran = run({"chips"});
  EXPECT_EQ(ran.code, 0);
  for (const char* id : {"nvidia-a100-80g", "ascend-910b3", "mlu370-x8", "amd-mi300x"}) EXPECT_THAT(ran.out, HasSubstr(id));
  EXPECT_THAT(ran.out, HasSubstr("sources disagree"));
  EXPECT_THAT(ran.err, HasSubstr("next: starbridge chips ID"));
}

TEST(ChipsCommand, JsonIsVersionedAndCarriesIntegerMoney) {
  Json json = run({"chips", "--json"}).json();
  EXPECT_EQ(json["schema"], "starbridge.chips/1");
  bool is_seen = false;
  for (const Json& chip : json["chips"]) {
    if (chip["id"] != "nvidia-a100-80g") continue;
    is_seen = true;
    EXPECT_EQ(chip["price"]["micro_fen_per_card_hour"], "547000000");
    EXPECT_EQ(chip["memory_bytes"], std::int64_t{80} << 30);
  }
  EXPECT_TRUE(is_seen);
}

TEST(ChipsCommand, VendorNarrowsTheList) {
  Ran ran = run({"chips", "--vendor", "Cambricon"});
  EXPECT_THAT(ran.out, HasSubstr("mlu590"));
  EXPECT_THAT(ran.out, Not(HasSubstr("nvidia")));
}

TEST(ChipsCommand, OneChipShowsConflictsAndSources) {
  Ran ran = run({"chips", "910b"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("> 313 TFLOPS"));
  EXPECT_THAT(ran.out, HasSubstr("320 TFLOPS"));
  EXPECT_THAT(ran.out, HasSubstr("xrwang8/llm-infer-cal@"));
  Json json = run({"chips", "910b", "--json"}).json();
  EXPECT_EQ(json["schema"], "starbridge.chip/1");
  EXPECT_GE(json["facts"]["peak_fp16_tflops"].size(), 4u);
}

TEST(ChipsCommand, ATypoIsRefusedWithASuggestion) {
  Ran ran = run({"chips", "mlu370-x88"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("did you mean mlu370-x8?"));
}

TEST(ChipsCommand, SpeaksChinese) { EXPECT_THAT(run({"chips", "--lang", "zh"}).out, HasSubstr("厂商")); }

TEST(CompatCommand, ShowsContradictions) {
  Ran ran = run({"compat", "torch.nn.GRU", "--to", "ascend-910b3", "--torch", "2.7"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("sources disagree"));
  EXPECT_THAT(ran.out, HasSubstr("npu-docs"));
  EXPECT_THAT(ran.out, HasSubstr("npu-migration"));
  Json json = run({"compat", "nn.GRU", "--to", "910b3", "--json"}).json();
  EXPECT_EQ(json["schema"], "starbridge.compat/1");
  EXPECT_EQ(json["names"][0]["name"], "torch.nn.GRU");
  EXPECT_EQ(json["names"][0]["is_contested"], true);
  EXPECT_THAT(json["names"][0]["evidence"][0]["ref"].get<std::string>(), HasSubstr("Ascend/pytorch@"));
}

TEST(CompatCommand, ToldToRenameOrNot) {
  EXPECT_THAT(run({"compat", "torch.cuda.nvtx.mark", "--to", "mlu370-x8"}).out, HasSubstr("torch.mlu.cnpx.mark"));
  EXPECT_THAT(run({"compat", "torch.cuda.temperature", "--to", "ascend-910b3"}).out, HasSubstr("no counterpart"));
}

TEST(CompatCommand, AnUnsupportedNameAnswersNo) {
  EXPECT_EQ(run({"compat", "torch.nn.DataParallel", "--to", "ascend-910b3"}).code, 1);
}

TEST(CompatCommand, SilenceOfTheSourcesIsNoPromise) {
  Ran ran = run({"compat", "torch.nn.GRUU", "--to", "ascend-910b3"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("not a promise"));
  EXPECT_THAT(ran.err, HasSubstr("did you mean torch.nn.GRU, "));
}

TEST(CompatCommand, WrongUseIsRefused) {
  EXPECT_EQ(run({"compat", "torch.add"}).code, 2);
  EXPECT_EQ(run({"compat", "torch.add", "--to", "ascend-910b3", "--torch", "newest"}).code, 2);
  EXPECT_EQ(run({"compat", "torch.add", "--to", "nvidia-a100-80g"}).code, 3);
}

TEST(DeviceProfileCommand, PrintsTheProfile) {
  Json json = run({"device-profile", "ascend-910b3", "--count", "8"}).json();
  EXPECT_EQ(json["schema"], "starbridge.device_profile/1");
  EXPECT_EQ(json["device_count"], 8);
}

TEST(DeviceProfileCommand, WrongUseIsRefused) {
  EXPECT_EQ(run({"device-profile", "ascend-910b3", "--count", "0"}).code, 2);
  EXPECT_EQ(run({"device-profile", "nvidia-h20"}).code, 3);
  EXPECT_EQ(run({"device-profile"}).code, 2);
}

}  // namespace
}  // namespace starbridge::cli
