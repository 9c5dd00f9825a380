// Whole files ported and compared with what a person approved: tests/port_files/<case>/in/... and one folder per chip beside it.
// SB_UPDATE_GOLDEN=1 writes the results instead; read the difference before committing it.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "port/analyze.h"
#include "port/test_tables.h"

namespace starbridge::port {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read(const fs::path& path) { return fs::exists(path) ? base::read_file(path.string()).value() : ""; }

FileReport analyze(const std::string& path, const std::string& bytes, const std::string& chip) {
  static const Tables tables = Tables::load(catalogue()).value();
  Context context = make_context(tables, {make_target(*catalogue().find_chip(chip).value())});
  return analyze_file({path, bytes}, classify(path, bytes), context);
}

class PortFiles : public testing::TestWithParam<std::string> {};

TEST_P(PortFiles, AreAsApproved) {
  bool is_update = std::getenv("SB_UPDATE_GOLDEN") != nullptr;
  fs::path folder = fs::path(SB_SOURCE_DIR) / "tests/port_files" / GetParam();
  for (const std::string chip : {"ascend-910b3", "mlu370-x8", "iluvatar-bi-v150"}) {
    std::string findings;
    for (const fs::path& path : files_below(folder / "in")) {
      std::string name = fs::relative(path, folder / "in").string();
      std::string before = read(path);
      FileReport report = analyze(name, before, chip);
      const TargetResult& result = report.results[0];
      std::string after = apply_edits(before, result.edits);
      for (const Finding& finding : result.findings) {
        findings += fmt::format("{}:{}:{} {} {}: {}", name, finding.place.line, finding.place.column, to_string(finding.severity),
                                finding.rule, finding.message.en);
        findings += finding.advice.empty() ? "\n" : " -> " + finding.advice.en + "\n";
      }
      EXPECT_EQ(apply_edits(after, reverse_edits(before, result.edits)), before) << name;
      EXPECT_TRUE(analyze(name, after, chip).results[0].edits.empty())
          << name << " changes again when ported to " << chip << " twice";
      // What does not change on a chip has no copy there.
      fs::path approved = folder / chip / name;
      if (is_update && after != before) {
        fs::create_directories(approved.parent_path());
        ASSERT_TRUE(base::write_file_atomically(approved.string(), after).ok());
      } else if (is_update) {
        fs::remove(approved);
      } else {
        EXPECT_EQ(after, fs::exists(approved) ? read(approved) : before) << name << " on " << chip;
      }
    }
    fs::path approved = folder / ("findings-" + chip + ".txt");
    if (is_update) {
      if (findings.empty()) {
        fs::remove(approved);
      } else {
        ASSERT_TRUE(base::write_file_atomically(approved.string(), findings).ok());
      }
    } else {
      EXPECT_EQ(findings, read(approved)) << chip;
    }
  }
}

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(SB_SOURCE_DIR) / "tests/port_files")) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(, PortFiles, testing::ValuesIn(cases()), [](const auto& each) { return each.param; });

}  // namespace
}  // namespace starbridge::port
