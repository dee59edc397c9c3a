# %% [markdown]
# # How does a matmul use each byte more than once?
#
# A product of two 4,096 x 4,096 matrices takes 137 billion operations. The three matrices are 201
# MB, so if each byte moved just once, there would be 683 operations per byte. But a thread that
# computes one element fetches two numbers, 8 bytes, for every product it adds. That's a quarter of
# an operation per byte. In this lesson you'll take the first steps up from there, and count what
# each one gains.
#
# **You will be able to** tell from counts what limits a kernel; write a matmul whose warps read
# whole sectors; find float64 in compiled code; share tiles in shared memory, for any shape.
#
# **You need** 2-D grids and guards from *First kernels*; sectors, shared memory, banks and barriers
# from *Memory*.
# **Time** about 105 minutes.

# %% role="setup"
from gpuedu import check, cuda, hint, lens, measure, predict, progress, reveal, see, setup, simulate

import math

import numpy as np
from numba import float32

setup("tiling")


# %% [markdown] exercise="roofline"
# ## What stops a kernel
#
# **`roofline` · 6 points · about 25 minutes**
#
# A kernel can't run faster than the chip can compute, which is its **peak**, nor faster than its
# data can arrive. If it does 2 FLOP (floating-point operations) per byte, a memory of 4,800 GB/s
# allows 9,600 GFLOP/s. FLOP per byte is the kernel's **intensity**. Each of these bounds is a
# **roof**, and the lowest one decides.
#
# The peak here is that of ordinary float32 arithmetic. The chip also has **tensor cores**, units
# that multiply small matrices and have a much higher peak. For float32 inputs they offer TF32,
# which rounds each factor to 10 bits after the binary point, so it isn't the same product. On an
# H200 its peak is 495 TFLOP/s, against 67 in full float32. This lesson stays with full float32.

# %% [markdown]
# On the way to the arithmetic, data pass through two memories. The L1 cache and the shared memory
# of an SM have one **data path** in common, and 128 bytes go through it in a **pass**. Shared
# memory takes one pass per wavefront. A request to global memory takes at least one for every four
# sectors, and at least one in all, even if all lanes want the same word. *Device memory* has to
# move less, because the caches keep some of what came before: at best, it moves each sector once.
# Here is an H200, going by its data sheet and by 128 bytes per clock per SM:

# %% role="given"
H200 = {"tflop_per_s": 67, "l1_gb_per_s": 33_454, "memory_gb_per_s": 4_800}
counts = measure("tiling/counts")


# %% [markdown]
# And here are eight kernels, counted on the course's machine; you know most of them. A
# **multiply-add**, `a * b + c`, is one instruction and two FLOP, and that's how the peak is counted
# too. "Passes" are those of L1 and shared memory together. "Bytes read" and "written" count each
# sector once. You'll find the same numbers in `counts`, as in `counts["saxpy"]["passes"]`. Nothing
# here is timed.

# %%
see("tiling/counts")


# %% [markdown]
# *Predict.* How many of the eight can reach the H200's peak?

# %% role="predict"
predict("roofline", 1)


# %% [markdown]
# *Implement.* Write two functions, then fill in what follows from them.
#
# - `intensities(counts)` gets one kernel's counts, a dict with the names `multiply_adds`,
#   `other_flop`, `lane_bytes`, `sectors`, `wavefronts`, `passes`, `read_bytes` and `written_bytes`.
#   It returns two numbers: FLOP per byte through the data path of L1 and shared memory, and FLOP
#   per byte of device memory. It doesn't need all eight counts. About 4 lines.
# - `attainable(per_l1_byte, per_memory_byte, device)` returns the FLOP/s that all three roofs
#   allow, and the name of the lowest: `"arithmetic"`, `"L1"` or `"device memory"`. `device` is a
#   dict like `H200`, and a GB is 1e9 bytes. About 7 lines.
# - `limits` has, for each of the eight, the name of its lowest roof on the H200.
# - The functions leave the dicts they get unchanged.


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
# *See.* The eight kernels, where your `intensities` places them. Each appears twice: as a circle
# for L1 and as a square for device memory, at the height that the lower roof allows. Remember that
# a roof is a bound and not a prediction. Anything else that takes time only makes the kernel
# slower.

# %%
see("roofline", intensities)
reveal("roofline")


# %% [markdown]
# *Reflect.* A T4 is `{"tflop_per_s": 8.1, "l1_gb_per_s": 4_070, "memory_gb_per_s": 320}`. Which of
# the eight have a different limit there? Try `attainable(*intensities(counts[name]), T4)`. (There
# are two, the sum of rows and the stencil. A T4's L1 moves an eighth of what an H200's does, its
# memory a fifteenth.) So a limit belongs to a kernel *and* a device.
#
# Three of the eight compute the same product, with 0.055, 0.25 and 0.23 FLOP per byte through L1.
# By that measure the last two look alike. But in one column of the table they are far apart. Which
# one? (Their sectors: 139,392 and 8,064.) The rest of this lesson is about these three.

# %% [markdown] exercise="naive"
# ## One thread per element
#
# **`naive` · 6 points · about 14 minutes**
#
# `a` has M rows and K columns, `b` has K rows and N columns, and `c[i, j]` is the sum over all k of
# `a[i, k] * b[k, j]`. Each thread computes one element of `c`, and all 32 lanes of a warp are at
# the same k at the same time. Blocks have 32 x 32 threads, so within a warp `threadIdx.x` runs from
# 0 to 31, while `threadIdx.y` is the same for all lanes.
#
# *Predict.* In one step along k, a warp asks for `a[i, k]` and for `b[k, j]`. How many sectors is
# that in total if x runs *down the rows*, so that i depends on x? And how many if x runs *along the
# columns*, so that j does? (All matrices are stored row by row, and K and N are large.)

# %% role="predict"
predict("naive", 33)
predict("naive-along", 5)


# %% [markdown]
# *Implement.* Choose the better of the two. All arrays are float32, of any shapes that fit
# together.
#
# - `blocks_for(rows, columns)`, in plain Python: how many blocks a `c` of that shape takes along x
#   and along y, and no more than that. It returns two whole numbers. One line.
# - `matmul_naive(a, b, c)`: the kernel. `c` may hold anything before the launch. The sum starts
#   with `float32(0)`, each element of `c` is written once, and nothing outside the arrays is
#   touched. About 6 lines.


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
# *See.* One warp in one step along k, first with x down the rows, then in your kernel.

# %%
see("tiling/down-the-rows")
see("naive", blocks_for, matmul_naive)


# %%
reveal("naive")
reveal("naive-along")


# %% [markdown]
# *Reflect.* The two programs differ only in which index is x and which is y, and both are right. Of
# the 160 bytes in your 5 sectors, the warp uses 132: 33 numbers for its 64 FLOP, and 33 new ones in
# the next step. Meanwhile the warps above and below it want the same 32 numbers of `b`, at about
# the same time.

# %% [markdown] exercise="accumulate-in-float32"
# ## What the compiler makes of a 0
#
# **`accumulate-in-float32` · 5 points · about 16 minutes**
#
# A product and a sum are one instruction if the compiler can combine them into a multiply-add,
# `fma.rn.f32` (rounded once, to nearest, float32). Below, a thread adds the products of two
# columns, as a matmul does, and its results are right. Next to each line you'll see what the
# compiler made of it.


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
# The literal `0.0` is float64, and so is the sum: each product is computed in float32, converted to
# float64 (`cvt`), and added there. That's expensive. Per clock, a T4 does only 1/32 as many float64
# additions as float32 ones, and an H200 half as many. And there is no multiply-add left. (Put your
# `matmul_naive` into the same call. It should show an `fma.rn.f32` and no mark.)
#
# What produces float64 in Numba? A literal with a decimal point or an exponent. A whole number next
# to a float32 in a sum, difference, product or quotient (as an exponent, `x ** 2`, it does no
# harm). The quotient of two whole numbers. And anything computed from one of those.

# %% [markdown]
# It rarely happens in just one place. The kernel below divides each column of `x` by the root mean
# square of its elements and then weights the rows, as many language models do between layers. `x`
# has n rows. The kernel has one thread per column and does 4 operations per element: a square, a
# sum and two products.


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
# *Predict.* Someone writes `total = float32(0.0)` and leaves the rest as it is. How many of the 4
# operations per element are still in float64?

# %% role="predict"
predict("accumulate-in-float32", 2)


# %% [markdown]
# *Implement.* Write the same kernel without any float64, neither in the loops nor in what is done
# once per column. `x` and `out` are float32 of shape `(n, columns)`, `w` has n float32 weights, and
# columns may be all zeros. All you need is `float32(...)`.


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
# *See.* What the compiler makes of both. This needs no GPU, only NVIDIA's compiler for Linux. Where
# that is missing, the report that `lens` gives on a launch names the same lines.

# %%
see("accumulate-in-float32", rms_norm_of_zero)
see("accumulate-in-float32", rms_norm)
reveal("accumulate-in-float32")


# %% [markdown]
# *Reflect.* The results were right all along, so no test of values would have found this. Float64
# does have its place: a sum of 100,000 squares may need it, because each addition in float32 may be
# off by 6e-8 of the sum so far. But then it should be a choice, not an accident.

# %% [markdown] exercise="tiled"
# ## Fetch a tile, use it 32 times
#
# **`tiled` · 8 points · about 20 minutes**
#
# A block of 32 x 32 threads computes a tile of `c`. For that it needs 32 rows of `a` and 32 columns
# of `b`, and it uses each of their elements 32 times. So let it bring them into shared memory piece
# by piece. In each **turn** it brings a tile of `a` and a tile of `b`, 32 x 32 elements each, and
# every thread fetches one element of each. Then each thread adds its 32 products from these tiles.

# %%
see("tiling/walk")


# %% [markdown]
# *Predict.* M = N = K = 128. With one thread per element and no tiles, how many threads of the
# whole grid read `a[0, 0]` from global memory? And how many with tiles?

# %% role="predict"
predict("tiled", 128)
predict("tiled-32", 4)


# %% [markdown]
# *Implement.* Write `matmul_tiled(a, b, c)` for shapes that are whole tiles: M, N and K are
# multiples of 32. Blocks have 32 x 32 threads, and the grid has N / 32 blocks along x and M / 32
# along y. 12 to 14 lines.
#
# - The tiles and the sum are float32. A block reads each element it needs from global memory once,
#   in whole sectors. Each element of `c` is written once.
# - There are no bank conflicts. No thread reads what isn't there yet, or overwrites what others
#   still need. How many barriers does a turn take?
#
# `range(0, a.shape[1], 32)` gives the first k of each turn.


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
# *See.* Which block reads which elements of `a`, a matrix of 64 x 64: first without tiles, then
# with your kernel. If some of your threads get in each other's way, you'll see those instead.

# %%
see("tiling/naive-reads")
see("tiled", matmul_tiled)
reveal("tiled")
reveal("tiled-32")


# %% [markdown]
# *Step.* One block with K = 64, which makes two turns. "barrier ▶" takes you from one barrier to
# the next. What has each warp brought when the first one opens? And in the loop over k, who brought
# what a warp reads?

# %%
from gpuedu import step

a, b = np.ones((32, 64), np.float32), np.ones((64, 32), np.float32)
step(matmul_tiled, 1, (32, 32), a, b, np.empty((32, 32), np.float32))


# %% [markdown]
# *Reflect.* For 32 steps along k, a warp without tiles asks for 32 x 5 = 160 sectors. With tiles it
# asks for 8, four of `a` and four of `b`. That's a twentieth and not a 32nd, because the word of
# `a` that all lanes shared was one sector, not four. Now look at "arithmetic" in the report below:
# 0.23 FLOP per byte through L1 and shared memory, no better than the 0.25 without tiles. Which line
# has the wavefronts? (The sum: two words for each k. They come from shared memory now, but they
# still have to come.)

# %%
a, b, c = np.ones((3, 64, 64), np.float32)
lens(simulate(matmul_tiled, (2, 2), (32, 32), a, b, c))


# %% [markdown] exercise="any-shape"
# ## When the tiles don't fit
#
# **`any-shape` · 8 points · about 20 minutes**
#
# A batch of 50, with 70 classes and 100 features: you can't choose your sizes. The grid is rounded
# up, so tiles stick out at the right and at the bottom of `c`, and the last turn along K may have
# less than a tile to bring. A place in a tile that has no element of its matrix must not add
# anything.
#
# *Predict.* M, N, K = 100, 100, 100. How many turns does the outer loop take? Of the 32 products
# that a thread adds in the last turn, how many are wasted?

# %% role="predict"
predict("any-shape", 4)
predict("any-shape-waste", 28)


# %% [markdown]
# *Implement.* Write `matmul(a, b, c)`, the tiled kernel for any M, N and K from 1 on. Blocks have
# 32 x 32 threads, with one block per 32 x 32 tile of `c`: ceil(N / 32) along x, ceil(M / 32) along
# y. 14 to 18 lines; the kernel for whole tiles is a good start.
#
# - No thread touches anything outside the arrays, or reads a place of a tile that nobody has
#   written.
# - Every thread comes to every barrier. One without an element of `c` may still have one of `a` or
#   `b` to bring. `value if condition else float32(0)` chooses between two values.
# - The rest is as before: everything is float32, a block reads each element once, and each element
#   of `c` is written once. Where tiles are whole, there are whole sectors and no bank conflicts.


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
# which turn, and how much of its tiles is outside the matrices.

# %%
see("any-shape", matmul)
reveal("any-shape")
reveal("any-shape-waste")


# %% [markdown]
# *Reflect.* At M = N = K = 33, a kernel that fills up its tiles with 0 adds 64 x 64 x 64 products,
# of which 33 x 33 x 33 are wanted. So 86% of its work is for nothing. Libraries have kernels with
# tiles of several shapes, and choose among them.

# %% [markdown]
# ## What the tiles have changed
#
# In this figure each kernel appears twice: once as if the caches kept nothing of what comes from
# device memory, and once as if they kept everything. Without tiles, the square for device memory is
# at 0.4 or at 16 FLOP per byte, and the rate goes with it, so it depends on what the caches happen
# to keep. With tiles it's at 7 or at 16, and device memory isn't the limit in either case.
#
# The circles for L1 haven't moved: they are at 0.25 and 0.23. They couldn't, because each product
# still needs two words, and whether those come from L1 or from shared memory, they take the same
# data path.

# %%
see("tiling/moved", matmul_naive, matmul)


# %% [markdown]
# *Measure.* On a machine with a GPU, this times your two kernels at M = N = K = 2,048, next to the
# library's product. The chart is a *ladder*: kernels for the same product, each a rung, from slow
# to fast, with the bound that their counts allow. It shows your own GPU if you have one, and
# otherwise one that was recorded. Bounds and times are always those of the same device. A bar may
# pass the line "without caches", since real caches do keep something.

# %%
times = measure("tiling/times", blocks_for, matmul_naive, matmul)
see("tiling/ladder", times)


# %% [markdown]
# **What is left?** In the tiled kernel, a warp's step along k is 64 FLOP and two passes of 128
# bytes through the data path, a quarter of a FLOP per byte. At 33.5 TB/s, that allows at most 8.4
# TFLOP/s on an H200, an eighth of its peak. Larger tiles don't change that.
#
# It does change if a word that has come through the path is used more than once *before* it is
# forgotten. Where could a thread keep it? That's where *Registers* begins.

# %% [markdown]
# ## What you take with you
#
# - A kernel is never faster than the lowest of three roofs: the peak, and for L1 and for device
#   memory, FLOP per byte times bandwidth. Which one is lowest depends on the kernel and the device.
# - In a tile of 32 x 32, each element fetched from global memory is used 32 times. That relieves
#   the memory outside the SM, but not the SM's own data path. It takes a barrier before the tile is
#   read, another before it's overwritten, and zeros at the edges.
# - In Numba, a literal `0.0`, a `1e-6` or a whole number can turn everything computed from it into
#   float64. You don't see it in the values, but you do in the compiled code.
#
# **Your number:** how many sectors a warp asks for in one step along k, with x down the rows.

# %%
progress()


# %% [markdown]
# ## Sources
#
# - The roofline: S. Williams, A. Waterman, D. Patterson, *Roofline: An Insightful Visual
#   Performance Model for Multicore Architectures*, Communications of the ACM 52(4), 2009.
# - Peaks and bandwidth of the H200: NVIDIA, *H200 Tensor Core GPU*, data sheet (989 TFLOP/s in TF32
#   is with sparsity, half of it without). TF32: NVIDIA, *A100 Tensor Core GPU Architecture*, 2020.
#   The H200's L1: 132 SMs x 128 bytes x 1.98 GHz; measurements on compute capability 9.0 came out a
#   little below 128 bytes per clock per SM: W. Luo et al., *Benchmarking and Dissecting the Nvidia
#   Hopper GPU Architecture via Microbenchmarking*, arXiv:2402.13499 (2024).
# - The T4: NVIDIA, *Turing GPU Architecture* (2018); its L1, 64 bytes per clock per SM: NVIDIA,
#   *Ampere GA102 GPU Architecture*, V2 (2021).
# - L1 and shared memory have been one array since Volta: NVIDIA, *Volta Tuning Guide*, "Unified
#   Shared Memory/L1/Texture Cache".
# - Wavefronts and sectors: NVIDIA, *Nsight Compute* documentation, "Kernel Profiling Guide". That a
#   request has one or more wavefronts, and that one passes in a clock: NVIDIA's answer in its
#   developer forum, topic 165293.
# - Rates of float64: NVIDIA, *CUDA C++ Programming Guide*, "Arithmetic Instructions", table of
#   throughput: 2 of 64 a clock on compute capability 7.5, 64 of 128 on 9.0.
# - What becomes float64 in Numba was read from its compiled code here, as the lesson does.
# - Division by the root mean square: B. Zhang, R. Sennrich, *Root Mean Square Layer Normalization*,
#   arXiv:1910.07467 (2019).
# - A matmul through tiles in shared memory: *CUDA C++ Programming Guide*, "Shared Memory".
