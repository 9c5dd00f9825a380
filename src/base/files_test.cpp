#include "base/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/hash.h"

namespace starbridge::base {
namespace {

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "starbridge-files-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(Files, WrittenContentComesBack) {
  std::string content("a\0b\r\n", 5);
  ASSERT_TRUE(write_file_atomically(folder_ + "/f", content).ok());
  EXPECT_EQ(read_file(folder_ + "/f").value(), content);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(Files, RefusalsNameTheirKind) {
  EXPECT_EQ(read_file(folder_ + "/none").error().code(), "base.file_not_found");
  EXPECT_EQ(read_file(folder_).error().code(), "base.not_a_file");
  ASSERT_EQ(::mkfifo((folder_ + "/pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_file(folder_ + "/pipe").error().code(), "base.not_a_file");
  ASSERT_TRUE(write_file_atomically(folder_ + "/big", std::string(100, 'x')).ok());
  EXPECT_EQ(read_file(folder_ + "/big", 99).error().code(), "base.document_too_large");
  EXPECT_TRUE(read_file(folder_ + "/big", 100).ok());
  EXPECT_EQ(write_file_atomically(folder_ + "/no/such/place", "x").error().code(), "base.file_not_found");
}

TEST_F(Files, AFailedWriteLeavesTheOldContentAndNothingElse) {
  ASSERT_TRUE(write_file_atomically(folder_ + "/f", "old").ok());
  struct rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit tight = before;
  tight.rlim_cur = 1000;
  ::setrlimit(RLIMIT_FSIZE, &tight);
  Status written = write_file_atomically(folder_ + "/f", std::string(5000, 'n'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_FALSE(written.ok());
  EXPECT_EQ(read_file(folder_ + "/f").value(), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(Files, ProcFilesOfUnknownLengthAreReadWhole) { EXPECT_FALSE(read_file("/proc/self/status").value().empty()); }

TEST(Hash, Sha256OfKnownTexts) {  // FIPS 180-4 examples
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace starbridge::base
