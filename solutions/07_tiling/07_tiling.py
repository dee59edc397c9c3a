# %% [markdown]
# # How does a matmul use each byte more than once?
#
# A product of two 4,096 x 4,096 matrices takes 137 billion operations. The three matrices are 201
# MB: that would be 683 operations for each byte, if each byte moved once. But a thread that
# computes one element fetches two numbers, 8 bytes, for each product that it adds: a quarter of an
# operation for each byte. This lesson takes the first steps from there, and counts them.
#
# **You will be able to** tell from counts what limits a kernel; write a matmul whose warps read
# whole sectors; find float64 in compiled code; share tiles in shared memory, for any shape.
#
# **You need** 2-D grids and guards, sectors, shared memory and its banks, barriers.
# **Time** about 100 minutes, with a good place to stop after the first 50.

# %% role="setup"
import math

import numpy as np
from numba import float32

from gpuedu import check, cuda, hint, lens, measure, predict, progress, reveal, see, setup, simulate

setup("tiling")

# %% [markdown] exercise="roofline"
# ## What stops a kernel
#
# **`roofline` · 6 points · about 25 minutes**
#
# A kernel cannot run faster than the arithmetic's **peak**, nor faster than its bytes arrive: with
# 2 FLOP (floating-point operations) for each byte, a memory of 4,800 GB/s allows 9,600 GFLOP/s.
# FLOP for each byte is the kernel's **intensity**. The lowest of its bounds is its roof. (The peak
# is that of float32. Tensor Cores, which round the factors to fewer digits, have a higher one.)
#
# A GPU has two such memories in a row. L1 cache and shared memory of an SM have one **data path**,
# and 128 bytes go through it in a **pass**. Shared memory takes a pass for each wavefront. A
# request to global memory takes one for every four sectors, and at least one, even if all lanes
# share a word. What *device memory* has to move is less, as far as caches keep what came: at best
# each sector once. An H200, by its data sheet, and by 128 bytes a clock and SM:

# %% role="given"
H200 = {"tflop_per_s": 67, "l1_gb_per_s": 33_454, "memory_gb_per_s": 4_800}
counts = measure("tiling/counts")

# %% [markdown]
# Here are eight kernels, counted on the course's machine; most you know. A **multiply-add**,
# `a * b + c`, is one instruction and two FLOP, and the peak is counted that way. "Passes" are those
# of L1 and of shared memory together. "Bytes read" and "written" count each sector once. `counts`,
# from above, has the same numbers: `counts["saxpy"]["passes"]`, and so on. Nothing is timed.

# %%
see("tiling/counts")

# %% [markdown]
# *Predict.* How many of the eight can come to the peak of the H200?

# %% role="predict"
predict("roofline", 1)

# %% [markdown]
# *Implement.* Two functions, and what follows from them.
#
# - `intensities(counts)` gets one kernel's counts, a dict with the names `multiply_adds`,
#   `other_flop`, `lane_bytes`, `sectors`, `wavefronts`, `passes`, `read_bytes` and `written_bytes`.
#   It returns two numbers: FLOP for each byte through the data path of L1 and shared memory, and
#   FLOP for each byte of device memory. It does not need all eight. About 4 lines.
# - `attainable(per_l1_byte, per_memory_byte, device)` returns two things: the FLOP/s that all three
#   roofs allow, and the name of the lowest: `"arithmetic"`, `"L1"` or `"device memory"`. `device`
#   is a dict like `H200`; a GB is 1e9 bytes. About 7 lines.
# - `limits`: for each of the eight the name of its lowest roof on the H200.
# - The functions leave the dicts that they get as they are.


# %% role="answer"
def intensities(counts):
    ### BEGIN SOLUTION
    flop = 2 * counts["multiply_adds"] + counts["other_flop"]
    l1_bytes = 128 * counts["passes"]
    memory_bytes = counts["read_bytes"] + counts["written_bytes"]
    return flop / l1_bytes, flop / memory_bytes
    ### END SOLUTION


def attainable(per_l1_byte, per_memory_byte, device):
    ### BEGIN SOLUTION
    rates = {
        "arithmetic": device["tflop_per_s"] * 1e12,
        "L1": per_l1_byte * device["l1_gb_per_s"] * 1e9,
        "device memory": per_memory_byte * device["memory_gb_per_s"] * 1e9,
    }
    name = min(rates, key=rates.get)
    return rates[name], name
    ### END SOLUTION


# %% role="answer"
### BEGIN SOLUTION
limits = {
    "saxpy": "device memory",
    "speed-of-rows": "device memory",
    "sum-of-rows": "L1",
    "stencil": "L1",
    "power-series": "arithmetic",
    "matmul-by-columns": "L1",
    "matmul-naive": "L1",
    "matmul-tiled": "L1",
}
### END SOLUTION

# %% role="check"
check("roofline", intensities, attainable, limits)

# %% [markdown]
# *See.* The eight, where your `intensities` place them. Each has two: a circle for L1, a square for
# device memory, at the height that the lower roof allows. A roof is a bound, not a prediction:
# whatever else takes time, the kernel only gets slower.

# %%
see("roofline", intensities)
reveal("roofline")

# %% [markdown]
# *Reflect.* A T4 is `{"tflop_per_s": 8.1, "l1_gb_per_s": 4_070, "memory_gb_per_s": 320}`. Which of
# the eight have another limit there? Try `attainable(*intensities(counts[name]), T4)`. (Two: the
# sum of rows and the stencil. L1 of a T4 moves an eighth of what an H200's does, its memory a
# fifteenth.) So a limit is of a kernel *and* a device.
#
# Three of the eight do the same product, with 0.055, 0.25 and 0.23 FLOP for each byte through L1.
# The last two look alike there. What is far apart, in the table? (Their sectors: 139,392 and
# 8,064.) The rest of the lesson is about these three.

# %% [markdown] exercise="naive"
# ## A thread for each element
#
# **`naive` · 6 points · about 14 minutes**
#
# `a` has M rows and K columns, `b` K rows and N columns. `c[i, j]` is the sum over all k of
# `a[i, k] * b[k, j]`. Each thread computes one element of `c`, and all 32 lanes of a warp are at
# the same k at a time. Blocks have 32 x 32 threads: in a warp, `threadIdx.x` runs from 0 to 31, and
# `threadIdx.y` is the same for all.
#
# *Predict.* In one step along k, a warp asks for `a[i, k]` and for `b[k, j]`. How many sectors are
# that together, if x runs *down the rows*, so that i has x in it? And if it runs *along the
# columns*, so that j has? (All matrices lie in memory row by row; K and N are large.)

# %% role="predict"
predict("naive", 33)
predict("naive-along", 5)

# %% [markdown]
# *Implement.* Choose the better one. All arrays are float32, of any shape that fits.
#
# - `blocks_for(rows, columns)`: plain Python; how many blocks it takes along x and along y, and no
#   more, for a `c` of that shape. Two whole numbers. One line.
# - `matmul_naive(a, b, c)`: the kernel. `c` holds anything before. The sum begins with
#   `float32(0)`, and each element of `c` is written once. About 6 lines.


# %% role="answer"
def blocks_for(rows, columns):
    ### BEGIN SOLUTION
    return -(-columns // 32), -(-rows // 32)
    ### END SOLUTION


@cuda.jit
def matmul_naive(a, b, c):
    ### BEGIN SOLUTION
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total
    ### END SOLUTION


# %% role="check"
check("naive", blocks_for, matmul_naive)

# %% [markdown]
# *See.* One warp in one step along k: first with x down the rows, then your kernel.

# %%
see("tiling/down-the-rows")
see("naive", blocks_for, matmul_naive)

# %%
reveal("naive")
reveal("naive-along")

# %% [markdown]
# *Reflect.* Both are the same program but for one exchange, and both are right. Of the 160 bytes in
# your 5 sectors, the warp uses 132: 33 numbers for its 64 FLOP, and in the next step 33 new ones.
# The warps above and below want the same 32 numbers of `b`, at about the same time.

# %% [markdown] exercise="accumulate-in-float32"
# ## What the compiler makes of a 0
#
# **`accumulate-in-float32` · 5 points · about 15 minutes**
#
# A product and a sum are one instruction, if the compiler may make a multiply-add of them:
# `fma.rn.f32` (rounded once, to nearest, float32). Here a thread adds the products of two columns,
# as a matmul does. Its results are right. What the compiler made of each line stands beside it.


# %%
@cuda.jit
def dots_of_zero(left, right, out):
    column = cuda.grid(1)
    if column < out.size:
        total = 0.0
        for row in range(left.shape[0]):
            total += left[row, column] * right[row, column]
        out[column] = total


see("tiling/compiled", dots_of_zero)

# %% [markdown]
# The literal `0.0` is float64, and so is the sum: each product is made in float32, turned into
# float64 (`cvt`) and added there. That costs. Of float64 additions, a T4 does 1/32 as many in a
# clock as of float32, an H200 half as many; and there is no multiply-add left. (Put your
# `matmul_naive` into that call: it should have an `fma.rn.f32`, and no mark.)
#
# What is float64: a literal with a point; a whole number beside a float32 in a sum, a difference, a
# product or a quotient (as an exponent, `x ** 2`, it does no harm); the quotient of two whole
# numbers; and whatever is computed with one of those.

# %% [markdown]
# It is seldom one place only. This kernel divides each column of `x` by the root of the mean of its
# squares, and weighs the rows: many language models do that between layers. It has n rows, a
# thread for each column, and 4 operations for each element: a square, a sum, two products.


# %% role="given"
@cuda.jit
def rms_norm_of_zero(x, w, out):
    j = cuda.grid(1)
    if j < x.shape[1]:
        n = x.shape[0]
        total = 0.0
        for k in range(n):
            total += x[k, j] ** 2
        scale = 1 / math.sqrt(total / n + 1e-6)
        for k in range(n):
            out[k, j] = x[k, j] * scale * w[k]


# %% [markdown]
# *Predict.* Somebody writes `total = float32(0.0)` and leaves the rest. How many of the 4
# operations for each element are still in float64?

# %% role="predict"
predict("accumulate-in-float32", 2)

# %% [markdown]
# *Implement.* The same kernel, without any float64. `x` and `out` are float32 of shape
# `(n, columns)`, `w` has n float32, and columns may be all zeros. All that you need is
# `float32(...)`.


# %% role="answer"
@cuda.jit
def rms_norm(x, w, out):
    ### BEGIN SOLUTION
    j = cuda.grid(1)
    if j < x.shape[1]:
        squares = float32(0)
        for row in range(x.shape[0]):
            squares += x[row, j] * x[row, j]
        mean = squares / float32(x.shape[0])
        scale = float32(1) / math.sqrt(mean + float32(1e-6))
        for row in range(x.shape[0]):
            out[row, j] = x[row, j] * scale * w[row]
    ### END SOLUTION


# %% role="check"
check("accumulate-in-float32", rms_norm)

# %% [markdown]
# *See.* What the compiler makes of both. It needs no GPU, but NVIDIA's compiler for Linux; where
# that is missing, the report of `lens` on a launch names the same lines.

# %%
see("accumulate-in-float32", rms_norm_of_zero)
see("accumulate-in-float32", rms_norm)
reveal("accumulate-in-float32")

# %% [markdown]
# *Reflect.* The results were right all the time, so no test of values would have found it. A sum of
# 100,000 squares may need float64: each addition in float32 may be off by 6e-8 of the sum so far.
# Then float64 is a choice, and not an accident.
#
# *Halfway.* A good place to stop: what you have handed in is kept.

# %% [markdown] exercise="tiled"
# ## Fetch a tile, use it 32 times
#
# **`tiled` · 8 points · about 20 minutes**
#
# A block of 32 x 32 threads computes a tile of `c`. It needs 32 rows of `a` and 32 columns of `b`
# for that, and uses each of their elements 32 times. So let it bring them to shared memory, piece
# by piece: in each **turn** a tile of `a` and a tile of `b`, 32 x 32 elements each, of which every
# thread brings one. Then each thread adds the 32 products that these tiles have for it.

# %%
see("tiling/walk")

# %% [markdown]
# *Predict.* M = N = K = 128. How many threads of the whole grid read `a[0, 0]` from global memory,
# with a thread for each element and no tiles? And with tiles?

# %% role="predict"
predict("tiled", 128)
predict("tiled-32", 4)

# %% [markdown]
# *Implement.* `matmul_tiled(a, b, c)` for shapes that are whole tiles: M, N and K are multiples of
# 32. Blocks have 32 x 32 threads; the grid has N / 32 blocks along x and M / 32 along y.
#
# - The tiles and the sum are in float32. A block reads each element that it needs from global
#   memory once, and in whole sectors. Each element of `c` is written once.
# - No bank conflicts, and neither a thread that reads what is not there yet, nor one that writes
#   over what others still need. How many barriers does a turn take?
# - 12 to 14 lines. `range(0, a.shape[1], 32)` gives the first k of each turn.


# %% role="answer"
@cuda.jit
def matmul_tiled(a, b, c):
    ### BEGIN SOLUTION
    tile_a = cuda.shared.array((32, 32), float32)
    tile_b = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    total = float32(0)
    for first in range(0, a.shape[1], 32):
        tile_a[y, x] = a[i, first + x]
        tile_b[y, x] = b[first + y, j]
        cuda.syncthreads()
        for k in range(32):
            total += tile_a[y, k] * tile_b[k, x]
        cuda.syncthreads()
    c[i, j] = total
    ### END SOLUTION


# %% role="check"
check("tiled", matmul_tiled)

# %% [markdown]
# *See.* Which block reads what of `a`, of 64 x 64 elements: without tiles, then yours. If threads
# of yours get in each other's way, you see these instead.

# %%
see("tiling/naive-reads")
see("tiled", matmul_tiled)
reveal("tiled")
reveal("tiled-32")

# %% [markdown]
# *Step.* One block, K = 64: two turns. "barrier ▶" takes you from one barrier to the next. What has
# each warp brought when the first one opens? In the loop over k, who brought what it reads?

# %%
from gpuedu import step

a, b = np.ones((32, 64), np.float32), np.ones((64, 32), np.float32)
step(matmul_tiled, 1, (32, 32), a, b, np.empty((32, 32), np.float32))

# %% [markdown]
# *Reflect.* For 32 steps along k, a warp without tiles asks for 32 x 5 = 160 sectors. With tiles it
# asks for 8: four of `a`, four of `b`. That is a twentieth, not a 32nd, because the word of `a`
# that all lanes shared was one sector and not four. But see "arithmetic" in the report below: 0.23
# FLOP for each byte through L1 and shared memory, as before. Which line has the wavefronts?
# (The sum: two words for each k. They come from shared memory now, and they still have to come.)

# %%
a, b, c = np.ones((3, 64, 64), np.float32)
lens(simulate(matmul_tiled, (2, 2), (32, 32), a, b, c))

# %% [markdown] exercise="any-shape"
# ## Matrices are no whole tiles
#
# **`any-shape` · 8 points · about 20 minutes**
#
# A batch of 50, 70 classes, 100 features: sizes are what they are. The grid is rounded up, so tiles
# stick out at the right and at the bottom of `c`; and the last turn along K may have less than a
# tile to bring. A place of a tile that has no element of its matrix must not add anything.
#
# *Predict.* M, N, K = 100, 100, 100. How many turns does the outer loop take? Of the 32 products
# that a thread adds in the last turn, how many stand for nothing?

# %% role="predict"
predict("any-shape", 4)
predict("any-shape-waste", 28)

# %% [markdown]
# *Implement.* `matmul(a, b, c)`: the tiled kernel for any M, N and K from 1 on. Blocks have 32 x 32
# threads; the grid has a block for each tile of `c` that is begun, N / 32 of them along x and
# M / 32 along y, rounded up. 14 to 18 lines; the kernel for whole tiles is a good beginning.
#
# - Nobody reads or writes outside of the arrays, or reads what nobody has written into a tile.
# - A thread without an element of `c` may still have one of `a` or `b` to bring, and it has to come
#   to every barrier. `value if condition else float32(0)` chooses between two.
# - The rest is as before: float32, each element read once by a block, and each of `c` written once;
#   where tiles are whole, whole sectors and no bank conflicts.


# %% role="answer"
@cuda.jit
def matmul(a, b, c):
    ### BEGIN SOLUTION
    tile_a = cuda.shared.array((32, 32), float32)
    tile_b = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    total = float32(0)
    for first in range(0, a.shape[1], 32):
        in_a = i < a.shape[0] and first + x < a.shape[1]
        in_b = first + y < b.shape[0] and j < b.shape[1]
        tile_a[y, x] = a[i, first + x] if in_a else float32(0)
        tile_b[y, x] = b[first + y, j] if in_b else float32(0)
        cuda.syncthreads()
        for k in range(32):
            total += tile_a[y, k] * tile_b[k, x]
        cuda.syncthreads()
    if i < c.shape[0] and j < c.shape[1]:
        c[i, j] = total
    ### END SOLUTION


# %% role="check"
check("any-shape", matmul)

# %% [markdown]
# *See.* The last block of a product with M, N, K = 50, 40, 70: which parts your kernel reads in
# which turn, and what of its tiles lies outside of the matrices.

# %%
see("any-shape", matmul)
reveal("any-shape")
reveal("any-shape-waste")

# %% [markdown]
# *Reflect.* At M = N = K = 33, a kernel that fills its tiles up with 0 adds 64 x 64 x 64 products,
# and 33 x 33 x 33 of them are wanted: 86% are for nothing. Libraries have kernels with several
# shapes of tiles, and choose.

# %% [markdown]
# ## What the tiles have moved
#
# Each kernel is here twice: if the caches kept nothing of what comes from device memory, and if
# they kept all. Without tiles, the square of device memory stands at 0.4 or at 16 FLOP a byte, and
# the rate goes along: it depends on what the caches happen to keep. With tiles it stands at 7 or at
# 16, and device memory is not the limit in either case.
#
# The circles of L1 are at the same place, at 0.25 and 0.23. They have to be: each product still
# needs two words, and from L1 or from shared memory they come through the same data path.

# %%
see("tiling/moved", matmul_naive, matmul)

# %% [markdown]
# *Measure.* On a machine with a GPU, this times your two kernels at M = N = K = 2,048 beside the
# library's product. The chart is a *ladder*: kernels of the same product, each a rung, from slow to
# fast, with the bound that the counts give, and what has been recorded on other GPUs, if anything.
# (Below it stand each one's device and size. The bounds are an H200's, which has faster memory: a
# kernel on an H100 may stay below even the bound without caches.)

# %%
times = measure("tiling/times", blocks_for, matmul_naive, matmul)
see("tiling/ladder", times)

# %% [markdown]
# **What is left.** A warp's step along k in the tiled kernel is 64 FLOP, and two passes of 128
# bytes through the data path: a quarter of a FLOP for each byte. With 33.5 TB/s that is at most 8.4
# TFLOP/s on an H200, an eighth of its peak. Larger tiles do not change it.
#
# Unless a word that has come through is used more than once *before* it is forgotten. Where could a
# thread keep it? That is where the next lesson begins.

# %% [markdown]
# ## What you take with you
#
# - A kernel is not faster than the lowest of three roofs: the peak, and for L1 and for device
#   memory FLOP a byte times bandwidth. Which one is lowest depends on the kernel and the device.
# - In a tile of 32 x 32, each element that is fetched from global memory is used 32 times. That
#   relieves the memory behind the SM, not the SM's own data path. It needs a barrier before the
#   tile is read, one before it is overwritten, and zeros at the edges.
# - A literal `0.0`, a `1e-6` or a whole number makes float64 of all that follows. Values do not
#   show it; the compiled code does.
#
# **Your number:** how many sectors a warp asks for in one step along k, with x down the rows.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - The roofline: S. Williams, A. Waterman, D. Patterson, *Roofline: An Insightful Visual
#   Performance Model for Multicore Architectures*, Communications of the ACM 52(4), 2009.
# - Peak and bandwidth of the H200: NVIDIA, *H200 Tensor Core GPU*, data sheet. Its L1: 132 SMs x
#   128 bytes x 1.98 GHz; a little below 128 bytes a clock and SM were measured on compute
#   capability 9.0: W. Luo et al., *Benchmarking and Dissecting the Nvidia Hopper GPU Architecture
#   via Microbenchmarking*, arXiv:2402.13499 (2024).
# - The T4: NVIDIA, *Turing GPU Architecture* (2018); its L1, 64 bytes a clock and SM: NVIDIA,
#   *Ampere GA102 GPU Architecture*, V2 (2021).
# - L1 and shared memory are one array since Volta: NVIDIA, *Volta Tuning Guide*, "Unified Shared
#   Memory/L1/Texture Cache".
# - Wavefronts and sectors: NVIDIA, *Nsight Compute* documentation, "Kernel Profiling Guide". That a
#   request has one or more wavefronts, and that one passes in a clock: NVIDIA's answer in its
#   developer forum, topic 165293.
# - Rates of float64: NVIDIA, *CUDA C++ Programming Guide*, "Arithmetic Instructions", table of
#   throughput: 2 of 64 a clock on compute capability 7.5, 64 of 128 on 9.0.
# - What becomes float64 in Numba was read from its compiled code here, as the lesson does.
# - Division by the root mean square: B. Zhang, R. Sennrich, *Root Mean Square Layer Normalization*,
#   arXiv:1910.07467 (2019).
# - A matmul through tiles in shared memory: *CUDA C++ Programming Guide*, "Shared Memory".
