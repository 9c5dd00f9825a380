"""The plug-in's own functions that ported programs call most, written with PyTorch's operators."""
from __future__ import annotations

import torch

__all__ = ["npu_fusion_attention", "npu_rms_norm", "npu_swiglu", "npu_rotary_mul", "npu_format_cast", "get_npu_format"]


def npu_rms_norm(x: torch.Tensor, gamma: torch.Tensor, epsilon: float = 1e-6) -> tuple[torch.Tensor, torch.Tensor]:
    dims = tuple(range(x.dim() - gamma.dim(), x.dim()))
    scale = torch.rsqrt(x.float().pow(2).mean(dims, keepdim=True) + epsilon)
    return (x.float() * scale).to(x.dtype) * gamma, scale


def npu_swiglu(x: torch.Tensor, dim: int = -1) -> torch.Tensor:
    gate, value = x.chunk(2, dim)
    return torch.nn.functional.silu(gate) * value


def npu_rotary_mul(x: torch.Tensor, r1: torch.Tensor, r2: torch.Tensor, rotary_mode: str = "half") -> torch.Tensor:
    if rotary_mode == "half":
        first, second = x.chunk(2, -1)
        turned = torch.cat((-second, first), -1)
    else:
        turned = torch.stack((-x[..., 1::2], x[..., ::2]), -1).reshape(x.shape)
    return x * r1 + turned * r2


def npu_format_cast(x: torch.Tensor, acl_format: int) -> torch.Tensor:
    """Private memory formats do not exist here; the values are the same."""
    return x


def get_npu_format(x: torch.Tensor) -> int:
    return 2  # ND


def _attention_mask(rows: int, columns: int, sparse_mode: int, before: int, after: int, given: torch.Tensor | None, device: torch.device) -> torch.Tensor | None:
    """True where a key may not be seen. Modes as documented: 0 and 1 the mask given, 2 causal from the left, 3 causal from the right end, 4 a band."""
    if sparse_mode in (0, 1):
        return None if given is None else given.to(torch.bool)
    if sparse_mode not in (2, 3, 4):
        raise RuntimeError(f"npu_fusion_attention: sparse_mode {sparse_mode} is not emulated; 0 to 4 are")
    row, column = torch.arange(rows, device=device)[:, None], torch.arange(columns, device=device)[None, :]
    if sparse_mode == 2:
        return column > row
    shift = columns - rows
    if sparse_mode == 3:
        return column > row + shift
    return (column > row + shift + after) | (column < row + shift - before)


def npu_fusion_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, head_num: int, input_layout: str, pse: torch.Tensor | None = None,
                         padding_mask: torch.Tensor | None = None, atten_mask: torch.Tensor | None = None, scale: float = 1.0, keep_prob: float = 1.0,
                         pre_tockens: int = 2147483647, next_tockens: int = 2147483647, inner_precise: int = 0, prefix: list[int] | None = None,
                         actual_seq_qlen: list[int] | None = None, actual_seq_kvlen: list[int] | None = None, sparse_mode: int = 0,
                         gen_mask_parallel: bool = True, sync: bool = False) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, int, int, int]:
    """Attention by its definition, softmax in float32. Fewer heads of keys than of queries: each serves a group."""
    if input_layout == "TND":
        if not actual_seq_qlen or not actual_seq_kvlen or len(actual_seq_qlen) != len(actual_seq_kvlen):
            raise RuntimeError("npu_fusion_attention: TND needs actual_seq_qlen and actual_seq_kvlen, the ends of the sequences, of one length")
        parts, queries, keys = [], [0, *actual_seq_qlen], [0, *actual_seq_kvlen]
        for index in range(len(actual_seq_qlen)):
            q, kv = slice(queries[index], queries[index + 1]), slice(keys[index], keys[index + 1])
            parts.append(npu_fusion_attention(query[q][None], key[kv][None], value[kv][None], head_num, "BSND", pse, padding_mask, atten_mask, scale, keep_prob,
                                              pre_tockens, next_tockens, sparse_mode=sparse_mode))
        return torch.cat([part[0][0] for part in parts]), *(torch.cat([part[n].flatten() for part in parts]) for n in (1, 2)), parts[0][3], 0, 0, 0
    turns = {"BNSD": None, "BSND": (0, 2, 1, 3), "BSH": (0, 2, 1, 3), "SBH": (1, 2, 0, 3)}
    if input_layout not in turns:
        raise RuntimeError(f"npu_fusion_attention: input_layout {input_layout!r} is not one of {', '.join(turns)}, TND")
    width = query.shape[-1] // (head_num if input_layout in ("BSH", "SBH") else 1)

    def heads(tensor: torch.Tensor) -> torch.Tensor:
        if input_layout in ("BSH", "SBH"):
            tensor = tensor.reshape(*tensor.shape[:2], -1, width)
        turn = turns[input_layout]
        return tensor if turn is None else tensor.permute(turn)

    q, k, v = heads(query), heads(key), heads(value)
    if q.shape[1] != head_num or head_num % k.shape[1] != 0:
        raise RuntimeError(f"npu_fusion_attention: head_num {head_num} does not go with {q.shape[1]} heads of queries and {k.shape[1]} of keys")
    k, v = (tensor.repeat_interleave(head_num // k.shape[1], 1) for tensor in (k, v))
    scores = q.float() @ k.float().transpose(-1, -2) * scale
    if pse is not None:
        scores = scores + pse.float()
    mask = _attention_mask(q.shape[2], k.shape[2], sparse_mode, pre_tockens, next_tockens, atten_mask, query.device)
    if mask is not None:
        scores = scores.masked_fill(mask, torch.finfo(torch.float32).min)
    highest = scores.detach().amax(-1, keepdim=True)
    weights = (scores - highest).exp()
    total = weights.sum(-1, keepdim=True)
    weights = torch.nn.functional.dropout((weights / total).to(query.dtype), 1.0 - keep_prob, training=keep_prob < 1.0)
    out = weights @ v
    if turns[input_layout] is not None:
        out = out.permute((2, 0, 1, 3) if input_layout == "SBH" else (0, 2, 1, 3))
    out = out.reshape(query.shape[:2] + (-1,)) if input_layout in ("BSH", "SBH") else out
    # The vendor keeps eight copies of each row's maximum and sum.
    return out.contiguous(), highest.expand(*highest.shape[:-1], 8), total.detach().expand(*total.shape[:-1], 8), query.new_empty(0), 0, 0, 0
