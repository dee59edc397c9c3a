"""An access is of the array that it reads or writes, whatever the name that it goes by."""

from __future__ import annotations

import linecache
import textwrap

import numpy as np
import pytest

from gpuedu import cp, cuda
from gpuedu.simt import simulate

HEAD = "@cuda.jit\ndef kernel(src, dst):\n    i = cuda.grid(1)\n"
BODIES = {
    "one name for two views": """
        if i > 5:
            v = src[1:]
        else:
            v = src[0:]
        dst[i] = v[i - 1] if i > 5 else v[i]
        """,
    "an expression": """
        v = src if i > 5 else src[0:]
        dst[i] = v[i]
        """,
    "a name that turns": """
        v = src
        for _ in range(2):
            dst[i] = v[i]
            v = src[0:]
        """,
    "a tuple": """
        v = (src[0:], src[0:])[i % 2]
        dst[i] = v[i]
        """,
    "a loop over arrays": """
        for v in (src, src[0:]):
            dst[i] = v[i]
        """,
    "names that change places": """
        src, dst = dst, src
        src[i] = dst[i]
        """,
    "a reshaped view": """
        v = src.reshape((4, 8))
        dst[i] = v[i // 8, i % 8]
        """,
}
EITHER = """
    v = src if i >= 0 else dst
    dst[i] = v[i]
    """


def kernel_of(body):
    text = HEAD + textwrap.indent(textwrap.dedent(body).strip(), "    ") + "\n"
    file = f"<origins {abs(hash(text))}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = {"cuda": cuda}
    exec(compile(text, file, "exec"), scope)
    return scope["kernel"]


def accesses(kernel):
    src, dst = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    trace = simulate(kernel, 1, 32, src, dst)
    assert np.array_equal(dst, src)
    return {(str(site.operation), site.array) for site in trace.sites if site.requests.any()}


@pytest.mark.parametrize("name", BODIES)
def test_a_view_of_an_argument_is_that_argument(name):
    assert accesses(kernel_of(BODIES[name])) == {("load", "src"), ("store", "dst")}


def test_what_may_be_of_one_array_or_another_has_both_names():
    assert accesses(kernel_of(EITHER)) == {("load", "src or dst"), ("store", "dst")}


POINTERS = {
    "a pointer that moves": "const float* p = src; p += i; dst[i] = *p;",
    "a pointer in a loop": "const float* p = src; for (int k = 0; k < i; k++) p++; dst[i] = *p;",
    "a choice of offsets": "const float* p = i > 5 ? src + 1 : src; dst[i] = p[i > 5 ? i - 1 : i];",
    "other elements": "dst[i] = reinterpret_cast<const float4*>(src)[i / 4].x * 0 + src[i];",
}


def raw(body, outside=""):
    head = f'{outside}\nextern "C" __global__ void kernel(const float* src, float* dst)'
    return cp.RawKernel(f"{head} {{ int i = threadIdx.x; {body} }}", "kernel")


@pytest.mark.parametrize("name", POINTERS)
def test_a_pointer_into_an_argument_is_that_argument(name):
    assert accesses(raw(POINTERS[name])) == {("load", "src"), ("store", "dst")}


def test_a_pointer_to_one_of_two_arrays_has_both_names():
    found = accesses(raw("const float* p = i >= 0 ? src : dst; dst[i] = p[i];"))
    assert found == {("load", "src or dst"), ("store", "dst")}
