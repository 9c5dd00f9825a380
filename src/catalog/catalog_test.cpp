#include "catalog/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"

namespace starbridge::catalog {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const Catalog& real() {
  static const Catalog* catalog = [] {
    auto loaded = Catalog::load(SB_DATA_DIR);
    if (!loaded.ok()) ADD_FAILURE() << loaded.error().render(base::Language::kEnglish);
    return new Catalog(std::move(loaded).value());
  }();
  return *catalog;
}

TEST(CatalogData, EveryChipAskedForIsThere) {
  for (const char* id :
       {"nvidia-a100-40g", "nvidia-a100-80g",  "nvidia-a800-80g",  "nvidia-h100-80g", "nvidia-h800",    "nvidia-h20",
        "nvidia-rtx-4090", "nvidia-l40s",      "ascend-910a",      "ascend-910b1",    "ascend-910b2",   "ascend-910b3",
        "ascend-910b4",    "ascend-910c",      "ascend-310p",      "mlu370-x8",       "mlu370-x4",      "mlu370-s4",
        "mlu590",          "iluvatar-bi-v100", "iluvatar-bi-v150", "hygon-dcu-k100",  "hygon-dcu-z100", "moorethreads-s4000",
        "metax-c500",      "enflame-s60",      "amd-mi300x",       "biren-br100"}) {
    auto chip = real().find_chip(id);
    ASSERT_TRUE(chip.ok()) << id;
    EXPECT_EQ((*chip)->id, id);
  }
}

TEST(CatalogData, EveryChipKnowsItsMemoryStackAndResourceNames) {
  for (const Chip& chip : real().chips()) {
    ASSERT_NE(chip.stack, nullptr) << chip.id;
    EXPECT_GT(chip.memory_bytes().value_or(0), std::int64_t{8} << 30) << chip.id;
    EXPECT_TRUE(chip.slurm_gres().has_value()) << chip.id;
    EXPECT_TRUE(chip.kubernetes_resource().has_value()) << chip.id;
    EXPECT_FALSE(chip.stack->torch_device().empty()) << chip.id;
    EXPECT_EQ(chip.stack->keeps_torch_cuda(), chip.stack->torch_device() == "cuda") << chip.id;
    EXPECT_EQ(chip.stack->plugin_module().has_value(), !chip.stack->keeps_torch_cuda()) << chip.id;
  }
}

TEST(CatalogData, ChipsOfTheDefaultPoolHavePrices) {
  for (const char* id : {"nvidia-a100-80g", "ascend-910b3", "mlu370-x8"}) {
    const PriceRow* price = real().prices().chosen(id);
    ASSERT_NE(price, nullptr) << id;
    EXPECT_GT(price->price.micro_fen, 0) << id;
    EXPECT_NE(real().find_source(price->source), nullptr) << id;
  }
  EXPECT_EQ(real().prices().chosen("nvidia-a100-80g")->price.micro_fen, 547'000'000);
}

TEST(CatalogData, ConflictingFiguresAreKeptAndOneIsChosen) {
  const Fact* fact = (*real().find_chip("ascend-910b3"))->facts.find("peak_fp16_tflops");
  ASSERT_NE(fact, nullptr);
  EXPECT_GE(fact->observations.size(), 4u);
  EXPECT_TRUE(fact->is_contested());
  EXPECT_EQ(fact->chosen().value, "313");
}

TEST(CatalogData, SparseMarketingFiguresAreNotThePeak) {
  EXPECT_EQ((*real().find_chip("a100"))->peak_tflops("fp16"), 312);
  EXPECT_EQ((*real().find_chip("h100"))->peak_tflops("fp16"), 989);
}

TEST(CatalogData, DtypeRulesOfTheChipComeBeforeThoseOfTheStack) {
  const Chip& mlu370 = **real().find_chip("mlu370-x8");
  EXPECT_EQ(mlu370.dtype_status("bfloat16"), "unsupported");
  EXPECT_TRUE(mlu370.dtype_fact("bfloat16")->is_contested());
  EXPECT_EQ(mlu370.dtype_status("float64"), "unsupported");
  EXPECT_EQ(mlu370.dtype_status("float32"), "supported");
  EXPECT_THAT(mlu370.dtypes_unsupported(), ElementsAre("bfloat16", "complex128", "float64"));
  EXPECT_THAT((*real().find_chip("mlu590"))->dtypes_unsupported(), Not(Contains("bfloat16")));
  EXPECT_EQ((*real().find_chip("ascend-910b3"))->dtype_status("float64"), "limited");
}

TEST(CatalogData, TheSameSiliconIsFoundUnderEachPlugInsName) {
  const Chip& chip = **real().find_chip("ascend-910b3");
  EXPECT_EQ(chip.kubernetes_resource(), "huawei.com/Ascend910");
  EXPECT_EQ(chip.kubernetes_resource("hami"), "huawei.com/Ascend910B3");
  EXPECT_EQ(chip.kubernetes_resource("volcano"), std::nullopt);
  EXPECT_EQ(chip.stack->visible_devices_env(), "ASCEND_RT_VISIBLE_DEVICES");
  EXPECT_EQ(chip.stack->container_visible_devices_env(), "ASCEND_VISIBLE_DEVICES");
}

TEST(CatalogData, APyTorchVersionHasItsPlugInAndToolkit) {
  const Stack& cann = *real().find_stack("cann");
  const StackVersion* exact = cann.version_for("2.7.1");
  ASSERT_NE(exact, nullptr);
  EXPECT_EQ(exact->plugin, "2.7.1.post8");
  EXPECT_EQ(exact->toolkit, "CANN 9.1.0");
  EXPECT_EQ(cann.version_for("2.7"), exact);
  EXPECT_EQ(cann.version_for("2"), cann.version_for("2.12.0"));
  EXPECT_EQ(cann.version_for("2.70"), nullptr);
  EXPECT_EQ(cann.version_for(""), nullptr);
  EXPECT_EQ(cann.version_to_use()->torch, "2.12.0");
  EXPECT_EQ(real().find_stack("neuware")->version_for("2.4")->plugin, "1.22.2");
  EXPECT_EQ(real().find_stack("cuda")->version_to_use(), nullptr);
}

TEST(CatalogFind, AliasesCaseAndDashesDoNotMatter) {
  for (const char* name : {"Ascend_910B3", "910b3", "910B", "ascend910b", "ASCEND-910B3"}) {
    auto chip = real().find_chip(name);
    ASSERT_TRUE(chip.ok()) << name;
    EXPECT_EQ((*chip)->id, "ascend-910b3");
  }
}

TEST(CatalogFind, ATypoGetsASuggestion) {
  auto chip = real().find_chip("ascend-910b33");
  ASSERT_FALSE(chip.ok());
  EXPECT_EQ(chip.error().code(), "catalog.unknown_chip");
  EXPECT_THAT(chip.error().next_step().en, HasSubstr("ascend-910b3"));
  EXPECT_THAT(real().find_chip("zzzzzzzzzzzzzzzzzz").error().next_step().en, HasSubstr("starbridge chips"));
  EXPECT_FALSE(real().find_chip("").ok());
}

TEST(CatalogMove, PointersIntoAMovedCatalogStayValid) {
  Catalog first = Catalog::load(SB_DATA_DIR).value();
  Catalog second = std::move(first);
  EXPECT_EQ(second.chips().front().stack->id, "rocm");
}

// A copy of the real data with one file changed.
class BrokenData : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = testing::TempDir() + "catalog_" + testing::UnitTest::GetInstance()->current_test_info()->name() +
           std::to_string(::getpid());
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_);
    for (const char* part : {"chips", "stacks", "prices"}) {
      std::filesystem::copy(std::string(SB_DATA_DIR) + "/" + part, dir_ + "/" + part, std::filesystem::copy_options::recursive);
    }
    for (const char* part : {"facts.tsv", "sources.tsv"}) {
      std::filesystem::copy(std::string(SB_DATA_DIR) + "/" + part, dir_ + "/" + part);
    }
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  void replace(const std::string& file, const std::string& from, const std::string& to) {
    std::string content = base::read_file(dir_ + "/" + file).value();
    std::size_t place = content.find(from);
    ASSERT_NE(place, std::string::npos) << from;
    ASSERT_TRUE(base::write_file_atomically(dir_ + "/" + file, content.replace(place, from.size(), to)).ok());
  }
  std::string refusal() {
    auto loaded = Catalog::load(dir_);
    return loaded.ok() ? "accepted" : loaded.error().render(base::Language::kEnglish);
  }
  std::string dir_;
};

TEST_F(BrokenData, UnknownFactIsNamedWithLineAndSuggestion) {
  replace("chips/mlu370-x8.yaml", "memory_gbps:", "memory_gbs:");
  EXPECT_THAT(refusal(), HasSubstr("mlu370-x8.yaml:"));
  EXPECT_THAT(refusal(), HasSubstr("memory_gbs"));
  EXPECT_THAT(refusal(), HasSubstr("did you mean \"memory_gbps\""));
}

TEST_F(BrokenData, MissingSourceIsRefused) {
  replace("chips/mlu370-x8.yaml", ", source: x8-press", "");
  EXPECT_THAT(refusal(), HasSubstr("the field \"source\" is missing"));
}

TEST_F(BrokenData, SourceThatIsNotListedIsRefused) {
  replace("chips/mlu370-x8.yaml", "source: x8-press", "source: hearsay");
  EXPECT_THAT(refusal(), HasSubstr("there is no source \"hearsay\""));
}

TEST_F(BrokenData, TwoChosenValuesAreRefused) {
  replace("chips/mlu370-x8.yaml", "{value: 48, source: gpu-db, confidence: reported,",
          "{value: 48, chosen: true, source: gpu-db, confidence: reported,");
  EXPECT_THAT(refusal(), HasSubstr("2 of 2 observations are chosen"));
}

TEST_F(BrokenData, NoChosenValueIsRefused) {
  replace("chips/mlu370-x8.yaml", "source: x8-press, confidence: published, chosen: true",
          "source: x8-press, confidence: published");
  EXPECT_THAT(refusal(), HasSubstr("0 of"));
}

TEST_F(BrokenData, BadNumberIsRefused) {
  replace("chips/mlu370-x8.yaml", "value: 614.4", "value: fast");
  EXPECT_THAT(refusal(), HasSubstr("a number was expected, not \"fast\""));
}

TEST_F(BrokenData, FractionOfAByteIsRefused) {
  replace("chips/mlu370-x8.yaml", "value: 51539607552", "value: 48.5");
  EXPECT_THAT(refusal(), HasSubstr("a whole number was expected"));
}

TEST_F(BrokenData, ZeroIsNotAFigure) {
  replace("chips/mlu370-x8.yaml", "value: 614.4", "value: 0");
  EXPECT_THAT(refusal(), HasSubstr("above zero"));
}

TEST_F(BrokenData, UnknownConfidenceIsRefused) {
  replace("chips/mlu370-x8.yaml", "confidence: published", "confidence: certain");
  EXPECT_THAT(refusal(), HasSubstr("not \"certain\""));
}

TEST_F(BrokenData, AliasOfTwoChipsIsRefused) {
  replace("chips/mlu370-x8.yaml", "aliases: [", "aliases: [910b3, ");
  EXPECT_THAT(refusal(), HasSubstr("already belongs to ascend-910b3"));
}

TEST_F(BrokenData, IdThatIsNotTheFileNameIsRefused) {
  replace("chips/mlu370-x8.yaml", "id: mlu370-x8", "id: mlu370");
  EXPECT_THAT(refusal(), HasSubstr("mlu370-x8.yaml:2"));
}

TEST_F(BrokenData, UnknownStackIsRefused) {
  replace("chips/mlu370-x8.yaml", "stack: neuware", "stack: newware");
  EXPECT_THAT(refusal(), HasSubstr("there is no stack \"newware\""));
}

TEST_F(BrokenData, MissingRequiredFactIsNamed) {
  replace("stacks/neuware.yaml", "  dist_backend:\n    - {value: cncl, source: torch-mlu, confidence: published}\n", "");
  EXPECT_THAT(refusal(), HasSubstr("the fact \"dist_backend\" is missing"));
}

TEST_F(BrokenData, DtypeStatusOutsideTheThreeWordsIsRefused) {
  replace("stacks/neuware.yaml", "value: unsupported", "value: bad");
  EXPECT_THAT(refusal(), HasSubstr("supported, limited or unsupported"));
}

TEST_F(BrokenData, UnquotedPriceIsRefused) {
  replace("prices/card_hours.yaml", "yuan: \"2.20\"", "yuan: 2.20");
  EXPECT_THAT(refusal(), HasSubstr("quoted decimal yuan"));
}

TEST_F(BrokenData, PriceOutsideItsRangeIsRefused) {
  replace("prices/card_hours.yaml", "yuan: \"2.20\"", "yuan: \"9.99\"");
  EXPECT_THAT(refusal(), HasSubstr("outside its range"));
}

TEST_F(BrokenData, PriceOfAnUnknownChipIsRefused) {
  replace("prices/card_hours.yaml", "chip: nvidia-l40s", "chip: nvidia-l40x");
  EXPECT_THAT(refusal(), HasSubstr("nvidia-l40x"));
}

TEST_F(BrokenData, DiscountOverAHundredPercentIsRefused) {
  replace("prices/card_hours.yaml", "percent: \"30\"", "percent: \"130\"");
  EXPECT_THAT(refusal(), HasSubstr("percentage of 0 to 100"));
}

TEST_F(BrokenData, SourceWithoutADateIsRefusedWithItsLine) {
  replace("sources.tsv", "gpu-db\t2026-06-24", "gpu-db\tsoon");
  EXPECT_THAT(refusal(), HasSubstr("sources.tsv:"));
  EXPECT_THAT(refusal(), HasSubstr("YYYY-MM-DD"));
}

TEST_F(BrokenData, ExtraCellInATableIsRefusedWithItsLine) {
  replace("facts.tsv", "clock_mhz\tchip", "clock_mhz\tchip\tchip");
  EXPECT_THAT(refusal(), HasSubstr("facts.tsv:7"));
}

TEST_F(BrokenData, MissingFolderIsToldByName) {
  std::filesystem::remove_all(dir_ + "/chips");
  EXPECT_THAT(refusal(), HasSubstr("/chips"));
}

}  // namespace
}  // namespace starbridge::catalog
