#include "kernel/scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "kernel/machine.h"
#include "kernel/source_words.h"

namespace starbridge::kernel {
namespace {

bool has(const ScannedKernel& kernel, std::string_view feature) {
  return std::find(kernel.features.begin(), kernel.features.end(), feature) != kernel.features.end();
}

TEST(SourceWords, LeavesOutCommentsAndLiterals) {
  const std::string source = "a /* b\nc */ \"d // e\" 'f' R\"x(g\n)\" )x\" // h \\\n i\nj<<<1'000, k>>>";
  std::vector<std::string> words;
  for (const Word& word : words_of_source(source)) words.emplace_back(word.text);
  EXPECT_EQ(words, (std::vector<std::string>{"a", "\"", "'", "R", "\"", "j", "<<<", "1'000", ",", "k", ">>>"}));
  EXPECT_EQ(words_of_source(source).back().line, 5);
}

TEST(SourceWords, TakesDamagedText) {
  for (const char* source : {"\"open\nx", "/* open", "R\"(open", "'", "\\", "R\"", "//\\", "\xff\xfe"})
    EXPECT_LE(words_of_source(source).size(), 3U) << source;
}

TEST(Scan, FindsKernelsOfThreeLanguages) {
  const ScanResult cuda = scan_kernel_text(
      "__device__ float twice(float x) { return __shfl_sync(~0u, x, 0); }\n"
      "template <class T>\n"
      "__global__ void __launch_bounds__(256, 2) k(T* p) {\n  __shared__ T s[4];\n  p[0] = twice(p[1]);\n}\n"
      "__global__ void declared(float* p);\n"
      "void host(int n) { k<float><<<dim3(n, 1), 256, 0, stream>>>(p); }\n",
      "a.cu", "");
  ASSERT_EQ(cuda.kernels.size(), 1U);
  EXPECT_EQ(cuda.kernels[0].name, "k");
  EXPECT_EQ(cuda.kernels[0].line, 3);
  EXPECT_EQ(cuda.kernels[0].line_count, 4);
  EXPECT_TRUE(cuda.kernels[0].is_template);
  EXPECT_TRUE(has(cuda.kernels[0], "shared-memory"));
  EXPECT_TRUE(has(cuda.kernels[0], "warp-operations")) << "through the function it calls";
  ASSERT_EQ(cuda.launches.size(), 1U);
  EXPECT_EQ(cuda.launches[0].kernel, "k<float>");
  EXPECT_EQ(cuda.launches[0].arguments, (std::vector<std::string>{"dim3(n,1)", "256", "0", "stream"}));

  const ScanResult bang = scan_kernel_text(
      "__nram__ float a[64];\n__mlu_entry__ void k(float* p) {\n  __memcpy_async(a, p, 256, GDRAM2NRAM);\n  __sync_io();\n}\n",
      "a.mlu", "");
  ASSERT_EQ(bang.kernels.size(), 1U);
  EXPECT_EQ(bang.kernels[0].machine, "bang");
  EXPECT_TRUE(has(bang.kernels[0], "async-copies"));
  EXPECT_EQ(bang.features.at("bang").at("nram"), 1);

  const ScanResult ascend = scan_kernel_text(
      "#include \"kernel_operator.h\"\nclass Add {\n public:\n  __aicore__ inline void Process() { DataCopy(x, y, 8); }\n};\n"
      "extern \"C\" __global__ __aicore__ void add(GM_ADDR x) {\n  Add op;\n  op.Process();\n}\n",
      "a.cpp", "");
  ASSERT_EQ(ascend.kernels.size(), 1U);
  EXPECT_EQ(ascend.kernels[0].name, "add");
  EXPECT_TRUE(has(ascend.kernels[0], "copies"));
}

TEST(Scan, TakesDamagedSources) {
  for (const char* source : {"__global__", "__global__ void k(", "__global__ void k() {", "<<<", "k<<<1, 2", "x<<<>>>",
                             "__global__ void (", "}}}} __global__ void k() { {", "__global__ int a = 3;"})
    EXPECT_LE(scan_kernel_text(source, "a.cu", "").kernels.size(), 1U) << source;
}

TEST(Scan, SaysWhatIsMissing) {
  EXPECT_EQ(scan_kernels("/nowhere/at/all.cu").error().code(), "base.file_not_found");
  const std::string path = testing::TempDir() + "/scan_host_only.cu";
  std::ofstream(path) << "int main() {}\n";
  EXPECT_EQ(scan_kernels(path).error().code(), "kernel.no_kernel_source");
}

TEST(Scan, EveryFeatureIsWhole) {
  for (const Feature& feature : kernel_features()) {
    EXPECT_FALSE(feature.words.empty()) << feature.id;
    EXPECT_FALSE(feature.title.zh.empty()) << feature.id;
    for (const Need& need : feature.needs) {
      EXPECT_NE(need.target, feature.machine) << feature.id;
      EXPECT_TRUE(std::any_of(machines().begin(), machines().end(), [&](const Machine& machine) {
        return machine.id == need.target;
      })) << feature.id;
      EXPECT_NE(need.effort, Effort::kSame) << feature.id;
      EXPECT_FALSE(need.how.zh.empty()) << feature.id;
    }
  }
}

}  // namespace
}  // namespace starbridge::kernel
