"""Statements of C here against g++'s, on whole functions; each thread has its own arguments."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from tests.simt.cuda_c.control_flow import FUNCTIONS
from tests.simt.cuda_c.host_compiler import needs_gxx, run_here, run_many_by_host

pytestmark = needs_gxx

THREADS = 64
KERNEL = """
extern "C" __global__ void k(const int* xs, const int* ys, int* out) {
    int t = threadIdx.x;
    out[t] = f(xs[t], ys[t]);
}
"""


@cache
def arguments() -> tuple[np.ndarray, np.ndarray]:
    """Small and large numbers of both signs, zero among them."""
    rng = np.random.default_rng(3)
    pairs = rng.integers(-40, 60, (2, THREADS)).astype(np.int32)
    pairs[:, :4] = [[0, 0, 1, -1], [0, 5, 0, -3]]
    pairs[:, -8:] *= 1000
    return pairs[0], pairs[1]


@cache
def expected() -> dict[str, np.ndarray]:
    """What g++ makes of every function."""
    results = {name: [*arguments(), np.zeros(THREADS, np.int32)] for name in FUNCTIONS}
    sources = {name: text + KERNEL for name, text in FUNCTIONS.items()}
    run_many_by_host(sources, THREADS, results)
    return {name: arrays[-1] for name, arrays in results.items()}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_gives_what_the_host_compiler_gives(name: str):
    result = np.full(THREADS, -12345, np.int32)
    trace = run_here(FUNCTIONS[name] + KERNEL, THREADS, [*arguments(), result])
    assert trace.hazards == ()
    np.testing.assert_array_equal(result, expected()[name])
