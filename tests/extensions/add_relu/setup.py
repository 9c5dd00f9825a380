from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="add_relu_cuda",
    ext_modules=[CUDAExtension("add_relu_cuda", ["add_relu.cpp", "add_relu_kernel.cu"], extra_compile_args={"cxx": ["-O2"], "nvcc": ["-O2"]})],
    cmdclass={"build_ext": BuildExtension},
)
