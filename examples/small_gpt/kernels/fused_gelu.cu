// GELU (tanh form) over a flat tensor, one thread per element, grid-stride.
#include <torch/extension.h>
#include <cuda_runtime.h>

template <typename scalar_t>
__global__ void fused_gelu_kernel(const scalar_t* __restrict__ input, scalar_t* __restrict__ output, int64_t count) {
  const float kScale = 0.7978845608f;  // sqrt(2 / pi)
  for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < count; i += static_cast<int64_t>(gridDim.x) * blockDim.x) {
    float x = static_cast<float>(input[i]);
    float inner = kScale * (x + 0.044715f * x * x * x);
    output[i] = static_cast<scalar_t>(0.5f * x * (1.0f + tanhf(inner)));
  }
}

torch::Tensor forward(torch::Tensor input) {
  auto output = torch::empty_like(input);
  const int threads = 256;
  const int blocks = static_cast<int>(std::min<int64_t>((input.numel() + threads - 1) / threads, 4096));
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(input.scalar_type(), "fused_gelu", [&] {
    fused_gelu_kernel<scalar_t><<<blocks, threads>>>(input.data_ptr<scalar_t>(), output.data_ptr<scalar_t>(), input.numel());
  });
  return output;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, "GELU (CUDA)"); }
