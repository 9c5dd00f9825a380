#include "catalog/version_pairs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "catalog/api_table.h"

namespace starbridge::catalog {
namespace {

TEST(VersionPairs, HoldWhereTheirBackendIs) {
  VersionPairs pairs = VersionPairs::load(SB_DATA_DIR).value();
  EXPECT_FALSE(pairs.of("torchvision", "npu").empty());
  EXPECT_FALSE(pairs.of("torchvision", "musa").empty());
  EXPECT_FALSE(pairs.of("vllm-ascend", "npu").empty());
  EXPECT_TRUE(pairs.of("vllm-ascend", "mlu").empty());
  EXPECT_TRUE(pairs.of("numpy", "npu").empty());
  ApiTable table = ApiTable::load(SB_DATA_DIR).value();
  for (const VersionPair& row : pairs.rows())
    EXPECT_NE(table.find_source(row.source), nullptr) << row.package << " " << row.source;
}

TEST(VersionPairs, AnEmptyCellIsRefusedWithItsPlace) {
  std::string dir = testing::TempDir() + "bad_pairs_" + std::to_string(::getpid());
  std::filesystem::create_directories(dir + "/compat");
  ASSERT_TRUE(base::write_file_atomically(dir + "/compat/version_pairs.tsv",
                                          "package\tversion\tneeds\tneeds_version\tbackend\tsource\na\t1\tb\t\t*\ts\n")
                  .ok());
  base::Result<VersionPairs> loaded = VersionPairs::load(dir);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code(), "catalog.bad_data");
  EXPECT_EQ(loaded.error().place().line, 2);
  EXPECT_EQ(loaded.error().place().field, "needs_version");
}

}  // namespace
}  // namespace starbridge::catalog
