#include "catalog/device_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"

namespace starbridge::catalog {
namespace {

using base::Json;

const Catalog& catalog() {
  static const Catalog* loaded = new Catalog(Catalog::load(SB_DATA_DIR).value());
  return *loaded;
}
const ApiTable& table() {
  static const ApiTable* loaded = new ApiTable(ApiTable::load(SB_DATA_DIR).value());
  return *loaded;
}
base::Result<Json> profile(const char* chip, int count = 1) {
  return device_profile(**catalog().find_chip(chip), table(), {count, ""});
}

TEST(DeviceProfile, SaysWhatTheEmulatedNpuNeeds) {
  Json json = profile("ascend-910b3", 8).value();
  EXPECT_EQ(json["schema"], "starbridge.device_profile/1");
  EXPECT_EQ(json["backend"], "npu");
  EXPECT_EQ(json["dist_backend"], "hccl");
  EXPECT_EQ(json["plugin_module"], "torch_npu");
  EXPECT_EQ(json["memory_bytes"], std::int64_t{64} << 30);
  EXPECT_EQ(json["device_count"], 8);
  EXPECT_EQ(json["visible_devices_env"], "ASCEND_RT_VISIBLE_DEVICES");
  EXPECT_EQ(json["properties"]["cube_core_num"], 20);
  EXPECT_EQ(json["toolkit_version"], "9.1.0");
  EXPECT_EQ(json["policy"]["fallback"], "warn");
}

TEST(DeviceProfile, ListsOnlyOperatorsASourceCallsMissing) {
  Json npu = profile("ascend-910b3").value();
  EXPECT_EQ(npu["ops"]["aten::lgamma"]["status"], "cpu_fallback");
  for (const char* present :
       {"aten::add.Tensor", "aten::mm", "aten::reshape", "aten::view", "aten::convolution", "aten::native_batch_norm",
        "aten::_softmax", "aten::embedding", "aten::copy_", "aten::cat", "aten::isin.Tensor_Tensor"}) {
    EXPECT_FALSE(npu["ops"].contains(present)) << present;
  }
  for (const auto& [name, row] : npu["ops"].items()) {
    EXPECT_EQ(name.rfind("aten::", 0), 0u) << name;
    EXPECT_TRUE(npu["sources"].contains(row["source"].get<std::string>())) << name;
  }
}

TEST(DeviceProfile, Mlu370LacksBfloat16) {
  Json mlu = profile("mlu370-x8").value();
  EXPECT_EQ(mlu["backend"], "mlu");
  EXPECT_EQ(mlu["dist_backend"], "cncl");
  EXPECT_THAT(mlu["dtypes_unsupported"].get<std::vector<std::string>>(),
              testing::ElementsAre("bfloat16", "complex128", "float64"));
  EXPECT_GT(mlu["ops"].size(), 100u);
  EXPECT_FALSE(mlu["ops"].contains("aten::add.Tensor"));
}

TEST(DeviceProfile, ChipsThatKeepTorchCudaHaveNone) {
  auto refused = profile("nvidia-a100-80g");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), "catalog.no_profile");
}

TEST(DeviceProfile, CountOutsideTheRangeIsRefused) {
  EXPECT_FALSE(profile("ascend-910b3", 0).ok());
  EXPECT_FALSE(profile("ascend-910b3", 65).ok());
}

TEST(DeviceProfile, IsTheSameEachTime) {
  EXPECT_EQ(base::to_string(profile("ascend-910b3").value()), base::to_string(profile("ascend-910b3").value()));
}

}  // namespace
}  // namespace starbridge::catalog
