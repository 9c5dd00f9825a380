#include "pool/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace starbridge::pool {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Vendor libraries are played by small shims in C, compiled here.
class Discovery : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "starbridge-discovery-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string compile(const std::string& name, const std::string& source) {
    std::string path = folder_ + "/" + name;
    std::ofstream(path + ".c") << source;
    EXPECT_EQ(std::system(("cc -shared -fPIC -w -o " + path + ".so " + path + ".c").c_str()), 0);
    return path + ".so";
  }
  std::string nvml(const std::string& name, const std::string& count, const std::string& init = "0", const std::string& memory = "0") {
    return compile(name, "#include <string.h>\nstruct M { unsigned long long total, free, used; };\n"
                         "int nvmlInit_v2(void) { return " + init + "; }\nint nvmlShutdown(void) { return 0; }\n"
                         "int nvmlDeviceGetCount_v2(unsigned* n) { *n = " + count + "; return 0; }\n"
                         "int nvmlDeviceGetHandleByIndex_v2(unsigned i, void** d) { *d = (void*)(long)(i + 1); return 0; }\n"
                         "int nvmlDeviceGetName(void* d, char* s, unsigned n) { strncpy(s, \"NVIDIA A100-SXM4-80GB\", n); return 0; }\n"
                         "int nvmlDeviceGetMemoryInfo(void* d, struct M* m) { m->total = 85899345920ull; return (long)d == 2 ? " + memory + " : 0; }\n");
  }
  static const catalog::Catalog& catalog() {
    static const catalog::Catalog loaded = catalog::Catalog::load(SB_DATA_DIR).value();
    return loaded;
  }
  std::string folder_;
  std::vector<std::string> warnings_;
};

TEST_F(Discovery, AnAbsentLibraryMeansNoCardsAndNoWarning) {
  for (auto discover : {discover_nvml, discover_dcmi, discover_cndev})
    EXPECT_TRUE(discover("libstarbridge-none.so.7", &warnings_).empty());
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(Discovery, ABrokenLibraryIsAWarning) {
  std::string path = folder_ + "/broken.so";
  std::ofstream(path) << "this is no library";
  for (auto discover : {discover_nvml, discover_dcmi, discover_cndev}) EXPECT_TRUE(discover(path, &warnings_).empty());
  EXPECT_EQ(warnings_.size(), 3u);
}

TEST_F(Discovery, ALibraryWithoutTheFunctionsIsAWarning) {
  std::string path = compile("empty", "int nothing;\n");
  for (auto discover : {discover_nvml, discover_dcmi, discover_cndev}) EXPECT_TRUE(discover(path, &warnings_).empty());
  EXPECT_EQ(warnings_.size(), 3u);
  EXPECT_THAT(warnings_[0], HasSubstr("lacks a function"));
}

TEST_F(Discovery, NvmlGivesItsCards) {
  std::vector<FoundCard> cards = discover_nvml(nvml("two", "2"), &warnings_);
  ASSERT_EQ(cards.size(), 2u);
  EXPECT_EQ(cards[1].index, 1);
  EXPECT_EQ(cards[1].memory_bytes, 85'899'345'920);
  ASSERT_NE(match_chip(cards[0], catalog()), nullptr);
  EXPECT_EQ(match_chip(cards[0], catalog())->id, "nvidia-a100-80g");
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(Discovery, NvmlWithoutCardsOrSenseGivesNone) {
  EXPECT_TRUE(discover_nvml(nvml("zero", "0"), &warnings_).empty());
  EXPECT_TRUE(discover_nvml(nvml("many", "4000000000u"), &warnings_).empty());
  EXPECT_TRUE(warnings_.empty());
  EXPECT_TRUE(discover_nvml(nvml("refusing", "2", "9"), &warnings_).empty());
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("nvmlInit_v2 failed with 9")));
}

TEST_F(Discovery, ACardThatDoesNotAnswerIsLeftOutAndNamed) {
  std::vector<FoundCard> cards = discover_nvml(nvml("ill", "3", "0", "15"), &warnings_);
  ASSERT_EQ(cards.size(), 2u);
  EXPECT_EQ(cards[1].index, 2);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("card 1 does not answer")));
}

TEST_F(Discovery, DcmiGivesItsCards) {
  std::string path = compile("dcmi", R"(#include <string.h>
struct C { unsigned char type[32], name[32], ver[32]; unsigned cores; };
struct M { unsigned long long size, available; unsigned freq; unsigned long a, b, c; unsigned u; unsigned char r[60]; };
int dcmi_init(void) { return 0; }
int dcmi_get_card_num_list(int* n, int* list, int len) { *n = 2; list[0] = 0; list[1] = 3; return 0; }
int dcmi_get_device_num_in_card(int card, int* n) { *n = 1; return 0; }
int dcmi_get_device_chip_info(int card, int dev, struct C* c) { memset(c->name, 'x', 32); strcpy(c->type, "Ascend"); strcpy(c->name, "910B3"); return 0; }
int dcmi_get_device_memory_info_v3(int card, int dev, struct M* m) { m->size = 65536; return 0; }
)");
  std::vector<FoundCard> cards = discover_dcmi(path, &warnings_);
  ASSERT_EQ(cards.size(), 2u);
  EXPECT_EQ(cards[1].index, 1);
  EXPECT_EQ(cards[0].memory_bytes, std::int64_t{64} << 30);
  ASSERT_NE(match_chip(cards[0], catalog()), nullptr);
  EXPECT_EQ(match_chip(cards[0], catalog())->id, "ascend-910b3");
}

TEST_F(Discovery, CndevGivesItsCards) {
  std::string path = compile("cndev", R"(
struct I { int version; unsigned number; };
struct M { int version; long total; };
int cndevInit(int r) { return 0; }
int cndevRelease(void) { return 0; }
int cndevGetDeviceCount(struct I* i) { i->number = 1; return 0; }
const char* getCardNameStringByDevId(int d) { return "MLU370-X8"; }
int cndevGetMemoryUsage(struct M* m, int d) { m->total = 49152; return 0; }
)");
  std::vector<FoundCard> cards = discover_cndev(path, &warnings_);
  ASSERT_EQ(cards.size(), 1u);
  ASSERT_NE(match_chip(cards[0], catalog()), nullptr);
  EXPECT_EQ(match_chip(cards[0], catalog())->id, "mlu370-x8");
}

TEST_F(Discovery, MemoryTellsVariantsApartAndUnknownCardsMatchNothing) {
  FoundCard card{"nvidia", "NVIDIA A100-SXM4-40GB", std::int64_t{40} << 30, 0};
  ASSERT_NE(match_chip(card, catalog()), nullptr);
  EXPECT_EQ(match_chip(card, catalog())->id, "nvidia-a100-40g");
  EXPECT_EQ(match_chip({"nvidia", "NVIDIA Something 9000", 1 << 30, 0}, catalog()), nullptr);
  EXPECT_EQ(match_chip({"huawei", "NVIDIA A100-SXM4-80GB", 0, 0}, catalog()), nullptr);
}

}  // namespace
}  // namespace starbridge::pool
