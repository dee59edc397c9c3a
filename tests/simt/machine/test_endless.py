"""Loops that nothing inside can end are stopped at once; those that something may end are not."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel
from gpuedu.simt.host import cuda
from gpuedu.simt.machine.machine import STUCK_TURNS


def run(body: str, n: int = 5, **options):
    code = f"""extern "C" __global__ void k(int* x, int n) {{
        int i = threadIdx.x;
        {body}
    }}"""
    return simulate(CudaCKernel(code, "k"), 1, 32, np.zeros(64, np.int32), np.int32(n), **options)


@pytest.mark.parametrize(
    "body",
    [
        "while (i < n) { x[i] = 1; }",
        "for (; i < n;) { int j = i + 1; x[i] = j; }",
        "while (true) { x[i] = i; }",
        "while (n - i > 0) for (int k = 0; k < 3; ++k) { if (k == 1) break; x[i] = k; }",
    ],
)
def test_a_loop_without_a_way_out_is_stopped_early(body):
    trace = run(body)
    (hazard,) = trace.hazards
    assert hazard.kind == "runaway-loop" and f"{STUCK_TURNS:,} turns" in hazard.message
    assert hazard.place.line == 3 and not trace.complete


@pytest.mark.parametrize(
    "body",
    [
        "while (i < n * 1000) { x[i % 32] = 1; i += 1; }",
        "while (x[i] < 2000) x[i] += 1;",
        "int k = 0; while (true) { if (++k > 2000) break; }",
        "int k = 0; while (n > 0) { if (++k > 2000) return; }",
        "int k = 0; while (k++ < 2000) { x[i] = k; }",
        "for (int k = 0; k < 2000; ++k) { while (n > 9) x[i] = k; x[i] += 1; }",
    ],
)
def test_long_loops_run_to_their_end(body):
    trace = run(body)
    assert trace.complete and "runaway-loop" not in {found.kind for found in trace.hazards}


def test_a_python_loop_that_forgets_its_step_is_stopped_early():
    def kernel(out):
        i = cuda.grid(1)
        while i < out.size:
            out[i] = 1

    (hazard,) = simulate(kernel, 1, 32, np.zeros(8)).hazards
    assert hazard.kind == "runaway-loop" and f"{STUCK_TURNS:,} turns" in hazard.message
