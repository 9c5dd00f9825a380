#include "engine/job_cgroup.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

namespace starbridge::engine {
namespace {

TEST(JobCgroup, EndsEveryProcessInItAndGoesAway) {
  std::string path;
  {
    JobCgroup group = JobCgroup::create("starbridge-test-" + std::to_string(::getpid()));
    if (!group.exists()) GTEST_SKIP() << "no control groups can be made here";
    path = group.path();
    EXPECT_TRUE(group.is_empty());
    pid_t child = ::fork();
    if (child == 0) {
      group.enter();
      if (::fork() == 0) ::setsid();  // a process that left the session and its parent
      ::pause();
    }
    while (group.is_empty()) ::usleep(1000);
    ::usleep(20'000);
    group.kill();
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    for (int wait = 0; wait < 2000 && !group.is_empty(); ++wait) ::usleep(1000);
    EXPECT_TRUE(group.is_empty());
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(JobCgroup, WithoutAGroupNothingHappens) {
  JobCgroup none;
  none.enter();
  none.kill();
  EXPECT_TRUE(none.is_empty());
}

}  // namespace
}  // namespace starbridge::engine
