"""Each call of `cases` gives NumPy's values, shapes and dtypes, or an error of NumPy's class."""

from __future__ import annotations

import builtins
import warnings

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.arrays import table
from gpuedu.arrays.elementwise import UFUNCS
from tests.arrays.cases import DTYPES, calls, flat, host_inputs, run

# Where CuPy's own rule is another one: see `test_against_cupy`.
OTHER = {
    ("a ** 2", "bool"),
    *((f"xp.{name}", dtype) for name in ("i0(v)", "sinc(a)") for dtype in DTYPES[:3]),
    *(
        (f"xp.logical_{name}", dtype)
        for name in ("and(a, b)", "not(a)")
        for dtype in ("complex64", "complex128")
    ),
}


def builtin_class(fault):
    return next(kind for kind in type(fault).__mro__ if kind.__module__ == builtins.__name__)


def assert_same(expected, got):
    expected, got = list(flat(expected)), list(flat(got))
    assert len(got) == len(expected)
    for theirs, ours in zip(expected, got, strict=True):
        if not isinstance(ours, cp.ndarray):
            assert not isinstance(theirs, (np.ndarray, np.generic)) or isinstance(theirs, str)
            assert isinstance(theirs, str) or theirs == ours
            continue
        host = ours.get()
        theirs = np.asarray(theirs)
        assert (host.dtype, host.shape) == (theirs.dtype, theirs.shape)
        rough = np.finfo(host.dtype).eps * 64 if host.dtype.kind in "fc" else 0
        np.testing.assert_allclose(host, theirs, rtol=rough, atol=rough)


@pytest.mark.parametrize("call", calls())
def test_a_call_is_numpys(call):
    answered = 0
    for dtype in DTYPES:
        if (call, dtype) in OTHER:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = run(call, np, host_inputs(dtype))
            on_device = {name: cp.asarray(x) for name, x in host_inputs(dtype).items()}
            got = run(call, cp, on_device)
        if isinstance(expected, Exception):
            assert isinstance(got, Exception), (dtype, expected, got)
            kind = builtin_class(got)
            assert isinstance(expected, kind) or isinstance(got, type(expected)), (expected, got)
            continue
        if isinstance(got, Exception):
            raise got
        assert_same(expected, got)
        answered += 1
    assert answered, "NumPy refuses this call with every dtype"


def test_every_function_is_called():
    text = "\n".join(calls())
    names = {entry.name for entry in table.entries()} | set(UFUNCS)
    random = {name for name in names if name.startswith(("RandomState.", "Generator."))}
    aliases = {name for name, function in UFUNCS.items() if function.name != f"cupy_{name}"}
    methods = {name for name in names if name.startswith("ndarray.")}
    missed = {
        name
        for name in names - random - aliases - methods
        if f"xp.{name}(" not in text and f"xp.{name}." not in text
    }
    # Elementwise functions share their one path; each of their dtypes is held against CuPy's.
    assert missed <= set(UFUNCS)
    assert not {name for name in methods if f".{name.partition('.')[2]}(" not in text}


@pytest.mark.parametrize("name", sorted(UFUNCS))
def test_an_elementwise_function_has_numpys_values(name):
    function, reference = UFUNCS[name], getattr(np, name)
    rng = np.random.default_rng(3)
    is_integer = "gcd" in name or "lcm" in name or "bit" in name or "shift" in name
    is_integer |= name in ("invert", "ldexp")
    hosts = [rng.integers(1, 5, (3, 4)) for _ in range(function.nin)]
    if not is_integer:
        hosts = [(host / 4).astype(np.float32) for host in hosts]
    with np.errstate(all="ignore"):
        expected = reference(*hosts)
    assert_same(expected, function(*map(cp.asarray, hosts)))
