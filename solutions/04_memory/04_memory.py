# %% [markdown]
# # Why is the same arithmetic ten times slower?
#
# Two kernels copy the same array with the same number of threads, and each thread copies the same
# number of elements. Yet one of them asks memory for 8 times as many bytes as the other, and the
# only difference is *which thread takes which element*. In this lesson you'll count such bytes,
# exactly and on any computer. How much time they cost is another matter: on an H100, as recorded
# below, kernels like these took 1.7 to 19 times as long.
#
# **You will be able to** read and write global memory in whole sectors; lay out data so that a
# kernel can; share inputs between threads through shared memory; avoid its two traps, bank
# conflicts and leftover values.
#
# **You need** kernels with `cuda.grid`, guards and grid-stride loops, from *First kernels*.
# **Time** about 95 minutes.

# %% role="setup"
from gpuedu import check, cuda, hint, lens, predict, progress, reveal, see, setup, simulate

import numpy as np
from numba import float32

setup("memory")


# %% [markdown] exercise="coalesced-copy"
# ## Neighbors should read neighbors
#
# **`coalesced-copy` · 5 points · about 16 minutes**
#
# A warp runs each line of a kernel for its 32 lanes at once, so `src[i]` is *one* request with 32
# addresses. Memory answers in **sectors** of 32 bytes, which is 8 float32. If the 32 lanes want 32
# numbers that are side by side, that's 128 bytes, or 4 sectors, and all of it is used.
#
# In this kernel, each thread copies its own run of neighboring elements, the way you'd divide the
# work among 8 CPU cores.


# %% role="given"
@cuda.jit
def copy_blocked(src, dst, per_thread):
    start = cuda.grid(1) * per_thread
    for i in range(start, min(start + per_thread, src.size)):
        dst[i] = src[i]


# %% [markdown]
# *Predict.* `per_thread` is 8. When a warp runs `src[i]` once, for all of its lanes, how many
# sectors does it ask for?

# %% role="predict"
predict("coalesced-copy", 32)


# %% [markdown]
# *See.* The lanes of one warp in their first step. Each row is 128 bytes of memory, and each frame
# is a sector. A sector comes as a whole, even if only one number in it is wanted.

# %%
see("memory/blocked", copy_blocked)
reveal("coalesced-copy")


# %% [markdown]
# *Implement.* Copy `src` to `dst` with any number of threads, but in whole sectors: neighboring
# threads take neighboring elements in the same step, so that a warp uses all of every sector it
# asks for. About 2 lines.
#
# - `src` and `dst` are float32 arrays of the same length, which may be 0. The launch has any number
#   of blocks, of 32, 64, 96 or 128 threads each.
# - No element is read or written twice, and nothing outside the arrays is touched.


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
# (For each line, the card says how many *cases* (launches of different sizes) it was judged on.
# Sectors are judged only where the elements fill all of them: with 1,024 or 768 elements, not with
# 70 or 997.)
#
# *See.* First the same picture for your kernel. Then the report that `lens` gives on the blocked
# copy of 2,048 elements, line by line. Find the line with the sectors: how many were asked for,
# and, in parentheses, how many the same lanes would have needed side by side.

# %%
see("coalesced-copy", copy_striped)
src, dst = np.ones((2, 2048), np.float32)
lens(simulate(copy_blocked, 4, 64, src, dst, 8))


# %% [markdown]
# **So is it 8 times slower?** That depends on the caches, small memories that keep what was used
# most recently. The nearest is the L1 cache of the warp's SM. The blocked copy asks it for 4,096
# sectors, 128 KiB, and the striped copy for 16 KiB. But the next 7 iterations of the blocked copy's
# loop want the rest of the same sectors, and as long as a cache still has them, device memory
# delivers each one only once. That is the report's "touched": 8 KiB read and 8 KiB written, the
# same for both copies. If other warps have pushed a sector out in the meantime, it has to come
# again, so a real launch moves something between 16 KiB and 128 KiB. The counts are exact, but they
# aren't times. Those come after the transpose.
#
# *Reflect.* Your prediction was for `per_thread = 8`. What would it be for 2, or for 100? Set `k`
# to each, run `lens(simulate(copy_blocked, 1, 64, *np.ones((2, 64 * k), np.float32), k))`, and
# divide the line's sectors by its requests.

# %% [markdown] exercise="aos-to-soa"
# ## Where the data is
#
# **`aos-to-soa` · 5 points · about 13 minutes**
#
# Here is a table of particles, with one row each: x, y, z, vx, vy, vz, all float32. Everything that
# belongs to one particle is together, in 24 bytes, and such a table is called an **array of
# structs**. A kernel wants each particle's squared speed, and neighboring threads take neighboring
# particles. Is that good enough?


# %% role="given"
@cuda.jit
def speed_squared_of_rows(table, out):
    i = cuda.grid(1)
    if i < out.size:
        vx, vy, vz = table[i, 3], table[i, 4], table[i, 5]
        out[i] = vx * vx + vy * vy + vz * vz


# %% [markdown]
# *Predict.* A warp reads `table[i, 3]`, the vx of 32 particles. How many sectors is that?

# %% role="predict"
predict("aos-to-soa", 24)


# %%
see("memory/records", speed_squared_of_rows)
reveal("aos-to-soa")


# %% [markdown]
# *Implement.* Turn the table into a **struct of arrays**, in which all x are side by side, then all
# y, and so on, and write the kernel for it.
#
# - `to_soa(table)`, plain NumPy on the host: it takes a float32 array of shape `(n, 6)` and returns
#   one of shape `(6, n)` in which each field's numbers are side by side in memory. One line. An
#   array's `strides` tell you how many bytes it is to the next row and to the next column.
# - `speed_squared(fields, out)`: the kernel, `vx² + vy² + vz²`, in whole sectors. `fields` is what
#   your `to_soa` returned, `out` is float32 of length n, and there are at least n threads. About 3
#   lines.


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
# *See.* Your kernel's most expensive read, from the array that your `to_soa` made.

# %%
see("aos-to-soa", to_soa, speed_squared)


# %% [markdown]
# *Reflect.* Here even a perfect cache isn't enough. Every sector of the table has to come once, and
# half of it is x, y and z, which nobody wants. For 128 particles, 1,536 bytes are wanted; run the
# lines below to see how many are "touched". And what would a cache change if the kernel wanted all
# six fields?
#
# ```python
# rows, out = np.ones((128, 6), np.float32), np.ones(128, np.float32)
# lens(simulate(speed_squared_of_rows, 2, 64, rows, out))
# ```

# %% [markdown] exercise="transpose"
# ## A detour that pays off
#
# **`transpose` · 6 points · about 21 minutes**
#
# A transpose sets `out[j, i] = m[i, j]`. If a warp goes along a row of `m`, it goes down a column
# of `out`, so it reads 4 sectors and writes 32. Do it the other way around, and it reads 32 and
# writes 4.


# %% role="given"
@cuda.jit
def transpose_naive(m, out):
    j, i = cuda.grid(2)
    if i < m.shape[0] and j < m.shape[1]:
        out[j, i] = m[i, j]


# %%
see("memory/writes", transpose_naive)


# %% [markdown]
# The way out is **shared memory**. It is on the SM itself (64 KB on a T4, 228 KB on an H100), and
# all threads of a block share it. Inside a kernel, `cuda.shared.array(shape, float32)` makes an
# array there for each block. The compiler has to know the shape, so you write it as literal
# numbers. In the kernel below, eight threads reverse eight numbers. `cuda.syncthreads()` is a
# **barrier**: no thread goes on until all threads of its block have arrived. Without it, a thread
# might read what isn't there yet.


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
# For the transpose, each block takes a square **tile** of `m` through shared memory. Its warps go
# along rows both in `m` and in `out`. Rows become columns in between, where that costs the least.

# %%
see("memory/detour")


# %% [markdown]
# **Banks.** Shared memory doesn't have sectors. It has 32 **banks**: word k, of 4 bytes, is in bank
# k % 32, and in one pass each bank hands out one word. So 32 lanes that use 32 different banks take
# one pass. If several lanes want *different* words from the same bank, they have to take turns,
# which is called a **bank conflict**. (The *same* word goes to any number of lanes in one pass.
# Profilers call a pass a *wavefront*.)
#
# *Predict.* A warp reads a column of a tile of 32 x 32 float32: lane x wants `tile[x, 5]`, which is
# word 32x + 5. How many passes does that take? And how many if the tile has 33 columns, the last of
# which stays empty? (Such an empty column is called **padding**.)

# %% role="predict"
predict("transpose", 32)
predict("transpose-33", 1)


# %% [markdown]
# *Implement.* Write the transpose through a tile, in 9 to 12 lines. `m` is a float32 matrix of any
# shape, and `out` has that shape reversed. Blocks have 32 x 32 threads, so a warp is 32 threads
# with the same `threadIdx.y`. The grid has one block per tile of `m`; tiles at the edges aren't
# full.
#
# - A tile has two axes, so its shape is a pair. The drawing's is 4 x 4; yours has 32 rows.
# - `m` is read and `out` is written in whole sectors, and there are no bank conflicts.
# - Every thread of a block comes to the barrier: keep it out of any `if`, and don't `return` before
#   it. A thread that has nothing to read may still have something to write. (With some threads
#   gone, the behavior is undefined. It mostly works on today's devices, but it may hang.)
# - No thread reads from the tile what isn't there yet, or touches anything outside the arrays.


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
# *See.* First what one warp of your kernel reads and writes in global memory, and then its most
# expensive request to shared memory, pass by pass. What happens to the last picture if you take
# away the padding?

# %%
see("memory/reads", transpose)
see("memory/writes", transpose)
see("transpose", transpose)
reveal("transpose")
reveal("transpose-33")


# %% [markdown]
# *Measure.* Here is how long these kernels took on real GPUs, where they were recorded; `gpuedu
# record` adds yours. Compare the ratio of two times with the ratio of two counts:
#
# - blocked to striped copy: 8 in sectors asked for;
# - a copy with stride s, to one with stride 1: s in sectors up to s = 8, and 8 from there on;
# - array of structs to struct of arrays: 28 to 16 in bytes, if each sector comes once;
# - naive to tiled transpose: 36 to 8 in sectors; 32 to 33 columns: 32 to 1 in passes for a column.
#
# Where is the ratio of times smaller than that of counts, and what may have helped?

# %%
see("memory/recorded")


# %% [markdown]
# ## What the counts leave out
#
# The padded transpose moves the same bytes as the striped copy, in the same number of sectors. On
# the recorded H100 it still gets only about half of the copy's rate. The counts are equal, so
# what's left is *waiting*. A read from device memory takes hundreds of nanoseconds, and by Little's
# law an SM hides that only while enough other bytes are in flight.
#
# How many bytes can be in flight depends on the warps that an SM holds. An H100's SM has room for
# 2,048 threads, which is enough for two of our blocks of 1,024. The share of it that is taken is
# called **occupancy**, and here it may well be 100%. But each thread asks for 4 bytes and then
# stands at the barrier until the slowest warp of its block has what it asked for. While a block
# waits there, or writes, it asks for nothing new. With so few blocks on the SM, there are gaps that
# nobody fills.

# %% [markdown]
# So give every thread more to ask for before it waits. A well-known version has blocks of 32 x 8
# threads for the same tile of 32 x 32: each thread has four loads in flight at the same time, and
# eight smaller blocks fit on the SM, so some read while others wait. A profiler can tell you
# whether that's the whole explanation: *Nsight Compute* says for each line what warps waited for.
#
# A second way is a **vector load**. One thread reads 16 bytes, four neighboring float32, with one
# instruction, as long as the address is a multiple of 16. A warp then asks for 16 sectors at once
# and still uses all of them. CUDA C has the type `float4` for it, which you'll use in *Registers*.

# %% [markdown]
# One thing about shared memory before you use it again: all its arrays so far have a size that's
# in the source. You can also leave it to the launch. That is **dynamic shared memory**:
# `cuda.shared.array(0, float32)` in Numba, with the number of bytes as the fourth value in
# `kernel[blocks, threads, stream, size_bytes]`, and `extern __shared__ float tile[];` in CUDA C.
# It is also the only way to get more than 48 KB per block, for which a kernel in CUDA C has to ask
# explicitly.

# %% [markdown] exercise="stencil"
# ## Fetch once, use seven times
#
# **`stencil` · 6 points · about 20 minutes**
#
# A 1-D convolution with 7 weights sets `out[i]` to the sum of `w[k] * x[i + k - 3]` over all k
# below 7. If you write it just like that, 7 threads read each input from global memory. Most of the
# time these threads are in the same block, so one of them could fetch the element for all 7.
#
# *Predict.* A block of 128 threads computes 128 neighboring outputs. How many different elements of
# `x` does it need?

# %% role="predict"
predict("stencil", 134)


# %% [markdown]
# The elements that a block needs beyond its own are its **halo**. *Implement.* Bring the block's
# inputs and halo into shared memory, then compute from there. 12 to 16 lines.
#
# - `x` and `out` are float32 of any length n from 1 on, and `w` has 7 float32 weights. What lies
#   outside `x` counts as 0.
# - Blocks have 128 threads, with one block per 128 outputs; the last may be partly empty. All
#   threads of a block come to the barrier, and none reads what isn't in the tile yet.
# - A block reads each element of `x` from global memory at most once. (`w` is small, and all lanes
#   want the same weight at once, which is one sector. Leave it where it is.)
# - Neighboring threads bring neighboring elements: at least half of the bytes of `x` that arrive
#   are used.

# %% [markdown]
# A kernel understands `a if condition else b`. Start the sum with `float32(0)`: with a plain `0`,
# Numba adds in float64, which most GPUs do far more slowly. (The card points that out, but takes no
# points off for it.)


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
# *See.* First, which elements of `x` each block reads. Then the shared memory of one block at its
# first barrier: which lane wrote which place of the tile. (The time before the first barrier is
# epoch 0.)

# %%
see("stencil", smooth)
see("memory/tile", smooth)
reveal("stencil")


# %% [markdown] exercise="uninitialised"
# ## What was there before
#
# **`uninitialised` · 5 points · about 15 minutes**
#
# In this kernel, each block adds up its elements of `x`: the threads bring them into shared memory,
# and thread 0 adds. The author tried it with 128 elements, and the result was right.


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
# Nobody clears shared memory for a block. It holds whatever was left there. That may be zeros, and
# then the result is right by luck, or it may be another block's numbers, and then the result is
# wrong and you get no warning. The course's machine puts NaN there, "not a number", so that you can
# see it.
#
# *Predict.* With 100 elements, how many places of `part` does block 1 leave unwritten?

# %% role="predict"
predict("uninitialised", 28)


# %%
reveal("uninitialised")
lens(account)


# %% [markdown]
# *Implement.* First, fill in `found`: the `line` that reads what nobody wrote (the first line of
# its cell is line 1), the `block`, the first `index` of `part`, and the `count` of such reads in
# that launch. All four are in the report's hazard. (They are also in `h = account.hazards[0]`, as
# `h.place.line`, `h.who.block`, `h.index` and `h.count`.)
#
# Then fix the kernel, for any n from 1 on: `out[b]` is the sum of block b's elements, and one
# thread writes it.
#
# - Blocks have 64 threads, and all of them come to a barrier or none does. Threads that use the
#   same place wait for each other.
# - There are enough blocks, and sometimes more. A block without elements writes 0.
# - No thread reads shared memory that nobody has written, or touches anything outside the arrays.


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
# *See.* `part` in block 1 at the barrier, first in the unsafe kernel, then in yours. Hatched places
# are read later although nobody has written them.

# %%
see("uninitialised", block_sums_unsafe)
see("uninitialised", block_sums)


# %% [markdown]
# *Reflect.* There are two ways to fix this: write what's missing, or don't read it. Which one did
# you choose? And why did the author's test with 128 elements show nothing? For which other n is
# there no hazard in `lens(simulate(block_sums_unsafe, 2, 64, np.ones(n, np.float32), out))`?

# %% [markdown]
# ## What you take with you
#
# - A warp's request costs as many sectors of 32 bytes as its lanes touch. So let neighboring
#   threads take neighboring elements, and lay out your data so that they can.
# - Shared memory turns a column into a row, and lets a block fetch once what many threads need.
#   Fill it, wait at the barrier, read it. Rows of 33 words spread a column over all 32 banks.
# - Shared memory holds what was there before. Write every place that some thread reads, at the
#   edges too.
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
#   tile: the same, "Shared Memory". Its size by device, threads per SM, and 48 KB without dynamic
#   shared memory: *CUDA C++ Programming Guide*, "Compute Capabilities".
# - A transpose through a padded tile, with four elements per thread: M. Harris, *An Efficient
#   Matrix Transpose in CUDA C/C++*, NVIDIA Technical Blog, 2013. Vector loads: J. Luitjens, *CUDA
#   Pro Tip: Increase Performance with Vectorized Memory Access*, the same, 2013.
# - Latency, occupancy and bytes in flight: *CUDA C++ Best Practices Guide*, "Occupancy"; Little's
#   law is in the lesson *Why GPUs*, with its source.
# - What a request, a sector and a wavefront are, and what warps wait for: NVIDIA, *Nsight Compute*
#   documentation, "Kernel Profiling Guide", sections "Memory Tables" and "Warp Stall Reasons".
# - Variables in shared memory cannot be initialized where they are declared: *CUDA C++ Programming
#   Guide*, "C++ Language Extensions", section `__shared__`.
# - Barriers: the same, section "Synchronization Functions".
# - Shared arrays in Numba, the constant shape, and size 0 for dynamic ones: *Numba-CUDA*
#   documentation, "Memory management", section "Shared memory and thread synchronization".
