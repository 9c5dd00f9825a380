"""Operators that are one part of their module: what that part takes and what it computes, written in PyTorch.

In the attention set most operators are the last, fused part of a module whose projections PyTorch computes. The formula stands in the
operator's own extension (its documentation string) and in the module of the same name; here it is written again with PyTorch's
operations, in the module's order. Sizes are small ones the operator takes; inputs are normal.
"""
from __future__ import annotations

import math

import torch
import torch.nn.functional as F

import reference

GLOBAL_KEYS = (0, 511)  # LongformerAttention: the positions all attend to, which its module names


def normal(*extents):
    return torch.randn(*extents)


def three(*extents):
    return [normal(*extents) for _ in range(3)]


def attention(q, k, v, scale=None, seen=None):
    scores = q @ k.transpose(-2, -1) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if seen is not None:
        scores = scores.masked_fill(~seen, -1e9)
    return scores.softmax(-1) @ v


def near(length, window):
    at = torch.arange(length)
    return (at[None] - at[:, None]).abs() <= window // 2


def longformer(q, k, v, window):
    seen = near(q.shape[2], window)
    for at in GLOBAL_KEYS:
        seen[at, :] = True
        seen[:, at] = True
    return attention(q, k, v, seen=seen)


def strided(q, k, v, stride):
    at = torch.arange(q.shape[2])
    return attention(q, k, v, seen=(at[None] - at[:, None]) % stride == 0)


def grouped(q, k, v):
    repeats = q.shape[1] // k.shape[1]
    return attention(q, k.repeat_interleave(repeats, 1), v.repeat_interleave(repeats, 1))


def kernelised(q, k, v):
    """Attention without the softmax: features of q and k, and the sum over the keys as divisor."""
    divisor = (q * k.sum(2, keepdim=True)).sum(-1, keepdim=True) + 1e-6
    return q @ (k.transpose(-2, -1) @ v) / divisor


def cosformer(q, k, v):
    length = q.shape[2]
    decay = torch.exp(-torch.arange(length).float() / length)[:, None]
    return kernelised(q.relu() * decay, k.relu() * decay, v)


def halo(q, k, v, mask):
    scores = (q @ k.transpose(1, 2)).masked_fill(mask, -torch.finfo(torch.float32).max)
    return scores.softmax(-1) @ v


def external(x):
    x = x.softmax(1)
    return x / x.sum(2, keepdim=True)


def crossformer(attn, v, weight, bias):
    batch, heads, length, width = v.shape
    return F.linear((attn @ v).transpose(1, 2).reshape(batch, length, heads * width), weight, bias)


def outlook(attn, v):
    batch, heads, places, window, width = v.shape
    side = math.isqrt(places)
    columns = (attn @ v).permute(0, 1, 4, 3, 2).reshape(batch, heads * width * window, places)
    return F.fold(columns, output_size=(side, side), kernel_size=3, padding=1)


def gated_channels(x, alpha, gamma, beta, epsilon):
    alpha, gamma, beta = (value[None, :, None, None] for value in (alpha, gamma, beta))
    embedding = (x.pow(2).sum((2, 3), keepdim=True) + epsilon).sqrt() * alpha
    norm = gamma / (embedding.pow(2).mean(1, keepdim=True) + epsilon).sqrt()
    return x * (1 + torch.tanh(embedding * norm + beta))


def mobile(i, k, v, weight, bias):
    context = (i.softmax(1) * k).sum(1, keepdim=True)
    return F.linear(v * context, weight, bias)


def shuffle(x0, x1, gate, normed, weight, bias, batch):
    both = torch.cat([x0 * gate, x1 * torch.sigmoid(weight * normed + bias)], 1)
    _, _, height, width = both.shape
    return both.reshape(batch, 2, -1, height, width).transpose(1, 2).reshape(batch, -1, height, width)


def grouped_rows(rows, weights, groups):
    return torch.stack([weights[group].float() @ row.float() for row, group in zip(rows, groups.tolist())]).to(rows.dtype)


def gelu_group_norm(x, gamma, beta):
    return F.group_norm(F.gelu(x, approximate="tanh"), 8, gamma, beta, 1e-5)


def rms_norm(x):
    return x * torch.rsqrt(x.pow(2).mean(1, keepdim=True) + 1e-5)


QKV = (1, 4, 64, 64)  # batch, heads, length, width
IMAGE = (2, 64, 7, 7)
HEIGHT_WIDTH = 49


def image_gates():
    batch, channels, height, width = IMAGE
    return [normal(*IMAGE), torch.sigmoid(normal(batch, channels, 1, 1)), torch.sigmoid(normal(batch, 1, height, width))]


def image_tails():
    batch, channels, _, _ = IMAGE
    return normal(*IMAGE), [normal(batch, channels, HEIGHT_WIDTH) for _ in range(2)]


def features():
    return [value.relu() + 1e-6 for value in (normal(1, 4, 64, 64), normal(1, 4, 64, 64))] + [normal(1, 4, 64, 64)]


def elu_features():
    q, k, v = three(*QKV)
    return [F.elu(q) + 1, F.elu(k) + 1, v]


# name -> (inputs, attributes, formula over the inputs)
PARTS = {
    "AdaptiveAttention": (lambda: three(*QKV), [], attention),
    "AxialAttention": (lambda: three(8, 7, 64), [("float", 0.125)], lambda q, k, v: attention(q, k, v, 0.125)),
    "BAM": (lambda: three(*IMAGE), [], lambda x, channel, spatial: x * (1 + torch.sigmoid(channel + spatial))),
    "BlockSparseAttention": (lambda: [*three(1, 4, 4, 32, 64), torch.tensor([0.125])], [], lambda q, k, v, scale: attention(q, k, v, 0.125)),
    "CBAMBlock": (image_gates, [], lambda x, channel, spatial: x * channel * spatial + x),
    "CoTAttention": (lambda: [image_tails()[0], *image_tails()[1]], [], lambda k1, att, v: k1 + (att.softmax(-1) * v).view_as(k1)),
    "CoordAtt": (lambda: three(*IMAGE), [], lambda x, a_w, a_h: x * a_w * a_h),
    "CosformerAttention": (lambda: three(*QKV), [], cosformer),
    "CrissCrossAttention": (lambda: [*three(*IMAGE), torch.tensor([0.7])], [], lambda x, out_h, out_w, gamma: x + gamma * (out_h + out_w)),
    "CrossAttention": (lambda: [normal(1, 4, 64, 64), normal(1, 4, 48, 64), normal(1, 4, 48, 64)], [("float", 0.125)],
                       lambda q, k, v: attention(q, k, v, 0.125)),
    "CrossformerAttention": (lambda: [normal(2, 8, 49, 49).softmax(-1), normal(2, 8, 49, 64), normal(512, 512) / 22, normal(512)], [], crossformer),
    "DAModule": (lambda: [normal(2, HEIGHT_WIDTH, 512), normal(2, 512, HEIGHT_WIDTH)], [("int", 7), ("int", 7)],
                 lambda p, c: (p.transpose(1, 2) + c).reshape(2, 512, 7, 7)),
    "DoubleAttention": (lambda: three(2, 128, HEIGHT_WIDTH), [], lambda a, b, v: a @ b.softmax(-1).transpose(1, 2) @ v.softmax(-1)),
    "EMSA": (lambda: [normal(2, 8, 49, 64), normal(2, 8, 64, 49), normal(2, 8, 49, 64)], [], lambda q, k, v: attention(q, k.transpose(-2, -1), v)),
    "ExternalAttention": (lambda: [normal(4, 49, 64)], [], external),
    "FlashAttentionV2": (lambda: [*three(*QKV), torch.tensor([0.125])], [], lambda q, k, v, scale: attention(q, k, v, 0.125)),
    "GCModule": (lambda: [normal(*IMAGE), normal(2, 64, 1, 1)], [], lambda x, y: x + y),
    "GatedChannelTransform": (lambda: [normal(2, 512, 7, 7), *three(512), torch.tensor([1e-5])], [], gated_channels),
    "GroupedGEMM": (lambda: [normal(24, 256).bfloat16(), normal(4, 64, 256).bfloat16(), torch.randint(0, 4, (24,), dtype=torch.int32)], [], grouped_rows),
    "GroupedQueryAttention": (lambda: [normal(1, 8, 64, 64), normal(1, 2, 64, 64), normal(1, 2, 64, 64)], [], grouped),
    "HaloAttention": (lambda: [normal(16, 4, 64) / 8, normal(16, 16, 64), normal(16, 16, 64), torch.rand(16, 1, 16) < 0.3], [], halo),
    "LinearAttention": (elu_features, [], kernelised),
    "LocalAttention": (lambda: three(*QKV), [("int", 32)], lambda q, k, v: attention(q, k, v, seen=near(q.shape[2], 32))),
    "LongformerAttention": (lambda: three(1, 1, 512, 64), [("int", 32)], lambda q, k, v: longformer(q, k, v, 32)),
    "MobileViTAttention": (lambda: three(*IMAGE), [], lambda x, att, ffn: x + att + ffn),
    "MobileViTv2Attention": (lambda: [normal(2, 49, 1), normal(2, 49, 512), normal(2, 49, 512), normal(512, 512) / 22, normal(512)], [], mobile),
    "MultiHeadAttention": (lambda: three(*QKV), [], attention),
    "MultiQueryAttention": (lambda: [normal(1, 4, 64, 64), normal(1, 1, 64, 64), normal(1, 1, 64, 64)], [], grouped),
    "OptimizedFlashAttention": (lambda: [*three(*QKV), normal(4, 64, 64)], [("bool", True)],
                                lambda q, k, v, bias: (q @ k.transpose(-2, -1) / 8 + bias).softmax(-1) @ v),
    "OutlookAttention": (lambda: [normal(2, 1, 49, 9, 9).softmax(-1), normal(2, 1, 49, 9, 64)], [], outlook),
    "PAM": (lambda: [normal(2, 49, 512) / 22, normal(2, 512, 49), normal(2, 49, 512)], [], lambda b, c, d: ((b @ c).softmax(-1) @ d).transpose(1, 2)),
    "ParNetAttention": (lambda: three(*IMAGE), [], lambda x1, x2, x3: F.silu(x1 + x2 + x3)),
    "ParallelPolarizedSelfAttention": (image_gates, [], lambda x, channel, spatial: x * (channel + spatial)),
    "PerformerAttention": (features, [], kernelised),
    "S2Attention": (lambda: [normal(2, 3, 512).softmax(1), normal(2, 3, 7, 7, 512)], [], lambda attn, x: (attn[:, :, None, None] * x).sum(1)),
    "SKAttention": (lambda: [normal(4, 2, 64, 1, 1).softmax(0), normal(4, 2, 64, 7, 7)], [], lambda attn, x: (attn * x).sum(0)),
    "ScaledDotProductAttentionModular": (lambda: [normal(1, 4, 64, 64), normal(1, 4, 48, 64), normal(1, 4, 48, 64)], [], attention),
    "SelfAttention": (lambda: three(*QKV), [], attention),
    "SequentialPolarizedSelfAttention": (image_gates, [], lambda x, channel, spatial: x * channel * spatial),
    "ShuffleAttention": (lambda: [normal(16, 32, 7, 7), normal(16, 32, 7, 7), torch.sigmoid(normal(16, 32, 1, 1)), normal(16, 32, 7, 7),
                                  normal(1, 32, 1, 1), normal(1, 32, 1, 1)], [], lambda *given: shuffle(*given, batch=2)),
    "SimplifiedSelfAttention": (lambda: [normal(1, 4, 64, 64), normal(1, 4, 48, 64), normal(1, 4, 48, 64)], [], attention),
    "StridedAttention": (lambda: three(*QKV), [("int", 4)], lambda q, k, v: strided(q, k, v, 4)),
    "Conv3dMishTanh": (lambda: [normal(2, 16, 6, 14, 14)], [], lambda x: torch.tanh(F.mish(x))),
    "ConvTranspose2dAddMinGeluMultiply": (lambda: [normal(2, 16, 32, 32)], [],
                                          lambda x: 2 * F.gelu(torch.clamp(x + 0.5, max=0), approximate="tanh")),
    "ConvTranspose2dGeluGroupNorm": (lambda: [normal(2, 64, 32, 32), normal(64), normal(64)], [], gelu_group_norm),
    "RmsNorm": (lambda: [normal(2, 64, 16, 16)], [], rms_norm),
}


def call(name, described):
    """The arguments of a call of the part, or None where the operator is not one of these."""
    part = PARTS.get(name.removesuffix("Custom"))
    if part is None:
        return None
    make, attributes, formula = part
    torch.manual_seed(7)
    given = make()
    answer = reference.tensors_of(formula(*given))
    if len(answer) != len(described["output_desc"]):
        raise reference.Skip(f"{len(described['output_desc'])} outputs, the formula gives {len(answer)}")
    return reference.Call(given, attributes, answer, is_cut_down=True, model=formula, given=given, is_whole=True)
