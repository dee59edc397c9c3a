# %% [markdown]
# # Why is the GPU idle?
#
# A training loop takes a batch, and then a step on the device. Below is such a loop, simulated
# with made-up times: a batch is read from a slow disk, decoded, copied, and used once. The device
# computes for 5 of every 20 milliseconds. A device that is four times as fast would save less than
# 4 of them. This lesson is about the other 15.
#
# **You will be able to** say how busy a device really is; find out who waits for whom; load,
# copy and augment data while the device computes.
#
# **You need** a training loop in PyTorch, to know that launches return at once, and a rough idea
# of threads in Python. **Time** about 180 minutes, in two sittings: there is a mark half-way.

# %% role="setup"
import queue
import threading

import numpy as np
import torch

from gpuedu import check, hint, measure, predict, progress, reveal, see, setup

setup("feed-the-gpu")

# %% [markdown]
# Times in this lesson are **simulated**: a disk, a processor and a device have clocks of their
# own, which advance only when somebody waits or works. So a loop can be judged exactly, on any
# machine, and without a stopwatch.

# %%
see("feed-the-gpu/idle")

# %% [markdown] exercise="three-utilisations"
# ## How busy is busy?
#
# **`three-utilisations` · 5 points · about 25 minutes**
#
# `nvidia-smi` shows a utilization of the GPU. NVIDIA defines it as the share of time in which at
# least one kernel ran. It does not ask how large that kernel was.
#
# *Predict.* A kernel of one single block runs without a break on a GPU of 132 SMs. What does
# `nvidia-smi` show, in percent?

# %% role="predict"
predict("three-utilisations", 100)

# %% [markdown]
# Three numbers, over a window of time, tell more. How long did **any kernel** run? How many of
# the **SMs** were in use, on average? How many bytes did the **memory** move, of those that it
# could have moved?
#
# *Implement* all three, as shares from 0 to 1. `kernels` is a list, in any order, of tuples
# `(start, end, sms, size_bytes)`: times in seconds; `sms` SMs are in use from start to end;
# `size_bytes` go evenly over that time. Kernels may run at the same time, then on different SMs.
# (They do if they were issued to different *streams*: rows of work, each in order. More of them in
# the second half.) Only what lies inside the window from `start_s` to `end_s` counts. Leave the
# list as it is.


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
    """Bytes moved, of those that the memory could have moved."""
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
# *Measure.* If there is a GPU here: what its driver says while it runs a tiny kernel again and
# again, a large product, and the same product with waits between. Without one, the cell says so.

# %%
own = measure("three-utilisations")
see("feed-the-gpu/own-utilization", own)

# %% [markdown]
# *Reflect.* Which of the three numbers says that a program waits for its data, which that its
# kernels are too small? The share in which **any kernel** ran is low where the device waits, as in
# the second program. Where it is high, and the share of the **SMs** is low, the kernels are small,
# as in the first. The **memory** says when to stop: near 100%, a kernel can be no faster unless it
# moves fewer bytes. (`nvidia-smi` prints a number for memory, too: once more a share of *time*, in
# which any byte was read or written.)

# %% [markdown] exercise="stall-fraction"
# ## Who waits for whom
#
# **`stall-fraction` · 6 points · about 30 minutes**
#
# A **loader** makes batches, a **device** uses them. One after the other, each waits for the
# other. Side by side they need a **queue**: the loader puts batches in and goes on, the device
# takes them out. The queue has `depth` places. When it is full, the loader waits for room; when
# it is empty, the device waits: it **stalls**.

# %%
see("feed-the-gpu/queue")

# %% [markdown]
# A loader that finds no room holds its batch; it begins the next one when that is in the queue.
# A device that has taken a batch leaves its place free at once, before its step.
#
# *Predict.* A batch takes 3 ms to load, but every eighth takes 43 ms: 8 ms on average. A step
# takes 10 ms, so the loader is fast enough. The queue has *one* place. For which share of the time
# does the device wait, in percent?

# %% role="predict"
predict("stall-fraction", 22)

# %% [markdown]
# *Implement.* First with times that never change. Every batch takes `load_s` to load, every step
# takes `compute_s`. How long is one step in a long run, without overlap and with it?
#
# Then a name for the **bottleneck** of a long run, `"loader"` or `"device"`, from all the times of
# that run. The queue is long enough to even them out, so who has more to do all in all sets the
# pace; with a tie, either. (If the other one were faster, it would wait longer, and the run take as
# long.)


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
# Now times that differ from batch to batch, and a queue that can be full. The rules:
#
# - The loader begins batch 0 at time 0, and each other one when the one before is in the queue.
# - A loaded batch enters the queue as soon as there is room. For batch `i`, that is when batch
#   `i - depth` has been taken out; the first `depth` batches find room in any case.
# - The device takes batch `i` when it is in the queue and step `i - 1` is done. Step `i` is done
#   `computes_s[i]` later. Putting in and taking out cost nothing.
#
# *Implement.* `done_times`: a list of when each step is done. `depth` is at least 1. `stall_share`:
# the share of the time from 0 until the last step is done in which the device waits. The lists of
# times stay as they are, in `bottleneck` too.


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
# *See.* Your `stall_share` for queues of 1 to 8 places. Two loaders need 8 ms on average, one
# steadily and one not. The third needs 12 ms.

# %%
see("stall-fraction", stall_share)
reveal("stall-fraction")

# %% [markdown]
# *Reflect.* Every place of the queue holds a batch in memory. How many are enough for the uneven
# loader? Four: with them the device has five steps, 50 ms, while a slow batch is loaded for 43.
# The little that remains is the wait for the very first batch. The slow loader needs no queue but
# help: fewer bytes, less work, or a second one beside it.
#
# *In a loop of your own*, take the time of `next(batches)` (`time.perf_counter()` before it and
# after it), and that of the whole step, with `torch.cuda.synchronize()` at its end on a GPU. The
# first over the second is about your stall share, from above: a loop that waits for the device in
# each step has no lead over it, and a wait for the next batch that a lead would have hidden counts
# in full.

# %% [markdown] exercise="prefetch"
# ## Read ahead
#
# **`prefetch` · 8 points · about 35 minutes**
#
# A training loop says `for batch in batches`, and `batches` reads a slow disk. The loop should not
# change; `for batch in prefetch(batches, 2)` should be all. A thread reads from the source and puts
# what it gets into a queue; the iterator takes it out. Here is a draft.


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
# (`yield` makes it a generator: it begins at the first `next`, and goes on behind the `yield` when
# the loop asks for more. `queue.Queue(n)` has n places, `queue.Queue()` has no limit; `put` waits
# while it is full, `get` while it is empty.)
#
# *Predict.* It works as long as all goes well. Then the source raises an exception while the
# thread reads. What does the training loop get: `"the exception"`, `"an early end"` or
# `"nothing, for ever"`?

# %% role="predict"
predict("prefetch", "nothing, for ever")

# %% [markdown]
# *See.* The draft in three runs with depth 1, which it does not heed. Real threads run your code,
# but its `threading` and `queue` (and `time`, if you import it) are lent to it by a simulated
# clock: that knows who waits for whom, and when nobody can go on.

# %%
see("prefetch", draft)
reveal("prefetch")

# %% [markdown]
# *Implement* `prefetch`: a generator, or a function that returns an iterator with a `close`.
#
# - every item arrives once and in order, whatever it is: `None`, 0 and exception objects, too
# - at most `depth` items (at least 1) wait for the consumer; the thread may hold one more
# - what the source raises is raised in the loop: the same object, in its place, whatever its type
#   (not every exception is an `Exception`: `SystemExit` is a `BaseException` only)
# - no thread is left: not at the end, not after an exception, and not where the loop stops early.
#   Then Python raises `GeneratorExit` at the `yield`; a `finally` around it runs
#
# `threading.Event()` is a flag: `set()`, `is_set()`. A thread that waits in `put` looks at no flag:
# take items out until it has said its last word. It may end a moment later: no `join` is needed.


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
# *See.* Your prefetcher in the same three runs (a wait for room behind the last item is that of
# the thread's last word). Then on the real clock of this machine, where nothing is lent: the same
# code, real threads, and sleeps that stand for disk and device; first without reading ahead.

# %%
see("prefetch", prefetch)
see("feed-the-gpu/prefetch-for-real", prefetch)

# %% [markdown]
# *Reflect.* One thread is enough where reading waits for a disk or a network: usual Python runs
# one thread at a time, but lets others run while one waits. Where the loader *computes* (decodes,
# crops), a second thread may not help, and PyTorch's `DataLoader` starts processes instead: its
# `num_workers`, with `prefetch_factor` batches ahead for each.

# %% [markdown]
# **Half-way.** So far the device waited for batches on the host. What remains is the way to the
# device, and the work that is better done there. A good place for a break.

# %% [markdown] exercise="transfer-size"
# ## What a copy costs
#
# **`transfer-size` · 6 points · about 25 minutes**
#
# A batch in the host's memory is of no use to the device: it has to be copied. A copy costs a
# **latency**, whatever its size (the call, the driver, the engine that copies must be told), and
# then its bytes at a **bandwidth**. Say 10 µs, and 20 GB/s.
#
# *Predict.* A batch has 64 pictures of 12,288 bytes, each in a place of its own. How many times
# faster is one copy of the whole batch than 64 copies of a picture?

# %% role="predict"
predict("transfer-size", 13.8)

# %% [markdown]
# What are the two numbers of a real machine? Time copies of many sizes, and fit a line. In the
# figure are such times, made up: each is off by 6 to 12% of itself, up or down. And here is the
# line with the least squares of the errors. *See* how well it does.


# %% role="given"
def plain_fit(sizes_bytes, times_s):
    slope, intercept = np.polyfit(sizes_bytes, times_s, 1)
    return intercept, 1 / slope


# %%
see("transfer-size", plain_fit)

# %% [markdown]
# An error of 10% is 1 µs for the smallest copy, and 330 µs for the largest. The plain fit takes
# care of the large one.
#
# *Implement.* `copy_time`; `half_size`: how many bytes must a copy have to reach *half* the
# bandwidth, its latency counted? And `fit`, which makes the squares of the errors *as shares of
# the times* small. It gets NumPy arrays of float64, and leaves them as they are. About 1, 1 and 3
# lines.
#
# (`np.linalg.lstsq(rows, right)[0]` is the x for which `rows @ x` comes closest to `right`, in the
# sum of squares. Here each row is an equation, `latency + size * slope = time`, with an error in
# seconds. Divide both sides by a number, and the error is divided, too: by which?)


# %% role="answer"
def copy_time(size_bytes, latency_s, bandwidth_bytes_per_s):
    """Seconds that a copy takes."""
    ### BEGIN SOLUTION
    return latency_s + size_bytes / bandwidth_bytes_per_s
    ### END SOLUTION


def half_size(latency_s, bandwidth_bytes_per_s):
    """Bytes of a copy that reaches half the bandwidth."""
    ### BEGIN SOLUTION
    return latency_s * bandwidth_bytes_per_s
    ### END SOLUTION


def fit(sizes_bytes, times_s):
    """Latency in seconds, and bandwidth in bytes per second."""
    ### BEGIN SOLUTION
    rows = np.stack([1 / times_s, sizes_bytes / times_s], axis=1)
    latency_s, slope = np.linalg.lstsq(rows, np.ones(len(times_s)))[0]
    return latency_s, 1 / slope
    ### END SOLUTION


# %% [markdown]
# A batch is seldom one tensor: pictures, labels, weights, masks. What is below the half size costs
# less than twice its latency, so send everything in one copy.
#
# *Implement.* `send` gets a list of float32 tensors, at least one, of any shapes, transposed ones
# too, and a function: `copy(tensor)` makes one copy, and returns the tensor on the device. Return
# the list of tensors on the device, in order, with their shapes; parts of one copy may share its
# memory. Nothing but the tensors travels: no padding. The list that you get stays as it is. About
# 3 lines. The check wants all four functions.


# %% role="answer"
def send(tensors, copy):
    """The tensors on the device, by one copy."""
    ### BEGIN SOLUTION
    row = copy(torch.cat([tensor.reshape(-1) for tensor in tensors]))
    parts = row.split([tensor.numel() for tensor in tensors])
    return [part.view(tensor.shape) for part, tensor in zip(parts, tensors, strict=True)]
    ### END SOLUTION


# %% role="check"
check("transfer-size", copy_time, half_size, fit, send)

# %% [markdown]
# *See* your fit, and *measure* with it: your own machine's copies (to its GPU; without one, from
# one place of the host's memory to another): latency in us, rate, and half size in kB. What other
# GPUs took stands between them, where it was recorded.

# %%
see("transfer-size", fit)
reveal("transfer-size")
see("feed-the-gpu/recorded-copies")
measure("transfer-size", fit)

# %% [markdown]
# **Who waits for a copy?** The engine that copies needs host memory whose place cannot change:
# *page-locked*, or **pinned**. Ordinary (pageable) memory is first copied into a pinned buffer of
# the driver. So it is slower, and the host takes part. From pinned memory,
# `batch.to("cuda", non_blocking=True)` returns at once, and the host prepares the next batch.

# %%
see("feed-the-gpu/pinned")

# %% [markdown]
# `tensor.pin_memory()` is itself a copy, and the host waits for it. A loader has a thread for that:
# `DataLoader(..., pin_memory=True)`. What `send` lays end to end is ordinary memory again, even
# where its parts are pinned: `torch.cat(parts, out=row)` fills a pinned row that was made once.
#
# *Reflect.* Nobody may write into a pinned batch while it is still being copied. What would the
# device see? And in the last run the host needs 4 ms a batch, and the device 5: a copy of 2 ms and
# a step of 3 ms, never at the same time. Both are in *one* stream, in order; there is more to gain.

# %% [markdown] exercise="augment-on-device"
# ## Let the device do it
#
# **`augment-on-device` · 8 points · about 30 minutes**
#
# Pictures are cropped and mirrored at random before each step, and normalized. On the host this
# takes the loader's time, and what travels then are floats. A picture of 3 x 36 x 36 bytes has
# 3,888 bytes; its normalized crop of 3 x 32 x 32 in float32 has 12,288. So send the bytes as they
# are, and do the rest on the device. Here is how one would write it for one picture at a time.


# %% role="given"
def one_by_one(pictures, flips, tops, lefts, size, mean, std):
    done = []
    for picture, flip, top, left in zip(
        pictures, flips.tolist(), tops.tolist(), lefts.tolist(), strict=True
    ):
        x = picture[:, top : top + size, left : left + size]
        if flip:
            x = x.flip(-1)
        x = x / 255
        x = x - mean[:, None, None]
        done.append(x / std[:, None, None])
    return torch.stack(done)


# %% [markdown]
# *Predict.* A batch of 64, of which 32 are to be mirrored. How many kernels does it start? An
# operation on tensors is a kernel, the flip and the stack too; a slice or an index with `None` is a
# view and starts none. (And the three `.tolist()` make the host wait.)

# %% role="predict"
predict("augment-on-device", 225)

# %% [markdown]
# *Implement* the same for the whole batch at once. `pictures` (N, C, H, W) are uint8; `flips` (N,)
# bool; `tops` and `lefts` (N,) int64: the first row and the first column of the crop; `mean` and
# `std` (C,) are of the shares from 0 to 1. The result is float32 (N, C, size, size). There are at
# most 32 kernels, as many for any N, and the host must not wait. All tensors are on one device;
# what you make belongs there, too: `device=pictures.device`. About 8 lines.
#
# (Where indices are tensors, `x[n, c, rows, cols]` broadcasts them against each other, and the
# result has their common shape. So give each of the four all four dimensions, as (N, 1, 1, 1).)


# %% role="answer"
def augment(pictures, flips, tops, lefts, size, mean, std):
    """Crop, mirror and normalize a batch."""
    ### BEGIN SOLUTION
    count, channels = pictures.shape[:2]
    steps = torch.arange(size, device=pictures.device)
    rows = tops[:, None] + steps
    cols = lefts[:, None] + torch.where(flips[:, None], size - 1 - steps, steps)
    n = torch.arange(count, device=pictures.device)[:, None, None, None]
    c = torch.arange(channels, device=pictures.device)[:, None, None]
    x = pictures[n, c, rows[:, None, :, None], cols[:, None, None, :]]
    return (x / 255 - mean[:, None, None]) / std[:, None, None]
    ### END SOLUTION


# %% [markdown]
# *Implement* `draw`, too: what is random, for a batch of `count` pictures of height x width. A flip
# in one of two pictures; every place where the crop fits equally likely; all numbers independent,
# and all from `generator`, a `torch.Generator`, as it stands. It knows its `device`, and what it is
# to fill must be made there. About 5 lines. The check wants both functions.


# %% role="answer"
def draw(count, height, width, size, generator):
    """Flips (count,) bool, tops and lefts (count,) int64."""
    ### BEGIN SOLUTION
    given = {"generator": generator, "device": generator.device}
    flips = torch.rand(count, **given) < 0.5
    tops = torch.randint(height - size + 1, (count,), **given)
    lefts = torch.randint(width - size + 1, (count,), **given)
    return flips, tops, lefts
    ### END SOLUTION


# %% role="check"
check("augment-on-device", augment, draw)

# %% [markdown]
# *See.* Pictures with the crops that you drew, and what came out of your `augment`, with the
# colors put back. Then your kernels beside those of the loop, counted.

# %%
see("augment-on-device", augment, draw)
see("feed-the-gpu/kernels", augment, one_by_one)
reveal("augment-on-device")

# %% [markdown]
# *Reflect.* On a GPU each kernel is a launch of some microseconds. Which of your kernels could be
# one, if a compiler merged them? And what do you lose by flipping a coin once for the whole batch:
# speed, or variety?

# %% [markdown] exercise="streams"
# ## Copy while it computes
#
# **`streams` · 8 points · about 30 minutes**
#
# A GPU has engines that copy beside the one that computes: here one for each direction. What is
# issued to one **stream** runs in order. What is issued to different streams may overlap, unless
# an **event** forbids it. `event.record(a)` marks what stream `a` was given up to now;
# `b.wait_event(event)` lets stream `b` wait for that mark. Neither holds the host.
#
# Data come in chunks: to the device, through a kernel, back. *Predict.* Five chunks; each takes
# 2 ms to the device, 3 ms in the kernel, 1 ms back. One after the other: 30 ms. And at best, with
# an engine for each of the three?

# %% role="predict"
predict("streams", 18)

# %% [markdown]
# A draft with a stream for each engine, for the simulated device of this course. Chunks and results
# are buffers in pinned memory; `device.buffer(size_bytes, name)` is memory of the device,
# `device.copy(to, source, stream)` issues a copy, and `device.launch(kernel, reads=[...],
# writes=[...], stream=stream)` a kernel. (In PyTorch: `torch.cuda.Stream()`, `torch.cuda.Event()`,
# with the same two calls; `with torch.cuda.stream(s):` issues what is in its block to `s`.)


# %% role="given"
def draft(device, chunks, results, kernel):
    up, run, down = device.stream("up"), device.stream("run"), device.stream("down")
    x = device.buffer(chunks[0].size_bytes, "x")
    y = device.buffer(results[0].size_bytes, "y")
    for chunk, result in zip(chunks, results, strict=True):
        device.copy(x, chunk, up)
        device.launch(kernel, reads=[x], writes=[y], stream=run)
        device.copy(result, y, down)
    device.synchronize()


# %%
see("streams", draft)
reveal("streams")

# %% [markdown]
# 15 ms where 18 are the best: too fast to be true. The kernel reads `x` while it is being copied,
# the next copy overwrites `x` while the kernel reads. Each of these is a **race**: nothing says
# which comes first. A race is one also where the times happen to fit.
#
# *Implement* `pipeline`, with the draft's arguments; the lists stay as they are. No race; no wait
# of the host until all is issued; when it returns, all results are there. At most two chunks and
# two results on the device (**double buffering**), so that a chunk is copied while the one before
# is computed. Nothing waits for more than its data and its buffer: of the time that overlap can
# save with these buffers, at least nine tenths are saved. Chunks are of one size, results too.
# `device.event()` makes an event; to wait for one that was never recorded is to wait for nothing.
# About 17 lines.


# %% role="answer"
def pipeline(device, chunks, results, kernel):
    """Every chunk to the device, through the kernel, back into its result."""
    ### BEGIN SOLUTION
    up, run, down = (device.stream(name) for name in ("up", "run", "down"))
    x = [device.buffer(chunks[0].size_bytes, f"x{k}") for k in range(2)]
    y = [device.buffer(results[0].size_bytes, f"y{k}") for k in range(2)]
    filled, used, saved = ([device.event(), device.event()] for _ in range(3))
    for i, (chunk, result) in enumerate(zip(chunks, results, strict=True)):
        k = i % 2
        up.wait_event(used[k])
        device.copy(x[k], chunk, up)
        filled[k].record(up)
        run.wait_event(filled[k])
        run.wait_event(saved[k])
        device.launch(kernel, reads=[x[k]], writes=[y[k]], stream=run)
        used[k].record(run)
        down.wait_event(used[k])
        device.copy(result, y[k], down)
        saved[k].record(down)
    device.synchronize()
    ### END SOLUTION


# %% role="check"
check("streams", pipeline)

# %% [markdown]
# *See.* Where there is no race, a second run follows, with stages of the same length: what stood in
# the shade of a long kernel may cost time there.

# %%
see("streams", pipeline)

# %% [markdown]
# *Measure.* The same function runs on a GPU's own streams, with real copies and a real kernel; its
# results are compared, its times are shown. Without a GPU the card says so, and the simulation
# above stands.

# %%
measure("streams", pipeline)

# %% [markdown]
# *Reflect.* Take away your waits, one at a time, putting it back, and *see* which race each of them
# prevented. Which of these races would you have noticed by the time?
#
# Without a wait for data the run is too short, 16 or 17 ms. Without one for a free buffer it takes
# 18 ms as before: time tells nothing. Without the wait for `x`, chunk 2 overwrites chunk 0 while
# kernel 0 reads it. Without the one for `y`, the copies back are done early enough: right by luck.

# %% [markdown] exercise="workers"
# ## Stretch: how many workers?
#
# **`workers` · 6 points · stretch · about 30 minutes**
#
# A `DataLoader` with workers, as a model. Each worker makes whole batches: it reads one from the
# disk, which serves *one at a time*, and decodes it on one of `cores`. The main process takes the
# batches in order, copies each to the device, and waits for its step. Without workers, the main
# process does everything itself.
#
# *Predict.* Read 1.5 ms, decode 9 ms on 4 cores, copy 0.5 ms, step 2.5 ms. From how many workers
# on do more of them not help?

# %% role="predict"
predict("workers", 4)

# %% [markdown]
# *Implement.* `batches_per_s` in the long run, for `workers` from 0 on. `knee`: the fewest workers
# (at least 1) that reach the best rate. Ask who works side by side, and for how long each of them
# is busy with one batch, on average.


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
# **Whose random numbers?** A worker is a process with a *copy* of the data set. If that keeps a
# generator, say `self.rng = np.random.default_rng(0)` for flips and crops, the worker has a copy
# of it, too: all workers draw the same numbers. And each epoch starts new workers, with copies
# of the same generator, so that every epoch draws the numbers of the first. (Workers stay with
# `persistent_workers=True`: then epochs differ, but the workers are still alike.) PyTorch seeds its
# own generator in each worker, and the global ones of Python and NumPy. It does not know of yours.
#
# *Implement.* A NumPy generator for one worker in one epoch of one run: other numbers for every
# worker, every epoch and every `seed` of a run (each a whole number from 0 to 2**32 - 1), and the
# same again for the same three. `default_rng` takes a number as a seed, or a list of numbers. It
# strings together the 32-bit words of the whole list, so only numbers below 2**32 are sure to stay
# apart: `[2**32, 5, 0]` draws the same as `[0, 1, 5]`.


# %% role="answer"
def worker_rng(seed, epoch, worker):
    """A NumPy generator for this worker, in this epoch, of this run."""
    ### BEGIN SOLUTION
    return np.random.default_rng([seed, epoch, worker])
    ### END SOLUTION


# %% role="check"
check("workers", batches_per_s, knee, worker_rng)

# %% [markdown]
# A `DataLoader` calls what it gets as `worker_init_fn` in each worker, with the worker's number.
# The worker's copy of the data set knows the rest, if you set `data.epoch` before each epoch:
#
# ```python
# def start(worker):
#     data = torch.utils.data.get_worker_info().dataset
#     data.rng = worker_rng(data.seed, data.epoch, worker)
# ```
#
# *See.* Your rates beside simulated ones, for two disks; what three workers mirror in two epochs;
# and times of PyTorch's own loader on a GPU, once there is a record of them.

# %%
see("workers", batches_per_s, knee)
see("feed-the-gpu/flips", worker_rng)
see("feed-the-gpu/recorded-loading")
reveal("workers")

# %% [markdown]
# *Reflect.* With the slow disk the third worker is the last that helps. What would help then: a
# faster device, more cores, smaller files? Only the last: the disk is busy all the time.

# %% [markdown]
# ## What you take with you
#
# - A queue makes up for uneven loading, not for slow loading: in the long run the slower side sets
#   the pace, and a faster device only waits longer.
# - A copy costs a latency and its bytes. So make few copies, large ones, of bytes rather than
#   floats, from pinned memory; and do on the device, for a whole batch at once, what it can do.
# - Copies and kernels overlap on streams of their own, if events say two things: the data are
#   there, and the buffer is free again. Leave one out, and it is a race, even when it looks right.
#
# **Your number:** the half size of your machine's copies, as `measure` gave it. How many of *your*
# samples make a copy of that size?

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Utilization: NVIDIA, *NVML API Reference Guide*, `nvmlUtilization_t` (what `nvidia-smi` shows;
#   a sample period is between 1/6 of a second and 1 second). Numbers such as yours, from counters:
#   there, `nvmlGpmMetricId_t` (`NVML_GPM_METRIC_SM_UTIL`, `NVML_GPM_METRIC_DRAM_BW_UTIL`); NVIDIA,
#   *DCGM*, "Field Identifiers" (`DCGM_FI_PROF_SM_ACTIVE`, `DCGM_FI_PROF_DRAM_ACTIVE`).
# - Workers, `prefetch_factor`, `worker_init_fn` and the seeds of workers: PyTorch 2.13,
#   `torch.utils.data.DataLoader` and `torch/utils/data/_utils/worker.py`.
# - Seeds from several numbers: NumPy, *Parallel random number generation* and `SeedSequence`.
# - The times of disks, cores and devices in the simulations are round numbers, not measurements.
# - Copies: NVIDIA, *CUDA C++ Best Practices Guide* (12.9), "Data Transfer Between Host and Device",
#   with "Pinned Memory" and "Asynchronous and Overlapping Transfers with Computation"; which of
#   them wait, and that pageable memory is staged: *CUDA Runtime API*, "API synchronization
#   behavior". The half size: R. W. Hockney, *The communication challenge for MPP: Intel Paragon and
#   Meiko CS-2*, Parallel Computing 20, 1994.
# - `pin_memory`, `non_blocking`: PyTorch, *CUDA semantics*, "Use pinned memory buffers"; that
#   pinning holds the main program: PyTorch tutorials, *A guide on good usage of non_blocking and
#   pin_memory() in PyTorch*.
# - Streams, events, engines that copy: *CUDA C++ Programming Guide* (12.9), "Asynchronous
#   Concurrent Execution". What comes before what: L. Lamport, *Time, Clocks, and the Ordering of
#   Events in a Distributed System*, Communications of the ACM, 1978.
