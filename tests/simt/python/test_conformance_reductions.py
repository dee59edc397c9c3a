from __future__ import annotations

import warnings

import numpy as np
import pytest

from gpuedu.errors import KernelSourceError
from gpuedu.simt import simulate
from gpuedu.simt.host import cuda
from gpuedu.simt.launch import variable_types
from gpuedu.simt.python import reductions
from tests.simt.python.reference import in_every_mode


def three_dimensions(dtype: str) -> np.ndarray:
    rng = np.random.default_rng(3)
    if dtype == "bool":
        return rng.integers(0, 2, (2, 3, 4)).astype(bool)
    return rng.integers(-3 if dtype != "uint8" else 0, 4, (2, 3, 4)).astype(dtype)


def kernel_of(name: str):
    """A kernel with the one function under test."""
    function = getattr(np, name)

    def kernel(a, out):
        out[cuda.grid(1)] = function(a)

    return kernel


NAMES = sorted(name.rpartition(".")[2] for name in reductions.FUNCTIONS)
NAMES = [name for name in NAMES if name not in ("amin", "amax")]


@pytest.fixture(autouse=True)
def runtime(monkeypatch):
    monkeypatch.setattr(reductions.settings, "runtime", True)


# NumPy orders bools or refuses to; what it adds up it counts in 64 bits, and Numba in bool.
WITHOUT_BOOL = {"argmin", "argmax", "min", "max", "prod", "var", "std"}
WITHOUT_BOOL |= {"nanmin", "nanmax", "nansum", "nanprod", "nanvar", "nanstd"}
CASES = [
    (name, dtype)
    for name in NAMES
    for dtype in ("float64", "int64", "uint8", "bool")
    if dtype != "bool" or name not in WITHOUT_BOOL
]


@pytest.mark.parametrize("name, dtype", CASES)
def test_numbers_of_any_shape_as_numpy(name, dtype):
    a = three_dimensions(dtype)
    out = np.zeros(33)
    in_every_mode(kernel_of(name), 1, 33, a, out)
    np.testing.assert_allclose(out, float(getattr(np, name)(a)), rtol=1e-14)


HOLES = np.array([[5.0, np.nan, -1.5], [np.nan, 2.0, 0.0]])
STRIDED = np.arange(60.0).reshape(3, 20)[:, 19:3:-5]


@pytest.mark.parametrize("a", [HOLES, HOLES[:, 1:2], STRIDED, STRIDED.T], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_nans_and_strides_as_numpy(name, a):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = float(getattr(np, name)(a))
    out = np.zeros(1)
    simulate(kernel_of(name), 1, 1, a, out)
    np.testing.assert_allclose(out[0], expected, rtol=1e-14)


def test_types_are_those_of_the_loop_that_numba_compiles():
    def kernel(a, b):
        s, m, p, v = np.sum(b), np.mean(a), np.prod(b), np.var(a)  # noqa: F841

    single, small = np.ones(2, np.float32), np.ones(2, np.uint8)
    found = variable_types(kernel, single, small)
    assert found["s"] == {"uint64"} and found["m"] == {"float64"}
    assert found["p"] == {"uint64"} and found["v"] == {"float64"}


def test_the_flat_elements_of_an_array():
    def kernel(a, out):
        t = cuda.grid(1)
        for x in a.flat:
            out[t] = out[t] * 2 + x
        out[t] += a.flat[4] * 1000

    a, out = np.array([[3, 1, 2], [5, 4, 9]]), np.zeros(32, np.int64)
    in_every_mode(kernel, 1, 32, a[:, ::-1], out)
    assert set(out) == {((((2 * 2 + 1) * 2 + 3) * 2 + 9) * 2 + 4) * 2 + 5 + 4000}


def test_any_stops_at_the_first():
    def kernel(a, out):
        out[0] = np.any(a)

    a = np.zeros(50)
    a[7] = 1
    trace = simulate(kernel, 1, 1, a, np.zeros(1))
    loads = next(site for site in trace.sites if site.operation == "load")
    assert loads.lanes == 8


def test_an_empty_array_has_no_least_element():
    trace = simulate(kernel_of("min"), 1, 1, np.zeros(0), np.zeros(1))
    assert [finding.kind for finding in trace.hazards] == ["out-of-bounds"]


@pytest.mark.parametrize("name", ["min", "max", "nanmin", "nanmax"])
def test_what_numba_compiles_with_its_runtime_alone(monkeypatch, name):
    monkeypatch.setattr(reductions.settings, "runtime", False)
    with pytest.raises(KernelSourceError, match="NRT"):
        simulate(kernel_of(name), 1, 1, np.ones(3, np.float32), np.zeros(1))


def test_results_that_are_arrays_are_refused():
    def kernel(a, out):
        out[0] = np.sum(a, axis=0)[0]

    with pytest.raises(KernelSourceError, match="axis"):
        simulate(kernel, 1, 1, np.ones((2, 2)), np.zeros(1))
