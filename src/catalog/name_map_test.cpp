#include "catalog/name_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <vector>

#include "base/files.h"
#include "catalog/api_table.h"
#include "catalog/catalog.h"
#include "catalog/precision_rules.h"

namespace starbridge::catalog {
namespace {

using testing::HasSubstr;

const NameMap& names() {
  static const NameMap* map = new NameMap(NameMap::load(SB_DATA_DIR).value());
  return *map;
}

TEST(NameMap, PlainRenamesGiveTheVendorName) {
  NameRow row = names().find("torch.cuda.is_available", "npu");
  EXPECT_EQ(row.status, MapStatus::kSame);
  EXPECT_EQ(row.target, "torch.npu.is_available");
  EXPECT_EQ(names().find("torch.cuda.synchronize", "mlu").target, "torch.mlu.synchronize");
  EXPECT_EQ(names().find("nccl", "npu").target, "hccl");
  EXPECT_EQ(names().find("nccl", "mlu").target, "cncl");
  EXPECT_EQ(names().find("cuda", "mlu").target, "mlu");
}

TEST(NameMap, ReviewedRowsWinOverGeneratedOnes) {
  EXPECT_EQ(names().find("torch.cuda.get_device_capability", "npu").status, MapStatus::kChanged);
  EXPECT_EQ(names().find("torch.cuda.nvtx.range_push", "npu").target, "torch.npu.mstx.range_push");
}

TEST(NameMap, NamesWithoutACounterpartAreNeverRenamed) {
  for (const char* name :
       {"torch.cuda.comm.scatter", "torch.cuda.get_arch_list", "torch.cuda.temperature", "torch.nn.DataParallel"}) {
    NameRow row = names().find(name, "npu");
    EXPECT_EQ(row.status, MapStatus::kNoCounterpart) << name;
    EXPECT_TRUE(row.target.empty()) << name;
  }
}

TEST(NameMap, AnUnlistedAttributeOfAListedModuleIsUnknown) {
  NameRow row = names().find("torch.cuda.ampp", "npu");  // a typo must not become torch.npu.ampp
  EXPECT_EQ(row.status, MapStatus::kUnknown);
  EXPECT_TRUE(row.target.empty());
}

TEST(NameMap, MembersFollowTheirClass) {
  EXPECT_EQ(names().find("torch.cuda.Stream.query", "npu").target, "torch.npu.Stream.query");
  EXPECT_EQ(names().find("torch.cuda.CUDAGraph.replay", "mlu").target, "torch.mlu.MLUGraph.replay");
}

TEST(NameMap, EmptyAndForeignNamesAreUnknown) {
  EXPECT_EQ(names().find("", "npu").status, MapStatus::kUnknown);
  EXPECT_EQ(names().find("numpy.add", "npu").status, MapStatus::kUnknown);
  EXPECT_EQ(names().find("torch.cuda.is_available", "abacus").status, MapStatus::kUnknown);
}

TEST(EnvMap, VariablesHaveTheirVendorNames) {
  EnvMap map = EnvMap::load(SB_DATA_DIR).value();
  EXPECT_EQ(map.find("CUDA_VISIBLE_DEVICES", "npu")->target, "ASCEND_RT_VISIBLE_DEVICES");
  EXPECT_EQ(map.find("CUDA_VISIBLE_DEVICES", "mlu")->target, "MLU_VISIBLE_DEVICES");
  EXPECT_EQ(map.find("NCCL_IB_HCA", "npu")->status, MapStatus::kNoCounterpart);
  EXPECT_EQ(map.find("PATH", "npu"), nullptr);
}

TEST(LibraryMap, PackagesAreFoundByEitherName) {
  LibraryMap map = LibraryMap::load(SB_DATA_DIR).value();
  EXPECT_EQ(map.find_package("flash_attn", "npu")->status, "replaced");
  EXPECT_EQ(map.find_import("flash_attn.layers.rotary", "npu")->package, "flash-attn");
  EXPECT_EQ(map.find_import("amp_C", "npu")->package, "apex");
  EXPECT_EQ(map.find_import("numba", "npu"), nullptr);  // only numba.cuda is concerned
  EXPECT_EQ(map.find_import("numba.cuda", "npu")->package, "numba");
  EXPECT_EQ(map.find_import("flash_attention", "npu"), nullptr);
  EXPECT_EQ(map.find_package("numpy", "npu"), nullptr);
}

TEST(MapData, EveryRowNamesAListedSource) {
  Catalog catalog = Catalog::load(SB_DATA_DIR).value();
  ApiTable table = ApiTable::load(SB_DATA_DIR).value();
  auto is_listed = [&](const std::string& id) { return catalog.find_source(id) != nullptr || table.find_source(id) != nullptr; };
  for (const NameRow& row : names().rows()) EXPECT_TRUE(is_listed(row.source)) << row.name << " " << row.source;
  EnvMap environment = EnvMap::load(SB_DATA_DIR).value();
  for (const EnvRow& row : environment.rows()) EXPECT_TRUE(is_listed(row.source)) << row.name << " " << row.source;
  LibraryMap libraries = LibraryMap::load(SB_DATA_DIR).value();
  for (const LibraryRow& row : libraries.rows()) EXPECT_TRUE(is_listed(row.source)) << row.package << " " << row.source;
}

TEST(MapData, EverySourceIsCited) {
  Catalog catalog = Catalog::load(SB_DATA_DIR).value();
  std::set<std::string> cited;
  auto cite = [&](const Facts& facts) {
    for (const Fact& fact : facts.all()) {
      for (const Observation& observation : fact.observations) cited.insert(observation.source);
    }
  };
  for (const Chip& chip : catalog.chips()) cite(chip.facts), cite(chip.dtypes);
  for (const auto& [id, stack] : catalog.stacks()) {
    cite(stack.facts), cite(stack.dtypes);
    for (const StackVersion& version : stack.versions) cited.insert(version.source);
  }
  for (const PriceRow& row : catalog.prices().rows()) cited.insert(row.source);
  for (const Discount& discount : catalog.prices().discounts()) cited.insert(discount.source);
  for (const NameRow& row : names().rows()) cited.insert(row.source);
  EnvMap environment = EnvMap::load(SB_DATA_DIR).value();
  for (const EnvRow& row : environment.rows()) cited.insert(row.source);
  LibraryMap libraries = LibraryMap::load(SB_DATA_DIR).value();
  for (const LibraryRow& row : libraries.rows()) cited.insert(row.source);
  PrecisionRules precision = PrecisionRules::load(SB_DATA_DIR).value();
  for (const PrecisionRule& row : precision.rows()) cited.insert(row.source);
  // The tables of the emulated cards and of what they cost are read by the rooms above.
  for (const char* table :
       {"emulate/cuda_cards.tsv", "emulate/ascend_chips.tsv", "emulate/mlu_chips.tsv", "kernels/chip_costs.tsv"}) {
    std::istringstream rows(base::read_file(std::string(SB_DATA_DIR) + "/" + table).value());
    std::vector<std::string> head;
    for (std::string line; std::getline(rows, line);) {
      std::istringstream fields(line);
      std::vector<std::string> row;
      for (std::string field; std::getline(fields, field, '\t');) row.push_back(field);
      if (head.empty()) head = row;
      const auto column = static_cast<std::size_t>(std::ranges::find(head, "source") - head.begin());
      ASSERT_LT(column, row.size()) << table << ": " << line;
      cited.insert(row[column]);
    }
  }
  for (const auto& [id, source] : catalog.sources()) EXPECT_TRUE(cited.contains(id)) << id;
}

TEST(MapData, EveryBackendIsThatOfAStack) {
  Catalog catalog = Catalog::load(SB_DATA_DIR).value();
  std::set<std::string> backends;
  for (const auto& [id, stack] : catalog.stacks()) backends.insert(stack.backend);
  for (const NameRow& row : names().rows()) EXPECT_TRUE(backends.contains(row.backend)) << row.name;
}

struct BadTable {
  const char* file;
  const char* row;
  const char* says;
};

class BadMaps : public testing::TestWithParam<BadTable> {};

TEST_P(BadMaps, AreRefusedWithFileAndLine) {
  std::string dir = testing::TempDir() + "bad_maps_" + std::to_string(::getpid());
  std::filesystem::remove_all(dir);
  std::filesystem::create_directories(dir + "/compat");
  for (const char* file : {"names.tsv", "names_generated.tsv", "env.tsv", "packages.tsv"}) {
    std::filesystem::copy(std::string(SB_DATA_DIR) + "/compat/" + file, dir + "/compat/" + file);
  }
  std::string path = dir + "/compat/" + GetParam().file;
  std::string content = base::read_file(path).value();
  std::size_t header = content.find('\n') + 1;
  ASSERT_TRUE(base::write_file_atomically(path, content.substr(0, header) + GetParam().row + "\n").ok());
  std::string refusal;
  if (auto map = NameMap::load(dir); !map.ok()) refusal += map.error().render(base::Language::kEnglish);
  if (auto map = EnvMap::load(dir); !map.ok()) refusal += map.error().render(base::Language::kEnglish);
  if (auto map = LibraryMap::load(dir); !map.ok()) refusal += map.error().render(base::Language::kEnglish);
  EXPECT_THAT(refusal, HasSubstr(GetParam().says));
  EXPECT_THAT(refusal, HasSubstr(std::string(GetParam().file) + ":2"));
  std::filesystem::remove_all(dir);
}

INSTANTIATE_TEST_SUITE_P(Rows, BadMaps,
                         testing::Values(BadTable{"names.tsv", "x\tnpu\tattribute\tmoved\ty\t\ttorch-npu", "not \"moved\""},
                                         BadTable{"names.tsv", "x\tnpu\tattribute\tsame\t\t\ttorch-npu", "needs a target"},
                                         BadTable{"names.tsv", "x\tnpu\tattribute\tnone\ty\t\ttorch-npu", "has no target"},
                                         BadTable{"names.tsv", "x\tnpu\tattribute\tsame\ty\t\t", "the cell is empty"},
                                         BadTable{"env.tsv", "X\tnpu\tsame\tY", "6 cells were expected, 4 found"},
                                         BadTable{"packages.tsv", "x\tx\tnpu\tperhaps\t\t\ts", "ported, replaced"},
                                         BadTable{"packages.tsv", "x\t\tnpu\tnone\t\t\ts", "the cell is empty"},
                                         BadTable{"packages.tsv", "x\tx\tnpu\treplaced\t\t\ts", "the cell is empty"}));

}  // namespace
}  // namespace starbridge::catalog
