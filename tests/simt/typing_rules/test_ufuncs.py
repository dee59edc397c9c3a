from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from gpuedu.simt.typing_rules import SCALARS, Signature, TypingError, call
from gpuedu.simt.typing_rules.ufuncs import ALIASES, UFUNCS

HALF = np.dtype("float16")


def typed(name: str, dtypes: tuple[np.dtype, ...]) -> Signature | None:
    try:
        return call(name, dtypes)
    except TypingError:
        return None


def test_the_functions_are_those_that_numba_compiles(inference):
    from numba.cuda.ufuncs import ufunc_db

    assert {f"numpy.{function.__name__}" for function in ufunc_db()} == UFUNCS


@pytest.mark.parametrize("name", sorted(UFUNCS))
def test_a_function_computes_in_the_loop_that_numba_finds(inference, name):
    from numba.cuda.np.numpy_support import ufunc_find_matching_loop

    function = getattr(np, name.removeprefix("numpy."))
    plain = [dtype for dtype in SCALARS if dtype != HALF]
    for dtypes in product(plain, repeat=function.nin):
        expected = inference.infer(function, dtypes)
        given = typed(name, dtypes)
        assert (given and given.result) == (expected and expected.result), dtypes
        if given is not None:
            found = ufunc_find_matching_loop(function, [inference.numba(d) for d in dtypes])
            assert given.operands == tuple(map(inference.dtype, found.inputs)), dtypes


def test_float16_is_not_compiled(inference):
    assert typed("numpy.sin", (HALF,)) is None
    assert typed("numpy.maximum", (HALF, np.dtype("float32"))) is None
    source = "def k(x):\n    r = np.sin(x)\n"
    assert not inference.is_compiled(source, (HALF,))
    assert inference.is_compiled(source, (np.dtype("float32"),))


@pytest.mark.parametrize("name", ["sqrt", "exp", "abs", "floor", "add", "power"])
def test_the_others_are_not_compiled(inference, name):
    count = getattr(np, name).nin
    assert typed(f"np.{name}", (np.dtype("float32"),) * count) is None
    source = f"def k(x):\n    r = np.{name}({','.join('x' * count)})\n"
    assert not inference.is_compiled(source, (np.dtype("float32"),))


def test_an_alias_is_the_same_function():
    for alias, name in ALIASES.items():
        function = getattr(np, alias.removeprefix("numpy."), None)
        assert function in (None, getattr(np, name.removeprefix("numpy."))), alias
