#include "engine/local_engine.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "engine/process_tree.h"

namespace starbridge::engine {
namespace {

class LocalEngineTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "starbridge-engine-XXXXXX";
    root_ = ::mkdtemp(pattern.data());
    std::filesystem::create_directory(root_ + "/j");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  LocalEngine engine() { return LocalEngine(root_); }
  JobFolder folder() { return engine().folder_of("j"); }
  std::string root_;
};

TEST_F(LocalEngineTest, RecordsComeBackWhole) {
  Launch launch{"echo '\"'\n", "/p", "w", "mlu370-x8", {0, 3}, true, {{"A", "ä\n"}}, 5};
  ASSERT_TRUE(folder().write(launch).ok());
  Launch read = folder().read_launch().value();
  EXPECT_EQ(read.script, launch.script);
  EXPECT_EQ(read.environment, launch.environment);
  EXPECT_EQ(read.card_indices, launch.card_indices);
  EXPECT_EQ(read.time_limit_ms, 5);
  EXPECT_EQ(std::filesystem::status(root_ + "/j/launch.json").permissions() & std::filesystem::perms::others_all,
            std::filesystem::perms::none)
      << "the environment may hold secrets";
}

TEST_F(LocalEngineTest, ThePhaseFollowsTheFolder) {
  EXPECT_EQ(engine().status("j").phase, JobStatus::Phase::kNotStarted);
  EXPECT_EQ(engine().status("none").phase, JobStatus::Phase::kNotStarted);
  int lock = ::open(folder().lock_path().c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  ASSERT_TRUE(folder().write(StartRecord{::getpid(), 1, 0, 100}).ok());
  EXPECT_EQ(engine().status("j").phase, JobStatus::Phase::kPreparing);
  ASSERT_TRUE(folder().write(StartRecord{::getpid(), 1, 7, 100}).ok());
  EXPECT_EQ(engine().status("j").phase, JobStatus::Phase::kRunning);
  folder().beat(250);
  ::close(lock);
  EXPECT_EQ(engine().status("j").phase, JobStatus::Phase::kLost);
  EXPECT_EQ(engine().status("j").last_seen_ms, 250);
  ASSERT_TRUE(folder().write(ExitRecord{"failed", 3, "r", 300}).ok());
  JobStatus ended = engine().status("j");
  EXPECT_EQ(ended.phase, JobStatus::Phase::kEnded);
  EXPECT_EQ(ended.exit.exit_code, 3);
  EXPECT_EQ(ended.exit.ended_ms, 300);
}

TEST_F(LocalEngineTest, TornRecordsCountAsAbsent) {
  for (const char* junk : {"", "{", "[]", "null", R"({"supervisor_pid": "x"})"}) {
    std::ofstream(root_ + "/j/start.json") << junk;
    std::ofstream(root_ + "/j/exit.json") << junk;
    EXPECT_EQ(engine().status("j").phase, JobStatus::Phase::kNotStarted) << junk;
  }
  std::ofstream(root_ + "/j/launch.json") << "{}";
  EXPECT_EQ(folder().read_launch().error().code(), "engine.cannot_start");
}

TEST_F(LocalEngineTest, AskingForTheStateDoesNotTurnABeginningSupervisorAway) {
  std::ofstream(folder().lock_path()) << "";
  int lock = ::open(folder().lock_path().c_str(), O_RDWR);
  pid_t asker = ::fork();
  if (asker == 0) {
    for (;;) engine().status("j");
  }
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    if (::flock(lock, LOCK_EX | LOCK_NB) != 0) ++refused;
    ::flock(lock, LOCK_UN);
  }
  ::kill(asker, SIGKILL);
  ::waitpid(asker, nullptr, 0);
  ::close(lock);
  EXPECT_EQ(refused, 0);
}

TEST_F(LocalEngineTest, ACancelBeforeTheStartLeavesAFileAndAReusedPidIsNotKilled) {
  engine().cancel("j");
  EXPECT_TRUE(std::filesystem::exists(folder().cancel_path()));
  pid_t other = ::fork();
  if (other == 0) {
    for (;;) ::pause();
  }
  ASSERT_TRUE(folder().write(StartRecord{other, start_ticks(other).value_or(0) - 1, 7, 100}).ok());
  engine().cancel("j");
  EXPECT_TRUE(start_ticks(other).has_value());
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  EXPECT_FALSE(start_ticks(other).has_value());
}

TEST(ProcessTree, ProcessesAreFoundByTheirEnvironmentExactly) {
  int ready[2];
  ASSERT_EQ(::pipe2(ready, O_CLOEXEC), 0);
  pid_t child = ::fork();
  if (child == 0) {
    ::setenv("STARBRIDGE_TEST_MARK", "/a/job-1", 1);
    ::execl("/bin/sleep", "sleep", "60", nullptr);
    ::_exit(127);
  }
  ::close(ready[1]);
  char byte = 0;
  EXPECT_EQ(::read(ready[0], &byte, 1), 0);  // closed by the exec
  ::close(ready[0]);
  std::vector<pid_t> found = processes_with_environment("STARBRIDGE_TEST_MARK=/a/job-1");
  EXPECT_EQ(found, std::vector<pid_t>{child});
  EXPECT_TRUE(processes_with_environment("STARBRIDGE_TEST_MARK=/a/job-").empty());
  EXPECT_TRUE(processes_with_environment("TEST_MARK=/a/job-1").empty());
  std::vector<pid_t> all = descendants(::getpid());
  EXPECT_NE(std::find(all.begin(), all.end(), child), all.end());
  signal_descendants(::getpid(), SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
}

}  // namespace
}  // namespace starbridge::engine
