// Checks and bindings: relu(x + bias) over the last dimension, with its gradient.
#include <torch/extension.h>

#include <vector>

torch::Tensor add_relu_forward_cuda(torch::Tensor x, torch::Tensor bias);
std::vector<torch::Tensor> add_relu_backward_cuda(torch::Tensor grad, torch::Tensor y);

#define CHECK_CUDA(x) TORCH_CHECK(x.device().is_cuda(), #x " must be a CUDA tensor")
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")
#define CHECK_INPUT(x) \
  CHECK_CUDA(x);       \
  CHECK_CONTIGUOUS(x)

torch::Tensor forward(torch::Tensor x, torch::Tensor bias) {
  CHECK_INPUT(x);
  CHECK_INPUT(bias);
  TORCH_CHECK(x.size(-1) == bias.size(0), "bias has ", bias.size(0), " elements, the last dimension ", x.size(-1));
  return add_relu_forward_cuda(x, bias);
}

std::vector<torch::Tensor> backward(torch::Tensor grad, torch::Tensor y) {
  CHECK_INPUT(grad);
  CHECK_INPUT(y);
  return add_relu_backward_cuda(grad, y);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, "relu(x + bias) (CUDA)");
  m.def("backward", &backward, "its gradients (CUDA)");
}
