"""Names that were meant by names that are unknown."""

from __future__ import annotations

import pytest

from gpuedu.compilers.nvrtc_names import likely_name

CODE = """
__device__ float area(float width) { return width * width; }
__global__ void kernel(float* total, int count) {
    // the widht of "heigth"
    int column = threadIdx.x + blockDim.x;
}
"""


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("threadidx", "threadIdx.x"),
        ("ThreadIdx", "threadIdx.x"),
        ("threadId", "threadIdx.x"),
        ("thread_idx", "threadIdx.x"),
        ("THREADIDX", "threadIdx.x"),
        ("blockdim", "blockDim.x"),
        ("blockidx", "blockIdx.x"),
        ("syncthreads", "__syncthreads()"),
        ("sync_threads", "__syncthreads()"),
        ("shared", "__shared__"),
        ("AtomicAdd", "atomicAdd"),
        ("atomic_add", "atomicAdd"),
        ("colum", "column"),
        ("totl", "total"),
        ("widht", "width"),
        ("True", "true"),
        ("uint8_t", "#include <cuda/std/cstdint>"),
        ("__shfl_xor", "__shfl_xor_sync(0xffffffff, ...)"),
        ("cudaDeviceSynchronize", "in Python"),
        ("area", "`area` above"),
        ("zzz", ""),
        ("i", ""),
    ],
)
def test_near_names(name, meant):
    found = likely_name(name, CODE)
    assert meant in found
    assert bool(found) == bool(meant)


def test_a_name_is_never_proposed_for_itself():
    assert likely_name("column", CODE + "column;") != "column"
    assert likely_name("heigth", CODE) == ""
