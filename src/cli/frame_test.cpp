#include "cli/frame.h"

#include <gtest/gtest.h>

#include <sstream>

namespace starbridge::cli {
namespace {

struct Outcome {
  int exit_code;
  std::string out;
  std::string err;
};

Outcome run(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  int exit_code = run_command_line(arguments, out, err);
  return {exit_code, out.str(), err.str()};
}

TEST(Frame, HelpOpensWithAnExampleInTheChosenLanguage) {
  Outcome english = run({"--lang", "en", "--help"});
  EXPECT_EQ(english.exit_code, 0);
  EXPECT_EQ(english.out.rfind("Example:\n  starbridge ", 0), 0U);
  EXPECT_EQ(run({"--lang=zh", "--help"}).out.rfind("示例：\n  starbridge ", 0), 0U);
}

TEST(Frame, MistakesOnTheCommandLineExitWithTwo) {
  EXPECT_EQ(run({"no-such-thing"}).exit_code, 2);
  EXPECT_EQ(run({"--no-such-flag"}).exit_code, 2);
  EXPECT_EQ(run({"--lang"}).exit_code, 2);
}

TEST(Frame, ErrorsAreJsonWhenAskedFor) {
  Outcome outcome = run({"--json", "no-such-thing"});
  EXPECT_NE(outcome.out.find("\"schema\": \"starbridge.error/1\""), std::string::npos);
  EXPECT_NE(outcome.err.find("no-such-thing"), std::string::npos);
}

TEST(Frame, CommaListsDropBlanks) {
  EXPECT_EQ(split_commas("a, b,,c "), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(split_commas("").empty());
}

}  // namespace
}  // namespace starbridge::cli
