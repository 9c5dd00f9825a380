"""The fused bias-free GELU: a CUDA kernel when it is built, plain PyTorch otherwise."""

import torch
import torch.nn.functional as F

try:
    import fused_gelu_cuda  # built by setup.py

    class FusedGelu(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x = x.contiguous()
            ctx.save_for_backward(x)
            return fused_gelu_cuda.forward(x)

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return fused_gelu_cuda.backward(grad.contiguous(), x)

    def fused_gelu(x):
        return FusedGelu.apply(x)

except ImportError:

    def fused_gelu(x):
        return F.gelu(x, approximate="tanh")
