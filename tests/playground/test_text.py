"""A text is read as an engineer writes it, without executing any of it."""

import pytest

from gpuedu.playground.faults import PlaygroundError
from gpuedu.playground.text import read

HEAD = "from numba import cuda, float32\nimport math\nimport numpy as np\n"


def kernel(*lines, head=HEAD, name="k"):
    body = "".join(f"    {line}\n" for line in lines or ("pass",))
    return f"{head}@cuda.jit\ndef {name}(x):\n{body}"


def test_kernels_device_functions_and_constants_are_found():
    text = read(
        HEAD
        + "N = 1 << 4\nA, B = 3, N * 2\nN += 1\nHALF: float = 0.5\nT = np.array([1, 2])\n"
        + "@cuda.jit(device=True)\ndef f(a, b=N):\n    return a * b\n"
        + "@cuda.jit('void(float32[:])', fastmath=True)\ndef k(x):\n    x[0] = f(x[1])\n"
    )
    assert list(text.kernels) == ["k"]
    known = text.constants()
    assert (known["N"], known["A"], known["B"], known["HALF"]) == (17, 3, 32, 0.5)
    assert known["T"].tolist() == [1, 2]
    assert known["f"].py_func.__defaults__ == (17,)


def test_lines_are_those_of_the_text():
    found = read("\n\n" + kernel("x[0] = 1")).kernels["k"]
    assert found.py_func.__code__.co_firstlineno == 7


def test_a_kernel_that_others_call_is_offered_last():
    source = HEAD + (
        "@cuda.jit\ndef inner(x):\n    x[0] = 1\n\n@cuda.jit\ndef outer(x):\n    inner(x)\n"
    )
    assert list(read(source).kernels) == ["outer", "inner"]


@pytest.mark.parametrize("jit", ["numba.cuda.jit", "numba.cuda.jit()", "jit", "c.jit"])
def test_the_decorator_by_any_name(jit):
    head = "import numba\nimport numba.cuda as c\nfrom numba.cuda import jit\n"
    source = f"{head}@{jit}\ndef k(x):\n    x[0] = numba.float32(1)\n"
    assert list(read(source).kernels) == ["k"]


def test_host_code_is_left_out_and_named():
    source = kernel("x[0] = N") + (
        "N = 3\nx = np.zeros(3)\nk[1, 32](x)\nfor i in range(10 ** 12):\n    pass\n"
        "while True:\n    pass\nprint(x)\ndef main():\n    k[1, 2](x)\n"
        "if __name__ == '__main__':\n    main()\n"
    )
    text = read(source)
    assert text.host_lines == (9, 10, 12, 14)
    assert list(text.kernels) == ["k"]


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ("M = input()\n", "`input` is not defined"),
        ("from torch import M\n", "`from torch import M` is not known"),
        ("import torch as M\n", "no module `torch`"),
        ("for M in range(3):\n    pass\n", "outside functions is not run"),
        ("M, L = 3\n", "not a constant"),
        ("class M:\n    pass\n", "outside functions is not run"),
    ],
)
def test_a_kernel_that_needs_what_is_not_known_is_refused_with_the_reason(head, why):
    with pytest.raises(PlaygroundError, match="is not known") as told:
        read(kernel("x[0] = M", head=HEAD + head))
    assert why in str(told.value)
    assert told.value.line == 6 + head.count("\n")
    read(kernel("x[0] = 1", head=HEAD + head))
    read(kernel("M = 1", "x[0] = M", head=HEAD + head))


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("def f(:\n", 1),
        (kernel("x[0] = (1"), 6),
        (kernel("break"), 6),
        (HEAD + "@cuda.jit\ndef k(x):\nx = 1\n", 6),
        ("'" * 3, 1),
        ("\t x\n  y", 1),
    ],
)
def test_what_is_no_python_is_told_with_its_line(source, line):
    with pytest.raises(PlaygroundError, match="not valid Python yet") as told:
        read(source)
    assert told.value.line == line


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("", "no kernel"),
        ("x = 1\n", "no kernel"),
        (HEAD + "@cuda.jit(device=True)\ndef k(x):\n    pass\n", "no kernel"),
        ("def k(x):\n    pass\n", "no kernel"),
        ('extern "C" __global__ void k(float* x) {}', "CUDA C"),
        ("\0", "cannot read|not valid Python"),
        ("(" * 5000, "cannot read|not valid Python"),
        ("x = 1\n" * 100_000, "characters"),
        (HEAD + "@cuda.jit\ndef k(x, n=input()):\n    pass\n", "default of `k`"),
        (HEAD + "@cuda.jit(device=input())\ndef k(x):\n    pass\n", "option of `@cuda.jit`"),
    ],
)
def test_a_text_without_a_kernel_says_what_is_missing(source, why):
    with pytest.raises(PlaygroundError, match=why) as told:
        read(source)
    assert told.value.remedy


def test_nothing_of_a_text_is_executed(tmp_path):
    there = tmp_path / "made"
    trap = f"open({str(there)!r}, 'w')"
    source = (
        f"X = {trap}\n{trap}\n"
        + HEAD
        + f"@cuda.jit\ndef k(x: {trap}) -> {trap}:\n    x[0] = 1\n\n"
        + f"def host(y={0}):\n    {trap}\n\nhost()\n"
    )
    assert list(read(source).kernels) == ["k"]
    assert not there.exists()


def test_a_kernel_inside_of_something_is_found_and_named():
    source = HEAD + "def make(n):\n    @cuda.jit\n    def k(x):\n        x[0] = n\n    return k\n"
    with pytest.raises(PlaygroundError, match="`k` is inside a function or a class") as told:
        read(source)
    assert told.value.line == 6
