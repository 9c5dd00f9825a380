#include "cli/extension_scripts.h"

#include <gtest/gtest.h>

namespace starbridge::cli {
namespace {

std::string ported(const std::string& script) {
  std::vector<port::Edit> edits = source_edits(script, {{"a.cu", "a.cpp"}, {"b.cu", "b_host.cpp"}});
  return port::apply_edits(script, edits);
}

TEST(ExtensionScripts, NamedSourcesBecomeTwo) {
  EXPECT_EQ(ported("s = ['src/a.cu', \"b.cu\", 'c.cu']"), "s = ['src/a.mlu', 'src/a.cpp', \"b.mlu\", \"b_host.cpp\", 'c.cu']");
  EXPECT_EQ(ported("s = [os.path.join(here, 'csrc', 'a.cu')]"),
            "s = [os.path.join(here, 'csrc', 'a.mlu'), os.path.join(here, 'csrc', 'a.cpp')]");
  EXPECT_EQ(ported("s = ['/'.join(f.split('/')[:-1] + ['a.cu'])]"),
            "s = ['/'.join(f.split('/')[:-1] + ['a.mlu']), '/'.join(f.split('/')[:-1] + ['a.cpp'])]");
}

TEST(ExtensionScripts, SearchesLookForBothKinds) {
  EXPECT_EQ(ported("s = glob.glob(os.path.join(d, '*.cu')) + x"),
            "s = [*glob.glob(os.path.join(d, '*.mlu')), *glob.glob(os.path.join(d, '*_host.cc'))] + x");
  EXPECT_EQ(ported("s = list(Path(f('x')).rglob(\"*.cu\"))"),
            "s = list([*Path(f('x')).rglob(\"*.mlu\"), *Path(f('x')).rglob(\"*_host.cc\")])");
  EXPECT_EQ(ported("s = glob('**/*.cu', recursive=True)"),
            "s = [*glob('**/*.mlu', recursive=True), *glob('**/*_host.cc', recursive=True)]");
}

TEST(ExtensionScripts, RemarksAndBrokenStringsAreLeft) {
  EXPECT_EQ(ported("# 'a.cu'\ns = 'a.cu"), "# 'a.cu'\ns = 'a.cu");
  EXPECT_EQ(ported("s = ['a.cuh', 'my_a.cu', '.cu', '']"), "s = ['a.cuh', 'my_a.cu', '.cu', '']");
  EXPECT_EQ(ported("a.cu"), "a.cu");
}

}  // namespace
}  // namespace starbridge::cli
