# %% [markdown]
# # How does one program become a million threads?
#
# On a GPU you don't write the loop. You write what happens to *one* element, and the device runs
# those few lines once for every element, thousands of them at a time. What's left for you is a
# single question, asked a million times: which of the many am I?
#
# **You will be able to** write a kernel and launch it on any number of elements; choose the shape
# of a launch; keep every thread inside its arrays; tell when a kernel depends on luck.
#
# **You need** Python functions, NumPy arrays in one and two dimensions, and from *Why GPUs* what a
# warp is.
# **Time** about 85 minutes, without the two stretch exercises.

# %% role="setup"
from gpuedu import check, cuda, hint, lens, predict, progress, reveal, see, setup, simulate, step

import numpy as np

setup("first-kernels")

# %% [markdown]
# ## Your first launch
#
# A **kernel** is a function that the device runs in many **threads**. Every thread runs the same
# lines. You make a kernel by putting `@cuda.jit` above a function. It returns nothing; it writes
# its results into arrays. You **launch** it with a shape in square brackets:
# `kernel[blocks, threads](...)`. Threads come in **blocks**, and all the blocks together are the
# **grid**. A thread finds its place in its block in `cuda.threadIdx.x`, which counts from 0.
#
# The CPU and its memory are the **host**. The GPU is the **device** and has its own memory. The
# arrays that a kernel writes live there, and `copy_to_host` brings them back.

# %%
see("first-kernels/launch")


@cuda.jit
def count_up(out):
    out[cuda.threadIdx.x] = 100 + cuda.threadIdx.x


d_out = cuda.device_array(8, np.int32)
count_up[1, 8](d_out)
print(d_out.copy_to_host())

# %% [markdown]
# **What ran that?** If you have a GPU, Numba compiled the kernel for it. (It may warn you that such
# a small grid leaves the device nearly empty. That's true, and here it doesn't matter.) Otherwise
# gpuedu's own machine ran your source in warps of 32 lanes, as the hardware does, and kept an
# account of every access to memory. `check` and `see` always use that machine, so everyone is
# judged alike. It counts; it doesn't measure time.

# %% [markdown] exercise="thread-index"
# ## A thread for each element
#
# **`thread-index` · 3 points · about 10 minutes**
#
# The device runs the threads of a block in **warps**: threads 0 to 31 are the first warp, 32 to 63
# the second, and so on. The 32 places in a warp are its **lanes**. A warp runs one line of the
# kernel at a time, for all of its lanes.
#
# *Predict.* A block has 100 threads. How many lanes of its last warp have no thread?

# %% role="predict"
predict("thread-index", 28)

# %% [markdown]
# *Implement.* Set `out[i]` to `a[i] + 10`. Both are int32 arrays of the same length, and the launch
# is a single block with exactly as many threads as there are elements.
#
# - Each thread writes one element, its own, so you need no loop.
# - No thread reads or writes outside the arrays, and `a` stays as it is.


# %% role="answer"
@cuda.jit
def add_ten(a, out):
    ### BEGIN SOLUTION
    i = cuda.threadIdx.x
    out[i] = a[i] + 10
    ### END SOLUTION


# %% role="check"
check("thread-index", add_ten)

# %% [markdown]
# *See.* This is your kernel with 100 threads: its four warps, and which of their lanes work on each
# line.

# %%
see("thread-index", add_ten)
reveal("thread-index")

# %% [markdown] exercise="blocks"
# ## More than one block
#
# **`blocks` · 4 points · about 15 minutes**
#
# A block has at most 1,024 threads, so a longer array needs several blocks. `threadIdx.x` starts
# at 0 in *every* block. `cuda.blockIdx.x` is the number of the block, also counted from 0;
# `cuda.blockDim.x` is the number of threads in a block, and `cuda.gridDim.x` the number of blocks.
#
# All blocks are the same size, so there are often more threads than elements. A kernel doesn't
# stop at the end of an array: a thread that has no element must notice that and do nothing. That
# test is called the **guard**. Arrays carry their size with them: inside a kernel, `x.size` is the
# number of elements, and `x.shape` has one number per axis, as in NumPy.

# %% [markdown]
# *Predict.* 1,000 elements in blocks of 128 threads: how many threads have no element?

# %% role="predict"
predict("blocks", 24)

# %% [markdown]
# *Implement.* Set `out` to `a * x + y`, element by element. `a` is a float32 number; the arrays are
# float32 and have the same length. The launch has enough blocks, sometimes too many, and blocks may
# have any size: 32 threads, or 96, or 1,024.
#
# - Each element is written by one thread, once. `x` and `y` stay as they are.
# - No thread reads or writes outside the arrays.


# %% role="answer"
@cuda.jit
def saxpy(a, x, y, out):
    ### BEGIN SOLUTION
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < out.size:
        out[i] = a * x[i] + y[i]
    ### END SOLUTION


# %% role="check"
check("blocks", saxpy)

# %% [markdown]
# *See.* Here are 100 elements and 4 blocks of 32 threads. Each cell is an element of `out`, with
# the number of the thread that wrote it. What happened to the other 28 threads of the last block?

# %%
see("blocks", saxpy)
reveal("blocks")

# %% [markdown]
# *Step.* That picture shows how it ended. `step` takes a kernel and a launch and lets you walk
# through it: "step ▶" advances one warp by one line. Here is the last block of the same launch,
# which has only 4 elements left. At which line do lanes drop out, and what do they do from then on?

# %%
x, y, out = np.ones((3, 100), np.float32)
step(saxpy, 4, 32, np.float32(2), x, y, out, block=3)

# %% [markdown]
# **A shorter way to write it.** You just computed the thread's index in the whole grid. Nearly
# every kernel starts with it, so it has a name: `cuda.grid(1)`.
#
# **What crosses the link.** `cuda.to_device(x)` copies a NumPy array to the device and returns a
# *device array*. `cuda.device_array_like(x)` makes an empty one there. Device arrays stay where
# they are between launches. You may also pass a NumPy array straight to a kernel. Numba then copies
# it to the device before the launch, and back again after it, because it can't know what the
# kernel changed.

# %% [markdown]
# *Predict.* You launch `saxpy` three times on NumPy arrays `x`, `y`, and `out` of 4 MB each. How
# many MB are copied between host and device? (With device arrays it would be 12: `x` and `y` in,
# `out` back.)

# %% role="predict"
predict("blocks-copies", 72)

# %%
see("first-kernels/copies")
reveal("blocks-copies")

# %% [markdown] exercise="launch-shape"
# ## The shape of a launch
#
# **`launch-shape` · 5 points · about 14 minutes**
#
# The host decides how many blocks there are. Blocks and grids may have up to three axes: x, y, and
# z. The limits have been the same on every NVIDIA GPU since 2012. (That's from **compute
# capability** 3.0 on; this is NVIDIA's version number for what a GPU can do.)
#
# | | x | y | z | in all |
# |---|---|---|---|---|
# | threads in a block | 1,024 | 1,024 | 64 | 1,024 |
# | blocks in a grid | 2,147,483,647 | 65,535 | 65,535 | no limit |
#
# *Predict.* Blocks have 33 threads. What percentage of all lanes have no thread?

# %% role="predict"
predict("launch-shape", 48)

# %% [markdown]
# *Implement.* Write three functions in plain Python; they run on the host.
#
# - `blocks_for(n, threads)` returns the fewest blocks of `threads` threads that give each of `n`
#   elements a thread. `n` is from 1 to `10**12`. The result must be an `int`, because a launch
#   needs one.
# - `can_launch(grid, block)` returns True if a device accepts this launch and False if not. Both
#   arguments are triples `(x, y, z)` of whole numbers, and the numbers may be anything, even
#   negative. A device accepts an extent from 1 up to its limit in the table, limit included.
# - `empty_lanes(threads)` returns how many lanes of a block's warps have no thread.


# %% role="answer"
def blocks_for(n, threads):
    ### BEGIN SOLUTION
    return (n + threads - 1) // threads
    ### END SOLUTION


def can_launch(grid, block):
    ### BEGIN SOLUTION
    (gx, gy, gz), (bx, by, bz) = grid, block
    grid_fits = 1 <= gx <= 2**31 - 1 and 1 <= gy <= 65535 and 1 <= gz <= 65535
    block_fits = 1 <= bx <= 1024 and 1 <= by <= 1024 and 1 <= bz <= 64
    return grid_fits and block_fits and bx * by * bz <= 1024
    ### END SOLUTION


def empty_lanes(threads):
    ### BEGIN SOLUTION
    return -threads % 32
    ### END SOLUTION


# %% role="check"
check("launch-shape", blocks_for, can_launch, empty_lanes)

# %% [markdown]
# *See.* A block of 33 threads is allowed, but nearly half of its lanes are empty. Blocks of 128 or
# 256 threads leave none empty, and blocks of 100 leave more than one in five.

# %%
see("launch-shape", blocks_for, can_launch, empty_lanes)
reveal("launch-shape")

# %% [markdown]
# **Which multiple of 32?** Start with 128 or 256, which is what NVIDIA's guide suggests, then
# measure. Here's why the extremes are worse. An SM holds only so many blocks at a time, 32 on an
# H100. So blocks of 32 threads would leave half of its 2,048 places for threads empty. Large blocks
# are clumsy: an SM can take in a block only when there is room for all of it, and that room is free
# again only when its last warp is done. And you want more blocks than SMs, several times more, or
# some SMs get nothing while others are still busy.

# %% [markdown] exercise="grid-stride"
# ## Any number of elements, any launch
#
# **`grid-stride` · 4 points · about 12 minutes**
#
# A thread may handle more than one element. Then the launch no longer has to fit the array: you can
# launch as many threads as fill the device, and let each of them loop. `cuda.gridsize(1)` is the
# number of threads in the whole grid.
#
# *Implement.* Set `out[i]` to the square of `x[i]`, for float32 arrays of any length, including 0,
# and for any number of blocks and threads.
#
# - Each element is written once, by one thread. `x` stays as it is.
# - At each step the grid as a whole takes the next stretch of the array, one element per thread,
#   and neighboring threads take neighboring elements.
# - Every thread stays inside the arrays and finishes.


# %% role="answer"
@cuda.jit
def square(x, out):
    ### BEGIN SOLUTION
    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        out[i] = x[i] * x[i]
    ### END SOLUTION


# %% role="check"
check("grid-stride", square)

# %% [markdown]
# *See.* Here are 150 elements and 2 blocks of 32 threads. A row has 32 elements, so the grid covers
# two rows in one step. Read down a column, looking at every second row: that's one thread's path.

# %%
see("grid-stride", square)

# %% [markdown]
# *Reflect.* The loop is also a guard. Where is it? And if you have a million elements, what are the
# advantages of a million threads, and of 50,000 that each loop?

# %% [markdown] exercise="two-d-map"
# ## Rows and columns
#
# **`two-d-map` · 4 points · about 12 minutes**
#
# A launch can have two axes. `kernel[(3, 2), (32, 8)]` has 3 x 2 blocks of 32 x 8 threads, with x
# first. `cuda.grid(2)` returns a thread's two indices in the whole grid, again with x first. NumPy
# puts them the other way around: `m.shape` is `(rows, columns)`, and a row is contiguous in memory.
#
# Memory is fetched in **sectors** of 32 bytes, which is 8 float32 numbers. If the 32 lanes of a
# warp want 32 neighbors, 4 sectors are enough. In a block of 32 x 8, a warp is 32 threads along x.
#
# *Predict.* If these lanes go down a *column* of a matrix with 64 columns, how many sectors does
# that take?

# %% role="predict"
predict("two-d-map", 32)

# %% [markdown]
# *Implement.* Add a linear layer's bias: to each element of the matrix `m`, add the number that
# `bias` has for its column. Everything is float32, and the result goes into `out`, a matrix of the
# same shape as `m`. The grid covers the matrix along both axes, and usually reaches beyond it.
#
# - Each element is written once, by one thread. `m` and `bias` stay as they are.
# - No thread goes past the last row or the last column.


# %% role="answer"
@cuda.jit
def add_bias(m, bias, out):
    ### BEGIN SOLUTION
    column, row = cuda.grid(2)
    if row < m.shape[0] and column < m.shape[1]:
        out[row, column] = m[row, column] + bias[column]
    ### END SOLUTION


# %% role="check"
check("two-d-map", add_bias)

# %% [markdown]
# *See.* The first picture shows which elements of the matrix one warp of your kernel reads. The
# second shows the same for a kernel in which x is the row. You can get the right result either way.

# %%
see("two-d-map", add_bias)
see("first-kernels/swapped")
reveal("two-d-map")

# %% [markdown] exercise="any-order"
# ## Blocks have no order
#
# **`any-order` · 4 points · about 15 minutes**
#
# Sentences of different lengths are packed into one long array. Where does each of them start? The
# first starts at 0, and each of the others starts where the one before it ends. Here's a kernel for
# that, with one thread per block to keep it short. Each block continues from where the block before
# it ended. Its author tried it, and the result was right.


# %% role="given"
@cuda.jit
def starts_chained(lengths, start):
    b = cuda.blockIdx.x
    if b == 0:
        start[b] = 0
    else:
        start[b] = start[b - 1] + lengths[b - 1]


lengths = np.array([5, 3, 8, 2, 6, 4], np.int32)

# %% [markdown]
# A device hands a block to whichever SM has room. Nothing says which block starts first or which
# one ends first, and several run at once. So your kernel must give the same result in any order.
#
# *Predict.* `start` is all zeros, and the blocks run in reverse. What is in `start[5]` at the end?

# %% role="predict"
predict("any-order", 6)

# %% [markdown]
# Now try it. `simulate(kernel, blocks, threads, arrays...)` runs a kernel on gpuedu's machine, on
# NumPy arrays that it changes in place. It returns the account of the launch, called its *trace*.
# `trace.hazards` lists the faults, each with its `kind`. With `order` you say which block runs
# when; the first order below is the author's.

# %%
for order in (range(6), "reversed", [2, 0, 1, 5, 3, 4]):
    start = np.zeros(6, np.int32)
    trace = simulate(starts_chained, 6, 1, lengths, start, order=order)
    print(order, start, {seen.kind for seen in trace.hazards})
reveal("any-order")

# %% [markdown]
# The machine calls this a **data race**: one thread reads what another one writes, and nothing puts
# the two in order. It says so for *every* order, even the one with the right result.
#
# *Implement.* Set `start[i]` to the total length of all sentences before sentence `i`. There may be
# any number of blocks and threads, with at least one thread per sentence. Blocks run in any order,
# and `start` may hold anything beforehand. Which array does no thread write, so that every thread
# can work from it?
#
# - Each thread works out one start, its own, and each start is written by one thread.
# - No thread reads what another one writes. `lengths` stays as it is.
# - No thread reads or writes outside the arrays.


# %% role="answer"
@cuda.jit
def starts(lengths, start):
    ### BEGIN SOLUTION
    i = cuda.grid(1)
    if i < lengths.size:
        total = 0
        for k in range(i):
            total += lengths[k]
        start[i] = total
    ### END SOLUTION


# %% role="check"
check("any-order", starts)

# %% [markdown]
# *Reflect.* Your threads add up the same numbers over and over. That's the price of not depending
# on any other thread. There is one order you can rely on. Launches wait in a queue called a
# **stream**, and a launch starts only after the one before it on the same stream has ended, so it
# sees everything the earlier launch wrote. Unless you make a second stream, all your launches are
# on one. How could two launches share this work?

# %% [markdown]
# ## When many threads write to one place
#
# Some results belong to nobody: a count, a sum, a histogram. Suppose every thread adds 1 to the
# same counter. To add, it has to read, compute, and write back. If a second thread reads in
# between, both write the same number and one count is lost. `cuda.atomic.add` does the three as one
# step that no other thread can interrupt. That is what **atomics** are for.


# %%
@cuda.jit
def count_lossy(x, total):
    i = cuda.grid(1)
    if i < x.size and x[i] > 0:
        total[0] += 1


@cuda.jit
def count_atomic(x, total):
    i = cuda.grid(1)
    if i < x.size and x[i] > 0:
        cuda.atomic.add(total, 0, 1)


for kernel in (count_lossy, count_atomic):
    total = np.zeros(1, np.int32)
    trace = simulate(kernel, 4, 256, np.ones(1000, np.float32), total)
    print(f"{kernel.__name__}: {total[0]} of 1000", {seen.kind for seen in trace.hazards})

# %% [markdown]
# An atomic doesn't put threads in order. The additions may happen in any sequence, but none of
# them gets lost. For whole numbers the sum comes out the same anyway, but float32 sums may differ
# in their last digits from run to run. And it isn't free: threads that want the same place have to
# take turns.

# %% [markdown]
# ## When a kernel fails
#
# A launch returns before its kernel has run, so a mistake *in* the kernel usually doesn't show up
# on that line. You'll see the error later, at some other call that waits for the device, such as
# `copy_to_host`, and it will seem to come from there. To find the real culprit, call
# `cuda.synchronize()` right after each launch you suspect: it waits, and raises any error that has
# occurred so far. Setting `CUDA_LAUNCH_BLOCKING=1` before Python starts makes every launch wait.
#
# After an error such as "illegal memory access", the device refuses all further work from this
# process, so restart the notebook's kernel. A launch whose *shape* is impossible is different: it
# fails at once, on its own line.

# %% [markdown] exercise="mandelbrot"
# ## Stretch: who waits for whom in a warp
#
# **`mandelbrot` · 4 points · stretch · about 20 minutes**
#
# Each pixel stands for a complex number `c`: its real part is `left + column * step`, and its
# imaginary part is `top - row * step`. Start with `z = 0` and repeat `z = z * z + c` as long as
# `|z|` is at most 2 and you've done fewer than `limit` steps (`limit` may be 0).
#
# *Implement.* Set `out[row, column]` to the number of steps. `out` is an int32 matrix of any shape;
# the grid has two axes and may reach beyond it, but no thread may. A thread stops when its point
# has escaped (`|z|` is above 2). (With `z = x + iy`, `z * z` is `x * x - y * y + 2ixy`.)


# %% role="answer"
@cuda.jit
def mandelbrot(left, top, step, limit, out):
    ### BEGIN SOLUTION
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        cr, ci = left + column * step, top - row * step
        zr, zi, n = 0.0, 0.0, 0
        while n < limit and zr * zr + zi * zi <= 4.0:
            zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
            n += 1
        out[row, column] = n
    ### END SOLUTION


# %% role="check"
check("mandelbrot", mandelbrot)

# %% [markdown]
# *See.* A warp keeps running the loop until its *last* lane has finished. The others are switched
# off, but they keep their places. Where is that worst? And why is there no waste inside the
# Mandelbrot set, whose points never escape?

# %%
see("mandelbrot", mandelbrot)

# %% [markdown]
# *Step.* Here is one warp with 32 pixels of a row. Press "step ▶" again and again and watch the
# lanes in the loop. They leave one after another, and nobody takes their places.

# %%
step(mandelbrot, 1, (32, 1), -2.2, 0.2, 0.1, 12, np.zeros((1, 32), np.int32))

# %% [markdown] exercise="out-of-bounds"
# ## Stretch: past the end
#
# **`out-of-bounds` · 4 points · stretch · about 10 minutes**
#
# How much does the array rise from each number to the next? The kernel below has a guard, and what
# it prints is right. Yet one thread reads where there's nothing to read. A GPU would most likely
# say nothing: it reads whatever comes after the array. `lens` goes through the account of a launch
# and reports what it cost and what was wrong. For now, only the line that starts with "hazard"
# matters; later lessons explain the rest. Lines are counted from the top of the cell.


# %%
@cuda.jit
def rises_unsafe(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i + 1] - x[i]


x = np.sqrt(np.arange(1000, dtype=np.float32))
out = np.zeros_like(x)
account = simulate(rises_unsafe, 4, 256, x, out)
print(np.array_equal(out[:-1], np.diff(x)))
lens(account)

# %% [markdown]
# *Implement.* Fill in `found`: the line that reads past the end of `x`, the block and the thread
# that do it, and the index. Then repair the kernel, for any length from 1 on.
#
# - The last element has no right neighbor, so its rise is 0. `x` stays as it is.
# - No thread reads or writes outside the arrays.


# %% role="answer"
### BEGIN SOLUTION
found = {"line": 5, "block": 3, "thread": 231, "index": 1000}
### END SOLUTION


@cuda.jit
def rises(x, out):
    ### BEGIN SOLUTION
    i = cuda.grid(1)
    if i < x.size:
        right = min(i + 1, x.size - 1)
        out[i] = x[right] - x[i]
    ### END SOLUTION


# %% role="check"
check("out-of-bounds", found, rises)

# %% [markdown]
# ## What you take with you
#
# - You write a kernel for one thread. `cuda.grid(1)` tells it which one it is, and a guard or a
#   grid-stride loop keeps it inside its arrays.
# - Warps are 32 lanes wide. So make blocks a multiple of 32, and let x, the axis along which a warp
#   lies, run along the row.
# - Blocks have no order. What must come first goes into an earlier launch; what many threads add
#   to one place needs an atomic.
#
# **Your number:** how many MB three launches copy if you hand them NumPy arrays.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Kernels, threads, blocks, grids, and blocks that must be able to run in any order: NVIDIA,
#   *CUDA C++ Programming Guide*, "Programming Model", sections "Kernels" and "Thread Hierarchy".
# - Warps, lanes, and what happens when they diverge: the same, "Hardware Implementation", section
#   "SIMT Architecture".
# - Limits of blocks, grids, and SMs: the same, "Compute Capabilities", table "Technical
#   Specifications per Compute Capability". (The x limit of a grid has been this large since compute
#   capability 3.0, 2012.)
# - Sizes of blocks: NVIDIA, *CUDA C++ Best Practices Guide*, "Thread and Block Heuristics". Sectors
#   of 32 bytes: the same, "Coalesced Access to Global Memory".
# - Which copies Numba makes: *Numba-CUDA* documentation, "Memory management", section "Data
#   transfer".
# - The loop over the whole grid: M. Harris, *CUDA Pro Tip: Write Flexible Kernels with Grid-Stride
#   Loops*, NVIDIA Technical Blog, 2013.
# - Launches on one stream run one after the other: *CUDA C++ Programming Guide*, "Asynchronous
#   Concurrent Execution", section "Streams". Atomics: the same, "Atomic Functions". Errors that
#   show up later, and `CUDA_LAUNCH_BLOCKING`: the same, "Error Checking" and "CUDA Environment
#   Variables".
