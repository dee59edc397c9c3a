"""Kernels that share their first lines, made from the lines that follow."""

from __future__ import annotations

import linecache
import textwrap

import triton
import triton.language as tl

from gpuedu.triton import texts

HEAD = """\
@triton.jit
def store_it(p, v):
    return tl.store(p, v)
@triton.jit
def stores(p, v):
    tl.store(p, v)
@triton.jit
def returns_early(p, v, n):
    for i in range(n):
        if n > i:
            return
        tl.store(p, v)
@triton.jit
def f(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
"""
FIRST = HEAD.count("\n") + 1
"""The line of the first statement of a body."""


def kernel_with(body):
    """A kernel whose last lines are these, as a play rebuilds it."""
    text = HEAD + textwrap.indent(textwrap.dedent(body).strip(), "    ") + "\n"
    name = texts.own_name("test", text)
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names = {"triton": triton, "tl": tl, "__name__": "cell"}
    exec(compile(text, name, "exec"), names)
    return texts.rebuilt(texts.told(names["f"]))
