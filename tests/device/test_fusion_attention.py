"""torch_npu.npu_fusion_attention of the emulated plug-in against PyTorch's attention."""
from __future__ import annotations

import unittest

from tests.device.support import profile, result_of


class FusionAttention(unittest.TestCase):
    def test_layouts_masks_and_groups_give_pytorchs_attention(self) -> None:
        got = result_of("""
        import json, torch, torch_npu
        B, N, S, K, D = 2, 4, 5, 7, 8
        torch.manual_seed(1)
        q, k, v = torch.randn(B, N, S, D), torch.randn(B, 2, K, D), torch.randn(B, 2, K, D)
        wide = lambda t: t.repeat_interleave(2, 1)
        on = lambda *ts: [t.to("npu") for t in ts]
        attend = torch.nn.functional.scaled_dot_product_attention

        def check(layout, turn, back, expected, **options):
            out = torch_npu.npu_fusion_attention(*on(*(turn(t) for t in (q, k, v))), N, layout, scale=D ** -0.5, **options)
            return [layout, torch.allclose(back(out[0].cpu()), expected, atol=1e-5), list(out[1].shape) == [B, N, S, 8]]

        plain = attend(q, wide(k), wide(v))
        rows = [check("BNSD", lambda t: t, lambda o: o, plain),
                check("BSND", lambda t: t.transpose(1, 2), lambda o: o.transpose(1, 2), plain),
                check("BSH", lambda t: t.transpose(1, 2).flatten(2), lambda o: o.view(B, S, N, D).transpose(1, 2), plain),
                check("SBH", lambda t: t.permute(2, 0, 1, 3).flatten(2), lambda o: o.view(S, B, N, D).permute(1, 2, 0, 3), plain)]
        same = lambda t: t
        hidden = torch.rand(B, 1, S, K) > 0.6
        hidden[..., 0] = False
        rows.append(check("BNSD", same, same, attend(q, wide(k), wide(v), attn_mask=~hidden), atten_mask=hidden.to("npu")))
        row, column = torch.arange(S)[:, None], torch.arange(K)[None]
        rows.append(check("BNSD", same, same, attend(q, wide(k), wide(v), attn_mask=column <= row), sparse_mode=2))
        rows.append(check("BNSD", same, same, attend(q, wide(k), wide(v), attn_mask=column <= row + K - S), sparse_mode=3))
        rows.append(check("BNSD", same, same, attend(q, wide(k), wide(v), attn_mask=(column <= row + 3) & (column >= row + 1)), sparse_mode=4,
                          pre_tockens=1, next_tockens=1))
        print(json.dumps(rows))
        """, profile())
        self.assertEqual(got, [[layout, True, True] for layout in ("BNSD", "BSND", "BSH", "SBH", "BNSD", "BNSD", "BNSD", "BNSD")])

    def test_packed_sequences_gradients_and_refusals(self) -> None:
        got = result_of("""
        import json, torch, torch_npu
        q = torch.randn(6, 2, 4, device="npu", requires_grad=True)
        out = torch_npu.npu_fusion_attention(q, q, q, 2, "TND", actual_seq_qlen=[2, 6], actual_seq_kvlen=[2, 6], scale=0.5)[0]
        parts = [torch.nn.functional.scaled_dot_product_attention(*[q[a:b].transpose(0, 1)] * 3, scale=0.5).transpose(0, 1) for a, b in ((0, 2), (2, 6))]
        expected = torch.cat(parts)
        out.square().sum().backward()
        refused = []
        for options in ({"input_layout": "NSD"}, {"input_layout": "BNSD", "sparse_mode": 7}, {"input_layout": "TND"}):
            try:
                torch_npu.npu_fusion_attention(q[None].detach(), q[None].detach(), q[None].detach(), 6, **options)
            except RuntimeError as error:
                refused.append(str(error).split(": ")[1][:12])
        print(json.dumps([torch.allclose(out, expected, atol=1e-5), bool(q.grad.abs().sum() > 0), refused]))
        """, profile())
        self.assertEqual(got, [True, True, ["input_layout", "sparse_mode ", "TND needs ac"]])


if __name__ == "__main__":
    unittest.main()
