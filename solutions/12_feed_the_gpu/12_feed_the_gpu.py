# %% [markdown]
# # Why is the GPU idle?
#
# A training loop gets a batch and then does a step on the device, over and over. Below is such a
# loop, simulated with made-up times: each batch is read from a slow disk, decoded, copied and used
# once. The device computes for 5 of every 20 milliseconds. A device four times as fast would save
# less than 4 of those 20. This lesson is about the other 15.
#
# **You will be able to** say how busy a device really is; find out who waits for whom; load data
# while the device computes; recognize a loop that launches kernels too slowly.
#
# **You need** a training loop in PyTorch, from *Welcome* the idea that launches return at once, and
# a rough idea of Python threads.
# **Time** about 100 minutes.

# %% role="setup"
from gpuedu import check, measure, predict, progress, reveal, see, setup

import queue
import threading

import numpy as np

setup("feed-the-gpu")

# %% [markdown]
# Most times in this lesson are **simulated**. The disk, the processor and the device share a clock
# of their own, which advances only when something waits or works. That way a loop can be judged
# exactly, on any machine and without a stopwatch.

# %%
see("feed-the-gpu/idle")

# %% [markdown] exercise="three-utilisations"
# ## How busy is busy?
#
# **`three-utilisations` · 5 points · about 25 minutes**
#
# Compute three numbers that say how busy a GPU is. `nvidia-smi` shows only one, called utilization.
# NVIDIA defines it as the share of time in which at least one kernel was running. It doesn't ask
# how large that kernel was.
#
# *Predict.* A kernel with a single block runs without a break on a GPU with 132 SMs. What does
# `nvidia-smi` show, in percent?

# %% role="predict"
predict("three-utilisations", 100)

# %% [markdown]
# Over a window of time, these three numbers tell you more. For how long did **any kernel** run? How
# many of the **SMs** were in use, on average? And how many bytes did the **memory** move, compared
# with what it could have moved?
#
# *Implement* all three, as shares from 0 to 1. `kernels` is a list of tuples `(start, end, sms,
# size_bytes)`, in any order.
#
# - Times are in seconds. `sms` SMs are in use from start to end, and `size_bytes` are moved evenly
#   over that time.
# - Kernels may run at the same time, on different SMs. (That happens if they were launched on
#   different *streams*, which are queues of work.)
# - Only what lies inside the window from `start_s` to `end_s` counts.
# - Leave the list as it is.


# %% role="answer"
def gpu_util(kernels, start_s, end_s):
    """Share of the window in which at least one kernel ran."""
    ### BEGIN SOLUTION
    busy_s, reached_s = 0.0, start_s
    for start, end, _, _ in sorted(kernels):
        a, b = max(start, reached_s), min(end, end_s)
        if b > a:
            busy_s += b - a
            reached_s = b
    return busy_s / (end_s - start_s)
    ### END SOLUTION


# %% role="answer"
def sm_active(kernels, start_s, end_s, sms):
    """Mean share of the device's SMs in use."""
    ### BEGIN SOLUTION
    busy_s = 0.0
    for start, end, used, _ in kernels:
        busy_s += max(0.0, min(end, end_s) - max(start, start_s)) * used
    return busy_s / (sms * (end_s - start_s))
    ### END SOLUTION


def memory_share(kernels, start_s, end_s, peak_bytes_per_s):
    """Bytes moved, as a share of what the memory could have moved."""
    ### BEGIN SOLUTION
    moved = 0.0
    for start, end, _, size_bytes in kernels:
        inside_s = max(0.0, min(end, end_s) - max(start, start_s))
        moved += size_bytes * inside_s / (end - start)
    return moved / (peak_bytes_per_s * (end_s - start_s))
    ### END SOLUTION


# %% role="check"
check("three-utilisations", gpu_util, sm_active, memory_share)

# %% [markdown]
# *See.* Three made-up programs on the same GPU, with your numbers.

# %%
see("three-utilisations", gpu_util, sm_active, memory_share)
reveal("three-utilisations")

# %% [markdown]
# *Measure.* If there's a GPU here, see what its driver reports while it runs a tiny kernel again
# and again, a large matrix product, and the same product with pauses in between. Without one, the
# cell says so.

# %%
own = measure("three-utilisations")
see("feed-the-gpu/own-utilization", own)

# %% [markdown]
# *Reflect.* Which of the three numbers tells you that a program waits for its data, and which that
# its kernels are too small? If the share in which **any kernel** ran is low, the device is waiting,
# as in the second program. If it's high but the share of the **SMs** is low, the kernels are small,
# as in the first. The **memory** tells you when to stop: near 100%, a kernel can't get faster
# unless it moves fewer bytes. (`nvidia-smi` shows a number for memory, too, but that is again a
# share of *time*: how long anything at all was being read or written.)

# %% [markdown] exercise="stall-fraction"
# ## Who waits for whom
#
# **`stall-fraction` · 6 points · about 30 minutes**
#
# Compute how long a device waits for its data. A **loader** makes batches and a **device** uses
# them. If they take turns, each waits for the other. To work side by side they need a **queue**:
# the loader puts a batch in and goes on, and the device takes it out. The queue has `depth` places.
# When it's full, the loader waits for room. When it's empty, the device waits: it **stalls**.

# %%
see("feed-the-gpu/queue")

# %% [markdown]
# A loader that finds no room holds on to its batch, and starts the next one only when that batch is
# in the queue. A device that takes a batch frees its place at once, before its step.
#
# *Predict.* A batch takes 3 ms to load, except that every eighth takes 43 ms, so the average is 8
# ms. A step takes 10 ms, so the loader is fast enough on average. The queue has *one* place. What
# percentage of the time does the device wait?

# %% role="predict"
predict("stall-fraction", 22)

# %% [markdown]
# *Implement.* Start with times that never change: every batch takes `load_s` to load and every step
# takes `compute_s`. `step_s` returns how long one step takes in a long run, with overlap or
# without.
#
# Then write `bottleneck`, which gets all the loading and computing times of a long run and names
# what limits it, `"loader"` or `"device"`. Assume that the queue is long enough to even out the
# times, so the side with more work in total sets the pace. On a tie, either answer is right. Leave
# both lists as they are.


# %% role="answer"
def step_s(load_s, compute_s, overlap):
    """Time of one step in a long run; with overlap, loader and device work side by side."""
    ### BEGIN SOLUTION
    return max(load_s, compute_s) if overlap else load_s + compute_s
    ### END SOLUTION


def bottleneck(loads_s, computes_s):
    """Who sets the pace of a long run: "loader" or "device"."""
    ### BEGIN SOLUTION
    return "loader" if sum(loads_s) > sum(computes_s) else "device"
    ### END SOLUTION


# %% [markdown]
# Now the times differ from batch to batch, and the queue can be full. The rules are:
#
# - The loader starts batch 0 at time 0, and each later batch when the one before it is in the
#   queue.
# - A loaded batch enters the queue as soon as there is room. For batch `i`, that's when batch `i -
#   depth` has been taken out. The first `depth` batches always find room.
# - The device takes batch `i` when it's in the queue and step `i - 1` is done. Step `i` is done
#   `computes_s[i]` later. Putting in and taking out cost nothing.
#
# *Implement* `done_times`, a list of when each step is done, and `stall_share`, the share of the
# time from 0 to the end of the last step in which the device waits. `depth` is at least 1. Leave
# the lists of times as they are.


# %% role="answer"
def done_times(loads_s, computes_s, depth):
    """When each step is done, in seconds."""
    ### BEGIN SOLUTION
    entered, taken, done = 0.0, [], []
    for i in range(len(loads_s)):
        entered += loads_s[i]
        if i >= depth:
            entered = max(entered, taken[i - depth])
        taken.append(max(entered, done[i - 1] if i else 0.0))
        done.append(taken[i] + computes_s[i])
    return done
    ### END SOLUTION


def stall_share(loads_s, computes_s, depth):
    """Share of the whole time in which the device waits."""
    ### BEGIN SOLUTION
    return 1 - sum(computes_s) / done_times(loads_s, computes_s, depth)[-1]
    ### END SOLUTION


# %% role="check"
check("stall-fraction", step_s, done_times, stall_share, bottleneck)

# %% [markdown]
# *See.* Your `stall_share` for queues with 1 to 8 places. Two loaders need 8 ms on average, one of
# them steadily and one not. The third needs 12 ms.

# %%
see("stall-fraction", stall_share)
reveal("stall-fraction")

# %% [markdown]
# *Reflect.* Each place in the queue holds a batch in memory, so how many are enough for the uneven
# loader? Four: then the device has five steps, or 50 ms, of work while a slow batch loads for 43.
# The little waiting that remains is for the very first batch. A queue doesn't help the slow loader.
# It needs fewer bytes, less work, or a second loader beside it.
#
# *In your own loop*, time `next(batches)` with `time.perf_counter()` before and after it, and time
# the whole step, with `torch.cuda.synchronize()` at its end on a GPU. The first over the second is
# roughly your stall share, but too high. A loop that synchronizes in every step can't run ahead of
# the device, so each wait for a batch counts in full, even where running ahead would have hidden
# it.

# %% [markdown] exercise="prefetch"
# ## Read ahead
#
# **`prefetch` · 8 points · about 35 minutes**
#
# Write a prefetcher. A training loop says `for batch in batches`, and `batches` reads from a slow
# disk. The loop shouldn't change, except that it says `for batch in prefetch(batches, 2)`. A thread
# reads from the source and puts what it gets into a queue, and the iterator takes it out. Here is a
# draft.


# %% role="given"
def draft(source, depth):
    box = queue.Queue()

    def work():
        for item in source:
            box.put(item)
        box.put(None)

    threading.Thread(target=work).start()
    while (item := box.get()) is not None:
        yield item


# %% [markdown]
# (`yield` makes this a generator: it starts at the first `next`, and continues after the `yield`
# when the loop asks for more. `queue.Queue(n)` has n places, and `queue.Queue()` has no limit.
# `put` waits while the queue is full, `get` while it's empty.)
#
# *Predict.* This works as long as all goes well. Now the source raises an exception while the
# thread is reading. What does the training loop get: `"the exception"`, `"an early end"` or
# `"nothing, forever"`?

# %% role="predict"
predict("prefetch", "nothing, forever")

# %% [markdown]
# *See.* The draft in three runs with a depth of 1, which it ignores. Real threads run your code,
# but the `threading` and `queue` (and `time`, if you import it) that it uses are stand-ins on a
# simulated clock. That clock knows who waits for whom, and when nobody can go on.

# %%
see("prefetch", draft)
reveal("prefetch")

# %% [markdown]
# *Implement* `prefetch`, as a generator or as a function that returns an iterator with a `close`.
#
# - Every item arrives once and in order, whatever it is, including `None`, 0 and exception objects.
# - `depth` is at least 1, and at most that many items wait for the consumer. The thread may hold
#   one more.
# - What the source raises is raised in the loop: the same object, at the same place, whatever its
#   type. (Not every exception is an `Exception`; `SystemExit` is only a `BaseException`.)
# - No thread is left behind: not at the end, not after an exception, and not if the loop stops
#   early. In that case Python raises `GeneratorExit` at the `yield`, and a `finally` around it
#   runs.
#
# `threading.Event()` is a flag with `set()` and `is_set()`. A thread that waits in `put` doesn't
# look at flags, so keep taking items out until its last message has arrived. The thread may end a
# moment later; you don't need `join`.


# %% role="answer"
def prefetch(source, depth):
    ### BEGIN SOLUTION
    box, stop = queue.Queue(depth), threading.Event()

    def work():
        last = ("end", None)
        try:
            for item in source:
                box.put(("item", item))
                if stop.is_set():
                    break
        except BaseException as fault:
            last = ("fault", fault)
        box.put(last)

    threading.Thread(target=work, daemon=True).start()
    got = ("item", None)
    try:
        while (got := box.get())[0] == "item":
            yield got[1]
    finally:
        stop.set()
        while got[0] == "item":
            got = box.get()
    if got[0] == "fault":
        raise got[1]
    ### END SOLUTION


# %% role="check"
check("prefetch", prefetch)

# %% [markdown]
# *See.* Your prefetcher in the same three runs. (A wait for room after the last item is the thread
# waiting to send its last message.) Then on the real clock of this machine, without stand-ins: the
# same code with real threads, and with sleeps in place of disk and device. The first run there
# doesn't read ahead.

# %%
see("prefetch", prefetch)
see("feed-the-gpu/prefetch-for-real", prefetch)

# %% [markdown]
# *Reflect.* One thread is enough if reading means waiting for a disk or a network: standard Python
# runs one thread at a time, but lets others run while one waits. If the loader *computes*,
# decoding or cropping, a second thread may not help. That's why PyTorch's `DataLoader` starts
# processes instead: `num_workers` of them, with `prefetch_factor` batches ahead for each.

# %% [markdown]
# ## Find the gap in your own loop
#
# A profiler shows where a real device waits. With PyTorch's own, record a few steps from the middle
# of a run, and open the file at https://ui.perfetto.dev:
#
# ```python
# plan = torch.profiler.schedule(wait=5, warmup=2, active=3, repeat=1)
# with torch.profiler.profile(schedule=plan) as profiler:
#     for batch in loader:
#         train_step(batch)
#         profiler.step()
# profiler.export_chrome_trace("loop.json")
# ```

# %% [markdown]
# NVIDIA's Nsight Systems shows the whole program: `nsys profile -t cuda,nvtx,osrt -o loop python
# train.py`. Mark your own ranges with `with torch.cuda.nvtx.range("load"):`. In either tool, look
# for gaps in the row of kernels, and then at what the host does during them:
#
# | the host, during the gap | what is wrong | what helps |
# |---|---|---|
# | is in `enumerate(DataLoader)...__next__` | batches arrive late | workers, a longer queue |
# | is in a copy | host and device take turns | *Copies and streams* |
# | is in `cudaStreamSynchronize` | it asked for a value | *The training step* |
# | launches one short kernel after another | it is **launch-bound** | fewer launches |
#
# Workers are other processes, so PyTorch's profiler shows only the wait for them.

# %% [markdown]
# A launch-bound loop looks just like a starved one in `nvidia-smi`, but no loader will help it. If
# the host needs 5 µs to launch a kernel that runs for 2 µs, the device is idle for 3 of every 5. A
# larger batch helps, because kernels then run longer. So does launching less:
#
# - **`torch.compile`** fuses elementwise operations, so there are fewer kernels to launch.
# - **A CUDA graph** records a whole sequence of launches once and then replays it with a single
#   call. Shapes and addresses must stay the same, so you copy each batch into the same input
#   tensor, and nothing recorded may wait for a value. `torch.compile(model,
#   mode="reduce-overhead")` uses CUDA graphs where it can.
#
# *Into PyTorch* does both.

# %% [markdown] exercise="workers"
# ## Stretch: how many workers?
#
# **`workers` · 6 points · stretch · about 30 minutes**
#
# Predict how fast a `DataLoader` with workers is, from a simple model. Each worker makes whole
# batches: it reads one from the disk, which serves *one at a time*, and decodes it on one of
# `cores` cores. The main process takes the batches in order, copies each to the device and waits
# for its step. Without workers, the main process does everything itself.
#
# *Predict.* Reading takes 1.5 ms, decoding 9 ms on 4 cores, the copy 0.5 ms and the step 2.5 ms.
# Beyond how many workers does adding more stop helping?

# %% role="predict"
predict("workers", 4)

# %% [markdown]
# *Implement.* `batches_per_s` is the rate in a long run, for `workers` from 0 up. `knee` is the
# smallest number of workers (at least 1) that reaches the best rate. Ask which parts work side by
# side, and for how long each of them is busy with one batch, on average.


# %% role="answer"
def batches_per_s(workers, read_s, decode_s, copy_s, step_s, cores):
    """Batches per second in the long run."""
    ### BEGIN SOLUTION
    if workers == 0:
        return 1 / (read_s + decode_s + copy_s + step_s)
    worker_s = (read_s + decode_s) / workers
    return 1 / max(worker_s, read_s, decode_s / cores, copy_s + step_s)
    ### END SOLUTION


def knee(read_s, decode_s, copy_s, step_s, cores):
    """The fewest workers that reach the best rate."""
    ### BEGIN SOLUTION
    slowest_s = max(read_s, decode_s / cores, copy_s + step_s)
    return int(np.ceil((read_s + decode_s) / slowest_s))
    ### END SOLUTION


# %% [markdown]
# **Whose random numbers?** A worker is a process with a *copy* of the data set. Suppose that copy
# has a generator, say `self.rng = np.random.default_rng(0)` for flips and crops. Then each worker
# has a copy of it, and all workers draw the same numbers. Each epoch also starts new workers with
# copies of the same generator, so every epoch draws the same numbers as the first. (With
# `persistent_workers=True`, epochs differ but workers are still alike.) PyTorch seeds its own
# generator in each worker, and the global ones of Python and NumPy, but it doesn't know about
# yours.
#
# *Implement* `worker_rng`, which makes a NumPy generator for one worker in one epoch of one run. It
# must draw different numbers for every worker, epoch and `seed` (each is an integer that is less
# than `2**32`), and the same numbers again for the same three. `default_rng` takes a number as a
# seed, or a list of numbers. It joins the 32-bit words of the whole list, so only numbers below
# `2**32` are sure to stay apart: `[2**32, 5, 0]` draws the same as `[0, 1, 5]`.


# %% role="answer"
def worker_rng(seed, epoch, worker):
    """A NumPy generator for this worker, in this epoch, of this run."""
    ### BEGIN SOLUTION
    return np.random.default_rng([seed, epoch, worker])
    ### END SOLUTION


# %% role="check"
check("workers", batches_per_s, knee, worker_rng)

# %% [markdown]
# A `DataLoader` calls its `worker_init_fn` in each worker, with the worker's number. There, `start`
# finds the seed and the epoch in the worker's copy of the data set, as long as you set `data.epoch`
# before each epoch:
#
# ```python
# def start(worker):
#     data = torch.utils.data.get_worker_info().dataset
#     data.rng = worker_rng(data.seed, data.epoch, worker)
# ```
#
# *See.* Your rates next to simulated ones, for two disks. Then which images three workers mirror
# in two epochs. Last, recorded times of PyTorch's own loader, without any training step.

# %%
see("workers", batches_per_s, knee)
see("feed-the-gpu/flips", worker_rng)
see("feed-the-gpu/recorded-loading")
reveal("workers")

# %% [markdown]
# *Reflect.* With the slow disk, the third worker is the last that helps. What would help then: a
# faster device, more cores, smaller files? Only smaller files, because the disk is busy all the
# time.
#
# And why did one worker take longer than none on the recorded H100 machine? Without a training step
# there's nothing for it to overlap with but the copy, and every batch has to be handed from one
# process to another. Your model leaves that out.

# %% [markdown]
# ## What you take with you
#
# - A queue makes up for uneven loading, not for slow loading. In the long run the slower side sets
#   the pace, and a faster device only waits longer.
# - `nvidia-smi`'s utilization says that some kernel is running, not that the GPU is well used.
# - An idle device has a cause on the host: a late batch, a copy, a wait for a value, or launches
#   that come too slowly. Each has its own remedy, and a profile tells you which one you have.
#
# **Your number:** the stall share of a loop of your own: the time of `next(batches)` over the time
# of the step.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Utilization: NVIDIA, *NVML API Reference Guide*, `nvmlUtilization_t` (what `nvidia-smi` shows; a
#   sample period is between 1/6 of a second and 1 second). Numbers like yours, from counters:
#   `nvmlGpmMetricId_t` there (`NVML_GPM_METRIC_SM_UTIL`, `NVML_GPM_METRIC_DRAM_BW_UTIL`), for
#   Hopper or newer; NVIDIA, *DCGM*, "Field Identifiers" (`DCGM_FI_PROF_SM_ACTIVE`,
#   `DCGM_FI_PROF_DRAM_ACTIVE`).
# - Workers, `prefetch_factor`, `worker_init_fn` and the seeds of workers: PyTorch 2.13,
#   `torch.utils.data.DataLoader` and `torch/utils/data/_utils/worker.py`; the name that a profile
#   shows: `torch/utils/data/dataloader.py`.
# - Profiles: PyTorch, `torch.profiler`; NVIDIA, *Nsight Systems User Guide*, "CLI Profile Command
#   Switch Options". Launches: PyTorch, *CUDA semantics*, "CUDA Graphs"; `torch.compile` (`mode`).
# - Seeds from several numbers: NumPy, *Parallel random number generation* and `SeedSequence`.
# - The times of disks, cores, devices and launches are round numbers, not measurements, unless they
#   are marked as recorded.
