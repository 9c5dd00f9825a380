from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="fused_gelu_cuda",
    ext_modules=[CUDAExtension("fused_gelu_cuda", ["kernels/fused_gelu.cu"])],
    cmdclass={"build_ext": BuildExtension},
)
