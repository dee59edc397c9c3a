"""Constructs that Numba's CUDA target refuses too."""

from __future__ import annotations

import random
import time

import numpy as np
from numba import cuda, float32

from tests.simt.planted.table import floats, ints, plant, zeros

WEIGHTS = [0.25, 0.5, 0.25]
TILE, NARROW = 32, np.int32(32)


def _one():
    return floats(32), zeros(32)


@plant("unsupported-construct", 1, 32, _one)
def shared_array_of_computed_size(a, out):
    t = cuda.threadIdx.x
    n = cuda.blockDim.x
    tile = cuda.shared.array(n, float32)  # <- unsupported-construct
    tile[t] = a[t]
    cuda.syncthreads()
    out[t] = tile[31 - t]


@plant("unsupported-construct", 1, 32, _one)
def shared_array_of_a_constant_and_two(a, out):
    t = cuda.threadIdx.x
    tile = cuda.shared.array(TILE + 2, float32)  # <- unsupported-construct
    tile[t] = a[t]
    out[t] = tile[t]


@plant("unsupported-construct", 1, 32, _one)
def local_array_of_twice_a_constant(a, out):
    own = cuda.local.array((2 * TILE, 1), float32)  # <- unsupported-construct
    own[0, 0] = a[0]
    out[cuda.threadIdx.x] = own[0, 0]


@plant("unsupported-construct", 1, 32, _one)
def shared_array_of_a_numpy_number(a, out):
    t = cuda.threadIdx.x
    tile = cuda.shared.array(NARROW, float32)  # <- unsupported-construct
    tile[t] = a[t]
    out[t] = tile[t]


@plant("unsupported-construct", 1, 32, _one)
def walrus(a, out):
    t = cuda.threadIdx.x
    if (value := a[t]) > 3:  # <- unsupported-construct
        out[t] = value


@plant("unsupported-construct", 1, 32, _one)
def catches_an_exception(a, out):
    t = cuda.threadIdx.x
    try:  # <- unsupported-construct
        out[t] = a[t]
    except Exception:
        out[t] = 0


@plant("unsupported-construct", 1, 32, _one)
def builds_a_list(a, out):
    t = cuda.threadIdx.x
    values = [a[t], a[0]]  # <- unsupported-construct
    out[t] = values[0]


@plant("unsupported-construct", 1, 32, _one)
def list_comprehension(a, out):
    t = cuda.threadIdx.x
    values = [a[k] for k in range(3)]  # <- unsupported-construct
    out[t] = values[t % 3]


@plant("unsupported-construct", 1, 32, _one)
def builds_a_dictionary(a, out):
    t = cuda.threadIdx.x
    values = {0: a[t]}  # <- unsupported-construct
    out[t] = values[0]


@plant("unsupported-construct", 1, 32, _one)
def allocates_with_numpy(a, out):
    t = cuda.threadIdx.x
    values = np.zeros(3)  # <- unsupported-construct
    values[0] = a[t]
    out[t] = values[0]


@plant("unsupported-construct", 1, 32, _one)
def copies_a_whole_array(a, out):
    out[:] = a  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, _one)
def maximum_of_an_array_by_its_method(a, out):
    t = cuda.threadIdx.x
    out[t] = a.max()  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, lambda: (ints(32, high=5), zeros(32)))
def counting_barrier_with_a_bool(a, out):
    t = cuda.threadIdx.x
    out[t] = cuda.syncthreads_count(a[t] > 2)  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, _one)
def exchanges_a_float_atomically(a, out):
    t = cuda.threadIdx.x
    cuda.atomic.exch(out, 0, a[t])  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, _one)
def reads_a_list_of_the_module(a, out):
    t = cuda.threadIdx.x
    out[t] = a[t] * WEIGHTS[t % 3]  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, _one)
def starred_target(a, out):
    t = cuda.threadIdx.x
    first, *rest = a[t], a[0], a[1]  # <- unsupported-construct
    out[t] = first + rest[0]


@plant("unsupported-construct", 1, 32, _one)
def deletes_a_name(a, out):
    t = cuda.threadIdx.x
    value = a[t]
    out[t] = value
    del value  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, _one)
def walks_backwards_by_reversed(a, out):
    t = cuda.threadIdx.x
    for k in reversed(range(3)):  # <- unsupported-construct
        out[t] = a[k]


@cuda.jit(device=True)
def _fibonacci(n):
    if n < 2:
        return n
    return _fibonacci(n - 1) + _fibonacci(n - 2)  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, _one, helpers=(_fibonacci,))
def calls_a_function_that_calls_itself(a, out):
    t = cuda.threadIdx.x
    out[t] = _fibonacci(t)


@plant("unsupported-construct", 1, 32, _one)
def gives_a_value_back(a, out):
    t = cuda.threadIdx.x
    return a[t]  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, _one)
def yields(a, out):
    t = cuda.threadIdx.x
    yield a[t]  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, _one)
def asks_the_keyboard(a, out):
    t = cuda.threadIdx.x
    input()  # <- unsupported-construct
    out[t] = a[t]


@plant("unsupported-construct", 1, 32, _one)
def imports_inside(a, out):
    import math  # <- unsupported-construct

    t = cuda.threadIdx.x
    out[t] = math.sqrt(a[t])


@plant("unsupported-construct", 1, 32, _one)
def name_that_does_not_exist(a, out):
    t = cuda.threadIdx.x
    out[t] = a[t] * factor  # noqa: F821  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, _one)
def tuple_of_mixed_types_by_a_computed_index(a, out):
    t = cuda.threadIdx.x
    pair = (1, 2.5)
    out[t] = pair[t % 2] + a[t]  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, _one)
def array_method_that_does_not_exist(a, out):
    t = cuda.threadIdx.x
    out[t] = a.median()  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, _one)
def calls_a_plain_python_function(a, out):
    t = cuda.threadIdx.x
    out[t] = floats(3)[0]  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, _one)
def stores_a_string(a, out):
    t = cuda.threadIdx.x
    out[t] = "1"  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, _one)
def three_indices_into_one_dimension(a, out):
    t = cuda.threadIdx.x
    out[t] = a[t, 0, 0]  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, _one)
def adds_whole_arrays(a, out):
    out[:] = a + out  # <- unsupported-construct


@plant("unsupported-construct", 1, 4, lambda: (floats(4, 4), zeros(4, 4)))
def matrix_product_by_an_operator(a, out):
    t = cuda.threadIdx.x
    out[t, 0] = (a @ a)[t, 0]  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, _one)
def copies_an_array(a, out):
    t = cuda.threadIdx.x
    own = a.copy()  # <- unsupported-construct
    out[t] = own[t]


@plant("unsupported-construct", 1, 32, _one)
def asks_the_time(a, out):
    t = cuda.threadIdx.x
    out[t] = a[t] + time.time()  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, _one)
def draws_from_pythons_random(a, out):
    t = cuda.threadIdx.x
    out[t] = a[t] + random.random()  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, _one)
def builds_a_set(a, out):
    t = cuda.threadIdx.x
    if t in {1, 2, 3}:  # <- unsupported-construct
        out[t] = a[t]


@plant("unsupported-construct", 1, 32, _one)
def synchronizes_the_device(a, out):
    t = cuda.threadIdx.x
    out[t] = a[t]
    cuda.synchronize()  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, _one)
def sorts(a, out):
    t = cuda.threadIdx.x
    out[t] = sorted(a)[t]  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, _one)
def shuffles_bits_of_a_float(a, out):
    t = cuda.threadIdx.x
    out[t] = a[t] << 2  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, _one)
def indexes_by_a_float(a, out):
    t = cuda.threadIdx.x
    out[t] = a[t / 2]  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, _one)
def calls_with_a_missing_argument(a, out):
    t = cuda.threadIdx.x
    out[t] = cuda.fma(a[t], 2.0)  # <- unsupported-construct


@plant("unsupported-construct", 1, 32, _one)
def uses_a_word_that_cuda_lacks(a, out):
    t = cuda.threadIdx.x
    cuda.syncblocks()  # <- unsupported-construct
    out[t] = a[t]
