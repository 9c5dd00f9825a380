// Recurrent cells: PyTorch's LSTM and GRU call fused cells on every accelerator, and the CPU has no kernel for them. They are
// built here from the device's own operators. Gate order i, f, g, o (LSTM) and r, z, n (GRU), as in torch.nn.
#include <ATen/ATen.h>
#include <torch/library.h>

namespace {

using at::Tensor;
using MaybeTensor = std::optional<Tensor>;

Tensor with_bias(const Tensor& gates, const MaybeTensor& bias) {
  return bias.has_value() && bias->defined() ? gates + *bias : gates;
}

Tensor sigmoid_slope(const Tensor& value) { return (1 - value) * value; }

Tensor tanh_slope(const Tensor& value) { return 1 - value * value; }

std::tuple<Tensor, Tensor, Tensor> lstm_cell(const Tensor& input_gates, const Tensor& hidden_gates, const Tensor& cx,
                                             const MaybeTensor& input_bias, const MaybeTensor& hidden_bias) {
  auto gates = (with_bias(input_gates, input_bias) + with_bias(hidden_gates, hidden_bias)).chunk(4, 1);
  Tensor i = gates[0].sigmoid();
  Tensor f = gates[1].sigmoid();
  Tensor g = gates[2].tanh();
  Tensor o = gates[3].sigmoid();
  Tensor cy = f * cx + i * g;
  return {o * cy.tanh(), cy, at::cat({i, f, g, o}, 1)};
}

std::tuple<Tensor, Tensor, Tensor> lstm_cell_backward(const MaybeTensor& grad_hy, const MaybeTensor& grad_cy, const Tensor& cx,
                                                      const Tensor& cy, const Tensor& workspace, bool has_bias) {
  auto parts = workspace.chunk(4, 1);
  const Tensor &i = parts[0], &f = parts[1], &g = parts[2], &o = parts[3];
  bool has_hy = grad_hy.has_value() && grad_hy->defined();
  bool has_cy = grad_cy.has_value() && grad_cy->defined();
  if (!has_hy && !has_cy) return {Tensor(), Tensor(), Tensor()};
  Tensor squashed = cy.tanh();
  Tensor grad_o = has_hy ? *grad_hy * squashed * sigmoid_slope(o) : at::zeros_like(o);
  Tensor grad_c = has_hy ? *grad_hy * o * tanh_slope(squashed) : at::zeros_like(cy);
  if (has_cy) grad_c = grad_c + *grad_cy;
  Tensor grad_gates =
      at::cat({grad_c * g * sigmoid_slope(i), grad_c * cx * sigmoid_slope(f), grad_c * i * tanh_slope(g), grad_o}, 1);
  return {grad_gates, grad_c * f, has_bias ? grad_gates.sum(0) : Tensor()};
}

std::tuple<Tensor, Tensor> gru_cell(const Tensor& input_gates, const Tensor& hidden_gates, const Tensor& hx,
                                    const MaybeTensor& input_bias, const MaybeTensor& hidden_bias) {
  auto input = with_bias(input_gates, input_bias).chunk(3, 1);
  auto hidden = with_bias(hidden_gates, hidden_bias).chunk(3, 1);
  Tensor r = (input[0] + hidden[0]).sigmoid();
  Tensor z = (input[1] + hidden[1]).sigmoid();
  Tensor n = (input[2] + r * hidden[2]).tanh();
  return {n + z * (hx - n), at::cat({r, z, n, hx, hidden[2]}, 1)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> gru_cell_backward(const Tensor& grad_hy, const Tensor& workspace,
                                                                     bool has_bias) {
  auto parts = workspace.chunk(5, 1);
  const Tensor &r = parts[0], &z = parts[1], &n = parts[2], &hx = parts[3], &hidden_n = parts[4];
  Tensor grad_z = grad_hy * (hx - n) * sigmoid_slope(z);
  Tensor grad_n = grad_hy * (1 - z) * tanh_slope(n);
  Tensor grad_r = grad_n * hidden_n * sigmoid_slope(r);
  Tensor grad_input = at::cat({grad_r, grad_z, grad_n}, 1);
  Tensor grad_hidden = at::cat({grad_r, grad_z, grad_n * r}, 1);
  Tensor none;
  return {grad_input, grad_hidden, grad_hy * z, has_bias ? grad_input.sum(0) : none, has_bias ? grad_hidden.sum(0) : none};
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_thnn_fused_lstm_cell", TORCH_FN(lstm_cell));
  m.impl("_thnn_fused_lstm_cell_backward_impl", TORCH_FN(lstm_cell_backward));
  m.impl("_thnn_fused_gru_cell", TORCH_FN(gru_cell));
  m.impl("_thnn_fused_gru_cell_backward", TORCH_FN(gru_cell_backward));
}
