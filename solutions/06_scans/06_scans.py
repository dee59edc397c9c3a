# %% [markdown]
# # How do blocks build on one another, and how do you find a race?
#
# Running sums look like a chain: each one needs the one before it, so a million of them would be
# 999,999 additions in a row. Below, eight of them take three rounds. This lesson does the same
# across a whole grid, and builds a softmax that can't overflow. At the end are three short kernels.
# Two of them pass their author's test before your eyes, and all three are wrong.
#
# **You will be able to** scan an array across blocks; write a row softmax in CUDA C; say what makes
# blocks wait for each other; find a data race and fix it.
#
# **You need** barriers, block sums and atomics from *Cooperation*. **Time** about 75 minutes.

# %% role="setup"
from gpuedu import check, cp, cuda, hint, predict, progress, reveal, see, setup, simulate, step

import numpy as np

setup("scans")

# %%
see("cooperation/chain")

# %% [markdown] exercise="scan"
# ## Running sums
#
# **`scan` · 7 points · about 20 minutes**
#
# An **inclusive scan** keeps all running sums: `out[i]` is `x[0] + ... + x[i]`. If `x` holds the
# lengths of sentences that are packed into one array, `out[i]` is where sentence `i` ends. In the
# figure's three rounds, each number adds the one right before it, then the one 2 places before,
# then 4. A number with nothing that far before it keeps its value.
#
# | x | 3 | 1 | 4 | 1 | 5 | 9 | 2 | 6 |
# |---|---|---|---|---|---|---|---|---|
# | after d = 1 | 3 | 4 | 5 | 5 | 6 | 14 | 11 | 8 |
# | after d = 2 | 3 | 4 | 8 | 9 | 11 | 19 | 17 | 22 |
# | after d = 4 | 3 | 4 | 8 | 9 | 14 | 23 | 25 | 31 |

# %% [markdown]
# `cuda.syncthreads()` holds the threads of *one* block, and the blocks of a launch have no order.
# But launches on one stream do: each starts after the one before it has ended, and sees everything
# that it wrote. So the whole scan takes three launches:
#
# 1. `scan_block`: each block scans its own elements and leaves their sum in `totals`.
# 2. `scan_block` again, with one block, on `totals`: now `upto[b]` is the sum of blocks 0 to `b`.
# 3. `add_before`: each block adds to its elements whatever comes before it.


# %% role="given"
def scan(x, threads=256):
    blocks = -(-x.size // threads)
    d_x, d_out = cuda.to_device(x), cuda.device_array(x.size, np.int32)
    totals, upto, spare = (cuda.device_array(blocks, np.int32) for _ in range(3))
    scan_block[blocks, threads](d_x, d_out, totals)
    scan_block[1, threads](totals, upto, spare)
    add_before[blocks, threads](upto, d_out)
    return d_out.copy_to_host()


# %% [markdown]
# *Predict.* With 256 threads per block, how many elements can `scan` handle at most?

# %% role="predict"
predict("scan", 65_536)

# %% [markdown]
# *Implement.* Write the two kernels that `scan` launches. All arrays are int32, and `x` has numbers
# of either sign. Blocks have 32, 64, 128 or 256 threads.
#
# - `scan_block(x, out, totals)`: `out[i]` becomes the sum of the elements of its own block up to
#   and including `x[i]`, and `totals[b]` the sum of all elements of block `b`. It takes as few
#   rounds as above: 8 for 256 threads. About 10 more lines.
# - `add_before(upto, out)`: with it, `out[i]` becomes `x[0] + ... + x[i]`. About 3 lines.
#
# In each round, thread `t` reads a place that thread `t - d` changes in the same round. How do you
# keep the two apart?


# %% role="answer"
@cuda.jit
def scan_block(x, out, totals):
    part = cuda.shared.array(256, np.int32)
    i, t, d = cuda.grid(1), cuda.threadIdx.x, 1
    part[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    ### BEGIN SOLUTION
    while d < cuda.blockDim.x:
        before = part[t - d] if t >= d else 0
        cuda.syncthreads()
        part[t] += before
        cuda.syncthreads()
        d *= 2
    if i < x.size:
        out[i] = part[t]
    if t == cuda.blockDim.x - 1:
        totals[cuda.blockIdx.x] = part[t]
    ### END SOLUTION


@cuda.jit
def add_before(upto, out):
    ### BEGIN SOLUTION
    i, b = cuda.grid(1), cuda.blockIdx.x
    if b > 0 and i < out.size:
        out[i] += upto[b - 1]
    ### END SOLUTION


# %% role="check"
check("scan", scan_block, add_before)

# %% [markdown]
# *See.* A block of 32, round by round. Then `scan` with your kernels, on 5,000 numbers.

# %%
see("scan", scan_block, add_before)
x = np.random.default_rng(5).integers(-90, 100, 5000, dtype=np.int32)
print(np.array_equal(scan(x), np.cumsum(x)))
reveal("scan")


# %% [markdown]
# *Reflect.* In a block of 256, the 8 rounds do 1,793 additions. A single thread would do 255. What
# do you get in return for the extra ones, and when wouldn't they be worth it?

# %% [markdown]
# ## Waiting for other blocks
#
# Three launches also move a lot of data: `out` is written, read again, and written again. Could one
# launch do it all? Then blocks would have to wait for each other, and there are two tools for that.
#
# The first is a **memory fence**. `cuda.threadfence()` makes no thread wait. It only orders one
# thread's accesses: a thread that sees a write from after the fence, and then passes a fence
# itself, also sees those from before it. Together with an atomic, it is enough for a common
# pattern, the *last block*. Each block writes its sum, passes a fence, and takes a ticket, a number
# that it draws from a shared counter. The block that draws the last ticket knows that all the
# others are done, and adds up what they left.


# %%
@cuda.jit
def sum_in_one_launch(x, sums, tickets, total):
    b = cuda.blockIdx.x
    if cuda.threadIdx.x == 0:
        for i in range(b * 32, min(b * 32 + 32, x.size)):
            sums[b] += x[i]
        cuda.threadfence()
        if cuda.atomic.add(tickets, 0, 1) == cuda.gridDim.x - 1:
            cuda.threadfence()
            for k in range(cuda.gridDim.x):
                total[0] += sums[k]


x = np.arange(500, dtype=np.float32)
sums, tickets, total = np.zeros(16, np.float32), np.zeros(1, np.int32), np.zeros(1, np.float32)
print(simulate(sum_in_one_launch, 16, 32, x, sums, tickets, total).hazards, total, x.sum())

# %% [markdown]
# The second tool is a barrier for the whole grid: `cuda.cg.this_grid().sync()` in Numba, and
# `cooperative_groups::this_grid().sync()` in CUDA C. It needs a **cooperative launch**, which runs
# only if all blocks fit on the device at the same time. Otherwise the blocks that are running would
# wait for blocks that can't start until one of them ends. (The course's machine doesn't have grid
# barriers.)
#
# Libraries scan in one launch with neither a last block nor a grid barrier. Each block publishes
# its total behind a fence and then looks back, block by block, only as far as it has to. This
# *decoupled look-back* reads each element once and writes it once.

# %% [markdown] exercise="row-softmax"
# ## A softmax in CUDA C
#
# **`row-softmax` · 8 points · about 25 minutes**
#
# The **softmax** turns a row of scores into shares: `y[j]` is `exp(x[j])` divided by the sum of
# `exp(x[k])` over the row. Every share depends on the whole row, so one block works on each row.
#
# Libraries write their kernels in CUDA C. It says the same things in other words: `threadIdx.x`,
# `__shared__ float part[256];`, `__syncthreads();`. An array is a bare pointer there, so its rows
# lie one after the other and its sizes are passed as arguments. CuPy's `RawKernel` takes the source
# as a string and compiles it.

# %% [markdown]
# | in Python | in C |
# |---|---|
# | `t = cuda.threadIdx.x` | `int t = threadIdx.x;` (a type at first use, and a `;`) |
# | `half //= 2` | `half /= 2;` (`/` of two integers is an integer; `//` starts a comment) |
# | `if t < half:` | `if (t < half) { ... }` |
# | `for j in range(t, n, d):` | `for (int j = t; j < n; j += d) { ... }` |
# | `x[b, j]` | `x[b * columns + j]` |
# | `np.float32(1.5)` | `1.5f` (`1.5` is a float64, and turns what it is added to into float64) |

# %%
code = r"""
extern "C" __global__ void row_max(const float* x, float* y, int columns) {
    __shared__ float part[256];
    int t = threadIdx.x, first = blockIdx.x * columns;
    part[t] = x[first];
    for (int j = t; j < columns; j += blockDim.x)
        part[t] = fmaxf(part[t], x[first + j]);
    for (int gap = blockDim.x / 2; gap > 0; gap /= 2) {
        __syncthreads();
        if (t < gap) part[t] = fmaxf(part[t], part[t + gap]);
    }
    if (t == 0) y[blockIdx.x] = part[0];
}"""
row_max = cp.RawKernel(code, "row_max")
x = cp.asarray(np.random.default_rng(6).normal(0, 9, (3, 700)), dtype=cp.float32)
largest = cp.empty(3, cp.float32)
row_max((3,), (128,), (x, largest, np.int32(700)))
print(largest, x.max(axis=1))


# %% [markdown]
# The loop gives each thread its columns, however many there are, and then a **fold** finds the
# largest of all: in each round, the first half of the threads combines its elements with the other
# half's. The launch names the blocks, the threads per block, and the arguments: CuPy arrays and
# numbers of exactly the type that the source declares.
#
# *Predict.* A row is 0 and 100, in float32. If a kernel does just what the definition says, what
# does it write for the second element: `"1"`, `"0"`, `"inf"` or `"nan"`?

# %% role="predict"
predict("row-softmax", "nan")

# %% [markdown]
# That's why we want the largest element. A softmax doesn't change if you subtract the same number
# from every element of its row, because `exp` of that number cancels from numerator and
# denominator. Subtract the largest, and no exponential is above 1, while one of them is exactly 1.
#
# *Implement.* Write the softmax of each row. `x` and `y` are float32 of shape (M, N), N at least 1.
# The check launches M blocks of 32, 64, 128 or 256 threads, with N from 1 to 1,300, and with
# elements near 1,000 and -1,000.
#
# - All threads share a row's columns, and they fold together.
# - On average, an element is read at most three times: for the largest, for the sum, and for the
#   result. (To start, all threads may read `x[first]`.)

# %% [markdown]
# - Neighboring threads read and write neighboring elements, and all arithmetic is in float32:
#   `expf`, `0.0f`.
# - Every thread comes to every barrier, there is no data race, and nothing unwritten is read.
#
# Both folds use the same `part`. When may the second one start to fill it?


# %% role="answer"
code = r"""
extern "C" __global__ void row_softmax(const float* x, float* y, int columns) {
    __shared__ float part[256];
    int t = threadIdx.x, first = blockIdx.x * columns;
    // ### BEGIN SOLUTION
    part[t] = x[first];
    for (int j = t; j < columns; j += blockDim.x) part[t] = fmaxf(part[t], x[first + j]);
    for (int gap = blockDim.x / 2; gap > 0; gap /= 2) {
        __syncthreads();
        if (t < gap) part[t] = fmaxf(part[t], part[t + gap]);
    }
    __syncthreads();
    float top = part[0], sum = 0.0f;
    for (int j = t; j < columns; j += blockDim.x) sum += expf(x[first + j] - top);
    __syncthreads();
    part[t] = sum;
    for (int gap = blockDim.x / 2; gap > 0; gap /= 2) {
        __syncthreads();
        if (t < gap) part[t] += part[t + gap];
    }
    __syncthreads();
    for (int j = t; j < columns; j += blockDim.x) y[first + j] = expf(x[first + j] - top) / part[0];
    // ### END SOLUTION
}"""
row_softmax = cp.RawKernel(code, "row_softmax")


# %% role="check"
check("row-softmax", row_softmax)

# %% [markdown]
# *See.* One block of 32 threads with a row of 48: what passes through `part`, round by round. First
# the fold for the largest. Then all threads read `part[0]`, refill `part`, and fold for the sum.
#
# *Measure.* Below that is how long the kernel took on real GPUs, where it was recorded, and what a
# copy moves there; `gpuedu record` adds yours. Your kernel asks for each element three times, the
# copy only once. Which of the three requests can a cache answer, if a row has 1,024 columns?

# %%
see("row-softmax", row_softmax)
reveal("row-softmax")
see("cooperation/recorded-softmax")

# %% [markdown]
# *Reflect.* Which of the three reads of an element could you save, and what would a thread have to
# keep for that? (If the largest so far grows, what has to happen to the sum so far?)

# %% [markdown] exercise="find-the-race"
# ## Find the race
#
# **`find-the-race` · 7 points · about 25 minutes**
#
# Find the fault in each of three drafts, then fix it. Real projects have had all three. All arrays
# are float32.
#
# - `jumps(x, out)`: each element minus the one before it; 0 for the first element of each block.
#   There may be more threads than elements.
# - `widen(x, steps, out)`: block `b` has row `b`. In each step, every element except the first and
#   the last becomes the largest of itself and its two neighbors, as they were before the step.
# - `shares(x, out)`: each element divided by the sum of its row. A row has as many elements as a
#   block has threads, and block `b` takes rows `b`, `b + gridDim.x`, and so on.


# %% role="given"
@cuda.jit
def jumps_draft(x, out):
    s = cuda.shared.array(128, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    if i < x.size:  # A
        s[t] = x[i]  # B
        cuda.syncthreads()  # C
        before = s[max(t - 1, 0)]  # D
        out[i] = s[t] - before  # E


# %% role="given"
@cuda.jit
def widen_draft(x, steps, out):
    s = cuda.shared.array(128, np.float32)
    row, t = cuda.blockIdx.x, cuda.threadIdx.x
    s[t] = x[row, t]  # A
    cuda.syncthreads()  # B
    for _ in range(steps):
        if 0 < t < cuda.blockDim.x - 1:
            s[t] = max(s[t - 1], s[t], s[t + 1])  # C
        cuda.syncthreads()  # D
    out[row, t] = s[t]  # E


@cuda.jit
def shares_draft(x, out):
    total = cuda.shared.array(1, np.float32)
    t = cuda.threadIdx.x
    for row in range(cuda.blockIdx.x, x.shape[0], cuda.gridDim.x):
        if t == 0:
            total[0] = 0  # A
        cuda.syncthreads()  # B
        cuda.atomic.add(total, 0, x[row, t])  # C
        cuda.syncthreads()  # D
        out[row, t] = x[row, t] / total[0]  # E


# %% [markdown]
# Their authors tried them, and this cell does the same with the last two. (What `jumps` does is
# undefined, and it would be just as undefined with `if i >= x.size: return` in place of its `if`:
# either may hang. Since Volta both usually get through, because the missing threads have exited.
# The simulation stops the draft.) Are the results right?

# %%
x = np.random.default_rng(3).integers(1, 9, (6, 128)).astype(np.float32)
out = np.zeros_like(x)
simulate(shares_draft, 2, 128, x, out)
print(np.allclose(out, x / x.sum(axis=1, keepdims=True)))
simulate(widen_draft, 6, 128, x, 1, out)
print(np.array_equal(out[:, 1:-1], np.maximum(np.maximum(x[:, :-2], x[:, 1:-1]), x[:, 2:])))


# %% [markdown]
# They are, on this machine, which happens to run the warps of a block in step. A GPU doesn't have
# to. Imagine two threads: how far ahead can a fast one get while a slow one is still at some line?
#
# *Find.* Put into `found`, for each kernel, the letter of the faulty line and the kind of fault:
#
# | kind | meaning |
# |---|---|
# | `"skipped"` | some threads of the block never come to this barrier: undefined, it may hang |
# | `"missing"` | a barrier is missing right after this line (maybe at the end of a loop's body) |
# | `"in-place"` | this line reads elements that other threads overwrite in the same line |
# | `"not-atomic"` | two threads update one place here, without an atomic |
# | `"outside"` | this line goes outside an array |


# %% role="answer"
### BEGIN SOLUTION
found = {"jumps": ("C", "skipped"), "widen": ("C", "in-place"), "shares": ("E", "missing")}
### END SOLUTION


# %% [markdown]
# *Fix.* Copy each kernel from above and change as little as you can; every thread keeps its part of
# the work. A block has 32 to 128 threads, in whole warps. The check takes `found` and all three
# kernels together. If you aren't sure where it goes wrong, give `step` a draft and its launch, with
# the same arguments that `simulate` gets above. It opens where two threads meet, and names their
# lines, counted from the top of the cell.


# %% role="answer"
@cuda.jit
def jumps(x, out):
    s = cuda.shared.array(128, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    ### BEGIN SOLUTION
    if i < x.size:
        s[t] = x[i]
    cuda.syncthreads()
    if i < x.size:
        out[i] = s[t] - s[t - 1] if t > 0 else 0
    ### END SOLUTION


# %% role="answer"
@cuda.jit
def widen(x, steps, out):
    s = cuda.shared.array(128, np.float32)
    row, t = cuda.blockIdx.x, cuda.threadIdx.x
    s[t] = x[row, t]
    cuda.syncthreads()
    ### BEGIN SOLUTION
    for _ in range(steps):
        largest = s[t]
        if 0 < t < cuda.blockDim.x - 1:
            largest = max(s[t - 1], largest, s[t + 1])
        cuda.syncthreads()
        s[t] = largest
        cuda.syncthreads()
    out[row, t] = s[t]
    ### END SOLUTION


# %% role="answer"
@cuda.jit
def shares(x, out):
    total = cuda.shared.array(1, np.float32)
    ### BEGIN SOLUTION
    i = cuda.threadIdx.x
    for row in range(cuda.blockIdx.x, x.shape[0], cuda.gridDim.x):
        if i == 0:
            total[0] = 0
        cuda.syncthreads()
        cuda.atomic.add(total, 0, x[row, i])
        cuda.syncthreads()
        out[row, i] = x[row, i] / total[0]
        cuda.syncthreads()
    ### END SOLUTION


# %% role="check"
check("find-the-race", found, jumps, widen, shares)

# %% [markdown]
# *See.* One step of `widen`, first the draft, then yours: nine threads at the border between two
# warps, and the elements with the same numbers. On the left is what happens after the first
# barrier, on the right what happens after the next.

# %%
see("cooperation/touches", widen_draft)
see("find-the-race", widen)

# %% [markdown]
# *Step.* Two snapshots can't show how the draft of `shares` goes wrong, because that takes one
# thread already in the next iteration and another still in this one. The stepper opens where the
# two meet. Which barrier did both pass last?

# %%
step(shares_draft, 2, 128, np.ones((6, 128), np.float32), np.zeros((6, 128), np.float32))

# %% [markdown]
# ## What you take with you
#
# - A scan isn't a chain: with distances that double, 256 running sums take 8 rounds.
# - The end of a launch orders the whole grid. Inside a launch, a fence with an atomic lets one
#   block rely on what others left, and a grid barrier needs all blocks on the device at once.
# - To find a race, let one thread run ahead in your mind until a barrier stops it. A result that
#   looks right proves nothing.
#
# **Your number:** how many elements your scan handles with three launches of 256 threads per block.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Launches on one stream run one after the other: NVIDIA, *CUDA C++ Programming Guide*,
#   "Asynchronous Concurrent Execution", section "Streams".
# - A barrier that not all threads reach: the same, "Synchronization Functions" ("likely to hang or
#   produce unintended side effects"); since Volta it waits for all threads that have not exited:
#   *Volta Tuning Guide*, "Independent Thread Scheduling".
# - The scan by distances of 1, 2, 4: W. D. Hillis and G. L. Steele, *Data Parallel Algorithms*,
#   Communications of the ACM 29(12), 1986; over blocks: M. Harris, S. Sengupta and J. D. Owens,
#   *Parallel Prefix Sum (Scan) with CUDA*, GPU Gems 3, chapter 39, 2007.
# - Fences, and the last block: *CUDA C++ Programming Guide*, "Memory Fence Functions", with an
#   example. Grid barriers and cooperative launches: the same, "Cooperative Groups", "Grid
#   Synchronization"; in Python: *Numba-CUDA* documentation, "Cooperative Groups".
# - A scan in one launch: D. Merrill and M. Garland, *Single-pass Parallel Prefix Scan with
#   Decoupled Look-back*, NVIDIA Technical Report NVR-2016-002, 2016.
# - Kernels of CUDA C from Python: *CuPy* documentation, "User-Defined Kernels", section "Raw
#   kernels". The largest and the sum in one pass: M. Milakov and N. Gimelshein, *Online normalizer
#   calculation for softmax*, arXiv:1805.02867, 2018.
# - Such faults in real projects. A barrier in a branch: Acts, pull request 307, 2020. Shared memory
#   that is reused in a loop: RAPIDS cuDF, bug report 13485, 2023. A race in a block's scan:
#   PopSift, pull request 82, 2020.
