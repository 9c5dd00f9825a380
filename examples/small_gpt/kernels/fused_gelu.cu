// GELU (tanh form) over a flat tensor and its gradient, one thread per element, grid-stride.
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

template <typename scalar_t>
__global__ void fused_gelu_backward_kernel(const scalar_t* __restrict__ grad, const scalar_t* __restrict__ input, scalar_t* __restrict__ grad_input,
                                           int64_t count) {
  const float kScale = 0.7978845608f;
  for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < count; i += static_cast<int64_t>(gridDim.x) * blockDim.x) {
    float x = static_cast<float>(input[i]);
    float t = tanhf(kScale * (x + 0.044715f * x * x * x));
    float slope = 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * kScale * (1.0f + 3.0f * 0.044715f * x * x);
    grad_input[i] = static_cast<scalar_t>(static_cast<float>(grad[i]) * slope);
  }
}

static int blocks_for(int64_t count, int threads) { return static_cast<int>(std::min<int64_t>((count + threads - 1) / threads, 4096)); }

torch::Tensor forward(torch::Tensor input) {
  TORCH_CHECK(input.is_cuda() && input.is_contiguous(), "a contiguous CUDA tensor is expected");
  auto output = torch::empty_like(input);
  const int threads = 256;
  const int blocks = blocks_for(input.numel(), threads);
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(input.scalar_type(), "fused_gelu", [&] {
    fused_gelu_kernel<scalar_t><<<blocks, threads>>>(input.data_ptr<scalar_t>(), output.data_ptr<scalar_t>(), input.numel());
  });
  return output;
}

torch::Tensor backward(torch::Tensor grad, torch::Tensor input) {
  TORCH_CHECK(grad.is_cuda() && grad.is_contiguous(), "a contiguous CUDA tensor is expected");
  auto grad_input = torch::empty_like(input);
  const int threads = 256;
  const int blocks = blocks_for(input.numel(), threads);
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(input.scalar_type(), "fused_gelu_backward", [&] {
    fused_gelu_backward_kernel<scalar_t>
        <<<blocks, threads>>>(grad.data_ptr<scalar_t>(), input.data_ptr<scalar_t>(), grad_input.data_ptr<scalar_t>(), input.numel());
  });
  return grad_input;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, "GELU (CUDA)");
  m.def("backward", &backward, "gradient of GELU (CUDA)");
}
