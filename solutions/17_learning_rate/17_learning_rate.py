# %% [markdown]
# # Which learning rate goes with which batch?
#
# A larger batch makes fewer steps out of the same data, so each step has to go further. The
# learning rate says how far. In the figure, small networks have all seen the same number of samples
# of real digits, and only the batch and the rate differ. Each batch has a valley of rates that get
# it somewhere. The larger the batch, the narrower the valley, and for 1,024 there's no good rate
# left at all.
#
# **You will be able to** find a learning rate by a sweep; plan its rise and fall; carry it over to
# another batch; say when a larger batch stops paying.
#
# **You need** a training loop in PyTorch, and to know what a batch does to a device's speed (*Batch
# size*).
# **Time** about 90 minutes.

# %% role="setup"
from gpuedu import check, hint, measure, predict, progress, reveal, see, setup

import math
import statistics

import torch

setup("learning-rate")

# %%
see("batch-and-learning-rate/which-rate")

# %% [markdown] exercise="lr-finder"
# ## A sweep over learning rates
#
# **`lr-finder` · 8 points · about 35 minutes**
#
# Each valley of learning rates has a gentle side and a cliff. A rate ten times too low wastes most
# of a run, and one that is double what it should be can break it. Where the cliff is depends on the
# model, the optimizer and the data, so you have to look for it. But a whole run for each rate is
# expensive: 90 passes over the 1.28 million images of ImageNet, in batches of 256, are 450,000
# steps. A first look takes a few hundred. (Here you learn it on 1,437 digits, where a pass is 45
# steps of 32, or 2 of 1,024, so with a large batch whole runs would be cheaper.)

# %% [markdown]
# In a **sweep**, each step's rate is higher than the last one's, by the same factor. At first next
# to nothing happens, then the loss falls, then it rises. The loss of a batch jumps around, so look
# at an average: each step keeps `BETA` of it, and takes the rest from the new loss. Once the
# average is above `LIMIT` times its lowest value, the sweep is over. Here's a draft, with flaws.


# %% role="given"
import copy

BETA, LIMIT = 0.9, 2.0


def draft_sweep(take_step, low, high, count):
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
# *Implement.* Write a sweep without the draft's three flaws, in about 10 lines. It returns two
# lists, rates and smoothed losses, and the step that stopped it is in neither.
#
# - There are `count` rates, at least 2, each higher than the one before by the same factor. The
#   first is `low`, and the last is `high`.
# - The average starts at 0. After n losses it holds only `1 - BETA**n` of a full average. Divide by
#   that, and you have the **smoothed** loss. (Adam corrects its averages in the same way.)
# - The sweep stops once a smoothed loss is above `LIMIT` times the lowest one before it, or isn't
#   finite, even if it's the first. NaN is neither above nor below anything, and infinity isn't
#   above infinity.


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
# Which rate do you take, then? Where the smoothed loss is lowest, steps have started to undo each
# other's progress. That's about the largest rate with which a run still gets anywhere, and the best
# rate is usually within a factor of two of it.
#
# *Predict.* We ran 50 sweeps with a batch of 32 and 50 with 1,024, and after each of them a whole
# run with `"twice"` that rate, with `"the rate itself"`, with `"half"` of it, or with `"a tenth"`.
# Take the median loss for each batch and add up the two. Which choice is lowest?

# %% role="predict"
predict("lr-finder-share", "half")

# %% [markdown]
# *Implement.* Write two functions, of about 1 and 10 lines. `suggest` takes what `sweep` returned,
# with at least one rate, and returns **half** of the rate with the lowest smoothed loss (no two are
# equally low); both lists stay as they are. `find_rate` sweeps with a real model, whose first loss
# is finite, and returns the rate that `suggest` names. `step()` trains the model on its next batch
# with the optimizer, and returns the loss, a float.
#
# - The rate of a step is in `optimizer.param_groups`, a list of dictionaries: `group["lr"]`.
# - A sweep ruins what it trains. So after it, everything in the `state_dict()` of model and
#   optimizer is as it was before, even if a step raises an error or you press the stop button. The
#   optimizer still updates the model's own weights. (The batches are used up, which is all right.)


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
# *See.* Here are your sweeps of a small network, with batches of 32 and of 1,024. The lines are to
# the right of their points, because an average that keeps 0.9 is about ten steps late. With 200
# rates, ten steps are a factor of 1.4; with 50 over the same range, they're a factor of 4. So a
# sweep with few rates suggests too high a rate, as the left of the second picture shows. On its
# right are whole runs, at rates from a tenth to twice the one at which the sweep's loss was lowest.
#
# *Measure.* On this machine, count the steps of your sweep and those of a run of 8 passes, and find
# your rate. Then compare the held-out losses after such a run: with your rate, with twice your rate
# (where the loss was lowest), and with a fifth of yours (a tenth of that).

# %%
see("lr-finder", sweep, suggest)
see("batch-and-learning-rate/shares")
reveal("lr-finder")
reveal("lr-finder-share")
measure("lr-finder", find_rate)

# %% [markdown]
# *Reflect.* Use enough rates that twice as many would suggest about the same rate. A sweep reads
# one noisy curve of a network that has hardly started to learn, and different initial weights or a
# different momentum move the cliff. So it gives you a place to start, to within a factor of two or
# three. Other finders take a tenth of the rate with the lowest loss, or the rate at which the loss
# falls fastest. Where would that be in your picture?
#
# And with 32 times the batch, did your rate grow 32 times? It didn't, and your sweep is right. A
# step that is too long goes past the lowest loss along its path and up the other side, however
# exact its direction, so less noise doesn't move the cliff far. What does a larger batch allow,
# then?

# %% [markdown] exercise="schedule"
# ## A plan for the learning rate
#
# **`schedule` · 7 points · about 25 minutes**
#
# The noise of the batches throws the weights around, and the higher the rate, the farther. So late
# in a run, a lower rate lets them settle. The first steps of a deep network can't take the full
# rate, either, because the network changes fast then. That's why people plan a **warm-up**, in
# which the rate rises to its peak, and then a fall. Plans go wrong at their edges: a first step
# with rate 0, a fall that isn't over in the last step and goes on below 0, a cosine that rises
# again. Here's one that you can find in many places.


# %% role="given"
def draft(step, steps, warmup, peak, low, shape):
    if step < warmup:
        return peak * step / warmup
    done = (step - warmup) / (steps - warmup)
    return peak * (1 - done) + low * done


# %%
see("schedule", draft)

# %% [markdown]
# *Implement.* Return the rate of step `step`, counted from 0, in a run of at least 2 steps. You
# need about 8 lines.
#
# - In the first `warmup` steps it rises in equal amounts, from 0 *before* the first step to `peak`
#   *in* the last of them. With a `warmup` of 0, the first step has the peak.
# - From the step with the peak it falls to `low` in the run's last step: with `"linear"` in a
#   straight line, with `"cosine"` as a cosine does from its highest point to its lowest.
# - `warmup` is at most `steps`. If it's all of them, there's no fall.
# - After the run, every step has the rate of the last one.


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
# A plan is made for a batch. With k times the batch and the same number of samples, each step has
# to do the work of k. If those k steps would all have gone in about the same direction, then one
# step with k times the rate gets as far: that's the **linear rule**. If it's the noise that
# matters, the answer is different. The mean of k times as many samples has a spread smaller by the
# **root** of k, so a rate larger by that root keeps the noise of a step as it was.
#
# For Adam, which divides by the gradient's size, theory is on the side of the root, too. But the
# rate isn't all that changes. Each average should still cover the same number of samples, so `1 -
# beta1` and `1 - beta2` grow k-fold, and `eps` shrinks by the root of k.
#
# *Predict.* In the lesson's first picture, batch 16 with a rate of 0.0178 ends at a loss of 0.87.
# Which rate does batch 128 need for the same loss after the same number of samples?

# %% role="predict"
predict("schedule", 0.14)

# %% [markdown]
# *Implement.* `rescale` returns `(steps, warmup, peak)` for another batch, in about 3 lines. The
# run and its warm-up keep their number of samples, and the peak follows the `rule`, `"linear"` or
# `"root"`. The new batch may be larger or smaller. Return the numbers of steps as integers, which
# `range` accepts; in the cases here, the results are whole numbers anyway.


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
# *See.* Here are your rates; then a plan for batch 64 and what you make of it for 512; and then the
# valleys of the first picture, with all rates brought to batch 16 by your rules. Wherever a rule
# holds, they lie on top of each other.

# %%
see("schedule", rate_at)
see("batch-and-learning-rate/plans", rate_at, rescale)
see("batch-and-learning-rate/valleys", rescale)
reveal("schedule")

# %% [markdown]
# *Measure.* Is a plan worth it? First come the held-out losses after 8 passes, which we computed in
# advance. On the left is batch 128. On the right is batch 16, with three in ten of the training
# labels drawn at random: noise that stays, however much the network learns. Then four such runs on
# this machine, with a constant rate and with your cosine after a warm-up of a quarter.

# %%
see("batch-and-learning-rate/schedules")
measure("schedule", rate_at)

# %% [markdown]
# *Reflect.* On the right the fall pays off, because it settles what the noise moves: the lowest
# loss is 0.55, and no constant rate gets below 0.63. On the left there's little to settle after 96
# steps. Below the cliff, a fall acts like half the rate, which is its mean; past the cliff, it
# saves runs. The warm-up gains nothing here. It's for deeper networks and larger batches: with it
# and the linear rule, a ResNet-50 trained on ImageNet in batches of 8,192 was as accurate as with
# batches of 256. Without the warm-up, it was less accurate.
#
# In PyTorch, `torch.optim.lr_scheduler.LambdaLR(optimizer, f)` multiplies the rate that the
# optimizer was made with by `f(step)`. Make the optimizer with `lr=peak`, and let f be `lambda s:
# rate_at(s, steps, warmup, 1, low / peak, shape)`. Call the scheduler's `step()` once per *step*.
# If you call it once per pass, the warm-up will outlast the run.

# %% [markdown]
# **Sweep or rule?** A sweep finds the cliff, so use it for a model, an optimizer or data that are
# new to you. A rule carries a good rate over to another batch without a single step of training. It
# holds for rates far below the cliff, and the cliff stays about where it is. So multiply; and if a
# sweep with the new batch suggests less, take that. No rule makes batch 1,024 as good as 16 here,
# because each step would have to go 64 times as far.

# %% [markdown] exercise="noise-scale"
# ## When a larger batch stops paying
#
# **`noise-scale` · 8 points · about 25 minutes**
#
# A batch's gradient is an estimate of the gradient over all data, and estimates scatter. Take the
# squared length of a gradient, its **square** for short: square all its numbers and add them up. On
# average it is
#
# `square = signal + noise / batch`
#
# where `signal` is the square of the gradient over all data, and `noise` is how much the gradients
# of single samples scatter around it: their variance, added up over all weights.

# %% [markdown]
# The batch at which both parts are equal is the **noise scale** `B = noise / signal`. Only the
# signal's part of a step leads downhill. So if you give each batch the learning rate that suits it,
# a step gains in proportion to `signal / square`, and a run needs about
#
# `steps = least * square / signal = least * (1 + B / batch)`
#
# where `least` is the number for batches as large as you like. Far below B, twice the batch means
# half the steps. Far above, it's the same number of steps, each with twice the work.
#
# *Predict.* Batches of 8 have squares of 6 on average, and batches of 64 have 2.5. How large is the
# noise scale? And in a run whose noise scale is 1,000, up to which batch does doubling it still
# divide the steps by 1.5?

# %% role="predict"
predict("noise-scale", 16)
predict("noise-scale-doubling", 500)

# %% [markdown]
# *Implement.* Return the signal and the noise that follow from two squares, in about 3 lines. The
# law holds for `few` samples and for `many`, so you have two equations.


# %% role="answer"
def noise_terms(few, many, few_square, many_square):
    ### BEGIN SOLUTION
    noise = (few_square - many_square) / (1 / few - 1 / many)
    signal = many_square - noise / many
    return signal, noise
    ### END SOLUTION


# %% [markdown]
# Both gradients come for free. Each device, or each micro-batch, has the gradient of its own `few`
# samples, and their mean is that of all `many`. But one step says little. If the noise is large,
# the signal may even come out *negative*, and so may the noise by chance. That's no mistake: over
# many steps the errors cancel. They do so in a mean of signals, but not in a mean of ratios.
#
# *Implement.* Compute the noise scale of many steps, in about 6 lines. `steps` is a list of pairs
# `(of_few, of_many)`, and each of the two is a gradient, as a list of tensors, one for each
# parameter of a model. Leave the lists and the tensors as they are. Average both terms over all
# steps, and then divide. Return infinity (`float("inf")`) if the average signal is 0 or less.


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
# With two devices instead of one, each with `per_device` samples, the batch is twice as large. That
# **pays** if it divides the number of steps by at least `gain`, which is above 1 and below 2.
#
# *Implement.* Start with one device, and double as long as the next doubling pays. Return the
# number of devices that you end with, in about 8 lines. `scale` is the noise scale; if it's
# infinite, so is the number of devices.


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
# *See.* A small network learns digits. Now and then we stop and draw pairs of batches for your
# function: one pair at a time, and 100 together. The truth comes from the gradient of every single
# sample. Then you see the steps that two networks needed, with the best of twelve rates for each
# batch. One of them learned with three in ten labels drawn at random, which is noise of another
# kind. Their goals differ, so compare the shapes, not the heights.

# %%
see("noise-scale", noise_scale)
see("batch-and-learning-rate/steps-by-batch")
reveal("noise-scale")
reveal("noise-scale-doubling")

# %% [markdown]
# *Reflect.* Late in a run both terms fall, the signal much faster: from step 100 to step 1,000 the
# noise falls to about a third, and the signal to less than a fiftieth. So after a dip near step 30
# the noise scale grows, and a batch that is too large at the start may be right at the end.
#
# The law gives you an order of magnitude, not more. In the first few hundred steps the gradients
# said about 60 to 130, while the numbers of steps that such networks needed fit B = 24. (With rates
# a factor of two apart, and 7 seeds, points are up to a quarter off the law.) Which would you find
# out first, the knee or the noise scale? And what follows if one is far above the other?

# %% [markdown] exercise="time-to-accuracy"
# ## From scratch to the target accuracy
#
# **`time-to-accuracy` · 6 points · stretch · about 30 minutes**
#
# One number sums it all up: the seconds until a network is right about a given share of the images
# that it hasn't seen, 90% to 93% of them here. That's the number of steps times the time of a step.
# Batch and learning rate decide how many steps; the batch and the device decide how long one takes.
# You can try only a few of all the pairs, because each try is a training run.
#
# *Predict.* On a device with its knee near 8, one way of training (SGD with momentum) is fastest
# with batches of 16. On one with its knee near 512, it's fastest with batches of 256. How many
# times as large is its best learning rate there?

# %% role="predict"
predict("time-to-accuracy", 4)

# %% [markdown]
# `run(batch, rate)` returns the seconds of one run, and infinity if it doesn't get there. The steps
# are those of real training: five ways to train on digits, 8 batches, up to 12 rates, the median of
# 7 seeds, computed once. The time of a step is **modeled**, as for the knee, for many kinds of
# devices. Here's a common way to search: all rates for one batch, then all batches with the best of
# those rates.


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
# *See.* Here's that training on both devices: one that a few samples fill, with its knee near 8,
# and one that takes hundreds at once, with its knee near 512.

# %%
see("time-to-accuracy", one_after_the_other)

# %% [markdown]
# *Implement.* Find a pair whose time is within 1.25x of the best of all, on surfaces (times by
# batch and rate) that you don't see. You need about 17 lines.
#
# - `batches` and `rates` are rising lists, each number about twice the one before, and you can run
#   nothing else. Each surface has its rates in its own unit, so you know no good rate in advance.
# - Make at most `budget` runs, usually 20 but sometimes as few as 1, and none of them twice. One
#   more run is refused: it ends the search, without a result.
# - Return the best `(batch, rate)` of those that were run, and leave both lists as they are.


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
# *See.* Here are the same two devices, with your search.

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
# - A valley of learning rates ends at a cliff, and a larger batch doesn't move the cliff far. A
#   sweep finds it.
# - Far below the cliff, a rule carries a good rate over to another batch. A warm-up gets a run
#   started, and a fall settles what the noise moves.
# - More samples in a step save steps up to about the noise scale, and little beyond it. The noise
#   scale is a ratio of two averages, never an average of ratios, and it grows late in training.
#
# **Your number:** the rate that your sweep found on this machine, measured above. For a training
# run of your own, find three batches: the knee, the largest that fits, and the noise scale. Which
# of them stops you first?

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
