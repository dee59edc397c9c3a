# %% [markdown]
# # How do threads work together without harm?
#
# Below, 256 threads count together: each adds 1 to the same number. The result isn't 256. Threads
# that share memory need rules about who may touch what, and when. Once they follow them, a block
# can add 256 numbers in 8 rounds, a warp can add 32 without using memory at all, and a whole grid
# can build one result.
#
# **You will be able to** add up a block's numbers with barriers; pass values between the lanes of a
# warp; count into shared bins with atomics; say what each of the three costs.
#
# **You need** *First kernels*, and shared memory, banks and barriers from *Memory*.
# **Time** about 65 minutes.

# %% role="setup"
from gpuedu import check, cuda, hint, lens, predict, progress, reveal, see, setup, simulate

import numpy as np

setup("cooperation")


# %% [markdown]
# ## A lost count


# %%
@cuda.jit
def count_together(total):
    total[0] += 1


total = np.zeros(1, np.int32)
trace = simulate(count_together, 1, 256, total)
print(total[0], {seen.kind for seen in trace.hazards})
see("cooperation/lost-count", count_together)


# %% [markdown]
# `total[0] += 1` looks like one step, but it's three: read, add, write. Here every thread reads 0,
# every thread adds 1, and every thread writes 1. On another run the result could be anything from 1
# to 256, because nothing puts the threads in order. When two threads touch the same place, at least
# one of them writes, and nothing determines which comes first, you have a **data race**, even if
# the result happens to be right. (Two atomics don't race. And the course's checks make one
# exception: threads that all write the same value.)
#
# There are three ways out, and we'll take them in turn. You can give each place to *one* thread at
# a time, with barriers in between. You can pass values directly from lane to lane, so that no place
# in memory is shared. Or you can have the device do all three steps as one: an *atomic*.

# %% [markdown] exercise="block-sum"
# ## Adding up a block
#
# **`block-sum` · 9 points · about 20 minutes**
#
# All threads of a block see its **shared memory**, and `cuda.syncthreads()` is its **barrier**: no
# thread goes on until all threads of the block have arrived, and afterward each of them sees what
# the others wrote before it. If an `if` or an early `return` keeps some threads away, the behavior
# is undefined, and the block may hang. (Since Volta, a barrier waits only for threads that haven't
# exited, so an early `return` often gets through. Don't rely on it: the checks count it as a
# fault.) The kernel below adds a block's numbers in pairs, then pairs of pairs: 256 numbers in 8
# rounds. It handles any number of elements, because a thread without one contributes a 0.


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
# *Predict.* A block of 256 threads is 8 warps. In the first round, where `step` is 1, how many of
# these warps have some lanes that add and others that do nothing?

# %% role="predict"
predict("block-sum", 8)

# %% [markdown]
# *See.* The first figure follows a block of 32 threads round by round: which places of `part` are
# written, by which thread, and from what. The second shows the lanes of a block of 128 threads, 4
# warps, at each line that uses `part`. (At the loop's other lines, all lanes are active.) A warp
# has to run a line as long as even one of its lanes needs it; if none does, it skips the line.

# %%
see("cooperation/rounds", sum_pairs)
see("cooperation/lanes", sum_pairs)

# %% [markdown]
# *Implement.* Compute the same sums in the same number of rounds, but more cheaply:
#
# - The threads that add are neighbors: in each round, at most *one* warp of the block is partly
#   active.
# - There are no bank conflicts: each request of a warp to shared memory still takes one pass.
#   (`part[k]` is in bank `k % 32`; two different places in one bank take two passes.)
# - `x` and `sums` are float32, and `sums[b]` becomes the sum of the elements of block `b`. A block
#   has 32, 64, 128 or 256 threads. The last block with elements may be only partly filled, and
#   blocks after it may have none.
#
# If only the first half of the threads works in the first round, what does thread `t` add? The
# answer takes about 6 lines.


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
# *Step.* Now walk through a block of 128, line by line. "barrier ▶" takes you from one round to the
# next, and "step ▶" shows who adds in it. From which round on does warp 0 work alone, and where are
# the other warps meanwhile?

# %%
from gpuedu import step

step(block_sum, 1, 128, np.ones(128, np.float32), np.zeros(1, np.float32))


# %% [markdown]
# *Reflect.* In how many of the 8 rounds does a single warp do all the adding? The other warps still
# come to every barrier. What would those last rounds need in place of a barrier for the whole
# block?
#
# They do need something. Since the Volta devices of 2017, even the lanes of one warp need not run
# in step. `cuda.syncwarp()` is a barrier for one warp: its lanes wait for each other, and then see
# what the others wrote to memory. It's much cheaper, because no other warp has to arrive.

# %% [markdown] exercise="warp-sum"
# ## Passing values between lanes
#
# **`warp-sum` · 6 points · about 16 minutes**
#
# The lanes of a warp can read each other's variables, with no memory and no barrier, through a
# **shuffle**. `cuda.shfl_down_sync(mask, value, d)` gives each lane the `value` of the lane `d`
# places above it; a lane that has none there gets its own value back. The mask names the lanes that
# take part, one bit each, so `0xFFFFFFFF` is all 32. Every lane that the mask names has to reach
# this line. (A shuffle passes on values. Unlike `syncwarp`, it doesn't order what lanes do in
# memory.)
#
# Below, the shuffle is in a *device function*, a function that kernels call and that returns a
# value. Lane `t` holds the number `t` and gets that of the lane 8 places above.


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
# Lane 0 gets 8. The last 8 lanes have nobody 8 places above, so they get their own value. If they
# add it they hold too much, but that does no harm as long as nothing on its way to lane 0 passes
# through them.
#
# *Predict.* With 256 threads, `sum_pairs` goes through 9 barriers. If each warp first adds its own
# numbers by shuffles, and one warp then adds the warps' sums the same way, how many barriers are
# left?

# %% role="predict"
predict("warp-sum", 1)

# %% [markdown]
# *Implement.* Write two functions; `check` takes both.
#
# - `warp_sum(value)`, a device function: all 32 lanes call it, and lane 0 gets the sum of their
#   values in five steps. The other lanes may get anything. About 3 lines.
# - `sum_by_warps(x, sums)`: the same sums as `block_sum`, in two levels. Each warp's sum goes into
#   `part`, one number per warp, and these are then added, ideally by one warp in five more steps.
#   Use at most two barriers. About 8 lines.
#
# A block has 32, 64, 96, ... or 1,024 threads, so 1 to 32 warps. Thread `t` is lane `t % 32` of
# warp `t // 32`. The block's last warps may have elements for only some of their lanes, or none.


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
# *See.* First your kernel in a block of 128 threads. Then both methods in a block of 256: barriers,
# and passes through shared memory. Counts can't tell you which one is faster; for that there are
# recorded times at the end of this lesson.

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
# How often does a text use each word? Say each word is a number, and each number has a **bin**, the
# place where its occurrences are counted. Which threads meet at a bin depends on the text, so no
# barrier can keep them apart. An **atomic** can: `cuda.atomic.add(hist, b, 1)` reads `hist[b]`,
# adds 1 and writes the result as a single step, and no other thread can get in between.


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
# Texts have favorite words. In the three texts below, 10%, 50% and 95% of the 4,000 values fall
# into bin 7, and the rest into any of 64 bins.
#
# *Predict.* At 95%, when a warp executes its atomic, how many of its 32 lanes meet on one address,
# on average? (Round to a whole number.)

# %% role="predict"
predict("histogram", 30)

# %% [markdown]
# *See.* First, what each kernel counts. Then the atomics of one warp: a row is an address, and a
# number is a lane. The lanes in one row take turns. (In shared memory, so do lanes with different
# addresses in one bank.)

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
# All blocks meet in `hist`, and every single value causes an update there. So let each block count
# in its own shared memory first, and add its counts to `hist` when it's done. These counts are
# called a **private** copy.
#
# *Predict.* With a million values, 64 bins, and 100 blocks that have private copies, how many
# updates reach `hist` at most?

# %% role="predict"
predict("histogram-updates", 6400)

# %% [markdown]
# *Implement.* Write the histogram with private copies. `values` is int32, and each value is at
# least 0 and below `hist.size`. `hist` is int32 with 1 to 256 bins, all 0 before the launch. `part`
# is the block's copy, with room for the largest case; atomics work on it as they do on `hist`.
# Shared memory may hold anything when a block starts.
#
# - Any number of values, blocks, and threads per block works, even with more bins than threads.
# - Each block updates each bin of `hist` at most once.
# - The values and the bins are divided among the threads: no thread does the others' work.


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
# *See.* How many updates the busiest address gets, for each of the three texts: first straight into
# `hist`, then with your kernel, in a block's shared memory and in `hist`.

# %%
see("histogram", histogram)
reveal("histogram-updates")

# %% [markdown]
# *Reflect.* The lanes of a warp meet just as often as before, only now in shared memory. Why does
# the busiest address get fewer updates all the same? And what would you do with 100,000 bins, for
# which shared memory is too small?

# %% [markdown]
# ## The same sum, in a different order
#
# An atomic keeps threads apart, but it doesn't put them in order. For whole numbers that makes no
# difference, since (1 + 2) + 3 and 1 + (2 + 3) are the same. Floats are rounded after every
# addition, so a different order can end in different last digits. Here one thread adds the same
# 10,000 numbers, shuffled, three times:

# %%
rng = np.random.default_rng(4)
numbers = rng.normal(size=10_000).astype(np.float32)
for _ in range(3):
    total = np.float32(0)
    for number in rng.permutation(numbers):
        total += number
    print(total)

# %% [markdown]
# With `cuda.atomic.add` on a float32, the device picks the order, and it may pick a different one
# on every launch. So the result may change from run to run, in the same program on the same data.
# That isn't a race, and each result is as good as any other, but you can't compare two of them with
# `==`. If you need the same bits every time, add in a fixed order, as `block_sum` does. PyTorch has
# kernels of both kinds, and `torch.use_deterministic_algorithms(True)` asks for the second kind.

# %% [markdown]
# ## What it costs in time
#
# *Measure.* Below is how long this lesson's kernels took on real GPUs, where they were recorded;
# `gpuedu record` adds yours. Compare the times with the counts. The sums took 9 barriers when added
# in pairs or by halves, and 1 with shuffles. In the histograms with 95% of the values in one bin,
# about 30 lanes of a warp meet on one address. What do private copies save there, and what do they
# save at 10%? As a yardstick, an H100 moves at most 3,350 GB/s to or from its device memory.

# %%
see("cooperation/recorded")

# %% [markdown]
# Look at the last chart again. If lanes that meet on one address took turns, its rates would drop
# toward the left. In the global memory of an H100 they do, by and large. In shared memory they
# don't, because the kernel adds a constant 1 and ignores the old value. From compute capability 8.0
# on, the compiler turns exactly that into one instruction, `ATOMS.POPC.INC`. Its name (*popc* is a
# count of bits) and these rates suggest that it counts the lanes on an address and adds the count
# once. For a T4 it writes `ATOMS.ADD`, as it does for any device if you add something other than 1.
# Private copies therefore suffer less from a favorite word than the picture of turns suggests. If
# the bars of the private copies are near the memory's own rate, it's the values' bytes that take
# the time, and then no atomic is worth saving.

# %% [markdown]
# ## What you take with you
#
# - A data race is two threads, one place, at least one write, not both atomic, and nothing that
#   orders them. A result that looks right proves nothing.
# - A barrier orders the threads of a block, `syncwarp` those of a warp, and a shuffle passes values
#   without memory. Every thread that one of them waits for has to come. An atomic turns three steps
#   into one, in no particular order.
# - Let the first half of the threads work, not every second one, so that whole warps have nothing
#   to do. And combine results locally before you send them far away.
#
# **Your number:** how many barriers each of your two ways to add up a block goes through.

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
# - Lanes that need not be in step since Volta: *CUDA C++ Programming Guide*, "SIMT Architecture",
#   "Independent Thread Scheduling". `syncwarp`, and the memory that it orders: the same,
#   "Synchronization Functions".
# - Shuffles, their masks, and lanes that keep their own value: the same, "Warp Shuffle Functions";
#   their names in Python: *Numba-CUDA* documentation, "CUDA Kernel API", "Synchronization and warp
#   intrinsics".
# - Three ways to add up a block, in pairs, with bank conflicts, and folded: M. Harris, *Optimizing
#   Parallel Reduction in CUDA*, NVIDIA, 2007.
# - Atomics, and lanes of a warp that meet on one address: *CUDA C++ Programming Guide*, "Atomic
#   Functions" and "SIMT Architecture".
# - A block's own histogram in shared memory: N. Sakharnykh, *GPU Pro Tip: Fast Histograms Using
#   Shared Atomics on Maxwell*, NVIDIA Technical Blog, 2015.
# - Floats and the order of additions: D. Goldberg, *What Every Computer Scientist Should Know About
#   Floating-Point Arithmetic*, 1991; in PyTorch: its documentation, "Reproducibility".
# - `ATOMS.POPC.INC` was read from the machine code that ptxas 12.9 makes of an atomic add of 1, for
#   compute capabilities 7.5, 8.0 and 9.0. The H100's 3,350 GB/s: NVIDIA, *H100 Tensor Core GPU*,
#   data sheet.
