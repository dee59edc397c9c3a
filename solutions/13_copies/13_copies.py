# %% [markdown]
# # How do copies keep out of the way?
#
# Copying 256 MiB to an H100 took 4.9 ms from one kind of host memory and 30.8 ms from another.
# Copying 4 KiB, which is 65,536 times less, took 22 µs from the first kind: only 224 times less. So
# what matters is not only how much you copy, but in how many pieces, from where, and what the
# device does meanwhile.
#
# **You will be able to** predict what a copy costs; move work to the device and send it fewer
# bytes; let copies run beside kernels without a race.
#
# **You need** a training loop in PyTorch; from *Feed the GPU*, how a device waits for its batches.
# **Time** about 90 minutes.

# %% role="setup"
from gpuedu import check, measure, predict, progress, reveal, see, setup

import numpy as np
import torch

setup("copies")

# %%
see("feed-the-gpu/recorded-copies")

# %% [markdown] exercise="transfer-size"
# ## What a copy costs
#
# **`transfer-size` · 6 points · about 25 minutes**
#
# Model the cost of a copy, fit it to measured times, and use it. A batch in host memory is of no
# use to the device until it has been copied. A copy costs a **latency**, whatever its size, for the
# call, the driver and the copy engine to get going. Then its bytes move at a certain **bandwidth**.
# Let's say 10 µs and 20 GB/s.
#
# *Predict.* A batch has 64 images of 12,288 bytes, each in a different place in memory. How many
# times faster is one copy of the whole batch than 64 copies of one image each?

# %% role="predict"
predict("transfer-size", 13.8)

# %% [markdown]
# How do you find the two numbers for a real machine? Time copies of many sizes and fit a line. The
# figure shows such times, made up, each off by 6% to 12%, up or down. Here is the line with the
# least squared errors. *See* how well it does.


# %% role="given"
def plain_fit(sizes_bytes, times_s):
    slope, intercept = np.polyfit(sizes_bytes, times_s, 1)
    return intercept, 1 / slope


# %%
see("transfer-size", plain_fit)

# %% [markdown]
# An error of 10% is 1 µs for the smallest copy and 330 µs for the largest. The plain fit cares only
# about the larger error.
#
# *Implement* three functions, of about 1, 1 and 3 lines.
#
# - `copy_time`: the seconds that a copy takes.
# - `half_size`: the size of a copy that reaches *half* the bandwidth, latency included.
# - `fit`: latency and bandwidth with the least squared errors *relative to the times*. It gets
#   NumPy arrays of float64 and leaves them as they are.
#
# (`np.linalg.lstsq(rows, right)[0]` is the x for which `rows @ x` comes closest to `right`, in the
# sum of squares. Here each row is an equation, `latency + size * slope = time`, with an error in
# seconds. If you divide both sides by a number, the error is divided, too. Which number?)


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
# A batch is rarely just one tensor: there are images, labels, weights and masks. Below the half
# size, most of a copy's time is latency, so send everything in one copy.
#
# *Implement* `send`, in about 3 lines. It gets a list of float32 tensors and a function
# `copy(tensor)`, which makes one copy and returns the tensor on the device.
#
# - There is at least one tensor. They may have any shape, and some may be transposed.
# - Make one copy of nothing but the tensors' numbers, with no padding.
# - Return a list of the tensors on the device, in order and with their shapes. They may share the
#   memory of that copy.
# - Leave the list you get as it is.
#
# The check wants all four functions.


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
# *See* your fit, then *measure* with it how your own machine copies: to its GPU, or, without one,
# from one place in host memory to another. You get a latency in µs, a rate, and a half size in kB.

# %%
see("transfer-size", fit)
reveal("transfer-size")
measure("transfer-size", fit)

# %% [markdown]
# **Who waits for a copy?** The copy engine needs host memory that can't be moved: *page-locked*, or
# **pinned**. Anything in ordinary (pageable) memory is usually copied to a pinned buffer of the
# driver first. That makes large copies slower, and the host takes part in them. For the smallest
# copies latency is all that matters, which is why pinning gained nothing at 4 KiB in the first
# figure. From pinned memory, `batch.to("cuda", non_blocking=True)` returns at once, and the host
# can prepare the next batch.

# %%
see("feed-the-gpu/pinned")

# %% [markdown]
# `tensor.pin_memory()` is itself a copy, and the host waits for it. A loader has a thread for that:
# `DataLoader(..., pin_memory=True)`. And watch out with `send`: what `torch.cat` returns is
# ordinary memory again, even if its parts are pinned. `torch.cat(parts, out=row)` fills a pinned
# row that you made once.
#
# *Reflect.* Nobody may write to a pinned batch while it's still being copied. What would the device
# see? And in the last run, the host needs 4 ms per batch and the device 5: a copy of 2 ms and a
# step of 3 ms, which never overlap. Both are in *one* stream, in order. So there is more to gain.

# %% [markdown] exercise="augment-on-device"
# ## Let the device do it
#
# **`augment-on-device` · 8 points · about 30 minutes**
#
# Move augmentation to the device, for a whole batch at once. Before each step, images are cropped
# and mirrored at random, and normalized. On the host this costs the loader time, and then floats
# have to be copied. An image of 3 x 36 x 36 bytes has 3,888 bytes; its normalized crop of 3 x 32 x
# 32 in float32 has 12,288. So send the bytes as they are, and do the rest on the device. Here is
# how you might write it, one image at a time.


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
# *Predict.* A batch has 64 images, of which 32 are to be mirrored. How many kernels does this
# launch? Each operation on tensors is a kernel, including the flip and the stack. A slice, or an
# index with `None`, is a view and launches nothing. (The three `.tolist()` calls also make the host
# wait.)

# %% role="predict"
predict("augment-on-device", 225)

# %% [markdown]
# *Implement* `augment`, which does the same for the whole batch at once, in about 8 lines.
#
# - `pictures` (N, C, H, W) are uint8, `flips` (N,) are bool. `tops` and `lefts` (N,), int64, are
#   the first row and column of each crop. `mean` and `std` (C,) refer to values scaled to 0 to 1.
# - The result is float32 (N, C, size, size). The crop is what gets mirrored.
# - Launch at most 32 kernels, the same number for any N.
# - The host must not wait. All tensors are on one device, and what you create must be there, too:
#   `device=pictures.device`.
#
# (Where the indices are tensors, `x[n, c, rows, cols]` broadcasts them against each other, and the
# result has their common shape. So give each of the four a shape that broadcasts to (N, C, size,
# size): for `n`, that's (N, 1, 1, 1).)


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
# *Implement* `draw`, too, which draws the random numbers for a batch of `count` pictures of height
# x width, in about 5 lines.
#
# - Each picture has a one in two chance of being mirrored, and every place where the crop fits is
#   equally likely.
# - All numbers are independent of each other.
# - They all come from `generator`, a `torch.Generator`, in its current state. It knows its
#   `device`, and tensors it fills must be created there.
#
# The check wants both functions.


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
# normalization undone. Then your kernels and those of the loop, counted.

# %%
see("augment-on-device", augment, draw)
see("feed-the-gpu/kernels", augment, one_by_one)
reveal("augment-on-device")

# %% [markdown]
# *Reflect.* On a GPU, each kernel is a launch of a few microseconds. Which of your kernels could a
# compiler fuse into one? And if you flipped one coin for the whole batch, what would you lose:
# speed or variety?

# %% [markdown] exercise="streams"
# ## Copy while it computes
#
# **`streams` · 8 points · about 30 minutes**
#
# Write a pipeline in which copies and kernels overlap. Besides the part that computes, a GPU has
# engines that copy; here there's one for each direction. Work issued to one **stream** runs in
# order. Work issued to different streams may overlap, unless an **event** forbids it.
# `event.record(a)` marks what stream `a` has been given so far, and `b.wait_event(event)` makes
# stream `b` wait for that mark. Neither call holds up the host.
#
# Data come in chunks, and each one goes to the device, through a kernel and back. *Predict.* There
# are five chunks. Each takes 2 ms to the device, 3 ms in the kernel and 1 ms back. One after the
# other, that's 30 ms. What is the best you can do, with an engine for each of the three?

# %% role="predict"
predict("streams", 18)

# %% [markdown]
# Here is a draft with a stream for each engine, for this course's simulated device. Chunks and
# results are buffers in pinned memory. `device.buffer(size_bytes, name)` is memory on the device,
# `device.copy(to, source, stream)` issues a copy, and `device.launch(kernel, reads=[...],
# writes=[...], stream=stream)` launches a kernel. (In PyTorch, `torch.cuda.Stream()` and
# `torch.cuda.Event()` have the same two calls, and `with torch.cuda.stream(s):` issues what is in
# its block to `s`.)


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
# It takes 15 ms where 18 is the best possible: too fast to be true. The kernel reads `x` while it's
# being copied, and the next copy overwrites `x` while the kernel reads it. Each of these is a
# **race**: nothing says which comes first. It's a race even if the times happen to work out.
#
# *Implement* `pipeline`, with the draft's arguments. About 17 lines.
#
# - Every chunk goes through the kernel into its result, without a race. Leave the lists as they
#   are.
# - The host issues everything before it waits for anything. When the function returns, all results
#   are there.
# - There are at most two chunks and two results on the device (**double buffering**), so that one
#   chunk can be copied while the one before it is computed.
# - Nothing waits for anything but its data and its buffer: of the time that overlap can save with
#   these buffers, you save at least nine tenths.

# %% [markdown]
# All chunks have the same size, and so do all results. `device.event()` makes an event. Waiting for
# an event that was never recorded is waiting for nothing.


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
# *See.* If there's no race, a second run follows, with stages of equal length. What was hidden
# behind a long kernel may cost time there.

# %%
see("streams", pipeline)

# %% [markdown]
# *Measure.* The same function runs on a GPU's own streams, with real copies and a real kernel. Its
# results are compared and its times shown. Without a GPU the card says so, and you have the
# simulation above.

# %%
measure("streams", pipeline)

# %% [markdown]
# *Reflect.* Take away your waits one at a time, putting each back, and *see* which race each of
# them prevented. Which of these races would you have noticed from the time alone?
#
# Without a wait for data, the run is too short, at 16 or 17 ms. Without a wait for a free buffer it
# takes 18 ms as before, so the time tells you nothing. Without the wait for `x`, chunk 2 overwrites
# chunk 0 while kernel 0 is reading it. Without the one for `y`, the copies back happen to finish
# early enough: right by luck.

# %% [markdown]
# ## Batches on a side stream, in PyTorch
#
# Here is the same idea in a training loop: the next batch is copied on its own stream while the
# current step runs. `batches` come from a loader with `pin_memory=True`.

# %% [markdown]
# ```python
# def on_device(batches):
#     copies, ready = torch.cuda.Stream(), []
#     for batch in batches:
#         with torch.cuda.stream(copies):
#             arriving = batch.to("cuda", non_blocking=True)
#         yield from ready
#         torch.cuda.current_stream().wait_stream(copies)
#         arriving.record_stream(torch.cuda.current_stream())
#         ready = [arriving]
#     yield from ready
# ```

# %% [markdown]
# Each copy is issued before the batch ahead of it is handed out, so it can run while the loop's
# step does. Then come your two kinds of wait. `wait_stream` says that *the data are there*: the
# steps that follow start after the copy.
#
# `record_stream` says that *the buffer isn't free yet*. PyTorch's allocator hands memory out per
# stream. `arriving` was allocated on `copies`, so when your loop drops the batch, its memory may go
# to the next copy on that stream at once, while a kernel of the step is still reading it. After
# `record_stream(s)`, the allocator holds the memory back until `s` has finished all the work it was
# given before the tensor was freed. That makes reuse depend on timing, so memory use can vary. Two
# fixed buffers with events, like yours, avoid that.

# %% [markdown]
# In a profile you can see whether it works: copies should lie under kernels, in two rows. Small
# batches may not be worth it.

# %% [markdown]
# ## What you take with you
#
# - A copy costs a latency and its bytes. So make few, large copies, of bytes rather than floats,
#   from pinned memory.
# - If the device can do something for a whole batch at once, do it there, with a number of kernels
#   that doesn't grow with the batch.
# - Copies and kernels overlap safely if they are on different streams and events say two things:
#   the data are there, and the buffer is free again. Leave one out and you have a race, even when
#   the result looks right.
#
# **Your number:** the half size of your machine's copies, as `measure` gave it. How many of *your*
# samples make a copy of that size?

# %%
progress()

# %% [markdown]
# ## Sources
#
# - The opening's times, and the first figure: recorded on an H100 with CuPy, one copy from the call
#   until it is done.
# - Copies: NVIDIA, *CUDA C++ Best Practices Guide* (12.9), "Data Transfer Between Host and Device",
#   with "Pinned Memory" and "Asynchronous and Overlapping Transfers with Computation"; which of
#   them wait, and that pageable memory is staged: *CUDA Runtime API*, "API synchronization
#   behavior". The half size: R. W. Hockney, *The communication challenge for MPP: Intel Paragon and
#   Meiko CS-2*, Parallel Computing 20, 1994.
# - `pin_memory`, `non_blocking`: PyTorch, *CUDA semantics*, "Use pinned memory buffers"; that
#   pinning holds up the main program: PyTorch tutorials, *A guide on good usage of non_blocking and
#   pin_memory() in PyTorch*. `torch.Tensor.record_stream`: PyTorch's documentation of it.
# - Streams, events, copy engines: *CUDA C++ Programming Guide* (12.9), "Asynchronous Concurrent
#   Execution". What comes before what: L. Lamport, *Time, Clocks, and the Ordering of Events in a
#   Distributed System*, Communications of the ACM, 1978.
# - The times of engines and links in the simulations are round numbers, not measurements.
