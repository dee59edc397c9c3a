"""Loads and stores that name a cache, whole-number functions, and memory of the module with values."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel


def run(body: str, values: np.ndarray, outside: str = "") -> np.ndarray:
    code = f"""{outside}
extern "C" __global__ void k(const unsigned int* x, unsigned int* out) {{
    int t = threadIdx.x;
    {body}
}}"""
    out = np.zeros(32, np.uint32)
    assert not simulate(CudaCKernel(code, "k"), 1, 32, values, out).hazards
    return out


X = np.arange(32, dtype=np.uint32) * 3


@pytest.mark.parametrize("load", ["__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu", "__ldcv"])
def test_a_load_that_names_a_cache_is_a_load(load):
    np.testing.assert_array_equal(run(f"out[t] = {load}(&x[t]) + 1;", X), X + 1)


@pytest.mark.parametrize("store", ["__stwb", "__stcg", "__stcs", "__stwt"])
def test_a_store_that_names_a_cache_is_a_store(store):
    np.testing.assert_array_equal(run(f"{store}(&out[t], x[t] + 2);", X), X + 2)


def test_the_smaller_and_the_larger_of_two_whole_numbers():
    found = run("out[t] = umin(x[t], 40u) + 1000 * umax(x[t], 40u);", X)
    np.testing.assert_array_equal(found, np.minimum(X, 40) + 1000 * np.maximum(X, 40))


def test_an_array_of_the_module_is_as_long_as_its_values():
    found = run("out[t] = a[t % 3] + sizeof(a);", X, "__device__ unsigned int a[] = {5, 7, 11};")
    np.testing.assert_array_equal(found, np.array([5, 7, 11], np.uint32)[np.arange(32) % 3] + 12)
