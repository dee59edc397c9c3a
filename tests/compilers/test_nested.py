"""What Numba writes into programs of its own is never run for what a kernel's text says."""

from __future__ import annotations

import pytest

from gpuedu.compilers import KernelCompileError, compiled_facts

pytestmark = pytest.mark.usefixtures("compiler")

KERNEL = """
@cuda.jit(device=True)
def use(f, z):
    return f(z)

def kernel(out):
    s = {captured!r}
    def inner(z{default}):
        return z + {term}
    out[cuda.grid(1)] = use(inner, 1.0)
"""


def kernel(tmp_path, captured, default="", term="0"):
    from numba import cuda

    scope = {"cuda": cuda, "ran": []}
    path = tmp_path / "kernel.py"
    path.write_text(KERNEL.format(captured=captured, default=default, term=term))
    exec(compile(path.read_text(), str(path), "exec"), scope)
    return scope["kernel"], scope["ran"]


@pytest.mark.parametrize(
    ("captured", "default", "term"),
    [
        ("ran.append(1) or 2.0", "", "(s is None)"),
        ("1\n\tran.append(1)", "", "(s is None)"),
        (1.0, ", d='ran.append(1) or 2.0'", "(d is None)"),
    ],
)
def test_a_text_in_a_nested_function_is_refused_and_not_run(tmp_path, captured, default, term):
    function, ran = kernel(tmp_path, captured, default, term)
    with pytest.raises(KernelCompileError, match="no plain number"):
        compiled_facts(function, ("float64[::1]",))
    assert not ran


def test_a_number_in_a_nested_function_is_compiled(tmp_path):
    function, _ = kernel(tmp_path, -2.5, ", d=3", "s * d")
    assert compiled_facts(function, ("float64[::1]",)).count("st.global") == 1
