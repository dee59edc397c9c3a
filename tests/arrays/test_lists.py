from __future__ import annotations

from gpuedu.arrays import cupy as cp
from gpuedu.arrays.lists import _ELSEWHERE, cupy_names, missing, read


def test_each_remedy_is_for_a_name_that_is_refused():
    for full in _ELSEWHERE:
        module, _, name = full.rpartition(".")
        assert name in cupy_names(module), full
        assert isinstance(missing(module, name), NotImplementedError)


def test_a_refusal_names_the_function_and_a_way_on():
    text = str(missing("cupy", "trapz"))
    assert "cupy.trapz is not in gpuedu's stand-in" in text and text.endswith("Try: cp.trapezoid")
    assert isinstance(missing("cupy.linalg", "trapz"), AttributeError)


def test_the_module_lists_what_it_has():
    names = dir(cp)
    assert {"sum", "ndarray", "random", "RawKernel", "float32", "fuse"} <= set(names)
    assert "vectorize" not in names and set(names) <= cupy_names("cupy")
    assert set(read("lists.toml")) == {"elementwise", "operators", "comparisons", "numpys_own"}
