#include "base/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "base/json.h"
#include "base/result.h"

namespace starbridge::base {
namespace {

TEST(Error, RendersPlaceMessageContextAndNextStep) {
  Error error = Error("base.wrong_field", text("cards must be positive", "卡数必须为正"))
                    .at(Place{"job.yaml", 3, 9, "resources.cards"})
                    .while_doing(text("reading the job", "读取作业"))
                    .next(text("write cards: 1", "请写 cards: 1"));
  EXPECT_EQ(error.render(Language::kEnglish),
            "job.yaml:3:9 (resources.cards): cards must be positive [base.wrong_field]\n  while reading the job\n  next: write "
            "cards: 1");
  EXPECT_EQ(error.render(Language::kChinese),
            "job.yaml:3:9 (resources.cards): 卡数必须为正 [base.wrong_field]\n  当时正在：读取作业\n  下一步：请写 cards: 1");
}

TEST(Error, JsonCarriesEveryPart) {
  Json json = Error("base.usage", text("no", "不")).at("a.py", 2).next(text("yes", "是")).to_json(Language::kChinese);
  EXPECT_EQ(
      to_string(json, -1),
      R"({"schema":"starbridge.error/1","code":"base.usage","message":"不","place":{"file":"a.py","line":2},"next_step":"是","exit_code":2})");
}

TEST(Error, CodesAreSortedUniqueAndBilingual) {
  const auto& codes = error_codes();
  EXPECT_TRUE(std::is_sorted(codes.begin(), codes.end(), [](const auto& a, const auto& b) { return a.code < b.code; }));
  std::set<std::string_view> seen;
  for (const ErrorCode& row : codes) {
    EXPECT_TRUE(seen.insert(row.code).second) << row.code;
    EXPECT_NE(row.code.find('.'), std::string_view::npos) << row.code;
    EXPECT_FALSE(row.en.empty()) << row.code;
    EXPECT_FALSE(row.zh.empty()) << row.code;
    EXPECT_GE(row.http_status, 400) << row.code;
  }
}

TEST(Error, SystemErrorsKeepTheirKind) {
  struct Case {
    int errno_value;
    const char* code;
    ExitCode exit_code;
  };
  for (const Case& c :
       {Case{ENOENT, "base.file_not_found", ExitCode::kInputRefused}, Case{ENOSPC, "base.disk_full", ExitCode::kUnavailable},
        Case{EACCES, "base.no_permission", ExitCode::kNotAllowed}, Case{EROFS, "base.no_permission", ExitCode::kNotAllowed},
        Case{EIO, "base.io_failed", ExitCode::kUnavailable}}) {
    Error error = io_error(c.errno_value, text("cannot write", "无法写入"), "/x");
    EXPECT_EQ(error.code(), c.code);
    EXPECT_EQ(error.exit_code(), c.exit_code);
  }
}

Result<int> half(int number) {
  if (number % 2 != 0) return Error("base.wrong_field", text("odd", "奇数"));
  return number / 2;
}

Result<int> quarter(int number) {
  SB_TRY(int once, half(number));
  SB_TRY(int twice, half(once));
  return twice;
}

TEST(Result, TryPassesValuesAndErrors) {
  EXPECT_EQ(quarter(12).value(), 3);
  EXPECT_EQ(quarter(6).error().code(), "base.wrong_field");
}

TEST(ResultDeathTest, TakingTheValueOfAnErrorIsABug) {
  EXPECT_EXIT(static_cast<void>(half(3).value()), testing::ExitedWithCode(70), "internal error");
}

}  // namespace
}  // namespace starbridge::base
