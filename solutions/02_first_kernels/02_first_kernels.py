# %% [markdown]
# # How does one program become a million threads?
#
# On a GPU you do not write the loop. You write what happens to *one* element, and the device runs
# those few lines once for each element, thousands of them at the same time. What remains for you
# is one question, asked a million times: which of the many am I?
#
# **You will be able to** write a kernel and launch it on any number of elements; choose the shape
# of a launch; keep every thread inside its arrays; tell when a kernel depends on luck.
#
# **You need** Python functions, NumPy arrays in one and two dimensions, and what a warp is.
# **Time** about 80 minutes, without the two stretch exercises.

# %% role="setup"
import numpy as np

from gpuedu import check, cuda, hint, lens, predict, progress, reveal, see, setup, simulate, step

setup("first-kernels")

# %% [markdown]
# ## Your first launch
#
# A **kernel** is a function that the device runs, in many **threads**; each thread runs the same
# lines. The line `@cuda.jit` makes one. A kernel returns nothing: it writes into arrays. You
# **launch** it with a shape in square brackets: `kernel[blocks, threads](...)`. Threads come in
# **blocks**, all blocks together are the **grid**. A thread finds its place in its block in
# `cuda.threadIdx.x`, counted from 0.
#
# The CPU and its memory are the **host**, the GPU is the **device** and has memory of its own. An
# array that a kernel writes lives there; `copy_to_host` brings it back.

# %%
see("first-kernels/launch")


@cuda.jit
def count_up(out):
    out[cuda.threadIdx.x] = 100 + cuda.threadIdx.x


d_out = cuda.device_array(8, np.int32)
count_up[1, 8](d_out)
print(d_out.copy_to_host())

# %% [markdown]
# **What ran that?** Where there is a GPU, Numba compiled it for the GPU. (It may warn that so
# small a grid leaves the device nearly empty. That is true, and no matter here.) Elsewhere
# gpuedu's own machine ran the source, in warps of 32 lanes as the hardware does, and kept account
# of every access to memory. `check` and `see` use that machine everywhere, so that everybody is
# judged alike. It counts; it does not tell times.

# %% [markdown] exercise="thread-index"
# ## A thread for each element
#
# **`thread-index` · 3 points · about 9 minutes**
#
# The device runs the threads of a block in **warps**: threads 0 to 31 are the first warp, 32 to
# 63 the second, and so on. The 32 places of a warp are its **lanes**. A warp runs one line of the
# kernel at a time, for all of its lanes.
#
# *Predict.* A block of 100 threads: how many lanes of its last warp have no thread?

# %% role="predict"
predict("thread-index", 28)

# %% [markdown]
# *Implement.* `out[i]` becomes `a[i] + 10`. Both are int32 arrays of the same length. The launch
# is one block with exactly as many threads as there are elements: each thread writes one element,
# its own, and you need no loop.


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
# *See.* Your kernel with 100 threads: the four warps, and which of their lanes work on each line.

# %%
see("thread-index", add_ten)
reveal("thread-index")

# %% [markdown] exercise="blocks"
# ## More than one block
#
# **`blocks` · 4 points · about 15 minutes**
#
# A block has at most 1,024 threads, so a longer array needs several. `threadIdx.x` begins at 0 in
# *every* block. `cuda.blockIdx.x` is the block's own number, also from 0; `cuda.blockDim.x` is
# the number of threads in a block, and `cuda.gridDim.x` the number of blocks.
#
# Blocks are all of one size, so there are often more threads than elements. A kernel does not
# stop at the end of an array: a thread without an element has to find out and do nothing. That
# test is the **guard**. An array brings its length along: inside a kernel, `x.size` is the number
# of its elements, and `x.shape` has one number for each axis, as in NumPy.
#
# *Predict.* 1,000 elements in blocks of 128 threads: how many threads have no element?

# %% role="predict"
predict("blocks", 24)

# %% [markdown]
# *Implement.* `out` becomes `a * x + y`, element by element. `a` is a float32 number, the arrays
# are float32 and of equal length. The launch has enough blocks, sometimes too many, and they may
# have any size: 32 threads, or 96, or 1,024. Each element is written by one thread, once.


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
# *See.* 100 elements, 4 blocks of 32 threads. Each cell is an element of `out` and carries the
# thread that wrote it.

# %%
see("blocks", saxpy)
reveal("blocks")

# %% [markdown]
# *Step.* That picture shows the end. `step` takes a kernel and a launch, and lets you walk through
# it: "step ▶" goes on by one line of one warp. This is the last block of the same launch, where
# only 4 elements are left. At which line do lanes drop out, and what do they do from then on?

# %%
x, y, out = np.ones((3, 100), np.float32)
step(saxpy, 4, 32, np.float32(2), x, y, out, block=3)

# %% [markdown]
# **A shorter way to write it.** What you computed is the thread's index in the whole grid, and
# nearly every kernel begins with it. So it has a name: `cuda.grid(1)`.
#
# **What crosses the link.** `cuda.to_device(x)` copies a NumPy array to the device and returns a
# *device array*; `cuda.device_array_like(x)` makes an empty one there. Between launches they stay
# where they are. You may also hand a NumPy array to a kernel. Numba then copies it to the device
# before the launch and, since it cannot know what the kernel changed, back again after it.
#
# *Predict.* Three launches of `saxpy` on NumPy arrays `x`, `y` and `out` of 4 MB each. How many
# MB are copied between host and device? (With device arrays: `x` and `y` there, `out` back, 12.)

# %% role="predict"
predict("blocks-copies", 72)

# %%
see("first-kernels/copies")
reveal("blocks-copies")

# %% [markdown] exercise="launch-shape"
# ## The shape of a launch
#
# **`launch-shape` · 5 points · about 12 minutes**
#
# The host decides how many blocks. Blocks and grids may have up to three axes, x, y and z. Since
# 2012 every NVIDIA GPU has had the same limits:
#
# | | x | y | z | in all |
# |---|---|---|---|---|
# | threads of a block | 1,024 | 1,024 | 64 | 1,024 |
# | blocks of a grid | 2,147,483,647 | 65,535 | 65,535 | no limit |
#
# *Predict.* Blocks of 33 threads: how many percent of all lanes have no thread?

# %% role="predict"
predict("launch-shape", 48)

# %% [markdown]
# *Implement.* These run on the host; they are plain Python.
#
# - `blocks_for(n, threads)`: the fewest blocks of `threads` threads that give each of `n`
#   elements a thread. `n` is from 1 to 10**12; a launch takes an `int`.
# - `can_launch(grid, block)`: True if a device takes this launch, False if not. Both are triples
#   `(x, y, z)` of whole numbers, which may be anything, even negative. A device takes an extent
#   from 1 up to its limit in the table, which may be reached.
# - `empty_lanes(threads)`: how many lanes of a block's warps have no thread.


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
# *See.* A block of 33 is allowed, and nearly half of its lanes are empty. Blocks of 128 or 256
# threads leave none, blocks of 100 more than one in five.

# %%
see("launch-shape", blocks_for, can_launch, empty_lanes)
reveal("launch-shape")

# %% [markdown] exercise="grid-stride"
# ## Any number of elements, any launch
#
# **`grid-stride` · 4 points · about 12 minutes**
#
# A thread may do more than one element. Then the shape of the launch no longer has to fit the
# array: you can launch what fills the device, and let the threads walk. `cuda.gridsize(1)` is the
# number of all threads of the grid.
#
# *Implement.* `out[i]` becomes the square of `x[i]`, for float32 arrays of any length, 0 too,
# launched with any number of blocks and threads. Each element is written once, by one thread. At
# each step the grid as a whole takes the next stretch of the array, one element for each thread,
# and neighboring threads take neighboring elements.


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
# *See.* 150 elements, 2 blocks of 32 threads. A row has 32 elements, so in one step the grid covers
# two rows. Read down a column, every second row: that is one thread's way.

# %%
see("grid-stride", square)

# %% [markdown]
# *Reflect.* The loop is also a guard: where is it? And with a million elements: what
# speaks for a million threads, and what for 50,000 that walk?

# %% [markdown] exercise="two-d-map"
# ## Rows and columns
#
# **`two-d-map` · 4 points · about 12 minutes**
#
# A launch can have two axes: `kernel[(3, 2), (32, 8)]` has 3 x 2 blocks of 32 x 8 threads, x
# first. `cuda.grid(2)` returns a thread's two indices in the whole grid, x first. NumPy counts
# the other way: `m.shape` is `(rows, columns)`, and a row lies in memory as one piece.
#
# Memory comes in **sectors** of 32 bytes: 8 float32 numbers. If the 32 lanes of a warp want 32
# neighbors, 4 sectors are enough. In a block of 32 x 8, a warp is 32 threads along x.
#
# *Predict.* And if these lanes go down a *column* of a matrix with 64 columns: how many sectors?

# %% role="predict"
predict("two-d-map", 32)

# %% [markdown]
# *Implement.* A linear layer adds its bias: to each element of the matrix `m` the number that
# `bias` has for its column. All are float32; the result goes into `out`, a matrix of the same
# shape. The grid reaches over the matrix both ways, and mostly beyond it.


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
# *See.* Above, what one warp of your kernel reads of the matrix. Below, the same for a kernel in
# which x is the row. Both are right.

# %%
see("two-d-map", add_bias)
see("first-kernels/swapped")
reveal("two-d-map")

# %% [markdown] exercise="any-order"
# ## Blocks have no order
#
# **`any-order` · 4 points · about 15 minutes**
#
# Sentences of different lengths are packed into one long array. Where does each start? The first
# at 0, each other one where the one before it ends. Here is a kernel for it, with one thread a
# block to keep it short: each block goes on from where the block before it ended. Its author
# tried it, and the result was right.


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
# A device gives a block to whichever SM has room. Nothing says which block that is, or which one
# ends first; several run at once. Every order must give the same result.
#
# *Predict.* `start` is all zeros and the blocks run in reverse. What is in `start[5]` at the end?

# %% role="predict"
predict("any-order", 6)

# %% [markdown]
# Now try it. `simulate(kernel, blocks, threads, arrays...)` runs a kernel on the machine, on NumPy
# arrays that it changes in place, and returns the account of the launch, its *trace*.
# `trace.hazards` lists what was wrong, each with its `kind`. `order` says which block runs when;
# the first order is the author's.

# %%
for order in (range(6), "reversed", [2, 0, 1, 5, 3, 4]):
    start = np.zeros(6, np.int32)
    trace = simulate(starts_chained, 6, 1, lengths, start, order=order)
    print(order, start, {seen.kind for seen in trace.hazards})
reveal("any-order")

# %% [markdown]
# The machine calls it a **data race**: one thread reads what another one writes, and nothing
# orders the two. It says so in *every* order, also in the one whose result is right.
#
# *Implement.* `start[i]` is the sum of all lengths before sequence `i`. Each thread works out one
# start, its own. There may be any number of blocks and threads, with at least one thread for each
# sequence, and blocks run in any order; `start` may hold anything before. What can a thread work
# from that nobody writes?


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
# *Reflect.* Your threads add the same numbers again and again; that is the price of needing nobody.
# There is one order that you can rely on: launches wait in a queue, a **stream**, and unless you
# make a second one, each starts when the one before it has ended, and sees all that it wrote. How
# could two launches share this work?

# %% [markdown] exercise="mandelbrot"
# ## Stretch: who waits for whom in a warp
#
# **`mandelbrot` · 4 points · stretch · about 20 minutes**
#
# A pixel stands for a number `c` of the complex plane: its real part is `left + column * step`,
# its imaginary part `top - row * step`. Begin with `z = 0` and repeat `z = z * z + c` while `|z|`
# is at most 2 and fewer than `limit` steps are done (`limit` may be 0). `out[row, column]` becomes
# the number of steps.
#
# *Implement.* `out` is an int32 matrix, the grid has two axes and may reach beyond it. A thread
# stops when its point has escaped. (With `z = x + iy`, `z * z` is `x * x - y * y + 2ixy`.)


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
# *See.* A warp runs the loop until its *last* lane has finished; the others stay switched off,
# their places taken. Where is that worst, and why is it good inside the set?

# %%
see("mandelbrot", mandelbrot)

# %% [markdown]
# *Step.* One warp, with 32 pixels of a row. Press "step ▶" again and again and watch the lanes in
# the loop: they leave one after another, and nobody takes their places.

# %%
step(mandelbrot, 1, (32, 1), -2.2, 0.2, 0.1, 12, np.zeros((1, 32), np.int32))

# %% [markdown] exercise="out-of-bounds"
# ## Stretch: past the end
#
# **`out-of-bounds` · 4 points · stretch · about 10 minutes**
#
# How much does each number rise to the next? The kernel below has a guard, and what it prints is
# right. Yet one thread reads where nothing is. A GPU would most likely say nothing: it reads
# whatever lies behind. `lens` reads the account of a launch and reports what it cost and what was
# wrong. Today only the line that begins with "hazard" matters; later lessons explain the others.
# Lines are counted from the top of the cell.


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
# *Implement.* In `found`: the line that reads past the end of `x`, the block and the thread that
# do it, and the index. Then mend the kernel: the last element has no neighbor, and its rise is
# 0. The length may be any, from 1 on.


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
# - A kernel is written for one thread. `cuda.grid(1)` says which one it is, and a guard or a
#   grid-stride loop keeps it inside its arrays.
# - Warps are 32 lanes wide: choose multiples of 32 for a block, and let x, the axis along which a
#   warp lies, go along the row.
# - Blocks have no order. What must come first goes into an earlier launch.
#
# **Your number:** how many MB three launches copy when they are handed NumPy arrays.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Kernels, threads, blocks, grids, and blocks that must be able to run in any order: NVIDIA,
#   *CUDA C++ Programming Guide*, "Programming Model", sections "Kernels" and "Thread Hierarchy".
# - Warps, lanes and what happens when they part: the same, "Hardware Implementation", section
#   "SIMT Architecture".
# - Limits of blocks and grids: the same, "Compute Capabilities", table "Technical Specifications
#   per Compute Capability". (The x of a grid has gone so far since compute capability 3.0, 2012.)
# - Sectors of 32 bytes: NVIDIA, *CUDA C++ Best Practices Guide*, "Coalesced Access to Global
#   Memory".
# - Which copies Numba makes: *Numba-CUDA* documentation, "Memory management", section "Data
#   transfer".
# - The walk of the whole grid: M. Harris, *CUDA Pro Tip: Write Flexible Kernels with Grid-Stride
#   Loops*, NVIDIA Technical Blog, 2013.
# - Launches on one stream run one after the other: *CUDA C++ Programming Guide*, "Asynchronous
#   Concurrent Execution", section "Streams".
