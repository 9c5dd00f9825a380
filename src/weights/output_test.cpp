#include "weights/output.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "weights/device_map.h"
#include "weights/test_files.h"
#include "weights/zip_reader.h"
#include "weights/zip_writer.h"

namespace starbridge::weights {
namespace {

std::size_t files_in(const TempFolder& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++count;
  return count;
}

TEST(OutputFile, IsThereWhenCommittedAndOtherwiseNot) {
  TempFolder folder;
  {
    OutputFile file = OutputFile::create(folder.path() + "/a", false).value();
    ASSERT_TRUE(file.write(std::string(3'000'000, 'x')).ok());
    EXPECT_FALSE(std::filesystem::exists(folder.path() + "/a"));
  }
  EXPECT_EQ(files_in(folder), 0u);
  OutputFile file = OutputFile::create(folder.path() + "/a", false).value();
  ASSERT_TRUE(file.write("hello world").ok());
  ASSERT_TRUE(file.overwrite(6, "there").ok());
  ASSERT_TRUE(file.write("!").ok());
  ASSERT_TRUE(file.commit().ok());
  EXPECT_EQ(base::read_file(folder.path() + "/a").value(), "hello there!");
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(OutputFile, ReplacesOnlyWhenAsked) {
  TempFolder folder;
  std::string path = folder.write("a", "old");
  EXPECT_EQ(OutputFile::create(path, false).error().code(), "base.file_exists");
  OutputFile file = OutputFile::create(path, true).value();
  ASSERT_TRUE(file.write("new").ok());
  EXPECT_EQ(base::read_file(path).value(), "old");
  ASSERT_TRUE(file.commit().ok());
  EXPECT_EQ(base::read_file(path).value(), "new");
  EXPECT_EQ(OutputFile::create(folder.path(), true).error().code(), "base.file_exists");
}

TEST(OutputFile, ANameTakenMeanwhileIsNotReplaced) {
  TempFolder folder;
  OutputFile file = OutputFile::create(folder.path() + "/a", false).value();
  folder.write("a", "came first");
  EXPECT_EQ(file.commit().error().code(), "base.file_exists");
  EXPECT_EQ(base::read_file(folder.path() + "/a").value(), "came first");
}

TEST(OutputFolder, TakesThePlaceOfNothingButAnEmptyFolder) {
  TempFolder folder;
  {
    OutputFolder dropped = OutputFolder::create(folder.path() + "/a/").value();
    EXPECT_TRUE(std::filesystem::is_directory(dropped.temporary()));
  }
  EXPECT_EQ(files_in(folder), 0u);
  std::filesystem::create_directory(folder.path() + "/a");
  OutputFolder kept = OutputFolder::create(folder.path() + "/a").value();
  ASSERT_TRUE(kept.commit().ok());
  folder.write("a/file", "x");
  EXPECT_EQ(OutputFolder::create(folder.path() + "/a").error().code(), "base.file_exists");
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(ZipWriter, WritesWhatTheReaderReadsAligned) {
  TempFolder folder;
  OutputFile file = OutputFile::create(folder.path() + "/a.zip", false).value();
  ZipWriter zip(file);
  ASSERT_TRUE(zip.add("m/one", "first").ok());
  ASSERT_TRUE(zip.add("m/none", "").ok());
  ASSERT_TRUE(zip.begin("m/two", 6).ok());
  ASSERT_TRUE(zip.write(std::as_bytes(std::span("abc", 3))).ok());
  ASSERT_TRUE(zip.write(std::as_bytes(std::span("def", 3))).ok());
  ASSERT_TRUE(zip.end().ok());
  ASSERT_TRUE(zip.finish().ok());
  ASSERT_TRUE(file.commit().ok());
  std::unique_ptr<FileSource> source = FileSource::open(folder.path() + "/a.zip").value();
  ZipReader reader = ZipReader::open(*source).value();
  ASSERT_EQ(reader.entries().size(), 3u);
  for (const ZipEntry& entry : reader.entries()) EXPECT_EQ(entry.data_offset % 64, 0u) << entry.name;
  EXPECT_EQ(read_all(*reader.source_of(*reader.find("m/two")), 100, "two").value(), "abcdef");
}

TEST(ZipWriter, ManyEntriesNeedTheWideForm) {
  TempFolder folder;
  OutputFile file = OutputFile::create(folder.path() + "/a.zip", false).value();
  ZipWriter zip(file);
  constexpr std::size_t kEntries = 65'536;  // one more than the narrow form can count
  for (std::size_t index = 0; index < kEntries; ++index) ASSERT_TRUE(zip.add("m/" + std::to_string(index), "x").ok());
  ASSERT_TRUE(zip.finish().ok());
  ASSERT_TRUE(file.commit().ok());
  std::unique_ptr<FileSource> source = FileSource::open(folder.path() + "/a.zip").value();
  ZipReader reader = ZipReader::open(*source).value();
  EXPECT_EQ(reader.entries().size(), kEntries);
  EXPECT_NE(reader.find("m/65535"), nullptr);
}

TEST(DeviceMap, RenamesTags) {
  auto apply = [](const std::string& word, const std::string& tag) { return DeviceMap::parse(word).value().apply(tag); };
  EXPECT_EQ(apply("", "cuda:1"), "cuda:1");
  EXPECT_EQ(apply("cpu", "cuda:1"), "cpu");
  EXPECT_EQ(apply("npu:0", "cpu"), "npu:0");
  EXPECT_EQ(apply("npu", "cuda:1"), "npu:1");
  EXPECT_EQ(apply("npu", "cpu"), "cpu");
  EXPECT_EQ(apply("cuda=npu,cuda:3=cpu", "cuda:3"), "cpu");
  EXPECT_EQ(apply("cuda=npu,cuda:3=cpu", "cuda:2"), "npu:2");
  EXPECT_EQ(apply("cuda=npu", "mlu:2"), "mlu:2");
  EXPECT_EQ(apply("cpu", "meta"), "meta");
  for (const char* word : {"NPU", "npu:", "npu:x", "a=b=c", "npu,cpu", "npu,cuda=mlu", "=npu", "npu:9999999"}) {
    EXPECT_EQ(DeviceMap::parse(word).error().code(), "base.usage") << word;
  }
}

}  // namespace
}  // namespace starbridge::weights
