"""What Triton's front end takes, and what it refuses, on which line: each asked of the real one."""

from __future__ import annotations

import pytest
import torch

from gpuedu.compilers.errors import KernelCompileError
from gpuedu.triton import front_end
from gpuedu.triton.compiled import typed
from tests.triton.bodies import FIRST, kernel_with


def read(body):
    kernel, types = typed(kernel_with(body), 128, (torch.ones(64), torch.ones(64), 60, 64), {})
    front_end.read(kernel, types)


@pytest.mark.parametrize(
    "body",
    [
        "tl.store(out + at, v)",
        "if n > 3:\n    return\ntl.store(out + at, v)",
        "for i in tl.static_range(4):\n    if n > i:\n        return\n    tl.store(out + at, v)",
        "for i in range(n):\n    if BLOCK > 999:\n        return\n    tl.store(out + at, v)",
        "for i in range(n):\n    stores(out + at, v)",
        "y = tl.store(out + at, v)",
        "y = (out + at).store(v)",
        "y = tl.debug_barrier()\ny = tl.device_assert(n > 0)\ny = tl.assume(n > 0)",
        "y = stores(out + at, v)",
        "tl.store(out + at, v) if BLOCK > 3 else tl.store(out, 1.0)",
        "tl.assume(n > 3)\ntl.store(out + at, v)",
        "tl.assume(BLOCK > 3)\ntl.store(out + at, v)",
    ],
)
def test_what_it_takes(body):
    read(body)


@pytest.mark.parametrize(
    ("body", "line", "told"),
    [
        ("for i in range(n):\n    if i > 3:\n        return", FIRST + 2, "a `return` in a loop"),
        ("for i in range(n):\n    return", FIRST + 1, "a `return` in a loop"),
        ("for i in range(BLOCK):\n    if BLOCK > 3:\n        return", FIRST + 2, "a `return` in"),
        ("for j in range(n):\n  for i in tl.static_range(4):\n    return", FIRST + 2, "a `return`"),
        ("i = 0\nwhile i < n:\n    i += 1\n    return", FIRST + 3, "a `return` in a loop"),
        ("returns_early(out + at, v, n)", 11, "a `return` in a loop"),
        ("return tl.store(out + at, v)", FIRST, "`tl.store` returns no value"),
        ("store_it(out + at, v)", 3, "`tl.store` returns no value"),
        ("y = 1 + tl.store(out + at, v)", FIRST, "."),
        ("v += tl.debug_barrier()", FIRST, "cannot cast void"),
        ("y = tl.sum(tl.store(out + at, v))", FIRST, "."),
    ],
)
def test_what_it_refuses_has_its_line(body, line, told):
    with pytest.raises(KernelCompileError, match=f"`f` in line {line}: .*{told}") as found:
        read(body)
    assert found.value.line == line


@pytest.mark.parametrize("assumed", ["at < 999", "n"])
def test_what_is_assumed_is_one_truth_value(assumed, capfd):
    with pytest.raises(KernelCompileError, match="does not compile `f`"):
        read(f"tl.assume({assumed})")
    assert "must be 1-bit signless integer" in capfd.readouterr().err
