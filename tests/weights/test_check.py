"""The figures of `weights check` against torch's own arithmetic on random tensors of every type."""

import math
import unittest

import torch

import support
from support import COMPLEX, FLOATS, INTEGERS, WeightsCase, run, run_json, random_tensor

INTEGER_OF = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def ordered(tensor):
    """Bit patterns as Python whole numbers in the order of the values, both zeros being 0."""
    width = tensor.element_size() * 8
    raw = tensor.contiguous().view(INTEGER_OF[tensor.element_size()]).flatten().tolist()
    magnitude = (1 << (width - 1)) - 1
    return [(-(bits & magnitude) if bits & (1 << (width - 1)) else bits & magnitude) for bits in raw]


def figures(left, right, relative, absolute):
    """What the command should say of two tensors of one float type."""
    a, b = left.double().flatten(), right.double().flatten()
    same = (a == b) | (a.isnan() & b.isnan())
    finite = a.isfinite() & b.isfinite()
    broken = ~same & ~finite
    difference = torch.where(same, torch.zeros_like(a), (a - b).abs())
    numbers = ~(a.isnan() | b.isnan())
    over = lambda limit: int((broken | (finite & (difference > limit))).sum())
    nonzero = finite & (a != 0)
    ulps = [abs(x - y) for x, y, ok in zip(ordered(left), ordered(right), finite.tolist()) if ok]
    infinite_gap = bool((broken & numbers).any())
    dot, aa, bb = (float((x[finite] * y[finite]).sum()) for x, y in ((a, b), (a, a), (b, b)))
    return {
        "absolute_max": math.inf if infinite_gap else float(difference[finite].max()) if finite.any() else 0.0,
        "relative_max": math.inf if infinite_gap else float((difference[nonzero] / a[nonzero].abs()).max()) if nonzero.any() else 0.0,
        "ulp_max": max(ulps, default=0),
        "cosine": dot / math.sqrt(aa * bb) if aa > 0 and bb > 0 else None,
        "unequal": int((~same).sum()),
        "beyond": over(absolute + relative * a.abs()),
        "permille_1": over(0.001 * a.abs()),
        "permille_5": over(0.005 * a.abs()),
        "nan": (int(a.isnan().sum()), int(b.isnan().sum()), int((a.isnan() != b.isnan()).sum())),
    }


def number(value):
    return {"inf": math.inf, "-inf": -math.inf}.get(value, value) if isinstance(value, str) else value


class Figures(WeightsCase):
    def expect_figures(self, row, wanted, name):
        self.assertEqual(number(row["absolute_max"]), wanted["absolute_max"], name)
        self.assertEqual(number(row["relative_max"]), wanted["relative_max"], name)
        self.assertEqual(int(row["ulp_max"]), wanted["ulp_max"], name)
        self.assertEqual(row["unequal_count"], wanted["unequal"], name)
        self.assertEqual(row["beyond_count"], wanted["beyond"], name)
        self.assertEqual((row["beyond_1_permille_count"], row["beyond_5_permille_count"]), (wanted["permille_1"], wanted["permille_5"]), name)
        self.assertEqual((row["nan"]["first"], row["nan"]["second"], row["nan"]["mismatch"]), wanted["nan"], name)
        if wanted["cosine"] is not None:
            self.assertAlmostEqual(row["cosine"], wanted["cosine"], places=9, msg=name)

    def pairs(self, dtypes):
        """name -> (left, right): near, far, and with NaN and infinity at the same and at different places."""
        found = {}
        for dtype in dtypes:
            for index, count in enumerate((1, 7, 1000, 1025, 70_001)):
                left = random_tensor(dtype, [count], self.generator)
                noise = torch.randn(count, generator=self.generator, dtype=torch.float64) * (10.0 ** -self.rng.randint(0, 8))
                right = (left.double() * (1 + noise)).to(dtype)
                if index % 2 == 1:
                    for special in (math.nan, math.inf, -math.inf):
                        left[self.rng.randrange(count)] = special
                        right[self.rng.randrange(count)] = special
                    place = self.rng.randrange(count)
                    left[place] = right[place] = math.inf
                found[f"{str(dtype).split('.')[1]}.{count}"] = (left, right)
        return found

    def test_floats(self):
        pairs = self.pairs(FLOATS)
        torch.save({name: pair[0] for name, pair in pairs.items()}, self.path("a.pt"))
        torch.save({name: pair[1] for name, pair in pairs.items()}, self.path("b.pt"))
        for relative, absolute in ((1e-3, 1e-6), (0.0, 0.0), (0.3, 1.0)):
            rows = run_json("weights", "check", self.path("a.pt"), self.path("b.pt"), "--tolerance", f"{relative}:{absolute}", expect=1)["tensors"]
            self.assertEqual(len(rows), len(pairs))
            for row in rows:
                left, right = pairs[row["name"]]
                if "absolute_max" in row:
                    self.expect_figures(row, figures(left, right, relative, absolute), row["name"])
                else:
                    self.assertEqual(row["outcome"], "identical")
                    self.assertEqual(support.bytes_of(left), support.bytes_of(right))

    def test_the_default_tolerance_is_torchs(self):
        for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.complex64):
            left = random_tensor(dtype, [500], self.generator)
            for scale in (1e-9, 1e-7, 1e-6, 1e-5, 1e-3, 1e-2, 0.1):
                right = left * (1 + scale * torch.randn(500, generator=self.generator).to(left.real.dtype if left.is_complex() else dtype))
                torch.save({"a": left}, self.path("a.pt"))
                torch.save({"a": right}, self.path("b.pt"))
                try:
                    # torch measures complex numbers as points; here each part is measured, so complex ones are asked part by part.
                    parts = (torch.view_as_real(right), torch.view_as_real(left)) if left.is_complex() else (right, left)
                    torch.testing.assert_close(*parts, **({"rtol": 1.3e-6, "atol": 1e-5} if left.is_complex() else {}))
                    wanted = 0
                except AssertionError:
                    wanted = 1
                done = run("weights", "check", self.path("a.pt"), self.path("b.pt"))
                self.assertEqual(done.returncode, wanted, f"{dtype} {scale}\n{done.stdout}")

    def test_whole_numbers(self):
        for dtype in INTEGERS:
            left = random_tensor(dtype, [3000], self.generator)
            right = left.clone()
            places = torch.randperm(3000, generator=self.generator)[:20]
            raw = right.view(torch.uint8)
            raw[places * right.element_size()] ^= 1
            torch.save({"a": left}, self.path("a.pt"))
            torch.save({"a": right}, self.path("b.pt"))
            row = run_json("weights", "check", self.path("a.pt"), self.path("b.pt"), expect=1)["tensors"][0]
            gaps = [abs(x - y) for x, y in zip(map(int, left.tolist()), map(int, right.tolist()))]
            self.assertEqual((row["unequal_count"], row["beyond_count"], int(row["ulp_max"]), row["absolute_max"]), (20, 20, max(gaps), float(max(gaps))), dtype)
            self.assertEqual(row["first_unequal"], int(places.min()), dtype)

    def test_complex_numbers_are_measured_by_part(self):
        for dtype in COMPLEX:
            left = random_tensor(dtype, [257], self.generator)
            right = left.clone()
            torch.view_as_real(right)[100, 1] += 1
            torch.save({"a": left}, self.path("a.pt"))
            torch.save({"a": right}, self.path("b.pt"))
            row = run_json("weights", "check", self.path("a.pt"), self.path("b.pt"), expect=1)["tensors"][0]
            self.assertEqual((row["first_unequal"], row["unequal_count"], row["worst_index"], row["element_count"]), (100, 1, 201, 514))

    def test_views_of_one_side_are_compared_with_copies_of_the_other(self):
        whole = torch.randn(60, 70, generator=self.generator)
        views = {"t": whole.t(), "step": whole[::3, 1::2], "expand": whole[:1].expand(9, 70), "conj": torch.randn(50, dtype=torch.complex64).conj()}
        torch.save(views, self.path("a.pt"))
        torch.save({name: view.clone().contiguous().resolve_conj() for name, view in views.items()}, self.path("b.pt"))
        self.assertEqual(run_json("weights", "check", self.path("a.pt"), self.path("b.pt"))["counts"], {"identical": 4})

    def test_other_dtypes_are_compared_by_value(self):
        left = torch.randn(5000, generator=self.generator)
        for dtype in FLOATS + [torch.int32]:
            right = left.to(dtype)
            torch.save({"a": left}, self.path("a.pt"))
            torch.save({"a": right}, self.path("b.pt"))
            if dtype == torch.float32:
                continue
            row = run_json("weights", "check", self.path("a.pt"), self.path("b.pt"), expect=1)["tensors"][0]
            self.assertEqual(row["outcome"], "dtype_differs")
            self.assertEqual(row["absolute_max"], float((left.double() - right.double()).abs().max()), dtype)
            self.assertNotIn("ulp_max", row)
        run("weights", "check", self.path("a.pt"), self.path("b.pt"), "--ignore-dtype", "--tolerance", "0:2", expect=0)
        run("weights", "check", self.path("a.pt"), self.path("b.pt"), "--ignore-dtype", "--tolerance", "0:0.5", expect=1)
        torch.save({"a": left.bfloat16()}, self.path("b.pt"))
        run("weights", "check", self.path("a.pt"), self.path("b.pt"), "--ignore-dtype", expect=0)

    def test_formats_against_each_other(self):
        tensors = self.some_tensors(list(support.SAFETENSORS))
        torch.save(tensors, self.path("a.pt"))
        torch.save(tensors, self.path("old.pt"), _use_new_zipfile_serialization=False)
        self.write("a.safetensors", support.safetensors_bytes(tensors))
        for other in ("old.pt", "a.safetensors"):
            self.assertEqual(run_json("weights", "check", self.path("a.pt"), self.path(other))["counts"], {"identical": len(tensors)})


class Command(WeightsCase):
    def test_the_first_diverging_layer_is_named_in_the_order_of_the_model(self):
        net = torch.nn.Sequential(*[torch.nn.Linear(4, 4) for _ in range(12)])
        torch.save(net.state_dict(), self.path("a.pt"))
        with torch.no_grad():
            net[10].weight[0, 0] += 1
            net[2].bias[1] += 1
        torch.save(net.state_dict(), self.path("b.pt"))
        answer = run_json("weights", "check", self.path("a.pt"), self.path("b.pt"), expect=1)
        self.assertEqual((answer["schema"], answer["agrees"], answer["order"]), ("starbridge.weights_check/1", False, "first_file"))
        self.assertEqual(answer["first_diverging"], {"tensor": "2.bias", "layer": "2"})
        self.write("order", b"# backwards\n10.weight\n2.bias\n")
        answer = run_json("weights", "check", self.path("a.pt"), self.path("b.pt"), "--order", self.path("order"), expect=1)
        self.assertEqual(answer["first_diverging"]["tensor"], "10.weight")
        text = run("weights", "check", self.path("a.pt"), self.path("b.pt"), expect=1).stdout
        self.assertIn("first at 2.bias (layer 2)", text)
        self.assertIn("identical 22", text)
        self.assertIn("最先出现在 2.bias", run("weights", "check", self.path("a.pt"), self.path("b.pt"), "--lang", "zh", expect=1).stdout)

    def test_prefixes_and_missing_tensors(self):
        torch.save({"a.weight": torch.ones(2), "b": torch.ones(1)}, self.path("a.pt"))
        torch.save({"module.a.weight": torch.ones(2)}, self.path("b.pt"))
        done = run("weights", "check", self.path("a.pt"), self.path("b.pt"), expect=3)
        self.assertIn("weights.nothing_to_compare", done.stderr)
        run("weights", "check", self.path("a.pt"), self.path("b.pt"), "--ignore-prefix", "module.", expect=1)
        run("weights", "check", self.path("a.pt"), self.path("b.pt"), "--ignore-prefix", "module.", "--ignore-missing", expect=0)

    def test_wrong_use_is_refused(self):
        torch.save({"a": torch.ones(2)}, self.path("a.pt"))
        a = self.path("a.pt")
        run("weights", expect=2)
        run("weights", "check", a, expect=2)
        run("weights", "check", a, a, "--tolerance", "x", expect=2)
        run("weights", "check", a, a, "--tolerance", "f99=1", expect=2)
        run("weights", "check", a, a, "--tolerance", "f32=-1", expect=2)
        run("weights", "check", a, a, "--cosine-min", "3", expect=2)
        run("weights", "check", a, a, "--threads", "0", expect=2)
        run("weights", "check", a, self.path("none.pt"), expect=3)
        run("weights", "check", a, a, "--order", self.path("none"), expect=3)
        self.assertIn("starbridge weights check original.pt port.pt", run("weights", "check", "--help", expect=0).stdout)
        done = run("weights", "show", self.write("cut.pt", a.read_bytes()[:-30]), expect=3)
        self.assertIn("cut.pt", done.stderr)


if __name__ == "__main__":
    unittest.main()
