# %% [markdown]
# # What batch size, and what learning rate then?
#
# Two numbers decide how long a training run takes. A larger batch makes a device faster, up to a
# point. But a batch is one step, and a run has to make enough of them: with a larger batch the
# same data give fewer steps, and each has to go further. How far, the learning rate says.
#
# **You will be able to** find the batch from which on more stops helping, and the largest that
# fits; train with a batch that does not fit; choose a learning rate and a schedule for it.
#
# **You need** a training loop in PyTorch, and to know what a step computes and holds in memory.
# **Time** about 180 minutes, in two sittings: there is a mark half-way.

# %% role="setup"
import math
import statistics

import torch
from torch.nn import functional

from gpuedu import check, hint, measure, predict, progress, reveal, see, setup, training

setup("batch-size")

# %% [markdown]
# On the left, how many samples a device takes in a second: **modeled**, with made-up costs. On
# the right, small networks on real digits, after equally many *samples*: computed once, on a CPU.
# The larger the batch, the narrower the valley of learning rates that get it anywhere.

# %%
see("batch-and-learning-rate/two-questions")

# %% [markdown] exercise="throughput-knee"
# ## Where more stops helping
#
# **`throughput-knee` · 5 points · about 30 minutes**
#
# Two work on a training step. The **host** launches kernels: it is busy for `launches * launch_s`,
# whatever the batch. The **device** runs them: it is busy for `fixed_s + batch * per_sample_s`,
# where `fixed_s` is for what comes once a step, such as the update of all weights. Launches return
# at once, so both work at the same time. In a long run, the slower one sets the pace. The best
# rate, in samples per second, is the one that a very large batch comes close to.
#
# *Predict.* A step has 400 launches of 5 µs. The device needs 0.1 ms, and 11 µs for each sample.
# From which batch on do you have 90% of the best rate?

# %% role="predict"
predict("throughput-knee", 164)

# %% [markdown]
# *Implement.* About 1 and 4 lines. `knee` is the smallest batch, a whole number from 1 on, with at
# least `share` of the best rate; `share` is below 1.


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
# A measured curve is not so smooth. A device works in *waves*: with one block more than it has
# room for, a whole new wave begins, so the rate can fall before it rises again. Memory that is
# nearly full costs time, too. And now and then a run is far off, most often because something else
# ran on the machine.
#
# *Implement.* `runs` is a list of tuples `(batch, time_s)`, in any order, with an odd number of
# runs for each batch; `time_s` is the time of one step. The rate of a batch comes from the
# **median** of its times. Return the smallest of the batches with at least `share` of the best of
# these rates, and leave `runs` as it is. About 5 lines; `statistics.median(a_list)` or
# `torch.tensor(a_list).median()`.


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
# *See.* Your model of three steps: the one that you predicted, one that does the same work in 20
# launches, as with fused kernels or a recorded CUDA graph, and one with more fixed work, as with
# very many weights. Then made-up measurements with your knee, and, where there is a record, GPUs.

# %%
see("throughput-knee", samples_per_s, knee)
reveal("throughput-knee")
see("batch-and-learning-rate/measured-throughput", measured_knee)
see("batch-and-learning-rate/recorded-throughput")

# %% [markdown]
# *Measure.* Steps of a small MLP on this machine: its GPU, or else one core. On a core nothing is
# launched, but each operation costs Python and PyTorch some microseconds, whatever the batch.
#
# Is your knee the largest batch that was measured? Then the rate still rises there, and the list
# ends too early to tell: measure larger ones before you trust it. Next to other work on the
# machine it also moves from run to run.

# %%
own = measure("throughput-knee", measured_knee)
see("batch-and-learning-rate/own-throughput", own)

# %% [markdown]
# *Reflect.* In the step that you predicted, 64 samples take as long as 16: below the knee more of
# them are free. What would you do first where launches hold a step back: take a larger batch, or
# fewer launches? Fewer launches move the knee down, a larger batch only hides them. And past the
# knee every sample makes a step longer, while a run needs a number of steps.

# %% [markdown] exercise="largest-batch"
# ## The largest batch that fits
#
# **`largest-batch` · 8 points · about 35 minutes**
#
# Weights and the optimizer's state take the same memory for any batch. What forward saves grows
# with it, sample by sample. A step with many samples peaks when its backward begins, and few
# gradients are there yet. So its peak is a constant and a part in proportion to the batch: a
# straight line, but not one through 0.
#
# *Predict.* At its peak a step takes 40 MiB with 64 samples, and 50 MiB with 128. How many samples
# fit into 100 MiB?

# %% role="predict"
predict("largest-batch", 448)

# %% [markdown]
# *Implement.* `small` and `large` are two trials, tuples `(batch, peak_bytes)`. Which is the
# largest batch that fits into the budget, on the line through both? A whole number, 0 where not
# even the constant part fits. (The bytes of one sample need not be whole.) About 3 lines.


# %% role="answer"
def guess_batch(small, large, budget_bytes):
    ### BEGIN SOLUTION
    (few, few_bytes), (many, many_bytes) = small, large
    each = (many_bytes - few_bytes) / (many - few)
    return max(0, int((budget_bytes - few_bytes + few * each) / each))
    ### END SOLUTION


# %% [markdown]
# A guess is a guess: libraries take memory of their own, and a peak may move to another moment of
# the step. What fits, a trial says. `try_step(batch)` takes one training step and returns nothing;
# where it does not fit it raises `torch.OutOfMemoryError`. On a GPU that happens when the memory is
# full. Here there is a **budget** instead: the bytes of all tensors that are alive are counted, and
# a step that would exceed the budget raises the same error.
#
# One thing goes wrong often. An exception holds its traceback, that holds the variables of the
# step that failed, and these hold all its activations, as long as anybody holds the exception:
# a name, a list, or an `except` block that is not over. The next trial then finds a memory that is
# nearly full, and fails as well.

# %% [markdown]
# *Implement.* `largest_batch` returns the largest batch from 1 to `most` that fits, and 0 where
# none does. If a batch fits, all smaller ones do.
#
# - Few trials, even where `most` is far off: double until a batch fails, then halve what is left.
#   At most 2 d + 2 trials for an answer of d binary digits.
# - `most` is all the data: no trial beyond it, and none of 0.
# - Nothing of a failed trial lives when the next one begins.
# - Any other error gets out: a model whose output has the wrong shape, a loss that is not one
#   number, the stop button. With a smaller batch they would not go away. (Many of PyTorch's errors
#   are a `RuntimeError`, and `OutOfMemoryError` is one kind of it.)
#
# About 14 lines.


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
# *See.* Your search, trial by trial: what was there when each began, what it added up to its peak,
# and what was refused. Does any begin with something that failed trials left? (The gradients of a
# step stay until the next one begins; a trial that failed leaves few or none.) Then the peak by
# batch, with your guess.

# %%
see("largest-batch", largest_batch)
see("batch-and-learning-rate/guess", guess_batch)
reveal("largest-batch")

# %% [markdown]
# *Measure.* Your search on this machine. With a GPU, PyTorch may take 2 GiB of it meanwhile, and
# the error is a real one. Without, `fit` is the largest batch by count: a search that keeps what
# failed finds less.

# %%
measure("largest-batch", largest_batch)

# %% [markdown]
# *Reflect.* For small batches the peak hardly moves: there it is another moment of the step, the
# update. So a guess from two of the batches 1 to 4 would be far too high. And on a GPU, would you
# train with the very largest batch? An evaluation, a longer text or another library version needs a
# little more, and free memory may lie in pieces, none of which is large enough.

# %% [markdown] exercise="accumulate-gradients"
# ## A batch that does not fit
#
# **`accumulate-gradients` · 8 points · about 25 minutes**
#
# A recipe asks for a batch of 1,000, and 300 fit. `backward` *adds* to the gradients that are
# there. So take the batch in **micro-batches**: a backward for each, and one update behind all of
# them. That should be the same step as the big batch's. The usual way divides each micro-batch's
# loss by their number. Here it is, for samples with scores (N, C) and for texts with (N, T, C).
# `clip` scales all gradients down, in place, where their norm is larger than `max_norm`.


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
# *Predict.* 1,000 samples come in micro-batches of 300, 300, 300 and 100. How many times the weight
# that it has in the big batch does the draft give to a sample of the last one? And a model or its
# training may have `"layer norm"`, `"batch norm"` or `"momentum"`: with which of them can no
# weighing of the micro-batches give the big batch's gradient?

# %% role="predict"
predict("accumulate-gradients", 2.5)
predict("accumulate-gradients-norm", "batch norm")

# %% [markdown]
# *See.* The draft beside the big batch, for several ways to cut one. Only the row that says so has
# gradients large enough to be clipped.

# %%
see("accumulate-gradients", draft)

# %% [markdown]
# *Implement.* A step that equals the big batch's, but for rounding. `micro_batches` is a list of
# pairs `(x, y)`, of which no two need be of the same size. The big batch's loss is the mean over
# **all** targets that are not `IGNORED`, in all micro-batches together. One micro-batch may be
# padding alone, never all.
#
# - The gradients of the step before may still be there when yours begins.
# - The gradient is clipped, and the optimizer updates, once.
# - The activations of one micro-batch live at a time.
# - `micro_batches` stays as it is, and the model in training mode, so that dropout works.
# - It returns the big batch's loss, as a number or a tensor without a graph (detached).
#
# About 10 lines.


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
# *See.* The same cuts with your step, and the memory of four micro-batches. From the second one on
# the hills stand on the gradients, which stay.

# %%
see("accumulate-gradients", accumulated_step)
see("batch-and-learning-rate/accumulated", accumulated_step)
reveal("accumulate-gradients")
reveal("accumulate-gradients-norm")

# %% [markdown]
# *Reflect.* What stays different is **batch norm**: it takes mean and variance over the samples
# that it sees together, so a sample's scores depend on its companions. No weight mends that; use a
# layer that looks at one sample, such as layer or group norm, or live with the statistics of a
# micro-batch. Dropout draws other numbers, but by the same law. And what did you save? Memory, and
# updates; the arithmetic is the same, and each micro-batch has its launches. So where the knee does
# not fit, a device stays as slow as with what fits, however many micro-batches make a step.

# %% [markdown]
# ## Halfway
#
# A good place for a break. So far: which batch a device wants, and how to have any batch at all.
# Next: how far a step may go with it, and when a larger batch stops paying, however many devices
# share it.

# %% [markdown] exercise="lr-finder"
# ## A sweep over learning rates
#
# **`lr-finder` · 8 points · about 35 minutes**
#
# Each valley of learning rates has a gentle side and a cliff. A rate that is ten times too low
# wastes most of a run; one that is twice too high breaks it. Where the cliff is depends on the
# model, the optimizer and the data, so you have to look for it. A whole run for each rate is
# expensive: 90 passes over the 1.28 million images of ImageNet, in batches of 256, are 450,000
# steps. A first look takes some hundreds. (You learn it here on 1,437 digits, where a pass is 45
# steps of 32, or 2 of 1,024: with a large batch, whole runs would be cheaper.)

# %% [markdown]
# In a **sweep** each step has a higher rate than the one before, by the same factor. At first next
# to nothing happens, then the loss falls, then it rises. The loss of a batch jumps about, so look
# at an average: each step keeps `BETA` of it and takes the rest from the new loss. Once that is
# above `LIMIT` times its lowest, the sweep is over. Here it is, with flaws.


# %% role="given"
import copy

BETA, LIMIT = 0.9, 2.0


def draft(take_step, low, high, count):
    rates, smoothed, average, factor = [], [], 0.0, (high / low) ** (1 / count)
    for k in range(count):
        rate = low * factor**k
        loss = take_step(rate)
        average = BETA * average + (1 - BETA) * loss
        if average > LIMIT * min([average, *smoothed]):
            break
        rates.append(rate)
        smoothed.append(average)
    return rates, smoothed


# %% [markdown]
# (`take_step(rate)` takes a training step with this rate, and returns the loss of its batch.)
#
# *Predict.* Say that every batch has the same loss, 1, whatever the rate. How many steps does the
# draft take?

# %% role="predict"
predict("lr-finder", 3)

# %% [markdown]
# *Implement.* A sweep without the draft's flaws; there are three. About 10 lines.
#
# - `count` rates, at least 2, each by the same factor above the one before. The first is `low`, the
#   last is `high`.
# - The average begins at 0. After n losses it holds only `1 - BETA**n` of a full average: divide by
#   that, and you have the **smoothed** loss. Adam corrects its averages in the same way.
# - It stops once a smoothed loss is above `LIMIT` times the lowest one before it, or is not finite,
#   be it the first. NaN is neither above nor below anything, and infinity not above infinity.
#
# It returns two lists, rates and smoothed losses; the step that stopped it is in neither.


# %% role="answer"
def sweep(take_step, low, high, count):
    ### BEGIN SOLUTION
    rates, smoothed, average = [], [], 0.0
    for k in range(count):
        rate = low * (high / low) ** (k / (count - 1))
        average = BETA * average + (1 - BETA) * take_step(rate)
        corrected = average / (1 - BETA ** (k + 1))
        if not math.isfinite(corrected) or corrected > LIMIT * min([corrected, *smoothed]):
            break
        rates.append(rate)
        smoothed.append(corrected)
    return rates, smoothed
    ### END SOLUTION


# %% [markdown]
# Which rate, then? Where the smoothed loss is lowest, steps have begun to undo what they do: that
# is about the largest rate with which a run still gets anywhere. The best is mostly within a factor
# of two of it.
#
# *Predict.* 50 sweeps with a batch of 32, 50 with 1,024, and after each a whole run with `"twice"`
# that rate, with `"the rate itself"`, `"half"` or `"a tenth"`. Take the median loss of each batch,
# and add the two: which is lowest?

# %% role="predict"
predict("lr-finder-share", "half")

# %% [markdown]
# *Implement.* `suggest` takes what `sweep` returned, with at least one rate, and returns **half**
# of the rate with the lowest smoothed loss (no two are equally low); both lists stay as they are.
# `find_rate` sweeps with a real model, whose first loss is finite: `step()` trains it on its next
# batch with the optimizer, and returns the loss, a float. `find_rate` returns the rate that
# `suggest` names. About 1 and 10 lines.
#
# - The rate of a step is in `optimizer.param_groups`, a list of dictionaries: `group["lr"]`.
# - A sweep ruins what it trains. After it, all that model and optimizer have in their
#   `state_dict()` is as before, also where a step raises an error or you press the stop button.
#   The optimizer still updates the model's own weights. (The batches are used up; that is all
#   right.)


# %% role="answer"
def suggest(rates, smoothed):
    ### BEGIN SOLUTION
    return rates[smoothed.index(min(smoothed))] / 2
    ### END SOLUTION


def find_rate(model, optimizer, step, low, high, count):
    ### BEGIN SOLUTION
    kept = copy.deepcopy((model.state_dict(), optimizer.state_dict()))

    def take_step(rate):
        for group in optimizer.param_groups:
            group["lr"] = rate
        return step()

    try:
        return suggest(*sweep(take_step, low, high, count))
    finally:
        model.load_state_dict(kept[0])
        optimizer.load_state_dict(kept[1])
    ### END SOLUTION


# %% role="check"
check("lr-finder", sweep, suggest, find_rate)

# %% [markdown]
# *See.* Your sweeps of a small network, with batches of 32 and of 1,024. The lines lie to the right
# of their points: an average that keeps 0.9 is about ten steps late. With 200 rates, ten steps are
# a factor of 1.4; with 50 over the same range, of 4. So a sweep with few rates suggests too much:
# the second picture, on the left. On the right, whole runs with shares of the rate that the sweeps
# have at their lowest loss.
#
# *Measure.* On this machine: the steps of your sweep, those of a run of 8 passes, your rate, and
# held-out losses after such a run: with your rate, with twice (the rate of the lowest loss) and
# with a fifth of it (a tenth of that).

# %%
see("lr-finder", sweep, suggest)
see("batch-and-learning-rate/shares")
reveal("lr-finder")
reveal("lr-finder-share")
measure("lr-finder", find_rate)

# %% [markdown]
# *Reflect.* Take so many rates that twice as many suggest about the same. A sweep reads one noisy
# curve of a network that has hardly begun to learn, and another start or momentum moves the cliff.
# So it tells a place to begin, to within a factor of two or three. Other finders take a tenth of
# that rate, or the one at which the loss falls most steeply. In your picture, where would that be?
#
# And with 32 times the batch, did the rate that you found grow 32 times? It did not, and your sweep
# is right: a step that is too long goes past the bottom of the valley and up the other side,
# however exact its direction. Less noise does not move the cliff far. What then does a larger batch
# allow?

# %% [markdown] exercise="schedule"
# ## A plan for the learning rate
#
# **`schedule` · 7 points · about 25 minutes**
#
# The noise of batches throws weights about, the further the higher the rate. So late in a run, a
# lower one settles them. And the first steps of a deep network bear less: it changes fast then.
# Hence a plan: a **warm-up**, in which the rate rises to its peak, and a fall after it. Plans go
# wrong at their edges: a first step with rate 0, a fall that is not over in the last step and goes
# on below 0, a cosine that rises again. Here is one, as you may find it in many places.


# %% role="given"
def draft(step, steps, warmup, peak, low, shape):
    if step < warmup:
        return peak * step / warmup
    done = (step - warmup) / (steps - warmup)
    return peak * (1 - done) + low * done


# %%
see("schedule", draft)

# %% [markdown]
# *Implement.* The rate of step `step`, counted from 0, in a run of at least 2 steps. About 8 lines.
#
# - In the first `warmup` steps it rises in equal amounts, from 0 *before* the first step to `peak`
#   *in* the last of them. With a `warmup` of 0 the first step has the peak.
# - From the step with the peak it falls to `low` in the run's last step: `"linear"` in a straight
#   line, `"cosine"` as a cosine does from its highest point to its lowest.
# - `warmup` is at most `steps`. Where it is all of them, there is no fall.
# - After the run, each step has the rate of its last one.


# %% role="answer"
def rate_at(step, steps, warmup, peak, low, shape):
    ### BEGIN SOLUTION
    step = min(step, steps - 1)
    if step < warmup:
        return peak * (step + 1) / warmup
    top = max(0, warmup - 1)
    done = (step - top) / (steps - 1 - top)
    if shape == "cosine":
        done = (1 - math.cos(math.pi * done)) / 2
    return peak + (low - peak) * done
    ### END SOLUTION


# %% [markdown]
# A plan is made for a batch. For k times the batch, over the same samples, each step has to do the
# work of k. Where those k steps would all have gone in about the same direction, one step with k
# times the rate gets as far: the **linear rule**. If what matters is the noise, there is another
# calculation: the mean of k times as many samples has a spread smaller by the **root** of k, so a
# rate that is larger by that root keeps the noise of a step. For Adam, which divides by the
# gradient's size, theory is for the root, too (with beta1 and beta2 adjusted as well: `1 - beta`
# grows k-fold).
#
# *Predict.* In the lesson's first picture batch 16 has, with a rate of 0.0178, a loss of 0.87 at
# the end. Which rate does batch 128 need for the same loss after as many samples?

# %% role="predict"
predict("schedule", 0.14)

# %% [markdown]
# *Implement.* `rescale` returns `(steps, warmup, peak)` for another batch, so that the run and its
# warm-up have as many samples as before; the peak goes by the `rule`, `"linear"` or `"root"`. The
# new batch may be larger or smaller. Return whole numbers of steps, such as `range` takes; in the
# cases here they come out even. About 3 lines.


# %% role="answer"
def rescale(batch, steps, warmup, peak, new_batch, rule):
    ### BEGIN SOLUTION
    grows = new_batch / batch
    factor = grows if rule == "linear" else math.sqrt(grows)
    return round(steps / grows), round(warmup / grows), peak * factor
    ### END SOLUTION


# %% role="check"
check("schedule", rate_at, rescale)

# %% [markdown]
# *See.* Your rates; a plan for batch 64 and what you make of it for 512; and the valleys of the
# first picture, with all rates brought to batch 16 by your rules: where a rule holds, they lie on
# each other.

# %%
see("schedule", rate_at)
see("batch-and-learning-rate/plans", rate_at, rescale)
see("batch-and-learning-rate/valleys", rescale)
reveal("schedule")

# %% [markdown]
# *Measure.* Is a plan worth it? First, computed once, held-out losses after 8 passes. On the left
# batch 128; on the right batch 16, with three in ten of the training labels drawn at random: noise
# that stays, however much the network learns. Then four such runs on this machine, with a constant
# rate and with your cosine after a warm-up of a quarter.

# %%
see("batch-and-learning-rate/schedules")
measure("schedule", rate_at)

# %% [markdown]
# *Reflect.* On the right the fall pays: it settles what the noise moves. The lowest loss is 0.55;
# no constant rate gets below 0.63. On the left there is little to settle after 96 steps: below the
# cliff a fall is like half the rate, which is its mean, and past it, it saves runs. The warm-up
# gains nothing here. It is for deeper networks and larger batches: with it and the linear rule, a
# ResNet-50 learned ImageNet in batches of 8,192 as well as in batches of 256, and without it worse.
#
# In PyTorch, `torch.optim.lr_scheduler.LambdaLR(optimizer, f)` multiplies the rate that the
# optimizer was made with by `f(step)`. Make it with `lr=peak`, and take for f
# `lambda s: rate_at(s, steps, warmup, 1, low / peak, shape)`. Call the scheduler's `step()` once a
# *step*: once a pass, and the warm-up outlasts the run.

# %% [markdown]
# **Sweep or rule?** A sweep finds the cliff. Take it for a model, an optimizer or data that are new
# to you. A rule takes a rate that is known to be good to another batch, without a step of training.
# It holds for rates far below the cliff, and the cliff stays about where it is. So multiply; and
# where a sweep with the new batch suggests less, take that. No rule makes batch 1,024 as good as 16
# here: it would have to go 64 times as far in a step.

# %% [markdown] exercise="noise-scale"
# ## When a larger batch stops paying
#
# **`noise-scale` · 8 points · about 25 minutes**
#
# A batch's gradient is a guess at the gradient over all data, and guesses scatter. Take the squared
# length of a gradient, in short its **square**: all numbers, squared and added. On average it is
#
# `square = signal + noise / batch`
#
# where `signal` is the square of the gradient over all data, and `noise` is by how much the
# gradients of single samples scatter about that: their variance, added up over all weights.

# %% [markdown]
# The batch at which both parts are equal is the **noise scale** `B = noise / signal`. Only the
# signal's part of a step leads downhill. So if for each batch you take the learning rate that suits
# it, a step gains in proportion to `signal / square`, and a run needs about
#
# `steps = least * square / signal = least * (1 + B / batch)`
#
# with `least` for batches as large as you like. Far below B, twice the batch is half the steps. Far
# above, it is the same steps, each with twice the work.
#
# *Predict.* Batches of 8 have squares of 6 on average, batches of 64 of 2.5. How large is the noise
# scale? And in a run whose noise scale is 1,000: up to which batch does doubling it still divide
# the steps by 1.5?

# %% role="predict"
predict("noise-scale", 16)
predict("noise-scale-doubling", 500)

# %% [markdown]
# *Implement.* The law holds for `few` samples and for `many`: two equations. Return the signal and
# the noise that follow from both squares. About 3 lines.


# %% role="answer"
def noise_terms(few, many, few_square, many_square):
    ### BEGIN SOLUTION
    noise = (few_square - many_square) / (1 / few - 1 / many)
    signal = many_square - noise / many
    return signal, noise
    ### END SOLUTION


# %% [markdown]
# Both gradients come for free: each device, or each micro-batch, has that of its own `few` samples,
# and their mean is that of all `many`. But one step says little. Where the noise is large, its
# signal may even come out *negative*, and that is no mistake: over many steps the errors make up
# for each other. They do so in a mean of signals. They do not in a mean of ratios.
#
# *Implement.* `steps` is a list of pairs `(of_few, of_many)`. Each of the two is a gradient, as a
# list of tensors, one for each parameter of a model. Leave the lists and the tensors as they are.
# Average both terms over all steps, then divide. Return infinity (`float("inf")`) where the average
# signal is 0 or less. About 6 lines.


# %% role="answer"
def noise_scale(steps, few, many):
    ### BEGIN SOLUTION
    def square(gradient):
        return sum(float((part**2).sum()) for part in gradient)

    pairs = [noise_terms(few, many, square(a), square(b)) for a, b in steps]
    signal = statistics.fmean(pair[0] for pair in pairs)
    noise = statistics.fmean(pair[1] for pair in pairs)
    return noise / signal if signal > 0 else float("inf")
    ### END SOLUTION


# %% [markdown]
# With two devices in place of one, each with `per_device` samples, the batch is twice as large. It
# **pays** if that divides the number of steps by at least `gain`, above 1 and below 2.
#
# *Implement.* Begin with one device, and double as long as the next doubling pays. How many devices
# are there in the end? `scale` is the noise scale. Where it is infinite, so is their number. About
# 8 lines.


# %% role="answer"
def devices_that_pay(scale, per_device, gain):
    ### BEGIN SOLUTION
    if math.isinf(scale):
        return scale

    def steps(batch):
        return 1 + scale / batch

    batch = per_device
    while steps(batch) / steps(2 * batch) >= gain:
        batch *= 2
    return batch // per_device
    ### END SOLUTION


# %% role="check"
check("noise-scale", noise_terms, noise_scale, devices_that_pay)

# %% [markdown]
# *See.* A small network learns digits. Now and then we stop, and draw pairs of batches for your
# function: one pair at a time, and 100 together. The truth is from the gradient of every single
# sample. Then the steps that two networks needed, with the best of twelve rates for each batch; one
# of them learned with three in ten labels drawn at random, which is noise of another kind. Their
# goals differ, so compare the shapes, not the heights.

# %%
see("noise-scale", noise_scale)
see("batch-and-learning-rate/steps-by-batch")
reveal("noise-scale")
reveal("noise-scale-doubling")

# %% [markdown]
# *Reflect.* Late in a run both terms fall, the signal much faster: from step 100 to step 1,000 the
# noise to about a third, the signal to less than a fiftieth. So, behind a dip near step 30, the
# noise scale grows, and a batch that is too large at the start may be right at the end. The law
# gives an order of magnitude, not more: in the first hundreds of steps the gradients said about 60
# to 130, and the steps of such networks fit B = 24. (With rates a factor of two apart, and 7 seeds,
# points are up to a quarter off the law.) Which would you find out first, knee or noise scale, and
# what follows where the one lies far above the other?

# %% [markdown] exercise="time-to-accuracy"
# ## From nothing to the accuracy
#
# **`time-to-accuracy` · 6 points · stretch · about 30 minutes**
#
# All of this lesson is in one number: the seconds until a network is right on a given share of the
# images that it has not seen, 90% to 93% of them here. They are steps times the time of a step.
# Batch and learning rate decide how many steps; the batch and the device, how long one takes. You
# can try few of all pairs: each try is a training run.
#
# *Predict.* On a device with its knee near 8, one of these trainings (SGD with momentum) is fastest
# with batches of 16. On one with its knee near 512 it is with batches of 256. By how many times is
# its best learning rate larger there?

# %% role="predict"
predict("time-to-accuracy", 4)

# %% [markdown]
# `run(batch, rate)` gives the seconds of one run, and infinity where it does not get there. The
# steps are those of real training: five ways to train on digits, 8 batches, up to 12 rates, the
# median of 7 seeds, computed once. The time of a step is **modeled**, as for the knee, for devices
# of many kinds. Here is a usual way to search: all rates for one batch, then all batches with the
# best of them.


# %% role="given"
def one_after_the_other(run, batches, rates, budget):
    middle = batches[len(batches) // 2]
    times = {(middle, rate): run(middle, rate) for rate in rates}
    _, best_rate = min(times, key=times.get)
    for batch in batches:
        if batch != middle:
            times[batch, best_rate] = run(batch, best_rate)
    return min(times, key=times.get)


# %% [markdown]
# *See.* That training on both devices: one that few samples fill, with its knee near 8, and one
# that takes hundreds at once, with its knee near 512.

# %%
see("time-to-accuracy", one_after_the_other)

# %% [markdown]
# *Implement.* Find a pair whose time is within 1.25x of the best of all, on surfaces that you do
# not see.
#
# - `batches` and `rates` are rising lists, each number about twice the one before; nothing else can
#   be run. All rates of a surface are in a unit of its own, so none is known to be good beforehand.
# - At most `budget` runs, 20 as a rule, and none twice. It may be as little as 1. One run more is
#   refused: it ends the search, without a result.
# - Return the best `(batch, rate)` of those that were run, and leave both lists as they are.
#
# About 17 lines.


# %% role="answer"
def search(run, batches, rates, budget):
    ### BEGIN SOLUTION
    seen = {}  # (row, column) to seconds

    def look(row, column):
        seen[row, column] = run(batches[row], rates[column])

    for column in list(range(1, len(rates), 3))[:budget]:
        look(len(batches) // 2, column)
    while len(seen) < budget:
        row, column = min(seen, key=seen.get)
        for i, j in [(1, 1), (-1, -1), (0, 1), (0, -1), (1, 0), (-1, 0)]:
            new = row + i, column + j
            inside = 0 <= new[0] < len(batches) and 0 <= new[1] < len(rates)
            if inside and new not in seen:
                look(*new)
                break
        else:
            break
    row, column = min(seen, key=seen.get)
    return batches[row], rates[column]
    ### END SOLUTION


# %% role="check"
check("time-to-accuracy", search)

# %% [markdown]
# *See.* The same two devices, with your search.

# %%
see("time-to-accuracy", search)
reveal("time-to-accuracy")

# %% [markdown]
# *Reflect.* The training is the same on both sides: the same steps for each pair. Only the device
# has changed, and with it the best batch, and with that the best rate. So what do you have to
# choose anew when you move a recipe to another machine?

# %% [markdown]
# ## What you take with you
#
# - The device says which batch is fast, and its memory how large one may be. Below the knee more
#   samples cost nothing; past it each costs its time. With micro-batches, weighed by what counts in
#   them, you can train with any batch that a recipe asks for.
# - A valley of learning rates ends at a cliff, which a larger batch does not move far. A sweep
#   finds it. Far below it, a rule takes a good rate to another batch; a fall settles what noise
#   moves.
# - More samples in a step save steps up to about the noise scale, and little beyond it. The noise
#   scale is a ratio of two averages, never an average of ratios; late in a training it grows.
#
# **Your number:** the knee of the small network on your machine, measured above. For a training of
# your own, find three batches: the knee, the largest that fits, the noise scale. Which of them
# stops you first?

# %%
progress()

# %% [markdown]
# ## Sources
#
# - L. N. Smith, *Cyclical Learning Rates for Training Neural Networks*, WACV 2017, section 3.3 (the
#   range test, and the best rate within a factor of two of the largest that converges); D. P.
#   Kingma and J. Ba, *Adam*, ICLR 2015, section 3 (averages that begin at 0, corrected).
# - P. Goyal and others, *Accurate, Large Minibatch SGD*, 2017, sections 2.1, 2.2 and 5.1 (linear
#   rule, warm-up); A. Krizhevsky, *One weird trick for parallelizing convolutional neural
#   networks*, 2014 (root and linear rule); S. Malladi and others, *On the SDEs and
#   Scaling Rules for Adaptive Gradient Algorithms*, NeurIPS 2022 (root rule for Adam); I.
#   Loshchilov and F. Hutter, *SGDR*, ICLR 2017, section 3 (falling as a cosine).
# - S. McCandlish and others, *An Empirical Model of Large-Batch Training*, 2018, arXiv:1812.06162,
#   section 2.2 (the noise scale, and what a step gains by batch) and appendix A.1 (both terms from
#   two batches, averaged before they are divided); C. J. Shallue and others, *Measuring the Effects
#   of Data Parallelism on Neural Network Training*, JMLR 20, 2019 (steps to a goal by batch, each
#   with the best rate that was found for it).
# - PyTorch's documentation: `torch.optim.Optimizer.state_dict`, `torch.optim.lr_scheduler`.
# - PyTorch's documentation: "CUDA semantics" (asynchronous execution, memory management, CUDA
#   graphs), "Frequently Asked Questions" (why a handler of a full memory cannot allocate),
#   `torch.OutOfMemoryError`, `torch.cuda.set_per_process_memory_fraction`,
#   `torch.nn.functional.cross_entropy` (`ignore_index`, `reduction`),
#   `torch.nn.utils.clip_grad_norm_`.
# - NVIDIA, *Matrix Multiplication Background User's Guide*, "Wave Quantization".
# - S. Ioffe and C. Szegedy, *Batch Normalization*, ICML 2015, section 3 (statistics of a
#   mini-batch); Y. Wu and K. He, *Group Normalization*, ECCV 2018.
