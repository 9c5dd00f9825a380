"""A layer with the extension's kernels, its gradients held against PyTorch's own, and a few steps of training."""

import torch

import add_relu_cuda


class AddRelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, bias):
        y = add_relu_cuda.forward(x.contiguous(), bias)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return tuple(add_relu_cuda.backward(grad.contiguous(), y))


def compare_with_torch(dtype, shape):
    x = torch.randn(*shape).to("cuda", dtype).requires_grad_()
    bias = torch.randn(shape[-1]).to("cuda", dtype).requires_grad_()
    weights = torch.randn(*shape).to("cuda", dtype)
    (AddRelu.apply(x, bias) * weights).sum().backward()
    ours = [x.grad.clone(), bias.grad.clone()]
    x.grad = bias.grad = None
    (torch.relu(x + bias) * weights).sum().backward()
    for mine, theirs in zip(ours, (x.grad, bias.grad)):
        torch.testing.assert_close(mine, theirs)


def main():
    torch.manual_seed(3)
    for dtype in (torch.float32, torch.float16):
        for shape in ((7, 33), (1, 1), (4, 5, 128)):
            compare_with_torch(dtype, shape)
    print("gradients agree")
    torch.manual_seed(5)
    weight = torch.nn.Parameter(torch.randn(16, 24).cuda() * 0.1)
    bias = torch.nn.Parameter(torch.zeros(24, device="cuda"))
    inputs, targets = torch.randn(64, 16).cuda(), torch.rand(64, 24).cuda()
    optimizer = torch.optim.SGD([weight, bias], lr=0.5)
    for step in range(12):
        optimizer.zero_grad()
        loss = (AddRelu.apply(inputs @ weight, bias) - targets).square().mean()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.6f}")
    torch.save({"weight": weight.detach(), "bias": bias.detach()}, "layer.pt")


if __name__ == "__main__":
    main()
