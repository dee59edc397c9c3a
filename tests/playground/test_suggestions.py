"""Arguments that are written for a kernel: each name as the kernel uses it."""

import json

from gpuedu.playground.suggestions import suggest
from gpuedu.playground.tab import Tab
from gpuedu.playground.text import read

SOURCE = """from numba import cuda

@cuda.jit
def k(a, out, n, total, rows, acc, s, w=2):
    i = cuda.grid(1)
    if i < n and i < rows.size:
        out[i, 0] = a[i] * w * s
        acc[i, 0, 0] += 1
        cuda.atomic.add(total, 0, a[i])
"""
WANTED = """a: float32[1024] = random
out: float32[64, 64]
n: int32 = 1024
total: float32[1024]
rows: float32[1024]
acc: float32[16, 16, 16] = random
s: float32 = 2"""


def suggested(arguments):
    return suggest(arguments, read(SOURCE).kernels["k"].py_func)


def test_each_name_becomes_what_the_kernel_uses_it_as():
    assert suggested("") == WANTED
    assert suggested("this is no argument") == WANTED


def test_lines_that_fit_are_kept_and_others_dropped():
    text = "SIZE = 99\na: float64[SIZE] = arange\nother: float32[3]\nn: int64 = 7"
    kept = suggested(text).splitlines()
    assert kept[:3] == ["SIZE = 99", "a: float64[SIZE] = arange", "n: int64 = 7"]
    assert sorted(kept[3:]) == sorted(WANTED.splitlines()[1:2] + WANTED.splitlines()[3:])


def test_a_fault_of_the_arguments_brings_them_and_they_run():
    fields = {"ask": "run", "source": SOURCE, "grid": "1", "block": "16"}
    fault = json.loads(Tab().answer(json.dumps(fields)))["fault"]
    assert fault["suggestion"] == WANTED
    report = json.loads(Tab().answer(json.dumps(fields | {"arguments": fault["suggestion"]})))
    assert [array["name"] for array in report["arrays"]] == ["a", "out", "total", "rows", "acc"]
