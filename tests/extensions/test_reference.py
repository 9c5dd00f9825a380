"""The original extension on the emulated NVIDIA card, from Python."""
from __future__ import annotations

import pathlib
import tempfile
import unittest

from tests.extensions import support

INLINE = '''
import torch
from torch.utils.cpp_extension import load_inline

KERNEL = """
__global__ void twice(const float* a, float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = 2 * a[i] + 1;
}
torch::Tensor twice_of(torch::Tensor a) {
  auto b = torch::empty_like(a);
  twice<<<(a.numel() + 127) / 128, 128>>>(a.data_ptr<float>(), b.data_ptr<float>(), (int)a.numel());
  return b;
}
"""
module = load_inline("twice_inline", cpp_sources="torch::Tensor twice_of(torch::Tensor a);", cuda_sources=KERNEL, functions=["twice_of"])
b = module.twice_of(torch.arange(300, dtype=torch.float32, device="cuda"))
print([float(b[i]) for i in (0, 1, 2, 299)])
'''


class Reference(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_setup_py_builds_in_place_and_gradients_agree(self) -> None:
        project = support.copy_project("add_relu", self.folder)
        environment = support.reference_environment()
        built = support.run(["setup.py", "build_ext", "--inplace"], project, environment)
        self.assertEqual(built.returncode, 0, built.stderr[-3000:])
        done = support.run(["train.py"], project, environment)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        self.assertIn("gradients agree", done.stdout)
        losses = [float(line.split()[-1]) for line in done.stdout.splitlines() if " loss " in line]
        self.assertEqual(len(losses), 12)
        self.assertLess(losses[-1], losses[0])
        # Told to run one block of each grid only, the card leaves the rest as it was: nothing of PyTorch's own stands in for the kernel.
        program = "import torch, add_relu_cuda as e; x = torch.ones(10, 100).cuda(); print(int(e.backward(x, x)[0].sum()))"
        done = support.run(["-c", program], project, {**environment, "SB_EMULATE_SAMPLE": "1"})
        self.assertEqual(done.stdout.strip().splitlines()[-1:], ["128"], done.stderr[-2000:])

    def test_a_source_that_does_not_compile_is_named_with_its_place(self) -> None:
        project = support.copy_project("add_relu", self.folder)
        source = project / "add_relu_kernel.cu"
        source.write_text(source.read_text().replace("grad_x[i] =", "grad_y[i] ="))
        built = support.run(["setup.py", "build_ext", "--inplace"], project, support.reference_environment())
        self.assertNotEqual(built.returncode, 0)
        self.assertIn("add_relu_kernel.cu:24", built.stderr)
        self.assertIn("grad_y", built.stderr)

    def test_sources_given_as_text_are_built_and_loaded(self) -> None:
        program = pathlib.Path(self.folder) / "inline.py"
        program.write_text(INLINE)
        done = support.run([program.name], program.parent, support.reference_environment())
        self.assertEqual((done.returncode, done.stdout.strip()), (0, "[1.0, 3.0, 5.0, 599.0]"), done.stderr[-3000:])


if __name__ == "__main__":
    unittest.main()
