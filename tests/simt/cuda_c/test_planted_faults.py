"""Every planted kernel of CUDA C gets its verdict, and its mended twin none."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel
from gpuedu.trace import Level, Trace
from tests.simt.cuda_c.planted import FAULTS, Fault


def run(fault: Fault, code: str) -> Trace:
    return simulate(
        CudaCKernel(code, "k"),
        fault.grid,
        fault.block,
        *fault.arguments(),
        dynamic_shared_bytes=fault.dynamic_shared_bytes,
    )


@pytest.mark.parametrize("name", FAULTS)
def test_the_verdict_names_kind_lines_and_array(name: str):
    fault = FAULTS[name]
    hazards = run(fault, fault.code).hazards
    assert {found.kind for found in hazards} == {fault.kind}
    places = {p.line for found in hazards for p in (found.place, found.other_place) if p}
    assert places == fault.marked_lines
    assert {found.array or "" for found in hazards} == {fault.array}
    for found in hazards:
        assert found.message and found.remedy and found.count > 0
        block = np.atleast_1d(fault.block)
        assert all(0 <= at < n for at, n in zip(found.who.thread, (*block, 1, 1), strict=False))


@pytest.mark.parametrize("name", FAULTS)
def test_the_mended_twin_has_no_hazard(name: str):
    fault = FAULTS[name]
    trace = run(fault, fault.mended)
    assert [found for found in trace.findings if found.level is Level.HAZARD] == []
    assert trace.complete


def test_a_barrier_after_an_early_return_is_a_note():
    """Since Volta the threads that returned are not waited for, but CUDA does not promise it."""
    code = """
extern "C" __global__ void k(const float* a, float* out, int n) {
    __shared__ float tile[64];
    int t = threadIdx.x;
    if (t >= n) return;
    tile[t] = a[t];
    __syncthreads();
    out[t] = tile[n - 1 - t];
}
"""
    a, out = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    trace = simulate(CudaCKernel(code, "k"), 1, 64, a, out, np.int32(60))
    (note,) = trace.findings
    assert (note.level, note.kind, note.place.line) == (Level.NOTE, "exited-before-barrier", 7)
    assert "undefined, and the block may hang. Since Volta" in note.message
