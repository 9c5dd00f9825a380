#include "weights/zip_reader.h"

#include <gmock/gmock.h>

#include "weights/test_files.h"

namespace starbridge::weights {
namespace {

std::string code_of(const std::string& archive) {
  MemorySource source(archive);
  base::Result<ZipReader> zip = ZipReader::open(source);
  return zip.ok() ? "" : zip.error().code();
}

std::string content_of(const ZipReader& zip, const std::string& name) {
  const ZipEntry* entry = zip.find(name);
  if (entry == nullptr) return "(missing)";
  base::Result<std::string> bytes = read_all(*zip.source_of(*entry), 1 << 30, name);
  return bytes.ok() ? *bytes : bytes.error().render(base::Language::kEnglish);
}

TEST(ZipReader, ReadsStoredAndDeflatedEntries) {
  std::string large(3'000'000, 'a');
  MemorySource source(zip_of({{"a/one", "first", false}, {"a/two", large, true}, {"a/none", "", true}}));
  ZipReader zip = ZipReader::open(source).value();
  EXPECT_EQ(zip.entries().size(), 3u);
  EXPECT_EQ(content_of(zip, "a/one"), "first");
  EXPECT_EQ(content_of(zip, "a/two"), large);
  EXPECT_EQ(content_of(zip, "a/none"), "");
  EXPECT_EQ(zip.find("a/three"), nullptr);
}

TEST(ZipReader, FindsTheEndBehindAComment) {
  std::string archive = zip_of({{"a", "x", false}});
  archive[archive.size() - 2] = 5;
  MemorySource source(archive + "hello");
  EXPECT_EQ(content_of(ZipReader::open(source).value(), "a"), "x");
}

TEST(ZipReader, AnInflatedEntryIsCheckedAtItsFirstUse) {
  auto damage = [](auto change) {
    MemorySource source(zip_of({{"a", std::string(5000, 'x'), true}}, [&](std::size_t, ZipFields& fields) { change(fields); }));
    return content_of(ZipReader::open(source).value(), "a");
  };
  EXPECT_THAT(damage([](ZipFields& fields) { fields.crc32 ^= 1; }), testing::HasSubstr("CRC-32"));
  EXPECT_THAT(damage([](ZipFields& fields) { fields.bytes = 4999; }), testing::HasSubstr("more than it declares"));
  EXPECT_THAT(damage([](ZipFields& fields) { fields.bytes = 5001; }), testing::HasSubstr("less than it declares"));
  EXPECT_THAT(damage([](ZipFields& fields) { fields.packed_bytes -= 5; }), testing::HasSubstr("weights.malformed"));
}

TEST(ZipReader, RefusesNamesThatLeaveTheArchive) {
  for (const char* name : {"../up", "/root", "a/../../b", "a//b", "a\\..\\b", "c:x", "a/./b", ""}) {
    EXPECT_EQ(code_of(zip_of({{name, "x", false}})), "weights.unsafe_name") << name;
  }
  EXPECT_EQ(code_of(zip_of({{std::string("a\0b", 3), "x", false}})), "weights.unsafe_name");
  EXPECT_EQ(code_of(zip_of({{"folder/", "", false}, {"a..b/c", "x", false}})), "");
}

TEST(ZipReader, RefusesBombs) {
  // Sizes that no deflated byte could give, and entries that all inflate the same bytes.
  auto bomb = [](std::size_t, ZipFields& fields) { fields.bytes = 0xfffffff0; };
  EXPECT_EQ(code_of(zip_of({{"a", std::string(1000, 'x'), true}}, bomb)), "weights.limit");
  auto overlap = [](std::size_t, ZipFields& fields) { fields.local_offset = 0; };
  EXPECT_EQ(code_of(zip_of({{"a", "xxxx", false}, {"a", "yyyy", false}}, overlap)), "weights.malformed");
}

TEST(ZipReader, RefusesContradictions) {
  std::vector<ZipPart> parts = {{"a", "xxxx", false}, {"b", "yyyy", false}};
  EXPECT_EQ(code_of(zip_of(parts, [](std::size_t, ZipFields& fields) { fields.name = "c"; })), "weights.malformed");
  EXPECT_EQ(code_of(zip_of(parts, [](std::size_t, ZipFields& fields) { fields.flags = 1; })), "weights.unsupported");
  EXPECT_EQ(code_of(zip_of(parts, [](std::size_t, ZipFields& fields) { fields.method = 99; })), "weights.unsupported");
  EXPECT_EQ(code_of(zip_of(parts, [](std::size_t, ZipFields& fields) { fields.bytes = 5; })), "weights.malformed");
  EXPECT_EQ(code_of(zip_of(parts, [](std::size_t, ZipFields& fields) { fields.bytes = fields.packed_bytes = 9999; })),
            "weights.malformed");
  EXPECT_EQ(code_of(zip_of(parts, [](std::size_t, ZipFields& fields) { fields.local_offset = 70000; })), "weights.malformed");
  EXPECT_EQ(code_of(zip_of({{"a", "x", false}, {"a", "y", false}})), "weights.malformed");
}

TEST(ZipReader, RefusesEveryTruncation) {
  std::string archive = zip_of({{"a/one", "first", false}, {"a/two", "second", true}});
  for (std::size_t size = 0; size < archive.size(); ++size) EXPECT_NE(code_of(archive.substr(0, size)), "") << size;
}

}  // namespace
}  // namespace starbridge::weights
