#include "catalog/framework_map.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "catalog/api_table.h"

namespace starbridge::catalog {
namespace {

const FrameworkMap& map() {
  static const FrameworkMap map = FrameworkMap::load(SB_DATA_DIR).value();
  return map;
}

TEST(FrameworkMap, KeepsWhatEverySourceSays) {
  auto gru = map().find("torch.nn.GRU", "mindspore");
  ASSERT_EQ(gru.size(), 1U);
  EXPECT_EQ(gru[0].target, "mindspore.nn.GRU");
  EXPECT_EQ(gru[0].status, MapStatus::kChanged);
  EXPECT_EQ(map().find("torch.nn.GRU", "paddle")[0].target, "paddle.nn.GRU");
  auto abs = map().find("torch.abs", "mindspore");
  ASSERT_EQ(abs.size(), 2U);
  EXPECT_NE(abs[0].target, abs[1].target) << "two releases of MindSpore name it differently";
}

TEST(FrameworkMap, SaysNothingAboutWhatIsNotListed) {
  EXPECT_TRUE(map().find("torch.nn.GRU2", "paddle").empty());
  EXPECT_TRUE(map().find("", "paddle").empty());
  EXPECT_TRUE(map().find("torch.nn.GRU", "jax").empty());
  EXPECT_FALSE(map().knows_framework("jax"));
  EXPECT_EQ(map().frameworks(), (std::vector<std::string>{"mindspore", "paddle"}));
}

TEST(FrameworkMap, EveryRowHasASourceAndReadableCodes) {
  ApiTable table = ApiTable::load(SB_DATA_DIR).value();
  for (const FrameworkRow& row : map().rows()) {
    ASSERT_NE(table.find_source(row.source), nullptr) << row.name << " " << row.source;
    std::string_view code = std::string_view(row.note).substr(0, row.note.find_first_of(":,"));
    if (code.empty()) continue;
    EXPECT_NE(describe_change(code).en, code) << row.name;
  }
}

TEST(FrameworkMap, CodesBecomeWords) {
  EXPECT_EQ(describe_change("argument_names:input>x+other>y,argument_missing:out").en,
            "other argument names (input -> x, other -> y); lacks arguments (out)");
  EXPECT_EQ(describe_change("default_differs:dim").zh, "默认值不同（dim）");
  EXPECT_TRUE(describe_change("").empty());
  EXPECT_EQ(describe_change("never_heard").en, "never_heard");
}

TEST(FrameworkMap, RefusesMalformedRowsWithTheirPlace) {
  std::string dir = testing::TempDir() + "bad_frameworks_" + std::to_string(::getpid());
  std::filesystem::create_directories(dir + "/compat");
  const std::string header = "name\tframework\tstatus\ttarget\tnote\tsource\n";
  for (const char* row : {"torch.a\tpaddle\tsame\t\t\ts\n", "torch.a\tpaddle\tmaybe\tx\t\ts\n", "torch.a\tpaddle\tnone\t\t\t\n",
                          "torch.a\tpaddle\tnone\n"}) {
    ASSERT_TRUE(base::write_file_atomically(dir + "/compat/framework_names.tsv", header + row).ok());
    base::Result<FrameworkMap> loaded = FrameworkMap::load(dir);
    ASSERT_FALSE(loaded.ok()) << row;
    EXPECT_EQ(loaded.error().code(), "catalog.bad_data");
    EXPECT_EQ(loaded.error().place().line, 2);
  }
}

}  // namespace
}  // namespace starbridge::catalog
