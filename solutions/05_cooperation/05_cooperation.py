# %% [markdown]
# # How do threads work together without harm?
#
# 256 threads count together: each adds 1 to the same number. What comes out below is not 256.
# Threads that share memory need rules: who may touch what, and when. With them, a block adds 256
# numbers in 8 rounds, a warp adds 32 without any memory, and a whole grid works on one result.
#
# **You will be able to** add up a block's numbers with barriers; let the lanes of a warp hand each
# other values; scan an array across blocks; find a data race and mend it.
#
# **You need** kernels, warps and lanes, shared memory and its banks, barriers.
# **Time** about 130 minutes, best in two sittings: the second begins with "Every sum on the way".

# %% role="setup"
import numpy as np

from gpuedu import check, cp, cuda, hint, lens, predict, progress, reveal, see, setup, simulate

setup("cooperation")


# %% [markdown]
# ## A count that is lost


# %%
@cuda.jit
def count_together(total):
    total[0] += 1


total = np.zeros(1, np.int32)
trace = simulate(count_together, 1, 256, total)
print(total[0], {seen.kind for seen in trace.hazards})
see("cooperation/lost-count", count_together)

# %% [markdown]
# `total[0] += 1` is three things: read, add, write. Here all threads read 0, all add 1, and all
# write 1. Another time it may be any number from 1 to 256, for nothing orders them. Two threads
# touch the same place, at least one of them writes, and nothing says who comes first: that is a
# **data race**, whatever its result. (Threads that all write the same value are let off here.)
#
# There are three ways out, and this lesson takes them in turn. Give each place to *one* thread at
# a time, with barriers between. Let lanes hand values to each other without a place. Or let the
# device do the three things as one: an *atomic*.

# %% [markdown] exercise="block-sum"
# ## Adding up in a block
#
# **`block-sum` · 9 points · about 20 minutes**
#
# All threads of a block see its **shared memory**. `cuda.syncthreads()` is its **barrier**: no
# thread goes on before all threads of the block are there, and behind it each sees what the others
# wrote before it. If only some of them come, because of an `if` or an early `return`, what happens
# is undefined: the block may hang. (Since Volta, a barrier no longer waits for threads that have
# ended, so an early `return` often works. Do not build on it: the checks count it as a fault.) The
# kernel below adds the numbers of a block in pairs, then pairs of pairs: 256 numbers in 8 rounds.
# It is right for any number of elements: a thread without one brings a 0.


# %% role="given"
@cuda.jit
def sum_pairs(x, sums):
    part = cuda.shared.array(256, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    step = 1
    while step < cuda.blockDim.x:
        if t % (2 * step) == 0:
            part[t] += part[t + step]
        cuda.syncthreads()
        step *= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


# %% [markdown]
# *Predict.* A block of 256 threads is 8 warps. In the first round, where `step` is 1: in how many
# of them do some lanes add while others do nothing?

# %% role="predict"
predict("block-sum", 8)

# %% [markdown]
# *See.* First a block of 32 threads, round by round: which places of `part` are written, by whom,
# and what goes into them. Then a block of 128 threads, 4 warps and their lanes, at each line that
# uses `part`: what else the loop does, all lanes do. A warp runs a line as long as one of its lanes
# needs it; if none does, the warp skips it.

# %%
see("cooperation/rounds", sum_pairs)
see("cooperation/lanes", sum_pairs)

# %% [markdown]
# *Implement.* The same sums in as many rounds, for less:
#
# - threads that add are neighbors: in each step at most *one* warp of the block is partly active;
# - and there are no bank conflicts: each request of a warp to shared memory still takes one pass.
#   (`part[k]` is in bank `k % 32`; two places of one bank take two passes.)
#
# `x` and `sums` are float32; `sums[b]` becomes the sum of the elements of block `b`. A block has
# 32, 64, 128 or 256 threads. The last elements may fill a block in part, and a block may have none.
# If only the first half of the threads may work in the first round: what does thread `t` add?
# About 6 lines.


# %% role="answer"
@cuda.jit
def block_sum(x, sums):
    part = cuda.shared.array(256, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    ### BEGIN SOLUTION
    half = cuda.blockDim.x
    while half > 1:
        half //= 2
        if t < half:
            part[t] += part[t + half]
        cuda.syncthreads()
    ### END SOLUTION
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


# %% role="check"
check("block-sum", block_sum)

# %%
see("cooperation/rounds", block_sum)
see("block-sum", block_sum)
reveal("block-sum")

# %% [markdown]
# *Step.* A block of 128, line by line. "barrier ▶" takes you from one round to the next, "step ▶"
# shows who adds in it. From which round on does warp 0 work alone, and where are the others?

# %%
from gpuedu import step

step(block_sum, 1, 128, np.ones(128, np.float32), np.zeros(1, np.float32))

# %% [markdown]
# *Reflect.* In how many of the 8 rounds does one warp alone add? The other warps come to each
# barrier all the same. What would the last rounds need, to do without barriers? (Since the Volta
# devices of 2017, even the lanes of one warp need not be in step.)

# %% [markdown] exercise="warp-sum"
# ## Lanes that hand over values
#
# **`warp-sum` · 6 points · about 15 minutes**
#
# The lanes of a warp can read each other's variables, without memory and without a barrier: by a
# **shuffle**. `cuda.shfl_down_sync(mask, value, d)` gives each lane the `value` of the lane `d`
# places above it; where there is none, a lane gets its own. The mask names the lanes that take
# part, bit by bit: `0xFFFFFFFF` is all 32. Every lane that it names must come to this line.
#
# Below, a *device function* hands over values: kernels call it, and it returns something. Lane `t`
# has the number `t`, and gets that of the lane 8 places above.


# %%
@cuda.jit(device=True)
def from_above(own):
    return cuda.shfl_down_sync(0xFFFFFFFF, own, 8)


@cuda.jit
def hand_over(got):
    got[cuda.threadIdx.x] = from_above(cuda.threadIdx.x)


got = np.zeros(32, np.int32)
simulate(hand_over, 1, 32, got)
print(got)

# %% [markdown]
# Lane 0 gets 8. The last 8 lanes have nobody 8 places above and get their own value. If they add
# it, they hold too much; that harms nobody, as long as nothing on its way to lane 0 passes there.
#
# *Predict.* With 256 threads, `sum_pairs` passes 9 barriers. If each warp first adds its own
# numbers by shuffles, and one warp then adds the warps' sums the same way: how many are left?

# %% role="predict"
predict("warp-sum", 1)

# %% [markdown]
# *Implement.* Two functions, handed in together.
#
# - `warp_sum(value)`, a device function: all 32 lanes call it. Lane 0 gets the sum of their values,
#   in five steps; the other lanes get whatever comes out. About 3 lines.
# - `sum_by_warps(x, sums)`: the same sums as `block_sum`, in two levels. Each warp's sum goes into
#   `part`, one number a warp; then these are added, best by one warp in five more steps. At most
#   two barriers. About 8 lines.
#
# A block has 32, 64, 96, ... or 1,024 threads, so it has 1 to 32 warps. Thread `t` is lane
# `t % 32` of warp `t // 32`. Its last warps may have no element, or only some.


# %% role="answer"
@cuda.jit(device=True)
def warp_sum(value):
    ### BEGIN SOLUTION
    for d in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, d)
    return value
    ### END SOLUTION


@cuda.jit
def sum_by_warps(x, sums):
    part = cuda.shared.array(32, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    ### BEGIN SOLUTION
    total = warp_sum(x[i] if i < x.size else np.float32(0))
    if t % 32 == 0:
        part[t // 32] = total
    cuda.syncthreads()
    if t < 32:
        total = warp_sum(part[t] if t < cuda.blockDim.x // 32 else np.float32(0))
        if t == 0:
            sums[cuda.blockIdx.x] = total
    ### END SOLUTION


# %% role="check"
check("warp-sum", warp_sum, sum_by_warps)

# %% [markdown]
# *See.* A block of 128 threads. Then both ways in a block of 256: barriers, and passes through
# shared memory. Which of them takes less time, counts do not say; times come after the softmax.

# %%
see("warp-sum", warp_sum, sum_by_warps)
reveal("warp-sum")
for kernel in (block_sum, sum_by_warps):
    trace = simulate(kernel, 1, 256, np.ones(256, np.float32), np.zeros(1, np.float32))
    barriers = sum(int(site.arrivals[0]) for site in trace.barriers)
    print(f"{trace.launch.kernel}: barriers {barriers}, passes {lens(trace).totals.wavefronts}")

# %% [markdown] exercise="histogram"
# ## Counting into the same places
#
# **`histogram` · 8 points · about 20 minutes**
#
# Which words does a text use how often? Each word is a number, and each number has a **bin**: a
# place where its occurrences are counted. Who meets whom at a bin depends on the text, so no
# barrier can keep threads apart. An **atomic** can: `cuda.atomic.add(hist, b, 1)` reads `hist[b]`,
# adds 1 and writes it, as one step. Nobody gets between.


# %% role="given"
@cuda.jit
def count_racy(values, hist):
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        hist[values[i]] += 1


@cuda.jit
def count_atomic(values, hist):
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(hist, values[i], 1)


# %% [markdown]
# Texts have favorite words. Below, 10, 50 and 95 percent of 4,000 values fall into bin 7, the
# others into any of 64 bins.
#
# *Predict.* With 95 percent: when a warp does its atomic, how many of its 32 lanes meet on one
# address, on average? (Rounded to a whole number.)

# %% role="predict"
predict("histogram", 30)

# %% [markdown]
# *See.* First what each kernel counts. Then the atomics of one warp: a row is an address, a number
# is a lane. Lanes with different addresses do not disturb each other; the updates of those in one
# row follow one another. (It is one warp: the average is over all of them. And it is the general
# case: where threads only add, compiler or hardware may add up what goes to one address first, and
# then update it once.)

# %%
rng = np.random.default_rng(5)
for share in (0.10, 0.50, 0.95):
    values = np.where(rng.random(4000) < share, 7, rng.integers(0, 64, 4000))
    for kernel in (count_racy, count_atomic):
        hist = np.zeros(64, np.int32)
        trace = simulate(kernel, 4, 128, values, hist)
        print(f"{share:.0%} {trace.launch.kernel}: {hist.sum()} of 4000 counted")
see("cooperation/turns", count_atomic)
reveal("histogram")

# %% [markdown]
# In `hist` all blocks meet, and every value is an update there. So let each block count in its own
# shared memory first, and add its counts to `hist` when it has finished. That is called a
# **private** copy.
#
# *Predict.* A million values, 64 bins, 100 blocks with private copies: how many updates reach
# `hist` at most?

# %% role="predict"
predict("histogram-updates", 6400)

# %% [markdown]
# *Implement.* `values` is int32, each from 0 to `hist.size - 1`. `hist` is int32, one element for
# each bin, 1 to 256 of them, all 0 before the launch. `part` is the block's copy, with room for the
# largest case; atomics work on it as they do on `hist`. It holds anything when the block begins.
#
# - Any number of values, of blocks, and of threads in a block; there may be more bins than threads.
# - Each block updates each bin of `hist` at most once.
# - Values and bins are shared out: no thread does the work of the others.


# %% role="answer"
@cuda.jit
def histogram(values, hist):
    part = cuda.shared.array(256, np.int32)
    ### BEGIN SOLUTION
    for b in range(cuda.threadIdx.x, hist.size, cuda.blockDim.x):
        part[b] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(part, values[i], 1)
    cuda.syncthreads()
    for b in range(cuda.threadIdx.x, hist.size, cuda.blockDim.x):
        cuda.atomic.add(hist, b, part[b])
    ### END SOLUTION


# %% role="check"
check("histogram", histogram)

# %% [markdown]
# *See.* Updates of the busiest address, for each of the three texts: straight into `hist`; then
# yours, in the shared memory of a block and in `hist`.

# %%
see("histogram", histogram)
reveal("histogram-updates")

# %% [markdown]
# *Reflect.* The lanes of a warp meet as often as before, now in shared memory. Why does the busiest
# address get fewer updates all the same? And what would you do with 100,000 bins, for which shared
# memory is too small?

# %% [markdown]
# *Halfway.* A good place to stop: what you have handed in is kept.

# %% [markdown] exercise="scan"
# ## Every sum on the way
#
# **`scan` · 7 points · about 20 minutes**
#
# An **inclusive scan** keeps every sum on the way: `out[i]` is `x[0] + ... + x[i]`. If `x` holds
# the lengths of sentences that are packed into one array, `out[i]` is where sentence `i` ends. It
# looks like a chain. Yet 8 numbers take 3 rounds: each adds the one before it; then the one 2
# places before, then 4. Whoever has none there keeps what it has.
#
# | x | 3 | 1 | 4 | 1 | 5 | 9 | 2 | 6 |
# |---|---|---|---|---|---|---|---|---|
# | after d = 1 | 3 | 4 | 5 | 5 | 6 | 14 | 11 | 8 |
# | after d = 2 | 3 | 4 | 8 | 9 | 11 | 19 | 17 | 22 |
# | after d = 4 | 3 | 4 | 8 | 9 | 14 | 23 | 25 | 31 |

# %% [markdown]
# `cuda.syncthreads()` holds the threads of *one* block, and blocks have no order. But launches on
# one stream do: each starts when the one before it has ended, and sees all that it wrote. So it
# takes three launches:
#
# 1. `scan_block`: each block scans its own elements, and leaves their sum in `totals`.
# 2. `scan_block` again, one block, on `totals`: then `upto[b]` is the sum of the blocks 0 to `b`.
# 3. `add_before`: each block adds to its elements what comes before it.


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
# *Predict.* How many elements can `scan` take at most, with 256 threads a block?

# %% role="predict"
predict("scan", 65_536)

# %% [markdown]
# *Implement.* All arrays are int32, `x` of either sign. The launches are those of `scan`, with 32,
# 64, 128 or 256 threads.
#
# - `scan_block(x, out, totals)`: `out[i]` becomes the sum of the elements of its own block up to
#   `x[i]`, and `totals[b]` the sum of all elements of block `b`, in as few rounds as above: 8 for
#   256 threads. About 10 lines more.
# - `add_before(upto, out)`: with it, `out[i]` becomes `x[0] + ... + x[i]`. About 3 lines.
#
# In a round, thread `t` reads a place that thread `t - d` changes in the same round. How do you
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
# *Reflect.* In a block of 256, the 8 rounds do 1,793 additions. One thread alone would do 255. What
# do you get for the difference, and when would it not be worth it?

# %% [markdown] exercise="row-softmax"
# ## A softmax, in CUDA C
#
# **`row-softmax` · 8 points · about 25 minutes**
#
# The **softmax** makes shares of a row of scores: `y[j]` is `exp(x[j])`, divided by the sum of
# `exp(x[k])` over the row. Every share depends on the whole row, so a row is one block's work.
#
# The kernels of libraries are written in CUDA C. It says the same things: `threadIdx.x`,
# `__shared__ float part[256];`, `__syncthreads();`. An array is a bare pointer there: rows lie one
# after the other, and sizes are arguments. CuPy's `RawKernel` takes the source as a text and
# compiles it.

# %% [markdown]
# | in Python | in C |
# |---|---|
# | `t = cuda.threadIdx.x` | `int t = threadIdx.x;` (a type when it is new, and a `;`) |
# | `half //= 2` | `half /= 2;` (`/` of two whole numbers is whole; `//` begins a comment) |
# | `if t < half:` | `if (t < half) { ... }` |
# | `for j in range(t, n, d):` | `for (int j = t; j < n; j += d) { ... }` |
# | `x[b, j]` | `x[b * columns + j]` |
# | `np.float32(1.5)` | `1.5f` (`1.5` is a float64, and what it is added to becomes one) |

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
# A loop gives each thread its columns, however many there are; a *fold* finds the largest of all.
# A launch names blocks, threads of a block, and the arguments: arrays of CuPy, and numbers of the
# very type that the source says.
#
# *Predict.* A row is 0 and 100, in float32. If a kernel does what the definition says, what does it
# write for the second element: `"1"`, `"0"`, `"inf"` or `"nan"`?

# %% role="predict"
predict("row-softmax", "nan")

# %% [markdown]
# The largest element is wanted for a reason. A softmax stays the same if a number is taken from
# every element of its row, because `exp` of that number cancels from numerator and denominator. If
# it is the largest element, no exponential is above 1, and one of them is 1.
#
# *Implement.* `x` and `y` are float32, (M, N), N at least 1. The check launches M blocks of 32, 64,
# 128 or 256 threads, with N from 1 to 1,300, and rows near 1,000 and -1,000.
#
# - All threads share a row's columns, and fold together. On average, read an element at most three
#   times: for the largest, for the sum, for the result. (As a start, all may read `x[first]`.)
# - Neighbors read neighbors, and all arithmetic is in float32: `expf`, `0.0f`.
# - There is one `part`, and two folds need it. When may the second begin to fill it?


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
# *See.* One block of 32 threads and a row of 48: what goes through `part`, round by round. First
# the fold for the largest; then all threads read `part[0]`, fill `part` anew, and fold for the sum.
#
# *Measure.* Below it, what this lesson's kernels took on real GPUs, as far as they were recorded;
# `gpuedu record` adds yours. Set times beside counts. Sums: 9 barriers in pairs and by halves, 1 by
# shuffles. Histograms: with 95 percent in one bin about 30 lanes meet on an address; what do
# private copies save there, and what with 10 percent?

# %%
see("row-softmax", row_softmax)
reveal("row-softmax")
see("cooperation/recorded")

# %% [markdown]
# *Reflect.* Of the three reads of an element, which can be saved, and what would a thread have to
# keep for it? (If the largest so far grows, what has to be done to the sum so far?)

# %% [markdown] exercise="find-the-race"
# ## Find the race
#
# **`find-the-race` · 7 points · about 25 minutes**
#
# Three drafts, each with a mistake that real projects had, too. All arrays are float32.
#
# - `jumps(x, out)`: each element minus the one before it; 0 for the first element of each block.
#   There may be more threads than elements.
# - `widen(x, steps, out)`: block `b` has row `b`. In each step every element, but the first and the
#   last, becomes the largest of itself and its two neighbors, as they were before the step.
# - `shares(x, out)`: each element divided by the sum of its row. Rows are as long as blocks; block
#   `b` takes the rows `b`, `b + gridDim.x`, and so on.


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
# Their authors tried them, and so does this cell, with the last two. (What `jumps` does is
# undefined, and it would be with `if i >= x.size: return` in place of its `if`: either may hang.
# Since Volta both usually get through, because the missing threads have ended. The simulation stops
# the draft.) Is the result right?

# %%
x = np.random.default_rng(3).integers(1, 9, (6, 128)).astype(np.float32)
out = np.zeros_like(x)
simulate(shares_draft, 2, 128, x, out)
print(np.allclose(out, x / x.sum(axis=1, keepdims=True)))
simulate(widen_draft, 6, 128, x, 1, out)
print(np.array_equal(out[:, 1:-1], np.maximum(np.maximum(x[:, :-2], x[:, 1:-1]), x[:, 2:])))

# %% [markdown]
# It is, on this machine, which happens to run the warps of a block in step. Another device need
# not. Think of two threads: how far may a fast one be while a slow one is still at some line?
#
# *Find.* In `found`, for each kernel, the letter of the line at fault, and the kind of the fault:
#
# | kind | it says |
# |---|---|
# | `"skipped"` | some threads of the block never come to this barrier: undefined, it may hang |
# | `"missing"` | right after this line, a barrier is missing (also at the end of a loop's body) |
# | `"in-place"` | this line reads elements that other threads overwrite in the same line |
# | `"not-atomic"` | two threads update one place here, without an atomic |
# | `"outside"` | this line leaves an array |


# %% role="answer"
### BEGIN SOLUTION
found = {"jumps": ("C", "skipped"), "widen": ("C", "in-place"), "shares": ("E", "missing")}
### END SOLUTION

# %% [markdown]
# *Mend.* Copy each kernel from above and change as little as you can; every thread keeps its part
# of the work. A block has 32 to 128 threads, in whole warps. The check takes `found` and all three
# kernels together. Not sure where it hurts? Give `step` a draft and its launch, as `simulate` gets
# them above: it opens where two threads meet, and names their lines, counted from the top of the
# cell.


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
# warps, and the elements of the same numbers. On the left, what happens after the first barrier; on
# the right, after the next.

# %%
see("cooperation/touches", widen_draft)
see("find-the-race", widen)

# %% [markdown]
# *Step.* Two moments do not show how the draft of `shares` goes wrong: one thread has to be a turn
# of the loop ahead of another. It opens where they meet. Which barrier did both pass last?

# %%
step(shares_draft, 2, 128, np.ones((6, 128), np.float32), np.zeros((6, 128), np.float32))

# %% [markdown]
# ## What you take with you
#
# - A data race is two threads, one place, at least one write, and nothing that orders them. A
#   result that looks right proves nothing.
# - A barrier orders the threads of a block, a shuffle the lanes of a warp. Whoever is named has to
#   come. The end of a launch orders the whole grid.
# - Let the first half of the threads work, not every second one: whole warps then have nothing to
#   do.
#
# **Your number:** how many barriers your two ways to add a block's numbers pass.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Shared memory, and barriers of a block: NVIDIA, *CUDA C++ Programming Guide*, sections "Shared
#   Memory" and "Synchronization Functions". Its 32 banks: the same, "Compute Capabilities".
# - A barrier that not all threads reach: the same, "Synchronization Functions" ("likely to hang or
#   produce unintended side effects"); since Volta it waits for all threads that have not exited:
#   *Volta Tuning Guide*, "Independent Thread Scheduling".
# - Lanes that need not be in step since Volta: the same, "SIMT Architecture", "Independent Thread
#   Scheduling".
# - Shuffles, their masks, and lanes that keep their own value: the same, "Warp Shuffle Functions";
#   their names in Python: *Numba-CUDA* documentation, "CUDA Kernel API", "Synchronization and
#   warp intrinsics".
# - Launches on one stream run one after the other: the same guide, "Asynchronous Concurrent
#   Execution", section "Streams".
# - The three ways to add up a block, by pairs, with bank conflicts and folded: M. Harris,
#   *Optimizing Parallel Reduction in CUDA*, NVIDIA, 2007.
# - The scan by distances of 1, 2, 4: W. D. Hillis and G. L. Steele, *Data Parallel Algorithms*,
#   Communications of the ACM 29(12), 1986; over blocks: M. Harris, S. Sengupta and J. D. Owens,
#   *Parallel Prefix Sum (Scan) with CUDA*, GPU Gems 3, chapter 39, 2007.
# - Atomics, and lanes of a warp that meet on one address: *CUDA C++ Programming Guide*, "Atomic
#   Functions" and "SIMT Architecture".
# - A block's own histogram in shared memory: N. Sakharnykh, *GPU Pro Tip: Fast Histograms Using
#   Shared Atomics on Maxwell*, NVIDIA Technical Blog, 2015.
# - Kernels of CUDA C from Python: *CuPy* documentation, "User-Defined Kernels", section "Raw
#   kernels". The largest and the sum in one walk: M. Milakov and N. Gimelshein, *Online normalizer
#   calculation for softmax*, arXiv:1805.02867, 2018.
# - Such mistakes in real projects. A barrier in a branch: Acts, pull request 307, 2020. Shared
#   memory that is used again in a loop: RAPIDS cuDF, bug report 13485, 2023. A race in a block's
#   scan: PopSift, pull request 82, 2020.
