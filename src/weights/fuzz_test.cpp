// Damaged files of every format: each must be read or refused, never crash, hang or reach beyond itself. Seeded; one seed is one
// file. STARBRIDGE_FUZZ_SECONDS gives it more time than the second it takes here (./check --all does).
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <random>

#include "weights/compare.h"
#include "weights/convert.h"
#include "weights/pickle.h"
#include "weights/test_files.h"
#include "weights/torch_objects.h"

namespace starbridge::weights {
namespace {

using namespace std::string_literals;

double seconds_allowed() {
  const char* asked = std::getenv("STARBRIDGE_FUZZ_SECONDS");
  return asked != nullptr && std::atof(asked) > 0 ? std::atof(asked) : 1.0;
}

std::string mutated(std::string bytes, std::mt19937_64& random) {
  static constexpr unsigned char kTelling[] = {0,   1,   0x7f, 0x80, 0xff, '(', ')', '.', 't', 'R',
                                               'b', '}', ']',  '0',  '2',  'h', 'Q', '{', '"', '\n'};
  std::size_t changes = 1 + random() % 6;
  for (std::size_t change = 0; change < changes && !bytes.empty(); ++change) {
    std::size_t at = random() % bytes.size();
    switch (random() % 7) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(kTelling[random() % sizeof kTelling]);
        break;
      case 2:
        bytes[at] ^= static_cast<char>(1 << (random() % 8));
        break;
      case 3:
        bytes.resize(at);
        break;
      case 4:
        bytes.erase(at, 1 + random() % 8);
        break;
      case 5:
        bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 32));
        break;
      case 6:
        for (std::size_t byte = at; byte < std::min(bytes.size(), at + 4); ++byte) bytes[byte] = static_cast<char>(0xff);
        break;
    }
  }
  return bytes;
}

std::vector<std::pair<std::string, std::string>> healthy_files() {
  PickledTensor weight{"FloatStorage", "0", "cuda:0", 6, 0, {2, 3}, {3, 1}},
      view{"FloatStorage", "0", "cuda:0", 6, 0, {3, 2}, {1, 3}};
  PickledTensor half{"HalfStorage", "1", "cpu", 4, 0, {4}, {1}};
  std::string pickle = pickled_dict({{"a.weight", weight}, {"a.view", view}, {"b", half}});
  std::string data = std::string("\0\0\x80?\0\0\0@\0\0@@\0\0\x80@\0\0\xa0@\0\0\xc0@", 24);
  std::string npy = std::string("\x93NUMPY\x01\x00\x46\x00", 10);
  std::string npy_header = "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }";
  npy_header.resize(0x46, ' ');
  std::string objects =
      "\x80\x04\x95\x20\0\0\0\0\0\0\0}(\x8c\x01"
      "a\x94](K\x01K\x02"
      "e\x8c\x01"
      "b\x94\x8c\x0b"
      "collections\x94\x8c\x0bOrderedDict\x94\x93)R\x94u."s;
  return {
      {"a.pt", torch_zip(pickle, {{"0", data}, {"1", std::string(8, '<')}})},
      {"deflated.pt", zip_of({{"m/data.pkl", pickle, true},
                              {"m/byteorder", "big", true},
                              {"m/data/0", data, true},
                              {"m/data/1", std::string(8, '<'), true}})},
      {"a.safetensors",
       safetensors_of(
           R"({"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},"b":{"dtype":"BF16","shape":[2],"data_offsets":[24,28]}})",
           data + "abcd")},
      {"a.npy", npy + npy_header + data},
      {"a.pkl", objects}};
}

TEST(Fuzz, DamagedFilesAreReadOrRefused) {
  TempFolder folder;
  std::vector<std::pair<std::string, std::string>> healthy = healthy_files();
  std::vector<std::size_t> readable(healthy.size(), 0);
  for (const auto& [name, bytes] : healthy) {
    base::Result<Checkpoint> checkpoint = open_checkpoint(folder.write(name, bytes));
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().render(base::Language::kEnglish);
  }
  auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds_allowed());
  std::uint64_t seed = 0;
  for (; std::chrono::steady_clock::now() < deadline || seed < 500; ++seed) {
    std::mt19937_64 random(seed);
    const auto& [name, bytes] = healthy[seed % healthy.size()];
    std::string path = folder.write(name, mutated(bytes, random));
    base::Result<Checkpoint> checkpoint = open_checkpoint(path);
    if (!checkpoint.ok()) {
      ASSERT_FALSE(checkpoint.error().message().en.empty()) << "seed " << seed;
      continue;
    }
    ++readable[seed % healthy.size()];
    // What was accepted must be readable to its last element.
    base::Result<Comparison> compared = compare(*checkpoint, *checkpoint, {});
    if (compared.ok()) {
      ASSERT_TRUE(compared->agrees) << "seed " << seed;
    }
  }
  for (std::size_t index = 0; index < healthy.size(); ++index)
    EXPECT_GT(readable[index], 0u) << healthy[index].first << " of " << seed;
}

// What can be read can be written anew, or is refused with a reason; what was written holds the same numbers.
TEST(Fuzz, DamagedFilesAreConvertedOrRefused) {
  TempFolder folder;
  std::vector<std::pair<std::string, std::string>> healthy = healthy_files();
  auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds_allowed());
  std::size_t converted = 0;
  for (std::uint64_t seed = 0; std::chrono::steady_clock::now() < deadline || seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    const auto& [name, bytes] = healthy[seed % healthy.size()];
    std::string path = folder.write(name, seed < healthy.size() * 2 ? bytes : mutated(bytes, random));
    ConvertOptions options;
    options.format = seed / healthy.size() % 2 == 0 ? Format::kTorchZip : Format::kSafetensors;
    options.devices = DeviceMap::parse("npu").value();
    options.replaces = true;
    std::string target = folder.path() + "/converted";
    base::Result<ConvertReport> report = convert(path, target, options);
    if (!report.ok()) {
      ASSERT_FALSE(report.error().message().en.empty()) << "seed " << seed;
      continue;
    }
    base::Result<Checkpoint> before = open_checkpoint(path), after = open_checkpoint(target);
    ASSERT_TRUE(before.ok() && after.ok()) << "seed " << seed;
    if (before->tensors.empty()) continue;
    CompareOptions exact;
    exact.rule.is_exact = true;
    exact.rule.ignores_missing = true;  // tensors without bytes have no place in safetensors
    base::Result<Comparison> compared = compare(*before, *after, exact);
    ASSERT_TRUE(!compared.ok() || compared->agrees) << "seed " << seed;
    converted += compared.ok() ? 1 : 0;
  }
  EXPECT_GE(converted, healthy.size() * 2);
}

TEST(Fuzz, RandomOpcodesNeverCrashThePickleReader) {
  auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds_allowed());
  static constexpr std::string_view kOpcodes(
      "().0123BCFGIJKLMNPQRSTUVX]abcdeghijloqprstu}"
      "\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f\x90\x91\x92\x93\x94\x95\x96\x97\x98");
  std::size_t accepted = 0;
  for (std::uint64_t seed = 0; std::chrono::steady_clock::now() < deadline || seed < 5000; ++seed) {
    std::mt19937_64 random(seed);
    std::string text;
    for (std::size_t count = random() % 60; count > 0; --count) {
      // Values are pushed more often than taken, so that deep stacks are reached.
      if (random() % 2 == 0) text += random() % 2 == 0 ? "K\x01" : random() % 2 == 0 ? "cos\nx\n" : "]";
      text += kOpcodes[random() % kOpcodes.size()];
      if (random() % 4 == 0) text += static_cast<char>(random() % 5);
    }
    text += ".";
    base::Result<Pickle> pickle = read_pickle(text, seed % 2 == 0);
    if (!pickle.ok()) continue;
    ++accepted;
    ASSERT_LT(pickle->root, pickle->nodes.size()) << "seed " << seed;
    (void)find_tensors(*pickle).ok();
  }
  EXPECT_GT(accepted, 0u);
}

}  // namespace
}  // namespace starbridge::weights
