#include "base/subprocess.h"

#include <gtest/gtest.h>

namespace starbridge::base {
namespace {

ProcessResult run_shell(const std::string& script, ProcessSpec spec = {}) {
  spec.arguments = {"sh", "-c", script};
  return run_process(spec).value();
}

TEST(Subprocess, OutputExitCodeAndSignalAreSeparate) {
  ProcessResult result = run_shell("echo out; echo err >&2; exit 7");
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(run_shell("kill -9 $$").signal, 9);
}

TEST(Subprocess, InputFolderAndEnvironmentReachTheProgram) {
  ProcessSpec spec;
  spec.input = std::string(300'000, 'x');
  EXPECT_EQ(run_shell("wc -c", spec).out, "300000\n");
  spec.working_directory = "/tmp";
  spec.environment = {{"SB_A", "1"}, {"HOME", std::nullopt}};
  EXPECT_EQ(run_shell("cat > /dev/null; echo $PWD $SB_A ${HOME-none}", spec).out, "/tmp 1 none\n");
}

TEST(Subprocess, UnreadInputDoesNotKillTheCaller) {
  ProcessSpec spec;
  spec.input = std::string(1'000'000, 'x');
  EXPECT_EQ(run_shell("exit 3", spec).exit_code, 3);
}

TEST(Subprocess, TheWholeGroupDiesAtTheTimeLimit) {
  ProcessSpec spec;
  spec.timeout_ms = 200;
  ProcessResult result = run_shell("sleep 60 & sleep 60", spec);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_code, -1);
  EXPECT_LT(result.wall_ms, 10'000);
}

TEST(Subprocess, CaptureIsLimitedAndSaysSo) {
  ProcessSpec spec;
  spec.captured_bytes_max = 1000;
  ProcessResult result = run_shell("head -c 1000000 /dev/zero", spec);
  EXPECT_EQ(result.out.size(), 1000U);
  EXPECT_TRUE(result.truncated);
}

TEST(Subprocess, MergedOutputKeepsItsOrder) {
  ProcessSpec spec;
  spec.merge_output = true;
  std::string seen;
  spec.on_output = [&](std::string_view piece) { seen += piece; };
  EXPECT_EQ(run_shell("echo 1; echo 2 >&2; echo 3", spec).out, "1\n2\n3\n");
  EXPECT_EQ(seen, "1\n2\n3\n");
}

TEST(Subprocess, ProgramsThatCannotStartAreNamed) {
  EXPECT_EQ(run_process({.arguments = {"no-such-program-here"}}).error().code(), "base.cannot_start_program");
  EXPECT_EQ(run_process({.arguments = {"/etc/passwd"}}).error().code(), "base.cannot_start_program");
  EXPECT_EQ(run_process({}).error().code(), "base.cannot_start_program");
  EXPECT_EQ(run_process({.arguments = {"true"}, .working_directory = "/no/such/folder"}).error().code(),
            "base.cannot_start_program");
}

}  // namespace
}  // namespace starbridge::base
