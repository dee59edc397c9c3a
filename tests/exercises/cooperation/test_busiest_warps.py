"""What the busiest warp asks for, and when that is more than its share."""

from __future__ import annotations

import json

import numpy as np

from gpuedu.backend import cuda
from gpuedu.exercises.cooperation.busiest_warps import Share, busiest_warps, uneven_faults
from gpuedu.exercises.kernels.launching import run_kernel


@cuda.jit
def last_warp_copies(x, out):
    part = cuda.shared.array(128, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i]
    cuda.syncthreads()
    if t >= 96:
        for k in range(4):
            out[i - 96 + 32 * k] = part[t - 96 + 32 * k]


@cuda.jit
def idle(x, out):
    pass


def observe(kernel):
    x, out = np.ones(256, np.float32), np.zeros(256, np.float32)
    return busiest_warps(run_kernel(kernel, 2, 128, x, out), ("x", "out"))


def read(observed, name):
    return list(json.loads(observed[f"busiest {name}"]).values())


def test_requests_are_counted_by_warp_with_place():
    observed = observe(last_warp_copies)
    first_line = read(observed, "x")[3]
    assert read(observed, "x")[:3] == [1, 0, 0]
    assert read(observed, "out") == [4, 0, 3, first_line + 4]
    assert read(observed, "shared memory") == [5, 0, 3, first_line + 4]


def test_a_kernel_that_does_nothing_asks_for_nothing():
    observed = observe(idle)
    assert all(read(observed, name) == [0] * 4 for name in ("x", "out", "shared memory"))


def test_more_than_its_share_is_a_fault_and_slack_is_none():
    observed = observe(last_warp_copies)
    assert not list(uneven_faults("even", observed, [Share("x", 1), Share("out", 2)]))
    (fault,) = uneven_faults("even", observed, [Share("x", 1), Share("out", 1)])
    assert fault.property == "even"
    assert "warp 3 of block 0 asks for `out` 4 times" in fault.message
    assert "none asks again, once would do" in fault.message
    (fault,) = uneven_faults("even", observed, [Share("shared memory", 2)])
    assert "asks for shared memory 5 times" in fault.message
    assert "2 times would do" in fault.message


def test_arguments_without_a_name_are_left_out():
    x, out = np.ones(256, np.float32), np.zeros(256, np.float32)
    found = busiest_warps(run_kernel(last_warp_copies, 2, 128, x, out), ("", "out"))
    assert set(found) == {"busiest shared memory", "busiest out"}
