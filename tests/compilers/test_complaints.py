"""What a learner reads when Numba refuses a kernel."""

from __future__ import annotations

import re

import pytest

from gpuedu.compilers import KernelCompileError, compiled_facts

pytestmark = pytest.mark.usefixtures("compiler")

ROW = "float32[::1]"


def complaint(source, arguments=(ROW,), ask=compiled_facts, **scope):
    from numba import cuda, float32

    names = {"cuda": cuda, "float32": float32, **scope}
    exec(compile(source, "/home/you/kernels.py", "exec"), names)
    with pytest.raises(KernelCompileError) as caught:
        ask(names["kernel"], arguments)
    return caught.value


@pytest.mark.parametrize(
    ("body", "line", "reason", "remedy"),
    [
        ("a[0] = missing", 4, "name 'missing' is not defined", ""),
        (
            "a[i] = 'x'",
            4,
            r"`a\[i\] = value` does not exist for types .*1d, C\), int64, str",
            "types",
        ),
        ("a[i] = (1, 2).foo", 4, "Unknown attribute 'foo'", ""),
        ("a[i, i] = 1", 4, "cannot index array.* with 2 indices", ""),
        ("b = a + 1", 4, "an array cannot be made inside a kernel", r"cuda\.local\.array"),
        ("s = cuda.shared.array(i, float32)", 4, r"shape of `cuda\.shared\.array` is comp", "TILE"),
        ("s = cuda.local.array(i, float32)", 4, r"shape of `cuda\.local\.array` is comp", "SIZE"),
        ("a[i] = cuda.nothing(1)", 4, "has no attribute 'nothing'", ""),
        (
            "a[i] = plain(a[i])",
            4,
            "`plain` is a plain Python function",
            r"@cuda\.jit\(device=True\)",
        ),
        ("import math", 4, "imports something", "top"),
        ("return a[0]", None, "returns a value", "array"),
        ("yield a[0]", None, "yields", "array"),
        ("with open('x') as f:\n        pass", 2, "context manager", ""),
        (
            "g = 1\n    for j in range(3):\n        g = g + a[0:1]\n        h = g",
            5,
            "`g` is int on",
            "one",
        ),
    ],
)
def test_line_reason_and_remedy(body, line, reason, remedy):
    source = f"\ndef kernel(a):\n    i = cuda.grid(1)\n    {body}\n"
    told = complaint(source, plain=lambda x: x)
    assert re.search(reason, told.message), told.message
    assert re.search(remedy, told.remedy)
    assert told.line == line
    assert told.message.startswith("`kernel`" + (f", line {line}: " if line else ": "))
    assert "\n" not in str(told)
    assert "site-packages" not in str(told) and "0x" not in str(told)
    assert told.details


def test_a_fault_in_a_device_function_names_its_line():
    from numba import cuda

    source = "@cuda.jit(device=True)\ndef helper(x):\n    return x.foo\n\ndef kernel(a):\n    helper(a[0])\n"
    told = complaint(source, cuda=cuda)
    assert told.line == 3 and "Unknown attribute 'foo' of type float32" in told.message


def test_the_wrong_number_of_arguments():
    told = complaint("def kernel(a, b):\n    a[0] = b\n")
    assert "1 argument types given, but function takes 2" in told.message


def test_too_much_shared_memory():
    source = """
def kernel(a):
    s = cuda.shared.array(50000, float32)
    s[cuda.threadIdx.x] = a[0]
    cuda.syncthreads()
    a[1] = s[3]
"""
    told = complaint(source)
    assert "the shared arrays of `kernel` take 200,000 bytes" in told.message


def test_a_compute_capability_that_does_not_exist():
    def ask(function, arguments):
        return compiled_facts(function, arguments, compute_capability=(9, 9))

    told = complaint("def kernel(a):\n    a[0] = 1\n", ask=ask)
    assert "not know compute capability 9.9" in told.message
