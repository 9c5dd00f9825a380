// Files that are CUDA's own: which, and that a port leaves their devices.
#include "port/cuda_only.h"

#include <gtest/gtest.h>

#include "port/python/outline.h"

namespace starbridge::port {
namespace {

using Files = std::map<std::string, std::string>;

// Path -> language, of the files found.
std::map<std::string, std::string> found(const Files& files) {
  std::vector<std::string> paths;
  std::vector<python::Outline> outlines;
  for (const auto& [path, source] : files) {
    paths.push_back(path);
    outlines.push_back(python::read_outline(source));
  }
  std::vector<const python::Outline*> pointers;
  for (const python::Outline& outline : outlines) pointers.push_back(&outline);
  std::vector<CudaOnly> own = find_cuda_only(paths, pointers);
  std::map<std::string, std::string> result;
  for (std::size_t file = 0; file < paths.size(); ++file) {
    if (!own[file].language.empty()) result[paths[file]] = own[file].language;
  }
  return result;
}

TEST(CudaOnly, AFileInALanguageForKernels) {
  EXPECT_EQ(found({{"a.py", "import torch\nimport cutlass.cute as cute\n"},
                   {"b.py", "import cuda.bindings.driver as cuda\n"},
                   {"c.py", "from cuda import cudart\n"},
                   {"d.py", "import pycuda.driver as drv, os\n"},
                   {"e.py", "from numba import cuda\n@cuda.jit\ndef f(x):\n    pass\n"},
                   {"f.py", "import cupy\nk = cupy.RawKernel(code, 'k')\n"}}),
            (std::map<std::string, std::string>{{"a.py", "cutlass.cute"},
                                                {"b.py", "cuda.bindings.driver"},
                                                {"c.py", "cuda.cudart"},
                                                {"d.py", "pycuda.driver"},
                                                {"e.py", "numba.cuda"},
                                                {"f.py", "cupy"}}));
}

TEST(CudaOnly, NotWhatCanDoWithout) {
  EXPECT_EQ(found({{"a.py", "try:\n    import cutlass\nexcept ImportError:\n    cutlass = None\n"},
                   {"b.py", "def f():\n    import pycuda.driver\n"},
                   {"c.py", "import cupy\nx = cupy.asarray(y)\n"},
                   {"d.py", "from numba import jit\nimport numba\n"},
                   {"e.py", "from pkg.cuda import f\nimport cudatoolkit\n"},
                   {"f.py", "x = '''\nimport pycuda2\n'''\n"}}),
            Files());
}

TEST(CudaOnly, NotAModuleOfTheProjectOfThatName) {
  EXPECT_EQ(found({{"cuda/__init__.py", ""}, {"cuda/ops.py", "x = 1\n"}, {"train.py", "from cuda.ops import x\n"}}), Files());
}

TEST(CudaOnly, PartsOfAKernelBesideItAndItsTests) {
  Files files = {{"k/ops/__init__.py", "from k.ops.gemm import run\n"},
                 {"k/ops/gemm.py", "import cutlass\n"},
                 {"k/ops/norm.py", "import cutlass\n"},
                 {"k/ops/fused.py", "from k.ops.gemm import run\n"},
                 {"k/model.py", "from k.ops.fused import run\n"},
                 {"tests/test_fused.py", "def test():\n    from k.ops.fused import run\n"},
                 {"tests/test_model.py", "from k.model import Model\n"}};
  EXPECT_EQ(found(files), (std::map<std::string, std::string>{{"k/ops/gemm.py", "cutlass"},
                                                              {"k/ops/norm.py", "cutlass"},
                                                              {"k/ops/fused.py", "cutlass"},
                                                              {"tests/test_fused.py", "cutlass"}}));
}

TEST(CudaOnly, AProgramBesideOneKernelIsPorted) {
  Files files = {{"kernel.py", "import pycuda.driver\n"},
                 {"train.py", "import kernel\n"},
                 {"model.py", "import kernel\n"},
                 {"data.py", "x = 1\n"}};
  EXPECT_EQ(found(files), (std::map<std::string, std::string>{{"kernel.py", "pycuda.driver"}}));
}

}  // namespace
}  // namespace starbridge::port
