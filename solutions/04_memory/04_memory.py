# %% [markdown]
# # Why is the same arithmetic ten times slower?
#
# Two kernels copy the same array with the same number of threads, and each thread copies as many
# elements. Yet one of them asks memory for 8 times as many bytes as the other. The only difference
# is *which thread takes which element*. This lesson counts such bytes, exactly and on any computer.
# How much time they cost depends on the caches: on an H100, as recorded below, kernels like these
# took from 1.7 to 19 times as long.
#
# **You will be able to** read and write global memory in whole sectors; lay out data so that a
# kernel can; share inputs between threads in shared memory; avoid its traps, bank conflicts and
# what was there before.
#
# **You need** kernels with `cuda.grid`, guards and grid-stride loops. **Time** about 85 minutes.

# %% role="setup"
import numpy as np
from numba import float32

from gpuedu import check, cuda, hint, lens, predict, progress, reveal, see, setup, simulate

setup("memory")

# %% [markdown] exercise="coalesced-copy"
# ## Neighbors should read neighbors
#
# **`coalesced-copy` · 5 points · about 15 minutes**
#
# A warp runs a line of the kernel for its 32 lanes at once, so `src[i]` is *one* request with 32
# addresses. Memory answers in **sectors** of 32 bytes: 8 float32. If the 32 lanes want 32
# numbers that lie side by side, that is 128 bytes, 4 sectors, and all of it is used.
#
# Here every thread copies a stretch of its own, as you would share out work among 8 CPU cores.


# %% role="given"
@cuda.jit
def copy_blocked(src, dst, per_thread):
    start = cuda.grid(1) * per_thread
    for i in range(start, min(start + per_thread, src.size)):
        dst[i] = src[i]


# %% [markdown]
# *Predict.* `per_thread` is 8. A warp runs `src[i]` once, all of its lanes: how many sectors does
# it ask for?

# %% role="predict"
predict("coalesced-copy", 32)

# %% [markdown]
# *See.* The lanes of one warp in their first step. A row is 128 bytes of memory, a frame is a
# sector: what comes, whether it is wanted or not.

# %%
see("memory/blocked", copy_blocked)
reveal("coalesced-copy")

# %% [markdown]
# *Implement.* The same copy, with any number of threads, but in whole sectors: neighboring
# threads take neighboring elements in the same step, so that a warp uses all of each sector it
# asks for. No element is read or written twice. `src` and `dst` are float32 arrays of the same
# length, 0 too; the launch has any number of blocks, and blocks of 32, 64, 96 or 128 threads.
# About 2 lines.


# %% role="answer"
@cuda.jit
def copy_striped(src, dst):
    ### BEGIN SOLUTION
    for i in range(cuda.grid(1), src.size, cuda.gridsize(1)):
        dst[i] = src[i]
    ### END SOLUTION


# %% role="check"
check("coalesced-copy", copy_striped)

# %% [markdown]
# (A card says on how many *cases*, launches of different sizes, each line was judged. Sectors are
# judged only where the elements fill all of them: 1,024 and 768 of them, not 70 or 997.)
#
# *See.* The same for your kernel. Then the account of the blocked copy of 2,048 elements, as `lens`
# gives it, line by line. Find the line with the sectors: how many were asked for, and in brackets,
# how many the same lanes would need if they were neighbors.

# %%
see("coalesced-copy", copy_striped)
src, dst = np.ones((2, 2048), np.float32)
lens(simulate(copy_blocked, 4, 64, src, dst, 8))

# %% [markdown]
# **Is it 8 times slower, then?** It depends on the caches, small memories that keep what came last.
# The warps ask the nearest of them, the L1 cache of their SM, for 4,096 sectors, 128 KiB; in the
# striped copy, for 16 KiB. But the next 7 turns of the loop want the rest of the same sectors. As
# long as a cache still has them, device memory gives each one once: the report's "touched", 8 KiB
# read and 8 KiB written, alike for both copies. Where other warps have pushed them out, they come
# again: a real launch moves between 16 KiB and 128 KiB. Counts are exact, but they are not times;
# those come after the transpose.
#
# *Reflect.* Your prediction was for `per_thread = 8`. What would it be for `k = 2`, and for 100?
# `lens(simulate(copy_blocked, 1, 64, *np.ones((2, 64 * k), np.float32), k))` tells: divide the
# sectors of the line by its requests.

# %% [markdown] exercise="aos-to-soa"
# ## Where the data lie
#
# **`aos-to-soa` · 5 points · about 12 minutes**
#
# A table of particles: a row for each, and in the row x, y, z, vx, vy, vz, all float32. That is an
# **array of structs**: what belongs to one particle lies together, 24 bytes. A kernel wants the
# squared speed of each particle. Neighboring threads take neighboring particles. Is that enough?


# %% role="given"
@cuda.jit
def speed_squared_of_rows(table, out):
    i = cuda.grid(1)
    if i < out.size:
        vx, vy, vz = table[i, 3], table[i, 4], table[i, 5]
        out[i] = vx * vx + vy * vy + vz * vz


# %% [markdown]
# *Predict.* A warp reads `table[i, 3]`, vx of 32 particles. How many sectors?

# %% role="predict"
predict("aos-to-soa", 24)

# %%
see("memory/records", speed_squared_of_rows)
reveal("aos-to-soa")

# %% [markdown]
# *Implement.* Turn it round: a **struct of arrays**, in which all x lie side by side, then all y.
#
# - `to_soa(table)`, plain NumPy on the host: from a float32 array of shape `(n, 6)` to one of shape
#   `(6, n)` in which the numbers of each field lie side by side in memory. One line. An array's
#   `strides` says how many bytes it is to the next row and to the next column.
# - `speed_squared(fields, out)`: the kernel for it, `vx² + vy² + vz²`. `fields` is what your
#   `to_soa` returned, `out` has n float32. There are at least n threads. About 3 lines.


# %% role="answer"
def to_soa(table):
    ### BEGIN SOLUTION
    return np.ascontiguousarray(table.T)
    ### END SOLUTION


@cuda.jit
def speed_squared(fields, out):
    ### BEGIN SOLUTION
    i = cuda.grid(1)
    if i < out.size:
        out[i] = fields[3, i] ** 2 + fields[4, i] ** 2 + fields[5, i] ** 2
    ### END SOLUTION


# %% role="check"
check("aos-to-soa", to_soa, speed_squared)

# %% [markdown]
# *See.* The costliest read of your kernel, from what your `to_soa` made.

# %%
see("aos-to-soa", to_soa, speed_squared)

# %% [markdown]
# *Reflect.* Here even a perfect cache does not help enough: each sector of the table must come
# once, and half of it is x, y and z, which nobody wants. If the kernel wanted all six fields, what
# would a cache change? To try it: of 128 particles, 1,536 bytes are wanted; how many are "touched"?
#
# ```python
# rows, out = np.ones((128, 6), np.float32), np.ones(128, np.float32)
# lens(simulate(speed_squared_of_rows, 2, 64, rows, out))
# ```

# %% [markdown] exercise="transpose"
# ## A detour that pays
#
# **`transpose` · 6 points · about 20 minutes**
#
# A transpose: `out[j, i] = m[i, j]`. If a warp goes along a row of `m`, it goes down a column of
# `out`. It reads 4 sectors and writes 32. The other way round, it reads 32 and writes 4.


# %% role="given"
@cuda.jit
def transpose_naive(m, out):
    j, i = cuda.grid(2)
    if i < m.shape[0] and j < m.shape[1]:
        out[j, i] = m[i, j]


# %%
see("memory/writes", transpose_naive)

# %% [markdown]
# The way out is **shared memory**: memory on the SM itself (64 KB on a T4, 228 KB on an H100),
# which the threads of a block have in common. `cuda.shared.array(shape, float32)`, inside of the
# kernel, makes an array there for each block; the compiler has to know its shape, so it is written
# in numbers. Here eight threads turn eight numbers round. `cuda.syncthreads()` is a **barrier**: no
# thread goes on before all threads of its block have arrived. Without it, a thread might read
# what is not there yet.


# %%
@cuda.jit
def turn_round(x):
    tile = cuda.shared.array(8, float32)
    t = cuda.threadIdx.x
    tile[t] = x[t]
    cuda.syncthreads()
    x[t] = tile[7 - t]


numbers = np.arange(8, dtype=np.float32)
simulate(turn_round, 1, 8, numbers)
print(numbers)

# %% [markdown]
# For the transpose, each block takes a square **tile** of `m` this way. Both in `m` and in `out`,
# its warps go along rows; rows become columns where it costs least, in shared memory.

# %%
see("memory/detour")

# %% [markdown]
# **Banks.** Shared memory has no sectors. It has 32 **banks**; word k of 4 bytes lies in bank
# k % 32, and in one pass each bank gives out one word. 32 lanes with 32 banks take one pass. If
# several lanes want *different* words of one bank, they take turns: a **bank conflict**. (The same
# word goes to any number of lanes in one pass. Profilers call a pass a *wavefront*.)
#
# *Predict.* A warp reads a column of a tile of 32 x 32 float32: lane x wants `tile[x, 5]`, which is
# word 32x + 5. How many passes? And if the tile has 33 columns, of which the last stays empty?
# (Such an empty column is called **padding**.)

# %% role="predict"
predict("transpose", 32)
predict("transpose-33", 1)

# %% [markdown]
# *Implement.* `m` is a float32 matrix of any shape, `out` has the shape the other way round. Blocks
# have 32 x 32 threads: a warp is 32 threads with one `threadIdx.y`. The grid has a block for each
# tile of `m`; at the edges tiles are not full. 9 to 12 lines.
#
# - A tile has two axes: its shape is a pair. In the drawing it is 4 x 4; yours has 32 rows.
# - Every thread of a block has to come to the barrier: keep it out of any `if`, and do not `return`
#   before it. A thread without an element may still have one to write. And what happens where some
#   threads have returned is undefined: it mostly works today, but the block may hang.


# %% role="answer"
@cuda.jit
def transpose(m, out):
    ### BEGIN SOLUTION
    tile = cuda.shared.array((32, 33), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    if row < m.shape[0] and column < m.shape[1]:
        tile[y, x] = m[row, column]
    cuda.syncthreads()
    row, column = 32 * cuda.blockIdx.x + y, 32 * cuda.blockIdx.y + x
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = tile[x, y]
    ### END SOLUTION


# %% role="check"
check("transpose", transpose)

# %% [markdown]
# *See.* First what one warp of your kernel reads and writes in global memory; then its costliest
# request to shared memory, pass by pass. What does the last one show if you take away the padding?

# %%
see("memory/reads", transpose)
see("memory/writes", transpose)
see("transpose", transpose)
reveal("transpose")
reveal("transpose-33")

# %% [markdown]
# *Measure.* What these kernels took on real GPUs, as far as they were recorded; `gpuedu record`
# adds yours. Set the ratio of two times beside the ratio of two counts:
#
# - blocked to striped copy: 8 in sectors that are asked for;
# - a copy with stride s, to one with stride 1: s in sectors up to s = 8, and 8 from there on;
# - array of structs to struct of arrays: 28 to 16 in bytes, if each sector comes once;
# - naive to tiled transpose: 36 to 8 in sectors; 32 to 33 columns: 32 to 1 in passes for a column.
#
# Where is the time's ratio smaller than the count's, and what may have helped?

# %%
see("memory/recorded")

# %% [markdown] exercise="stencil"
# ## Fetch once, use seven times
#
# **`stencil` · 6 points · about 20 minutes**
#
# A 1-D convolution with 7 weights: `out[i]` is the sum of `w[k] * x[i + k - 3]` for k from 0 to 6.
# Written down as it stands, each input is read from global memory by 7 threads. Mostly they are in
# the same block: for each element, one thread of the block could fetch it for all 7.
#
# *Predict.* A block of 128 threads computes 128 neighboring outputs. How many different elements
# of `x` does it need?

# %% role="predict"
predict("stencil", 134)

# %% [markdown]
# What it needs beyond its own elements is its **halo**. *Implement.* Bring the block's inputs and
# halo to shared memory, then compute from there.
#
# - `x` and `out` are float32 of any length n from 1 on, `w` has 7 float32. What lies outside of `x`
#   counts as 0.
# - Blocks have 128 threads, and there is one for each 128 outputs; the last may be in part empty.
#   All threads of a block come to the barrier.
# - A block reads an element of `x` from global memory once at most. (`w` is small and every lane
#   wants the same weight at a time: one sector. Leave it where it is.)
# - Neighboring threads bring neighboring elements: at least half of what comes of `x` is used.
#
# 12 to 16 lines. A kernel knows `a if condition else b`. (Begin the sum with `float32(0)`: with a
# plain `0`, Numba adds in float64, which most GPUs do far more slowly. The card tells you so, but
# takes no points for it.)


# %% role="answer"
@cuda.jit
def smooth(x, w, out):
    ### BEGIN SOLUTION
    tile = cuda.shared.array(134, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t + 3] = x[i] if i < x.size else float32(0)
    if t < 3:
        tile[t] = x[i - 3] if i >= 3 else float32(0)
        tile[t + 131] = x[i + 128] if i + 128 < x.size else float32(0)
    cuda.syncthreads()
    if i < out.size:
        total = float32(0)
        for k in range(7):
            total += w[k] * tile[t + k]
        out[i] = total
    ### END SOLUTION


# %% role="check"
check("stencil", smooth)

# %% [markdown]
# *See.* First, what each block reads of `x`. Then shared memory of one block at its first barrier:
# which lane wrote which place of the tile. (The time up to the first barrier is epoch 0.)

# %%
see("stencil", smooth)
see("memory/tile", smooth)
reveal("stencil")

# %% [markdown] exercise="uninitialised"
# ## What was there before
#
# **`uninitialised` · 5 points · about 15 minutes**
#
# Each block adds up its elements of `x`: the threads bring them to shared memory, thread 0 adds.
# The author tried it with 128 elements, and it was right.


# %%
@cuda.jit
def block_sums_unsafe(x, out):
    part = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if i < x.size:
        part[t] = x[i]
    cuda.syncthreads()
    if t == 0:
        total = float32(0)
        for k in range(64):
            total += part[k]
        out[cuda.blockIdx.x] = total


for n in (128, 100):
    x, out = np.ones(n, np.float32), np.zeros(2, np.float32)
    account = simulate(block_sums_unsafe, 2, 64, x, out)
    print(n, out)

# %% [markdown]
# Nobody clears shared memory for a block. It holds whatever was left there: perhaps zeros, and the
# result is right by luck; perhaps another block's numbers, and it is wrong without a sign. The
# course's machine puts NaN there, "not a number", so that you see it.
#
# *Predict.* How many places of `part` does block 1 leave unwritten, with 100 elements?

# %% role="predict"
predict("uninitialised", 28)

# %%
reveal("uninitialised")
lens(account)

# %% [markdown]
# *Implement.* In `found`: the `line` that reads what nobody wrote (the first line of its cell is
# line 1), the `block`, the first `index` of `part`, and the `count` of such reads in that launch.
# The report's hazard has all four. (So has the object `h = account.hazards[0]`: `h.place.line`,
# `h.who.block`, `h.index` and `h.count`.)
#
# Then mend the kernel, for any n from 1 on: `out[b]` is the sum of block b's elements, and one
# thread writes it. Blocks have 64 threads, and all of them come to the barrier, or none. There are
# enough blocks, sometimes more. A block without elements writes 0.


# %% role="answer"
### BEGIN SOLUTION
found = {"line": 12, "block": 1, "index": 36, "count": 28}
### END SOLUTION


@cuda.jit
def block_sums(x, out):
    part = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    ### BEGIN SOLUTION
    part[t] = x[i] if i < x.size else float32(0)
    cuda.syncthreads()
    if t == 0:
        total = part[0]
        for k in range(1, 64):
            total += part[k]
        out[cuda.blockIdx.x] = total
    ### END SOLUTION


# %% role="check"
check("uninitialised", found, block_sums)

# %% [markdown]
# *See.* `part` in block 1 at the barrier: first in the unsafe kernel, then in yours. Hatched places
# are read later although nobody has written them.

# %%
see("uninitialised", block_sums_unsafe)
see("uninitialised", block_sums)

# %% [markdown]
# *Reflect.* There are two ways to mend it: write what is missing, or do not read it. Which one did
# you take? And why did the author's test with 128 elements see nothing? For which other n is there
# no hazard in `lens(simulate(block_sums_unsafe, 2, 64, np.ones(n, np.float32), out))`?

# %% [markdown]
# ## What you take with you
#
# - A warp's request costs as many sectors of 32 bytes as its lanes touch. Neighboring threads take
#   neighboring elements, and data are laid out so that they can.
# - Shared memory turns a column into a row, and lets a block fetch once what many threads need.
#   Fill it, wait at the barrier, read it; rows of 33 words keep a column out of one bank.
# - It holds what was there before. Write every place that somebody reads, also at the edges.
#
# **Your number:** how many sectors a warp asks for when its lanes are 8 float32 apart.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Sectors, and why neighbors should access neighbors: NVIDIA, *CUDA C++ Best Practices Guide*,
#   "Coalesced Access to Global Memory" and "Strided Accesses".
# - Shared memory is on the chip; its banks of 4-byte words, conflicts, broadcasts, and the padded
#   tile: the same, "Shared Memory". Its size by device: *CUDA C++ Programming Guide*, "Compute
#   Capabilities", table "Technical Specifications per Compute Capability".
# - A transpose through a padded tile: M. Harris, *An Efficient Matrix Transpose in CUDA C/C++*,
#   NVIDIA Technical Blog, 2013.
# - What a request, a sector and a wavefront are: NVIDIA, *Nsight Compute* documentation, "Kernel
#   Profiling Guide", section "Memory Tables".
# - Variables in shared memory cannot be initialized where they are declared: *CUDA C++ Programming
#   Guide*, "C++ Language Extensions", section "__shared__".
# - Barriers: the same, section "Synchronization Functions".
# - Shared arrays in Numba and the constant shape: *Numba-CUDA* documentation, "Memory management",
#   section "Shared memory and thread synchronization".
