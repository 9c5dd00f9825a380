#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

#include <vector>

namespace {

constexpr int kThreads = 128;

// One thread per element, row by row.
template <typename scalar_t>
__global__ void forward_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ bias, scalar_t* __restrict__ y, int64_t count,
                               int64_t width) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float sum = static_cast<float>(x[i]) + static_cast<float>(bias[i % width]);
  y[i] = static_cast<scalar_t>(sum > 0.f ? sum : 0.f);
}

template <typename scalar_t>
__global__ void backward_kernel(const scalar_t* __restrict__ grad, const scalar_t* __restrict__ y, scalar_t* __restrict__ grad_x, int64_t count) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) grad_x[i] = static_cast<float>(y[i]) > 0.f ? grad[i] : static_cast<scalar_t>(0.f);
}

}  // namespace

torch::Tensor add_relu_forward_cuda(torch::Tensor x, torch::Tensor bias) {
  const at::cuda::CUDAGuard guard(x.device());
  auto y = torch::empty_like(x);
  const int64_t count = x.numel();
  const int blocks = static_cast<int>((count + kThreads - 1) / kThreads);
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "add_relu_forward", ([&] {
    forward_kernel<scalar_t><<<blocks, kThreads, 0, stream>>>(x.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), count,
                                                              x.size(-1));
  }));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

std::vector<torch::Tensor> add_relu_backward_cuda(torch::Tensor grad, torch::Tensor y) {
  const at::cuda::CUDAGuard guard(grad.device());
  auto grad_x = torch::zeros(grad.sizes(), grad.options().device(torch::kCUDA));
  const int64_t count = grad.numel();
  const int blocks = static_cast<int>((count + kThreads - 1) / kThreads);
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(grad.scalar_type(), "add_relu_backward", ([&] {
    backward_kernel<scalar_t><<<blocks, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
        grad.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), grad_x.data_ptr<scalar_t>(), count);
  }));
  AT_CUDA_CHECK(cudaGetLastError());
  return {grad_x, grad_x.sum_to_size({grad.size(-1)})};
}
