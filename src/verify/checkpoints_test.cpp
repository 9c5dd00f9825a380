#include "verify/checkpoints.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace starbridge::verify {
namespace {

class Checkpoints : public testing::Test {
 protected:
  Checkpoints() {
    std::string name = (std::filesystem::temp_directory_path() / "starbridge-verify-XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~Checkpoints() override { std::filesystem::remove_all(folder_); }

  // A safetensors file with float tensors of four elements.
  std::string write(const std::string& file, const std::vector<std::pair<std::string, std::vector<float>>>& tensors) {
    std::string header = "{", data;
    for (const auto& [name, values] : tensors) {
      std::size_t begin = data.size(), bytes = values.size() * 4;
      data.append(reinterpret_cast<const char*>(values.data()), bytes);
      header += (header.size() > 1 ? ",\"" : "\"") + name + R"(":{"dtype":"F32","shape":[)" + std::to_string(values.size()) +
                R"(],"data_offsets":[)" + std::to_string(begin) + "," + std::to_string(begin + bytes) + "]}";
    }
    header += "}";
    std::uint64_t length = header.size();
    std::string path = folder_ + "/" + file;
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(&length), sizeof length);
    out << header << data;
    return path;
  }

  std::vector<TensorComparison> compare(const std::string& original, const std::string& port) {
    std::vector<TensorComparison> rows;
    compare_checkpoint(original, port, "model.pt", Tolerance{2e-3, 1e-4}, rows);
    return rows;
  }

  std::string folder_;
};

TEST_F(Checkpoints, TensorsAgreeWithinTenTimesTheToleranceOfALoss) {
  std::string original = write("a", {{"same", {1, 2}}, {"near", {1, 2}}, {"far", {1, 2}}, {"small", {1e-9F, 0}}});
  std::string port = write("b", {{"same", {1, 2}}, {"near", {1, 2.03F}}, {"far", {1, 2.2F}}, {"small", {-1e-9F, 0}}});
  std::vector<TensorComparison> rows = compare(original, port);
  ASSERT_EQ(rows.size(), 4u);
  for (const TensorComparison& row : rows) EXPECT_EQ(row.agrees, row.name != "far") << row.name;
  for (const TensorComparison& row : rows) EXPECT_EQ(row.absolute_max == 0, row.name == "same") << row.name;
}

TEST_F(Checkpoints, PresenceShapeAndNanAreProblems) {
  std::string original = write("a", {{"here", {1}}, {"shape", {1, 2}}, {"nan", {1, 2}}, {"same", {1}}});
  std::string port = write("b", {{"there", {1}}, {"shape", {1, 2, 3}}, {"nan", {1, std::nanf("")}}, {"same", {1}}});
  for (const TensorComparison& row : compare(original, port)) {
    EXPECT_EQ(row.agrees, row.name == "same") << row.name;
    EXPECT_EQ(row.problem.empty(), row.name == "same") << row.name;
  }
}

TEST_F(Checkpoints, OneThatCannotBeReadIsAProblemAndNoFailure) {
  std::string original = write("a", {{"w", {1}}});
  std::ofstream(folder_ + "/bad.pt") << "no checkpoint";
  std::vector<TensorComparison> rows = compare(original, folder_ + "/bad.pt");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_FALSE(rows[0].agrees);
  EXPECT_NE(rows[0].problem.find("cannot be compared"), std::string::npos);
  EXPECT_EQ(compare(original, folder_ + "/none.pt").size(), 1u);
  EXPECT_FALSE(compare(original, write("other", {{"v", {1}}}))[0].agrees);
}

}  // namespace
}  // namespace starbridge::verify
