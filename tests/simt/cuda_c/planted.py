"""Kernels of CUDA C that each hold one fault, and the few changed lines that mend it.

``// <- kind`` marks the lines that the verdict must name, no more and no fewer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

MARK = "// <- "
HEAD = 'extern "C" __global__ void k'


@dataclass(frozen=True)
class Fault:
    """A kernel, its launch, what is wrong with it, and how it is mended.

    ``mend`` are pairs of what stands in the source and what takes its place.
    """

    kind: str
    array: str
    code: str
    mend: tuple[tuple[str, str], ...]
    arguments: Callable[[], tuple[object, ...]]
    grid: int | tuple[int, ...] = 1
    block: int | tuple[int, ...] = 64
    dynamic_shared_bytes: int = 0

    @property
    def mended(self) -> str:
        """The source of the twin without the fault."""
        code = self.code
        for old, new in self.mend:
            assert code.count(old) == 1, old
            code = code.replace(old, new)
        return code

    @property
    def marked_lines(self) -> set[int]:
        lines = self.code.splitlines()
        return {at for at, line in enumerate(lines, 1) if MARK + self.kind in line}


FAULTS: dict[str, Fault] = {}


def plant(name: str, kind: str, array: str, code: str, *mend: tuple[str, str], **launch) -> None:
    """Enter a fault; ``KERNEL`` in the code is the kernel's head."""
    FAULTS[name] = Fault(kind, array, code.replace("KERNEL", HEAD), mend, **launch)


def floats(*shape: int) -> np.ndarray:
    return np.random.default_rng(7).uniform(-9, 9, shape).astype(np.float32)


def ints(*shape: int, high: int) -> np.ndarray:
    return np.random.default_rng(8).integers(0, high, shape).astype(np.int32)


def zeros(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return np.zeros(shape, dtype)


n100 = np.int32(100)

# Out of bounds

plant(
    "no_guard",
    "out-of-bounds",
    "a",
    """
KERNEL(const float* a, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * a[i]; // <- out-of-bounds
}
""",
    ("out[i] = 2", "if (i < n) out[i] = 2"),
    arguments=lambda: (floats(100), zeros(128), n100),
    grid=2,
)

plant(
    "guard_with_less_or_equal",
    "out-of-bounds",
    "out",
    """
KERNEL(float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        out[i] = 1.0f; // <- out-of-bounds
}
""",
    ("i <= n", "i < n"),
    arguments=lambda: (zeros(100), n100),
    grid=2,
)

plant(
    "left_neighbor_of_the_first",
    "out-of-bounds",
    "a",
    """
KERNEL(const float* a, float* out) {
    int i = threadIdx.x;
    out[i] = a[i - 1]; // <- out-of-bounds
}
""",
    ("a[i - 1]", "i > 0 ? a[i - 1] : 0"),
    arguments=lambda: (floats(64), zeros(64)),
)

plant(
    "unsigned_index_below_zero",
    "out-of-bounds",
    "a",
    """
KERNEL(const float* a, float* out) {
    out[threadIdx.x] = a[threadIdx.x - 1]; // <- out-of-bounds
}
""",
    ("a[threadIdx.x - 1]", "a[max((int)threadIdx.x - 1, 0)]"),
    arguments=lambda: (floats(64), zeros(64)),
)

plant(
    "tests_the_value_before_the_index",
    "out-of-bounds",
    "a",
    """
KERNEL(const float* a, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (a[i] > 3 && i < n) // <- out-of-bounds
        out[i] = 1;
}
""",
    ("a[i] > 3 && i < n", "i < n && a[i] > 3"),
    arguments=lambda: (floats(100), zeros(100), n100),
    grid=2,
)

plant(
    "shared_tile_without_room_for_the_halo",
    "out-of-bounds",
    "tile",
    """
#define WIDTH 64
KERNEL(const float* a, float* out) {
    __shared__ float tile[WIDTH];
    int t = threadIdx.x;
    tile[t] = a[t];
    __syncthreads();
    float right = t < 64 ? tile[t + 1] : 0; // <- out-of-bounds
    out[t] = right;
}
""",
    ("t < 64 ?", "t < WIDTH - 1 ?"),
    arguments=lambda: (floats(64), zeros(64)),
)


plant(
    "dynamic_shared_memory_too_small",
    "out-of-bounds",
    "tile",
    """
KERNEL(float* out) {
    extern __shared__ float tile[];
    if (threadIdx.x < 33)
        tile[threadIdx.x] = 1; // <- out-of-bounds
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x % 32];
}
""",
    ("threadIdx.x < 33", "threadIdx.x < 32"),
    arguments=lambda: (zeros(64),),
    dynamic_shared_bytes=128,
)

plant(
    "local_array_one_too_short",
    "out-of-bounds",
    "window",
    """
KERNEL(const float* a, float* out) {
    float window[4];
    int i = threadIdx.x;
    float total = 0;
    for (int j = 0; j < 5; ++j)
        window[j] = a[(i + j) % 64]; // <- out-of-bounds
    for (int j = 0; j < 4; ++j) total += window[j];
    out[i] = total;
}
""",
    ("j < 5", "j < 4"),
    arguments=lambda: (floats(64), zeros(64)),
)

plant(
    "rows_and_columns_swapped",
    "out-of-bounds",
    "a",
    """
KERNEL(const float* a, float* out, int rows, int columns) {
    int x = threadIdx.x, y = threadIdx.y;
    if (x < columns && y < rows)
        out[y * columns + x] = a[x * columns + y]; // <- out-of-bounds
}
""",
    ("a[x * columns + y]", "a[y * columns + x]"),
    arguments=lambda: (floats(4 * 16), zeros(4 * 16), np.int32(4), np.int32(16)),
    block=(16, 4),
)

plant(
    "leaves_the_rows_of_a_shared_tile",
    "out-of-bounds",
    "tile",
    """
KERNEL(const float* a, float* out) {
    __shared__ float tile[8][8];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = a[y * 8 + x];
    __syncthreads();
    out[y * 8 + x] = tile[y + 1][x]; // <- out-of-bounds
}
""",
    ("tile[y + 1][x]", "tile[(y + 1) % 8][x]"),
    arguments=lambda: (floats(64), zeros(64)),
    block=(8, 8),
)

plant(
    "device_function_leaves_the_array",
    "out-of-bounds",
    "a",
    """
__device__ float second_next(const float* values, int i) {
    return values[i + 2]; // <- out-of-bounds
}
KERNEL(const float* a, float* out) {
    int i = threadIdx.x;
    out[i] = second_next(a, i);
}
""",
    ("second_next(a, i)", "second_next(a, i % 60)"),
    arguments=lambda: (floats(64), zeros(64)),
)

plant(
    "histogram_without_a_last_bin",
    "out-of-bounds",
    "bins",
    """
KERNEL(const int* values, int* bins) {
    int v = values[threadIdx.x];
    atomicAdd(&bins[v], 1); // <- out-of-bounds
}
""",
    ("int v = values[threadIdx.x]", "int v = min(values[threadIdx.x], 9)"),
    arguments=lambda: (np.arange(64, dtype=np.int32) % 11, zeros(10, dtype=np.int32)),
)

plant(
    "pointer_walks_past_the_end",
    "out-of-bounds",
    "a",
    """
KERNEL(const float* a, float* out, int n) {
    const float* p = a + threadIdx.x;
    float sum = 0;
    while (p <= a + n) {
        sum += *p; // <- out-of-bounds
        p += blockDim.x;
    }
    out[threadIdx.x] = sum;
}
""",
    ("p <= a + n", "p < a + n"),
    arguments=lambda: (floats(100), zeros(50), n100),
    block=50,
)

# Uninitialised

plant(
    "shared_tile_partly_written",
    "uninitialised-read",
    "tile",
    """
KERNEL(const float* a, float* out, int n) {
    __shared__ float tile[64];
    int t = threadIdx.x;
    if (t < n) tile[t] = a[t];
    __syncthreads();
    out[t] = tile[63 - t]; // <- uninitialised-read
}
""",
    ("if (t < n) tile[t] = a[t]", "tile[t] = t < n ? a[t] : 0"),
    arguments=lambda: (floats(60), zeros(64), np.int32(60)),
)

plant(
    "accumulator_without_a_beginning",
    "uninitialised-read",
    "sum",
    """
KERNEL(const float* a, float* out) {
    float sum;
    for (int j = 0; j < 4; ++j)
        sum += a[4 * threadIdx.x + j]; // <- uninitialised-read
    out[threadIdx.x] = sum;
}
""",
    ("float sum;", "float sum = 0;"),
    arguments=lambda: (floats(256), zeros(64)),
)

plant(
    "variable_set_on_one_path_only",
    "uninitialised-read",
    "v",
    """
KERNEL(const float* a, float* out) {
    int i = threadIdx.x;
    float v;
    if (a[i] > 0) v = a[i];
    out[i] = v; // <- uninitialised-read
}
""",
    ("float v;", "float v = 0;"),
    arguments=lambda: (floats(64), zeros(64)),
)

plant(
    "local_array_never_cleared",
    "uninitialised-read",
    "counts",
    """
KERNEL(const int* a, int* out) {
    int counts[3];
    for (int j = 0; j < 6; ++j)
        counts[a[threadIdx.x * 6 + j]]++; // <- uninitialised-read
    out[threadIdx.x] = counts[0] + 10 * counts[1] + 100 * counts[2];
}
""",
    ("int counts[3];", "int counts[3] = {0};"),
    arguments=lambda: (np.arange(384, dtype=np.int32) % 3, zeros(64, dtype=np.int32)),
)

plant(
    "member_of_a_structure_forgotten",
    "uninitialised-read",
    "p",
    """
struct Point { float x, y; };
__device__ void fill(Point* p, float v) { p->x = v; }
KERNEL(const float* a, float* out) {
    Point p;
    fill(&p, a[threadIdx.x]);
    out[threadIdx.x] = p.x + p.y; // <- uninitialised-read
}
""",
    ("p->x = v;", "p->x = v; p->y = v;"),
    arguments=lambda: (floats(64), zeros(64)),
)

# Races

plant(
    "no_barrier_before_the_neighbor",
    "data-race",
    "tile",
    """
KERNEL(const float* a, float* out) {
    __shared__ float tile[64];
    int t = threadIdx.x;
    tile[t] = a[t]; // <- data-race
    out[t] = tile[63 - t]; // <- data-race
}
""",
    ("    out[t]", "    __syncthreads(); out[t]"),
    arguments=lambda: (floats(64), zeros(64)),
)

plant(
    "in_place_neighbors",
    "data-race",
    "a",
    """
KERNEL(float* a) {
    int i = threadIdx.x;
    if (i < 63)
        a[i] = a[i + 1]; // <- data-race
}
""",
    ("a[i] =", "a[i + 64] ="),
    arguments=lambda: (floats(128),),
)

plant(
    "reduction_without_a_barrier_in_its_loop",
    "data-race",
    "s",
    """
KERNEL(const float* a, float* out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half]; // <- data-race
    }
    if (t == 0) out[0] = s[0];
}
""",
    ("s[t + half]; // <- data-race", "s[t + half]; __syncthreads();"),
    arguments=lambda: (floats(64), zeros(1)),
)

plant(
    "counter_without_an_atomic",
    "data-race",
    "count",
    """
KERNEL(const float* a, int* count) {
    if (a[threadIdx.x] > 0)
        count[0] += 1; // <- data-race
}
""",
    ("count[0] += 1", "atomicAdd(count, 1)"),
    arguments=lambda: (floats(64), zeros(1, dtype=np.int32)),
)

plant(
    "blocks_write_one_element",
    "data-race",
    "out",
    """
KERNEL(const float* a, float* out) {
    if (threadIdx.x == 0)
        out[0] = a[blockIdx.x]; // <- data-race
}
""",
    ("out[0]", "out[blockIdx.x]"),
    arguments=lambda: (floats(4), zeros(4)),
    grid=4,
    block=32,
)

plant(
    "reads_what_another_block_writes",
    "data-race",
    "a",
    """
KERNEL(float* a, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] += 1; // <- data-race
    __syncthreads();
    out[i] = a[n - 1 - i]; // <- data-race
}
""",
    ("a[n - 1 - i]", "a[i]"),
    arguments=lambda: (floats(128), zeros(128), np.int32(128)),
    grid=2,
)

plant(
    "tile_overwritten_in_the_next_turn",
    "data-race",
    "tile",
    """
KERNEL(const float* a, float* out) {
    __shared__ float tile[32];
    int t = threadIdx.x;
    float sum = 0;
    for (int turn = 0; turn < 2; ++turn) {
        tile[t] = a[turn * 32 + t]; // <- data-race
        __syncthreads();
        sum += tile[31 - t]; // <- data-race
    }
    out[t] = sum;
}
""",
    ("sum += tile[31 - t]; // <- data-race", "sum += tile[31 - t]; __syncthreads();"),
    arguments=lambda: (floats(64), zeros(32)),
    block=32,
)

plant(
    "warp_counts_on_being_in_step",
    "data-race",
    "s",
    """
KERNEL(const int* a, int* out) {
    __shared__ int s[32];
    int lane = threadIdx.x;
    s[lane] = a[lane]; // <- data-race
    out[lane] = s[lane ^ 1]; // <- data-race
}
""",
    ("    out[lane]", "    __syncwarp(); out[lane]"),
    arguments=lambda: (ints(32, high=9), zeros(32, dtype=np.int32)),
    block=32,
)

plant(
    "reference_to_a_shared_sum",
    "data-race",
    "total",
    """
__device__ void add(int& sum, int v) {
    sum += v; // <- data-race
}
KERNEL(const int* a, int* out) {
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    add(total, a[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) out[0] = total;
}
""",
    ("sum += v", "atomicAdd(&sum, v)"),
    arguments=lambda: (ints(64, high=9), zeros(1, dtype=np.int32)),
)

plant(
    "blocks_count_themselves",
    "data-race",
    "done",
    """
KERNEL(unsigned int* done, int* out) {
    if (threadIdx.x == 0) {
        done[0] = done[0] + 1; // <- data-race
        out[blockIdx.x] = 1;
    }
}
""",
    ("done[0] = done[0] + 1", "atomicInc(done, 100u)"),
    arguments=lambda: (zeros(1, dtype=np.uint32), zeros(3, dtype=np.int32)),
    grid=3,
    block=32,
)

# Barriers

plant(
    "barrier_in_an_if",
    "divergent-barrier",
    "",
    """
KERNEL(const float* a, float* out, int n) {
    __shared__ float tile[64];
    int t = threadIdx.x;
    if (t < n) {
        tile[t] = a[t];
        __syncthreads(); // <- divergent-barrier
        out[t] = tile[t];
    }
}
""",
    ("__syncthreads();", ";"),
    arguments=lambda: (floats(64), zeros(64), np.int32(40)),
)

plant(
    "barrier_in_a_loop_of_unequal_turns",
    "divergent-barrier",
    "",
    """
KERNEL(float* out) {
    int t = threadIdx.x;
    float sum = 0;
    for (int j = 0; j < t % 3; ++j) {
        sum += j;
        __syncthreads(); // <- divergent-barrier
    }
    out[t] = sum;
}
""",
    ("j < t % 3", "j < 3"),
    arguments=lambda: (zeros(64),),
)

plant(
    "barrier_in_a_device_function",
    "divergent-barrier",
    "",
    """
__device__ void meet() {
    __syncthreads(); // <- divergent-barrier
}
KERNEL(float* out) {
    if (threadIdx.x % 2) meet();
    out[threadIdx.x] = 1;
}
""",
    ("if (threadIdx.x % 2) meet();", "meet();"),
    arguments=lambda: (zeros(64),),
)

# Alignment, loops, warps

plant(
    "misaligned_vector_load",
    "misaligned",
    "a",
    """
KERNEL(const float* a, float* out) {
    int i = threadIdx.x;
    float4 v = *(const float4*)(a + 4 * i + 1); // <- misaligned
    out[i] = v.x + v.w;
}
""",
    ("4 * i + 1", "4 * i"),
    arguments=lambda: (floats(300), zeros(64)),
)

plant(
    "loop_that_never_ends",
    "runaway-loop",
    "",
    """
KERNEL(float* out) {
    unsigned i = 10;
    float sum = 0;
    while (i >= 0) { // <- runaway-loop
        sum += i;
        --i;
    }
    out[threadIdx.x] = sum;
}
""",
    ("i >= 0", "i > 0"),
    arguments=lambda: (zeros(32),),
    block=32,
)

plant(
    "spins_inside_a_warp",
    "spin-in-warp",
    "",
    """
KERNEL(int* lock, int* count) {
    while (atomicCAS(lock, 0, 1) != 0) { } // <- spin-in-warp
    count[0] += 1;
    atomicExch(lock, 0);
}
""",
    ("while (atomicCAS(lock, 0, 1) != 0) { }", "atomicAdd(count, 1);"),
    ("count[0] += 1;", ""),
    arguments=lambda: (zeros(1, dtype=np.int32), zeros(1, dtype=np.int32)),
    block=32,
)

plant(
    "shuffle_from_a_lane_that_is_absent",
    "warp-sync-mask",
    "",
    """
KERNEL(const int* a, int* out) {
    int lane = threadIdx.x, v = a[lane];
    if (lane < 16)
        v += __shfl_down_sync(0xffffffff, v, 8); // <- warp-sync-mask
    out[lane] = v;
}
""",
    ("    if (lane < 16)\n", ""),
    arguments=lambda: (ints(32, high=9), zeros(32, dtype=np.int32)),
    block=32,
)

plant(
    "vote_with_the_wrong_mask",
    "warp-sync-mask",
    "",
    """
KERNEL(const int* a, int* out) {
    int lane = threadIdx.x;
    if (lane % 2 == 0)
        out[lane] = __ballot_sync(0x0000ffff, a[lane] > 4); // <- warp-sync-mask
}
""",
    ("0x0000ffff", "0x55555555"),
    arguments=lambda: (ints(32, high=9), zeros(32, dtype=np.int32)),
    block=32,
)

# Warp matrices

WARP_MATRICES = """
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> A;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> B;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> C;
"""


def halves(*shape: int) -> np.ndarray:
    return floats(*shape).astype(np.float16)


plant(
    "accumulator_without_a_begin",
    "uninitialised-read",
    "fc",
    WARP_MATRICES
    + """
KERNEL(const half* a, const half* b, float* c) {
    A fa; B fb; C fc;
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc); // <- uninitialised-read
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
""",
    ("A fa; B fb; C fc;", "A fa; B fb; C fc; wmma::fill_fragment(fc, 0.0f);"),
    arguments=lambda: (halves(16, 16), halves(16, 16), zeros(16, 16)),
    block=32,
)

plant(
    "half_a_warp_loads",
    "torn-warp",
    "",
    WARP_MATRICES
    + """
KERNEL(const half* a, float* c) {
    A fa;
    if (threadIdx.x % 32 < 16)
        wmma::load_matrix_sync(fa, a, 16); // <- torn-warp
    c[threadIdx.x] = 1.0f;
}
""",
    ("    if (threadIdx.x % 32 < 16)\n", "    if (threadIdx.x / 32 < 1)\n"),
    arguments=lambda: (halves(16, 16), zeros(64)),
    block=64,
)

plant(
    "a_block_that_is_no_whole_warp",
    "torn-warp",
    "",
    WARP_MATRICES
    + """
KERNEL(float* c) {
    C fc;
    if (threadIdx.x >= 32)
        wmma::fill_fragment(fc, 0.0f); // <- torn-warp
    c[threadIdx.x] = 1.0f;
}
""",
    (">= 32", "< 32"),
    arguments=lambda: (zeros(48),),
    block=48,
)

plant(
    "each_lane_its_own_address",
    "lanes-disagree",
    "",
    WARP_MATRICES
    + """
KERNEL(const half* a, float* c) {
    A fa;
    wmma::load_matrix_sync(fa, a + 16 * threadIdx.x, 16); // <- lanes-disagree
    c[threadIdx.x] = 1.0f;
}
""",
    ("16 * threadIdx.x", "256 * (threadIdx.x / 32)"),
    arguments=lambda: (halves(80, 16), zeros(64)),
    block=64,
)

plant(
    "a_tile_that_begins_between",
    "misaligned",
    "a",
    WARP_MATRICES
    + """
KERNEL(const half* a, float* c) {
    A fa;
    wmma::load_matrix_sync(fa, a + 8, 32); // <- misaligned
    c[threadIdx.x] = 1.0f;
}
""",
    ("a + 8", "a + 16"),
    arguments=lambda: (halves(16, 32), zeros(32)),
    block=32,
)

plant(
    "a_leading_dimension_of_20",
    "misaligned",
    "a",
    WARP_MATRICES
    + """
KERNEL(const half* a, float* c, int n) {
    A fa;
    wmma::load_matrix_sync(fa, a, n + 4); // <- misaligned
    c[threadIdx.x] = 1.0f;
}
""",
    ("n + 4", "n + 8"),
    arguments=lambda: (halves(16, 24), zeros(32), np.int32(16)),
    block=32,
)

plant(
    "a_tile_past_the_end",
    "out-of-bounds",
    "c",
    WARP_MATRICES
    + """
KERNEL(float* c, int n) {
    C fc;
    wmma::fill_fragment(fc, 1.0f);
    wmma::store_matrix_sync(c + 16, fc, n, wmma::mem_row_major); // <- out-of-bounds
}
""",
    ("c + 16", "c"),
    arguments=lambda: (zeros(16, 16), np.int32(16)),
    block=32,
)

plant(
    "a_fragment_past_the_last",
    "out-of-bounds",
    "fc",
    WARP_MATRICES
    + """
KERNEL(float* c, int n) {
    C fc[2];
    for (int i = 0; i <= n; i++)
        wmma::fill_fragment(fc[i], 1.0f); // <- out-of-bounds
    wmma::store_matrix_sync(c, fc[1], 16, wmma::mem_row_major);
}
""",
    ("i <= n", "i < n"),
    arguments=lambda: (zeros(16, 16), np.int32(2)),
    block=32,
)

plant(
    "two_warps_store_one_tile",
    "data-race",
    "c",
    WARP_MATRICES
    + """
KERNEL(float* c) {
    C fc;
    wmma::fill_fragment(fc, threadIdx.x / 32);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major); // <- data-race
}
""",
    ("_sync(c,", "_sync(c + 256 * (threadIdx.x / 32),"),
    arguments=lambda: (zeros(32, 16),),
    block=64,
)

plant(
    "loaded_before_the_lanes_wrote",
    "data-race",
    "s",
    WARP_MATRICES
    + """
KERNEL(const half* a, float* c) {
    __shared__ alignas(32) half s[256];
    A fa;
    for (int i = threadIdx.x; i < 256; i += 32) s[i] = a[i]; // <- data-race
    wmma::load_matrix_sync(fa, s, 16); // <- data-race
    c[threadIdx.x] = 1.0f;
}
""",
    ("    wmma::load", "    __syncwarp(); wmma::load"),
    arguments=lambda: (halves(16, 16), zeros(32)),
    block=32,
)

plant(
    "read_before_the_warp_stored",
    "data-race",
    "s",
    WARP_MATRICES
    + """
KERNEL(float* c) {
    __shared__ alignas(32) float s[256];
    C fc;
    wmma::fill_fragment(fc, 2.0f);
    wmma::store_matrix_sync(s, fc, 16, wmma::mem_row_major); // <- data-race
    for (int i = threadIdx.x; i < 256; i += 32) c[i] = s[i]; // <- data-race
}
""",
    ("    for (int", "    __syncwarp(); for (int"),
    arguments=lambda: (zeros(256),),
    block=32,
)

plant(
    "a_tile_of_shared_memory_that_nobody_wrote",
    "uninitialised-read",
    "s",
    WARP_MATRICES
    + """
KERNEL(const half* a, float* c) {
    __shared__ alignas(32) half s[512];
    A fa;
    for (int i = threadIdx.x; i < 256; i += 32) s[i] = a[i];
    __syncthreads();
    wmma::load_matrix_sync(fa, s + 128, 16); // <- uninitialised-read
    c[threadIdx.x] = 1.0f;
}
""",
    ("s + 128", "s"),
    arguments=lambda: (halves(16, 16), zeros(32)),
    block=32,
)
