"""The commands on bad input: a located message, a stable exit code, nothing that hangs."""

import json
import os
import re
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STARBRIDGE = os.environ.get("STARBRIDGE_BIN", str(ROOT / "build/dev/src/cli/starbridge"))
CORPUS = Path(__file__).parent / "cuda"


def starbridge(*arguments):
    done = subprocess.run([STARBRIDGE, "kernel", *map(str, arguments)], capture_output=True, text=True, timeout=100,
                          env={**os.environ, "STARBRIDGE_ROOT": str(ROOT)})
    return done.returncode, done.stdout, done.stderr


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = Path(self.folder.name) / name
        path.write_text(text)
        return path

    def refused(self, text, code):
        status, out, _ = starbridge("run", "--json", self.write("bad.cu", text))
        error = json.loads(out)
        self.assertEqual(status, 3)
        self.assertEqual(error["code"], code)
        return error

    def test_an_unknown_call_is_named_with_the_nearest_known_one(self):
        error = self.refused("int main() {\n  int* p;\n  cudaMaloc(&p, 4);\n}\n", "kernel.does_not_compile")
        self.assertEqual(error["place"]["line"], 3)
        self.assertIn("cudaMalloc", error["next_step"])

    def test_an_unknown_built_in_is_named_with_the_nearest_known_one(self):
        path = self.write("bad.mlu", "#include <bang.h>\n__mlu_entry__ void k(float* p) {\n  __bang_addd(p, p, p, 4);\n}\nint main() {}\n")
        status, out, _ = starbridge("run", "--json", path)
        error = json.loads(out)
        self.assertEqual((status, error["code"], error["place"]["line"]), (3, "kernel.does_not_compile", 3))
        self.assertIn("__bang_add", error["next_step"])

    def test_a_built_in_the_chip_has_and_the_emulator_has_not_is_refused_at_its_line(self):
        name = re.search(r"SB_BANG_REFUSED\((__bang_\w+)\)", (ROOT / "src/emulate/bang/include/starbridge/bang_refused.def").read_text())[1]
        path = self.write("bad.mlu", f"#include <bang.h>\n__mlu_entry__ void k(float* p) {{\n\n  {name}(p, 1);\n}}\nint main() {{}}\n")
        status, out, _ = starbridge("run", "--json", path)
        error = json.loads(out)
        self.assertEqual((status, error["place"]["line"]), (3, 4))
        self.assertIn(name, error["message"])

    def test_chips_are_named_and_unknown_ones_refused(self):
        path = self.write("good.mlu", "#include <bang.h>\n#include <cstdio>\n#ifndef __BANG_ARCH__\n#define __BANG_ARCH__ 0\n#endif\n__mlu_entry__ void k(int* p) { p[0] = __BANG_ARCH__; }\n"
                          "int main() {\n  int* p;\n  int value = 0;\n  cnrtMalloc((void**)&p, 4);\n"
                          "  k<<<cnrtDim3_t{1, 1, 1}, cnrtFuncTypeBlock, nullptr>>>(p);\n  cnrtQueueSync(nullptr);\n"
                          '  cnrtMemcpy(&value, p, 4, cnrtMemcpyDevToHost);\n  std::printf("arch %d\\n", value);\n  cnrtFree(p);\n}\n')
        for chip, arch in (("mlu370-x8", 372), ("mlu290", 290), ("mlu590", 592)):
            status, out, err = starbridge("run", path, "--chip", chip)
            self.assertEqual(status, 0, err)
            self.assertIn(f"arch {arch}", out)
        status, _, err = starbridge("run", path, "--chip", "a100")
        self.assertEqual(status, 3)
        self.assertIn("mlu370-x8", err)

    def test_one_seed_gives_one_report_on_the_chip(self):
        program = ROOT / "tests/kernels/bang/wrong/missing-pipe-sync.mlu"
        reports = []
        for _ in range(2):
            status, out, _ = starbridge("check", "--json", program, "--seed", "5")
            self.assertEqual(status, 1)
            reports.append(json.loads(out))
        self.assertEqual(reports[0]["findings"], reports[1]["findings"])

    def test_a_missing_sync_changes_results_with_the_seed_and_each_seed_repeats(self):
        path = self.write("racy.mlu", "#include <bang.h>\n#include <cstdio>\n__nram__ float a[64];\n__mlu_entry__ void k(float* p) {\n"
                          "  __bang_write_value(a, 64, 1.0f);\n  __sync();\n  __memcpy_async(a, p, 256, GDRAM2NRAM);\n"
                          "  __bang_add_scalar(a, a, 1.0f, 64);\n  __sync();\n  __memcpy(p, a, 256, NRAM2GDRAM);\n}\n"
                          "int main() {\n  float host[64], *p;\n  for (float& x : host) x = 5;\n  cnrtMalloc((void**)&p, 256);\n"
                          "  cnrtMemcpy(p, host, 256, cnrtMemcpyHostToDev);\n"
                          "  k<<<cnrtDim3_t{1, 1, 1}, cnrtFuncTypeBlock, nullptr>>>(p);\n  cnrtQueueSync(nullptr);\n"
                          '  cnrtMemcpy(host, p, 256, cnrtMemcpyDevToHost);\n  std::printf("%g\\n", host[0]);\n  cnrtFree(p);\n}\n')
        outputs = []
        for seed in (0, 1, 2, 3, 4, 5, 0):
            status, out, _ = starbridge("check", "--json", path, "--seed", str(seed))
            report = json.loads(out)
            self.assertEqual((status, report["findings"][0]["rule"]), (1, "missing-pipe-sync"))
            outputs.append(report["output"].strip())
        self.assertEqual(outputs[0], outputs[-1])
        self.assertGreater(len(set(outputs)), 1, outputs)

    def test_what_cuda_has_and_the_card_has_not_is_refused_by_name(self):
        for call, words in (("cuInit(0);", "the driver interface"), ("cudaBindTexture(nullptr, nullptr);", "texture references"),
                            ("cudaIpcGetMemHandle(nullptr, nullptr);", "between processes")):
            error = self.refused(f"#include <cuda.h>\nint main() {{\n  {call}\n}}\n", "kernel.does_not_compile")
            self.assertEqual(error["place"]["line"], 3)
            self.assertIn(call.split("(")[0], error["message"])
            self.assertIn(words, error["message"])
        error = self.refused("__global__ void child() {}\n__global__ void parent() {\n  child<<<1, 1>>>();\n}\nint main() { parent<<<1, 1>>>(); }\n",
                             "kernel.does_not_compile")
        self.assertEqual(error["place"]["line"], 3)

    def test_a_missing_header_is_named(self):
        error = self.refused('#include "not_there.h"\nint main() {}\n', "kernel.does_not_compile")
        self.assertEqual(error["place"]["line"], 1)
        self.assertIn("not_there.h", error["message"])

    def test_a_missing_definition_is_named(self):
        error = self.refused("void elsewhere();\nint main() { elsewhere(); }\n", "kernel.does_not_compile")
        self.assertIn("elsewhere", error["message"])

    def test_a_host_file_alone_is_refused(self):
        status, _, err = starbridge("run", self.write("host.cpp", "int main() {}\n"))
        self.assertEqual(status, 3)
        self.assertIn("kernel.no_kernel_source", err)

    def test_the_programs_own_code_and_arguments_pass_through(self):
        path = self.write("echo.cu", '#include <cstdio>\nint main(int n, char** a) { std::printf("%s\\n", a[n - 1]); return 7; }\n')
        status, out, err = starbridge("run", path, "--", "last word")
        self.assertEqual(status, 1)
        self.assertIn("last word", out)
        self.assertIn("7", err)

    def test_one_seed_gives_one_report(self):
        program = CORPUS / "wrong" / "shared-race.cu"
        reports = []
        for _ in range(2):
            status, out, _ = starbridge("check", "--json", program, "--seed", "5")
            self.assertEqual(status, 1)
            reports.append(json.loads(out)["findings"])
        self.assertEqual(reports[0], reports[1])

    def test_two_programs_are_compared_by_their_numbers(self):
        text = '#include <cstdio>\nint main() { std::printf("sum %.8g of 3\\n", VALUE); return 0; }\n'
        left, near, far, words = (self.write(f"{name}.cu", text.replace("VALUE", value).replace("sum", word)) for name, value, word in
                                  (("left", "1.0", "sum"), ("near", "1.00001", "sum"), ("far", "1.01", "sum"), ("words", "1.0", "total")))
        for right, accuracy, status_wanted in ((near, "approximate", 0), (near, "exact", 1), (far, "approximate", 1), (words, "exact", 1)):
            status, out, err = starbridge("compare", "--json", left, right, "--class", accuracy)
            self.assertEqual(status, status_wanted, (right, accuracy, out, err))
            report = json.loads(out)
            self.assertEqual((report["schema"], report["agrees"]), ("starbridge.kernel_compare/1", status == 0))
            self.assertEqual(report["results"][0]["figures"]["count"], 2)
            self.assertEqual(report["words_differ"], right == words)
        failing = self.write("failing.cu", "int main() { return 4; }\n")
        status, out, _ = starbridge("compare", "--json", left, failing)
        self.assertEqual((status, json.loads(out)["code"]), (3, "kernel.compare_failed"))

    def test_files_of_tensors_are_compared_by_the_limits_of_their_precision(self):
        def npy(name, values):
            header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}".encode()
            header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
            path = Path(self.folder.name) / name
            path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(values)}f", *values))
            return path
        left, right, short = npy("a.npy", [1, 2, 4]), npy("b.npy", [1, 2.001, 4]), npy("c.npy", [1, 2])
        for precision, status_wanted in (("fp16", 0), ("fp32", 1)):
            status, out, err = starbridge("compare", "--json", left, right, "--precision", precision)
            self.assertEqual(status, status_wanted, (out, err))
            self.assertEqual(json.loads(out)["results"][0]["figures"]["first"], 1)
        status, out, _ = starbridge("compare", "--json", left, short)
        self.assertEqual((status, json.loads(out)["results"][0]["refused"]), (1, "count"))
        status, _, err = starbridge("compare", left, "no_such_file.npy")
        self.assertEqual(status, 3)
        self.assertIn("no_such_file.npy", err)

    def test_rules_are_explained_in_both_languages(self):
        status, out, _ = starbridge("check", "--explain", "global-race")
        self.assertEqual(status, 0)
        self.assertIn("atomicAdd", out)
        status, _, err = starbridge("check", "--explain", "globl-race")
        self.assertEqual(status, 3)
        self.assertIn("global-race", err)

    def test_a_rule_can_be_left_out(self):
        program = ROOT / "tests/kernels/bang/wrong/operand-overlap.mlu"
        status, out, _ = starbridge("check", "--json", program, "--without", "operand-overlap")
        self.assertEqual((status, json.loads(out)["findings"]), (0, []))
        status, _, err = starbridge("check", program, "--without", "operand-overlop")
        self.assertEqual(status, 3)
        self.assertIn("operand-overlap", err)

    def test_a_scan_lists_kernels_and_launches(self):
        status, out, _ = starbridge("scan", "--json", CORPUS / "softmax_warp.cu")
        self.assertEqual(status, 0)
        self.assertEqual(json.loads(out)["kernels"][0]["name"], "softmax")

    def test_a_scan_says_what_another_chip_needs(self):
        status, out, _ = starbridge("scan", "--json", ROOT / "tests/kernels/bang", "--to", "ascend")
        report = json.loads(out)
        self.assertEqual(status, 0)
        self.assertGreaterEqual(len(report["kernels"]), 40)
        self.assertGreaterEqual(len(report["launches"]), 40)
        needs = {feature["id"]: feature["needs"] for feature in report["features"]}
        self.assertEqual(needs["sram"][0]["effort"], "restructure")
        self.assertEqual({need["target"] for each in needs.values() for need in each}, {"ascend"})
        for language, word in (("en", "kernels"), ("zh", "内核")):
            status, out, _ = starbridge("scan", CORPUS / "softmax_warp.cu", "--lang", language)
            self.assertEqual(status, 0)
            self.assertIn(word, out)

    def test_a_scan_of_something_else_is_refused(self):
        for path in (self.write("host.cu", "int main() {}\n"), self.write("bytes.mlu", "\0\1\2"), Path(self.folder.name)):
            status, _, err = starbridge("scan", path)
            self.assertEqual(status, 3, path)
            self.assertIn("kernel.no_kernel_source", err)
        status, _, err = starbridge("scan", Path(self.folder.name) / "nothing")
        self.assertEqual(status, 3)
        self.assertIn("base.file_not_found", err)



if __name__ == "__main__":
    unittest.main()
