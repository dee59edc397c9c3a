# %% [markdown]
# # Which batch size, and what if it doesn't fit?
#
# Give a GPU a larger batch and it gets through your data faster, but only up to a point. The figure
# models one device: a batch of 100 gets through 100 times as many samples per second as a batch of
# 1, and yet going from 1,000 to 4,000 gains next to nothing. Where is that point for your model?
# And what do you do if a recipe asks for a batch that your memory can't hold?
#
# **You will be able to** find the batch beyond which more stops helping; find the largest one that
# fits; train with a batch that doesn't fit.
#
# **You need** a training loop in PyTorch, and to know what a step computes and what it holds in
# memory (*The training step*, *Training memory*).
# **Time** about 95 minutes.

# %% role="setup"
from gpuedu import check, hint, measure, predict, progress, reveal, see, setup

import math
import statistics

import torch
from torch.nn import functional

setup("batch-size")

# %%
see("batch-and-learning-rate/which-batch")

# %% [markdown] exercise="throughput-knee"
# ## Where more stops helping
#
# **`throughput-knee` · 5 points · about 30 minutes**
#
# Two workers share a training step. The **host** launches kernels, and is busy for `launches *
# launch_s`, whatever the batch. The **device** runs them, and is busy for `fixed_s + batch *
# per_sample_s`, where `fixed_s` is for work that comes once a step, such as the update of all
# weights. A launch returns at once, so both work at the same time, and over a long run the slower
# one sets the pace. As the batch grows, the samples per second approach a limit: the best rate.
#
# *Predict.* A step has 400 launches of 5 µs. The device needs 0.1 ms, plus 11 µs for each sample.
# What's the smallest batch that gets you 90% of the best rate?

# %% role="predict"
predict("throughput-knee", 164)

# %% [markdown]
# *Implement.* Compute the samples per second of a batch, and the knee, in about 1 and 4 lines.
# `knee` is the smallest batch, a whole number from 1 on, with at least `share` of the best rate;
# `share` is below 1.


# %% role="answer"
def samples_per_s(batch, launches, launch_s, fixed_s, per_sample_s):
    ### BEGIN SOLUTION
    return batch / max(launches * launch_s, fixed_s + batch * per_sample_s)
    ### END SOLUTION


def knee(share, launches, launch_s, fixed_s, per_sample_s):
    ### BEGIN SOLUTION
    batch = 1
    while samples_per_s(batch, launches, launch_s, fixed_s, per_sample_s) < share / per_sample_s:
        batch += 1
    return batch
    ### END SOLUTION


# %% [markdown]
# Measured curves aren't so smooth. A device works in *waves*: if there's one block more than it has
# room for, a whole new wave starts, so the rate can fall before it rises again. Memory that is
# nearly full costs time, too. And now and then a run is far off, usually because something else was
# running on the machine.
#
# *Implement.* Find the knee in measurements, in about 5 lines. `runs` is a list of tuples `(batch,
# time_s)`, in any order, with an odd number of runs for each batch; `time_s` is the time of one
# step. The rate of a batch comes from the **median** of its times, and `statistics.median(a_list)`
# or `torch.tensor(a_list).median()` gives you that. Return the smallest of the batches with at
# least `share` of the best of these rates, and leave `runs` as it is.


# %% role="answer"
def measured_knee(runs, share):
    ### BEGIN SOLUTION
    times = {}
    for batch, time_s in runs:
        times.setdefault(batch, []).append(time_s)
    rates = {batch: batch / statistics.median(own) for batch, own in times.items()}
    return min(batch for batch in rates if rates[batch] >= share * max(rates.values()))
    ### END SOLUTION


# %% role="check"
check("throughput-knee", samples_per_s, knee, measured_knee)

# %% [markdown]
# *See.* Your model of three steps: the one you predicted, one that does the same work in 20
# launches, as with fused kernels or a recorded CUDA graph, and one with more fixed work, as if
# there were very many weights. Then come made-up measurements with your knee, and recordings from
# real GPUs, if there are any.

# %%
see("throughput-knee", samples_per_s, knee)
reveal("throughput-knee")
see("batch-and-learning-rate/measured-throughput", measured_knee)
see("batch-and-learning-rate/recorded-throughput")

# %% [markdown]
# *Measure.* Now time steps of a small MLP on this machine: on its GPU, or else on one core. A core
# launches nothing, but each operation costs Python and PyTorch a few microseconds, whatever the
# batch.
#
# Is your knee the largest batch that was measured? Then the rate is still rising there, and the
# list ends too early to tell, so measure larger batches before you trust it. If there's other work
# on the machine, the knee also moves from run to run.

# %%
own = measure("throughput-knee", measured_knee)
see("batch-and-learning-rate/own-throughput", own)

# %% [markdown]
# *Reflect.* In the step that you predicted, 64 samples take as long as 16, because below this knee
# more samples are free. What would you do first if launches hold a step back: take a larger batch,
# or make fewer launches? Fewer launches move the knee down, while a larger batch only hides them.
# And past the knee, every sample makes a step longer, while a run needs a certain number of steps.

# %% [markdown] exercise="largest-batch"
# ## The largest batch that fits
#
# **`largest-batch` · 8 points · about 35 minutes**
#
# Weights and the optimizer's state take the same memory for any batch. What the forward pass saves
# grows with it, sample by sample. A step with many samples peaks at the start of its backward pass,
# when few gradients exist yet. So its peak is a constant plus a part proportional to the batch: a
# straight line, but not one through 0.
#
# *Predict.* At its peak, a step takes 40 MiB with 64 samples and 50 MiB with 128. How many samples
# fit into 100 MiB?

# %% role="predict"
predict("largest-batch", 448)

# %% [markdown]
# *Implement.* Guess the largest batch that fits, in about 3 lines. `small` and `large` are two
# trials, tuples `(batch, peak_bytes)`. Return the largest batch that fits into the budget on the
# line through both: a whole number, and 0 if not even the constant part fits. (The bytes of one
# sample need not be whole.)


# %% role="answer"
def guess_batch(small, large, budget_bytes):
    ### BEGIN SOLUTION
    (few, few_bytes), (many, many_bytes) = small, large
    each = (many_bytes - few_bytes) / (many - few)
    return max(0, int((budget_bytes - few_bytes + few * each) / each))
    ### END SOLUTION


# %% [markdown]
# A guess is only a guess: libraries take memory of their own, and the peak may move to another
# moment of the step. To know what fits, you have to try. `try_step(batch)` takes one training step
# and returns nothing; if the step doesn't fit, it raises `torch.OutOfMemoryError`. On a GPU that
# happens when the memory is full. Here we use a **budget** instead. We count the bytes of all
# tensors that are alive, and a step that would exceed the budget raises the same error.
#
# One thing often goes wrong here. An exception holds on to its traceback, the traceback to the
# variables of the failed step, and those to all its activations. They all stay alive as long as
# anything holds the exception: a name, a list, or an `except` block that isn't over yet. The next
# trial then finds memory nearly full, and fails as well.

# %% [markdown]
# *Implement.* Write `largest_batch`, in about 14 lines. It returns the largest batch from 1 to
# `most` that fits, and 0 if none does. If a batch fits, all smaller ones do.
#
# - Make few trials, even if `most` is far away: double until a batch fails, then halve what's left.
#   For an answer of d binary digits, make at most 2 d + 2 trials.
# - `most` is the size of the whole data set: never try a batch beyond it, nor one of 0.
# - Nothing of a failed trial is alive when the next one starts.
# - Let any other error out: a model whose output has the wrong shape, a loss that isn't one number,
#   the stop button. A smaller batch wouldn't make them go away. (Many of PyTorch's errors are a
#   `RuntimeError`, and `OutOfMemoryError` is one kind of it.)


# %% role="answer"
def largest_batch(try_step, most):
    ### BEGIN SOLUTION
    def fits(batch):
        try:
            try_step(batch)
        except torch.OutOfMemoryError:
            return False
        return True

    low, high = 0, most + 1
    while high - low > 1:
        batch = min(max(1, 2 * low), (low + high) // 2)
        if fits(batch):
            low = batch
        else:
            high = batch
    return low
    ### END SOLUTION


# %% role="check"
check("largest-batch", largest_batch, guess_batch)

# %% [markdown]
# *See.* Your search, trial by trial: what was in memory when each started, how much it added by its
# peak, and what was refused. Does any trial start with something that failed trials left behind?
# (The gradients of a step stay until the next one starts; a trial that failed leaves few or none.)
# Then comes the peak by batch, with your guess.

# %%
see("largest-batch", largest_batch)
see("batch-and-learning-rate/guess", guess_batch)
reveal("largest-batch")

# %% [markdown]
# *Measure.* Run your search on this machine. With a GPU, PyTorch may take 2 GiB of its memory for
# that, and the error is a real one. Without a GPU, `fit` is the largest batch by our count: a
# search that holds on to failed trials finds a smaller one.

# %%
measure("largest-batch", largest_batch)

# %% [markdown]
# *Reflect.* For small batches the peak hardly moves, because there it comes at another moment of
# the step, the update. That's why a guess from two of the batches 1 to 4 would be far too high. And
# on a GPU, would you train with the very largest batch? An evaluation, a longer text or another
# version of a library needs a little more, and free memory may be in pieces, none of them large
# enough.

# %% [markdown] exercise="accumulate-gradients"
# ## A batch that doesn't fit
#
# **`accumulate-gradients` · 8 points · about 25 minutes**
#
# A recipe asks for a batch of 1,000, and only 300 fit. Fortunately, `backward` *adds* to the
# gradients that are already there. So cut the batch into **micro-batches**: run a backward pass for
# each, and make one update after all of them. That should be the same step as the big batch's. The
# usual way is to divide each micro-batch's loss by the number of micro-batches. Here it is, for
# samples with scores (N, C) and for texts with (N, T, C). If the gradients' norm is larger than
# `max_norm`, `clip` scales all of them down, in place.


# %% role="given"
IGNORED = -100  # the target of a position that does not count, such as padding
clip = torch.nn.utils.clip_grad_norm_


def loss_of(scores, y, reduction="sum"):  # or "mean", over the targets that count
    flat = scores.flatten(0, -2), y.flatten()
    return functional.cross_entropy(*flat, ignore_index=IGNORED, reduction=reduction)


def draft(model, optimizer, micro_batches, max_norm):
    optimizer.zero_grad()
    for x, y in micro_batches:
        loss = loss_of(model(x), y, reduction="mean") / len(micro_batches)
        loss.backward()
        clip(model.parameters(), max_norm)
    optimizer.step()
    return loss.detach()


# %% [markdown]
# *Predict.* 1,000 samples come in micro-batches of 300, 300, 300 and 100. Take a sample in the last
# one: how many times its weight in the big batch does the draft give it? And of `"layer norm"`,
# `"batch norm"` and `"momentum"`, one makes it impossible to get the big batch's gradient from
# micro-batches, however you weight them. Which one?

# %% role="predict"
predict("accumulate-gradients", 2.5)
predict("accumulate-gradients-norm", "batch norm")

# %% [markdown]
# *See.* Here's the draft next to the big batch, for several ways to cut one. Only in the row that
# says so are the gradients large enough to be clipped.

# %%
see("accumulate-gradients", draft)

# %% [markdown]
# *Implement.* Write a step that equals the big batch's, apart from rounding, in about 10 lines.
# `micro_batches` is a list of pairs `(x, y)`, which may all differ in size. The big batch's loss is
# the mean over **all** targets that aren't `IGNORED`, in all micro-batches together. A micro-batch
# may be nothing but padding, but at least one of them isn't.
#
# - The gradients of the previous step may still be there when yours starts.
# - The gradient is clipped once, and the optimizer updates once.
# - Only one micro-batch's activations are alive at a time.
# - `micro_batches` stays as it is, and the model stays in training mode, so that dropout works.
# - It returns the big batch's loss, as a number or as a tensor without a graph (detached).


# %% role="answer"
def accumulated_step(model, optimizer, micro_batches, max_norm):
    ### BEGIN SOLUTION
    total = sum((y != IGNORED).sum() for _, y in micro_batches)
    optimizer.zero_grad()
    loss = 0.0
    for x, y in micro_batches:
        part = loss_of(model(x), y) / total
        part.backward()
        loss += part.detach()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss
    ### END SOLUTION


# %% role="check"
check("accumulate-gradients", accumulated_step)

# %% [markdown]
# *See.* Here are the same cuts with your step, and the memory of four micro-batches. From the
# second one on, the hills sit on top of the gradients, which stay.

# %%
see("accumulate-gradients", accumulated_step)
see("batch-and-learning-rate/accumulated", accumulated_step)
reveal("accumulate-gradients")
reveal("accumulate-gradients-norm")

# %% [markdown]
# *Reflect.* What stays different is **batch norm**. It takes mean and variance over the samples
# that it sees together, so a sample's scores depend on its companions, and no weighting fixes
# that. Use a layer that looks at one sample at a time, such as layer norm or group norm, or live
# with the statistics of a micro-batch. Dropout draws other numbers, but from the same
# distribution.
#
# And what did you save? Memory, and updates. The arithmetic is the same, and each micro-batch has
# its own launches. So if the knee doesn't fit, the device stays as slow as with the batch that
# does, however many micro-batches make up a step.

# %% [markdown]
# ## What you take with you
#
# - Below the knee, more samples cost nothing, because launches or fixed work set the pace. Past it,
#   every sample costs its own time.
# - Weights and the optimizer's state take the same memory for any batch, and activations grow with
#   it. Only a trial tells you for sure what fits, and only if it lets go of what failed before.
# - With micro-batches you can train with any batch that a recipe asks for. Divide by what counts in
#   all of them together, clip once, and update once.
#
# **Your number:** the knee of the small network on your machine, measured above. Is it below the
# largest batch that fits, or above?

# %%
progress()

# %% [markdown]
# ## Sources
#
# - PyTorch's documentation: "CUDA semantics" (asynchronous execution, memory management, CUDA
#   graphs), "Frequently Asked Questions" (why an out-of-memory handler cannot allocate),
#   `torch.OutOfMemoryError`, `torch.cuda.set_per_process_memory_fraction`,
#   `torch.nn.functional.cross_entropy` (`ignore_index`, `reduction`),
#   `torch.nn.utils.clip_grad_norm_`.
# - NVIDIA, *Matrix Multiplication Background User's Guide*, "Wave Quantization".
# - S. Ioffe and C. Szegedy, *Batch Normalization*, ICML 2015, section 3 (statistics of a
#   mini-batch); Y. Wu and K. He, *Group Normalization*, ECCV 2018.
