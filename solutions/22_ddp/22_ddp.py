# %% [markdown]
# # How do you train one model on many GPUs?
#
# Give every GPU a copy of the model and a part of the batch. Each computes the gradient of its
# part; the mean of all of them is the gradient of the whole batch. If every GPU then makes the
# same update, the copies stay equal, and n GPUs make the step that one would have made. That is
# **data parallelism**. It fails without a word if one copy starts elsewhere, one sample is drawn
# twice, or one gradient is missing.
#
# **You will be able to** share data among ranks; keep their models equal; and send the gradients
# in few messages, while the backward still runs.
#
# **You need** ranks, sends and all-reduce, and a training loop in PyTorch. **Time**
# about 185 minutes, in two sittings: there is a mark half-way.

# %% role="setup"
import math
from contextlib import contextmanager

import torch
import torch.distributed as dist

from gpuedu import check, hint, measure, multi, predict, progress, reveal, see, setup

setup("ddp")

# %% [markdown]
# A step over 64 samples, on one device and on four. Computing takes a quarter of the time; then
# the gradients meet in an **all-reduce**. Ranks are light ones here, with simulated clocks and
# links, where nothing else is said.

# %%
see("ddp/four-ranks")

# %% [markdown] exercise="sampler"
# ## Who draws which sample?
#
# **`sampler` · 6 points · about 25 minutes**
#
# An **epoch** should see every sample, in a new order, and every rank should have as many: one
# that has a batch less would not come to the last all-reduce, and the others would wait for ever.
# So N samples on W ranks make ceil(N / W) · W draws: where N is no multiple of W, some samples
# are drawn once more, to fill up.
#
# *Predict.* A program tests with its training sampler, which draws samples 0 and 1 once more to
# make 12 draws of 10. The model is wrong on sample 0 alone: it is right on 90%. Which accuracy
# does the program print, in percent?

# %% role="predict"
predict("sampler", 83.3)

# %% [markdown]
# Here is a draft. Every rank calls it, and gets the numbers of its samples. *See* what four ranks
# draw, each a process with a random state of its own.


# %% role="given"
def draft(samples, epoch, rank, ranks, seed):
    order = torch.randperm(samples)
    return order[rank::ranks].tolist()


# %%
see("sampler", draft)
reveal("sampler")

# %% [markdown]
# *Implement* what a rank draws in training: a list of numbers (a tensor will do). `samples` is how
# many there are, at least 1; there may be fewer than ranks. About 5 lines. Over all ranks:
#
# - every sample is drawn, and every rank draws ceil(samples / ranks)
# - samples are repeated only as padding, and no sample is repeated more often than needed
# - each epoch has its own order, and so has each `seed` of a run (seed + epoch as the seed of an
#   order will do: PyTorch takes it, too); the same arguments give the same draws, in every process
#   and at any time
# - the shards are not fixed: any sample can come to any rank, and any two to the same one

# %% [markdown]
# And what it draws in an evaluation, where nobody waits for a gradient: every sample once, on
# ranks that differ by one sample at most. About 1 line.
#
# (`torch.Generator().manual_seed(n)` is a random state of its own, which `torch.randperm` takes as
# `generator=`. Ranks that begin with the same number draw the same.)


# %% role="answer"
def train_part(samples, epoch, rank, ranks, seed):
    """The samples that a rank draws in an epoch, in their order."""
    ### BEGIN SOLUTION
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(samples, generator=generator)
    each = math.ceil(samples / ranks)
    places = torch.arange(rank, each * ranks, ranks) % samples
    return order[places].tolist()
    ### END SOLUTION


def eval_part(samples, rank, ranks):
    """The samples that a rank evaluates."""
    ### BEGIN SOLUTION
    return list(range(rank, samples, ranks))
    ### END SOLUTION


# %% role="check"
check("sampler", train_part, eval_part)

# %%
see("sampler", train_part, eval_part)

# %% [markdown]
# *Reflect.* PyTorch's `DistributedSampler` does the same, and its `set_epoch(epoch)` has to be
# called before each epoch. If it is not, every epoch has the order of the first, with the same
# batches; the loss still falls, and nothing tells. In an evaluation it fills up, too: what would
# you use in its place? And how do the ranks' results become one? (Each rank counts its hits and its
# samples; both counts are summed over the ranks, then divided. A mean of the ranks' accuracies
# would be wrong, where they have not as many samples.)

# %% [markdown] exercise="naive-ddp"
# ## The same step, on all ranks
#
# **`naive-ddp` · 8 points · about 40 minutes**
#
# Every rank has a copy of the model and a shard of the batch. Each goes forward and backward on
# its own; then the gradients are averaged, and every rank updates its copy. This is the step, and
# a draft of what is new in it. (`zero_grad` leaves None behind, not zeros. A rank's `loss` is the
# **mean** over its shard.)


# %% role="given"
def step(model, optimizer, x, y):  # x, y: this rank's shard
    optimizer.zero_grad()
    if len(y):
        torch.nn.functional.cross_entropy(model(x), y).backward()
    average(model, len(y))
    optimizer.step()


def draft_start(model):
    pass


def draft_average(model, samples):
    for g in [p.grad for p in model.parameters()]:
        dist.all_reduce(g)
        g /= dist.get_world_size()


# %% [markdown]
# *Predict.* Each rank made its model from a seed of its own, so two copies differ. The draft
# averages their gradients in every step. What becomes of the difference between the copies in
# training: `"it shrinks"`, `"it stays"` or `"it grows"`?
#
# Shards are not always of one size: a last batch may not be filled up, or what counts are tokens,
# and texts differ in length. Say the last batch has 3 samples on one rank, and 1 on the other. How
# many times the weight that it has in the whole batch does the draft give to the lone sample?

# %% role="predict"
predict("naive-ddp-apart", "it stays")
predict("naive-ddp", 2)

# %% [markdown]
# *See* how far the draft is from one process with the whole batch, for several models and batches;
# then how far apart two copies are, step by step.

# %%
see("naive-ddp", draft_start, draft_average)
see("ddp/apart", draft_start, draft_average)

# %% [markdown]
# *Implement* both. After every step, on every rank, the model is the one that a single process
# would have, with rank 0's model and the whole batch, but for rounding. About 2 and 8 lines.
#
# - `start(model)` is called once on every rank. The models are alike but for their numbers: those
#   of parameters, frozen ones too, and of all buffers (what a model keeps and does not train, such
#   as the running means of batch norm), also those that it doesn't save. All become rank 0's, in
#   place.
# - `average(model, samples)`: each rank's `p.grad` is a mean over its own `samples`, which may be
#   fewer than on other ranks, even 0. It becomes the mean over the samples of all ranks.
# - A parameter that a rank did not use has None as its gradient there, and a gradient elsewhere.
#   A frozen one (`p.requires_grad` is False) has None everywhere, and is not sent.
# - Each gradient is exchanged once, alone or with others, by an all-reduce: an all-gather would
#   send more bytes. (`model.parameters()` gives a parameter with two names once.)

# %% [markdown]
# (`p.detach()` is the same memory, seen without a gradient: what is written there is in `p`.
# `dist.broadcast` and `dist.all_reduce` work in place, and every rank calls them in the same order.
# They take tensors only: for a number, make one, as `torch.tensor(float(n))`, and take it out again
# with `.item()`: as a Python number it is exact; a quotient of float32 tensors has seven digits.)


# %% role="answer"
def start(model):
    """Give every rank rank 0's parameters and buffers."""
    ### BEGIN SOLUTION
    for tensor in [*model.parameters(), *model.buffers()]:
        dist.broadcast(tensor.detach(), 0)
    ### END SOLUTION


def average(model, samples):
    """Make each gradient the mean over the samples of all ranks."""
    ### BEGIN SOLUTION
    total = torch.tensor(float(samples))
    dist.all_reduce(total)
    for p in model.parameters():
        if p.requires_grad:
            if p.grad is None:
                p.grad = torch.zeros_like(p)
            p.grad *= samples / total.item()
            dist.all_reduce(p.grad)
    ### END SOLUTION


# %% role="check"
check("naive-ddp", start, average)

# %%
see("naive-ddp", start, average)
see("ddp/apart", start, average)
reveal("naive-ddp-apart")
reveal("naive-ddp")

# %% [markdown]
# *Measure.* What does a step of yours send? Here is one of 3 ranks, for a model of three layers,
# on a simulated NVLink.

# %%
see("ddp/one-step", start, average)

# %% [markdown]
# *Reflect.* A gradient that is **None** on some ranks is the trap of this exercise: who skips the
# call there is one call ahead, and from then on it sums what does not belong together. Nothing
# tells, if shapes happen to agree. For a parameter that *no* rank used, zeros are right with plain
# SGD. With momentum or weight decay they are not: why? (Both move a parameter whose gradient is 0,
# and leave one alone that has None. So PyTorch, if it is told to look for unused parameters, lets
# the ranks agree on which of them nobody used.)
#
# Buffers are alike after `start`, and nothing keeps them so: in training the batch norm of each
# rank takes its running means from its own shard, and they drift apart (more of that in the next
# lesson).
#
# And where does the time of your step go? Each call pays its latencies, however small it is.

# %% [markdown] exercise="no-sync"
# ## One exchange for many micro-batches
#
# **`no-sync` · 6 points · about 30 minutes**
#
# Where a rank's shard does not fit, it is taken in micro-batches, with a backward for each. Here
# the backward is given: behind it, the gradients are averaged. And a draft of a step.


# %% role="given"
class Parallel:
    def __init__(self, model):
        self.model, self.is_exchanging = model, True

    def backward(self, loss):
        loss.backward()
        if self.is_exchanging:
            for g in [p.grad for p in self.model.parameters()]:
                dist.all_reduce(g)
                g /= dist.get_world_size()


def draft(parallel, optimizer, micro_batches):
    optimizer.zero_grad()
    for x, y in micro_batches:
        loss = torch.nn.functional.cross_entropy(parallel.model(x), y)
        parallel.backward(loss / len(micro_batches))
    optimizer.step()


# %% [markdown]
# *Predict.* All micro-batches have one size. The draft averages behind every one of them: what the
# first backward left in `p.grad` is averaged again behind the second, third and fourth. In the end,
# is the gradient `"right"`, `"too large"` or `"too small"`?

# %% role="predict"
predict("no-sync", "right")

# %% [markdown]
# *See* the draft: three ranks, four micro-batches, made-up times for forward and backward.

# %%
see("no-sync", Parallel, draft)
reveal("no-sync")

# %% [markdown]
# *Implement* a context manager: in the block of `with no_sync(parallel):` a backward exchanges
# nothing, behind it as before. What it finds, it puts back: within another such block the exchange
# stays off; after an exception that leaves the block, too, it is as it was. About 6 lines.
#
# (`@contextmanager` makes one of a generator with a single `yield`: what stands before it runs when
# the block begins, what stands behind it when it ends. An exception in the block comes out of the
# `yield`; a `finally` runs in any case.)


# %% role="answer"
@contextmanager
def no_sync(parallel):
    """Let no backward of `parallel` exchange gradients in this block."""
    ### BEGIN SOLUTION
    before = parallel.is_exchanging
    parallel.is_exchanging = False
    try:
        yield
    finally:
        parallel.is_exchanging = before
    ### END SOLUTION


# %% [markdown]
# *Implement* the step. Each rank hands over its own list of at least one pair `(x, y)`, each of at
# least one sample; lengths and sizes may differ, and another rank's list may be longer. Leave the
# list and `parallel` as you found them. The update is that of one process with all samples of all
# ranks as one batch, whose loss is their **mean**. Only one micro-batch fits: each has its forward,
# then its backward. A rank exchanges its gradients once, and besides them a number or two. About
# 13 lines.


# %% role="answer"
def accumulated_step(parallel, optimizer, micro_batches):
    """One update from the micro-batches of all ranks."""
    ### BEGIN SOLUTION
    samples = sum(len(y) for _, y in micro_batches)
    total = torch.tensor(float(samples), dtype=torch.float64)
    dist.all_reduce(total)
    optimizer.zero_grad()

    def add(x, y):
        scores = parallel.model(x)
        loss = torch.nn.functional.cross_entropy(scores, y, reduction="sum")
        parallel.backward(loss * dist.get_world_size() / total)

    with no_sync(parallel):
        for x, y in micro_batches[:-1]:
            add(x, y)
    add(*micro_batches[-1])
    optimizer.step()
    ### END SOLUTION


# %% role="check"
check("no-sync", Parallel, no_sync, accumulated_step)

# %%
see("no-sync", Parallel, accumulated_step)

# %% [markdown]
# *Reflect.* In PyTorch `no_sync` is a method of `DistributedDataParallel`, and the forward has to
# be in its block, too. Its gradients are means over the ranks, as here: whoever wants the mean
# over samples has to mend the weights. What would go wrong if `Parallel` took the *sum* over the
# ranks, and you forgot the block? (Then the draft's gradient is too large: each exchange multiplies
# what was exchanged before by the number of ranks. With the mean you lose time only.)

# %% [markdown]
# **Half-way.** Your copies make the right step, with one call for each parameter, and nobody
# computes while they travel. Next: fewer messages, sent while the backward still runs. A good place
# for a break.

# %% [markdown] exercise="buckets"
# ## Few large messages
#
# **`buckets` · 7 points · about 40 minutes**
#
# ResNet-50 has 161 parameters: weights, biases, scales. As many all-reduces a step are right, and
# slow. A ring on n ranks takes 2(n - 1) (alpha + beta · S / n) for S bytes, so each costs
# 2(n - 1) · alpha before its first byte, and most of the 161 are small.
#
# *Predict.* 8 GPUs, NVLink: alpha is 3.4 µs, 1 / beta 450 GB/s. All gradients together have
# 102.2 MB. How many times as long do 161 all-reduces take as one with all the bytes?

# %% role="predict"
predict("buckets", 18)

# %% [markdown]
# One message of everything is not best either: its first byte could leave only when the last
# gradient is there. So gradients are put into **buckets** of some size, and each bucket is
# flattened, reduced, and copied back. A backward goes from the last layer to the first, and so do
# the buckets.
#
# *Implement.* `params` are a model's parameters in their order, the same on every rank. The rule:
#
# - go through them **from the last to the first**; leave out those that are frozen
# - one joins the **newest bucket of its type** (`p.dtype`) if it fits, and begins a new one if not
# - a bucket holds at most `max_bytes`, the very first one at most `first_bytes`; a parameter that
#   is larger than its bucket may be is in that bucket alone
#
# Return a list of lists of parameters, in the order in which they were begun, and leave `params` as
# it is. About 14 lines. (`p.numel() * p.element_size()` are the bytes of a tensor.)

# %% [markdown]
# An example: five parameters of one type with 30, 5, 50, 10 and 15 bytes, `first_bytes` 20,
# `max_bytes` 40. The last, 15, begins the first bucket. 10 would make it 25: it begins a second.
# 50 does not fit, and begins a third, alone; that is the newest now. 5 does not fit in there, and
# begins a fourth, which 30 joins: 15 | 10 | 50 | 5, 30. Had the last one 25 bytes, it would still
# be the first bucket, alone.


# %% role="answer"
def make_buckets(params, first_bytes, max_bytes):
    """Lists of parameters whose gradients travel together."""
    ### BEGIN SOLUTION
    buckets, used, newest = [], [], {}
    for p in reversed(params):
        if not p.requires_grad:
            continue
        size = p.numel() * p.element_size()
        at = newest.get(p.dtype)
        limit = first_bytes if at == 0 else max_bytes
        if at is None or used[at] + size > limit:
            at = newest[p.dtype] = len(buckets)
            buckets.append([])
            used.append(0)
        buckets[at].append(p)
        used[at] += size
    return buckets
    ### END SOLUTION


# %% [markdown]
# Then the exchange: one all-reduce for each bucket, after which every `p.grad` is the mean over the
# ranks. (From here on, shards are of one size, so that this is the mean over the samples, too.) A
# parameter may have `p.grad is None` on some ranks: there its gradient counts as zeros, and
# becomes the mean like the others. A gradient has any number of dimensions, and may lie in memory
# in another order than it is read: `reshape(-1)` gives its elements in order, and may have to copy
# them. The next step needs the lists again, so leave them as they are. About 10 lines.
# (`torch.cat` of vectors makes a long one, `flat.split([3, 5])` cuts views of 3 and 5 elements
# from it, `x.copy_(y)` writes y into x.)


# %% role="answer"
def reduce_buckets(buckets):
    """Replace every gradient by its mean over the ranks."""
    ### BEGIN SOLUTION
    for bucket in buckets:
        for p in bucket:
            if p.grad is None:
                p.grad = torch.zeros_like(p)
        flat = torch.cat([p.grad.reshape(-1) for p in bucket])
        dist.all_reduce(flat)
        flat /= dist.get_world_size()
        parts = flat.split([p.numel() for p in bucket])
        for p, part in zip(bucket, parts, strict=True):
            p.grad.copy_(part.view_as(p))
    ### END SOLUTION


# %% role="check"
check("buckets", make_buckets, reduce_buckets)

# %% [markdown]
# *See.* ResNet-50's gradients in your buckets, for limits from 10 kB to more than all the bytes.

# %%
see("buckets", make_buckets)
reveal("buckets")

# %% [markdown]
# *Reflect.* From which limit on does a larger one bring next to nothing? PyTorch's
# `DistributedDataParallel` takes 25 MiB, and 1 MiB for its first bucket. What is gained by a small
# first one, which costs a latency more? (It is full after a layer or two. Until then the network
# has nothing to do.)

# %% [markdown] exercise="overlap"
# ## Send while the backward runs
#
# **`overlap` · 8 points · about 45 minutes**
#
# The gradients of the last layer are there when the backward has hardly begun. From then on the
# network could work beside it, and part of the exchange would take no time of its own: it would be
# **hidden**.
#
# *Predict.* A model has 8 layers; the backward of each takes 1 ms, and the all-reduce of its
# gradients 1.25 ms. With all of them after the backward pass, that makes 8 + 10 = 18 ms. How long
# does it take, from the start of the backward pass, if each all-reduce starts as soon as it can?
# The network carries one at a time.

# %% role="predict"
predict("overlap", 11)

# %% [markdown]
# A **hook** is a function that PyTorch calls for you. `p.register_post_accumulate_grad_hook(hook)`
# makes it call `hook(p)` in every backward, once, as soon as `p.grad` is complete. The backward
# goes on when the hook returns. Here is a draft: `attach` is called once with a rank's buckets and
# registers hooks; it returns a function that is called after each backward.


# %% role="given"
def draft(buckets):
    def hook(p):
        gradient = p.grad
        dist.all_reduce(gradient)
        gradient /= dist.get_world_size()

    for bucket in buckets:
        for p in bucket:
            p.register_post_accumulate_grad_hook(hook)
    return lambda: None


# %% [markdown]
# *See* a step on 4 light ranks: first with an all-reduce for each parameter behind the backward,
# then for each bucket, then with the draft. It sends while the backward runs. Why is that no
# faster?

# %%
see("overlap", draft)
reveal("overlap")

# %% [markdown]
# `work = dist.all_reduce(flat, async_op=True)` returns at once. Until `work.wait()` has returned,
# `flat` must be neither read nor changed.
#
# *Implement* `attach`. `buckets` are lists of parameters, the same on all ranks. About 20 lines.
#
# - a bucket is sent whole, by one all-reduce, as soon as its last gradient is there **and** the
#   buckets before it in the list have been sent: gradients may arrive in another order on each rank
# - `finish()` sends what is left (the hook of a parameter that was not used is never called; its
#   gradient counts as zeros), waits, and makes every `p.grad` the mean over the ranks,
#   whose shards are of one size
# - it is called after each of many backwards; before each, all `p.grad` are set to None

# %% [markdown]
# A hook gets the parameter, and has to find its bucket: parameters can be the keys of a dict. (Not
# so `p in bucket` and `bucket.index(p)`: they compare with `==`, which compares the *numbers* of
# tensors.) A list that a hook changes, as in `left[k] -= 1`, needs no `nonlocal`. A function made
# in a loop sees the loop's variable as it is when the function runs: its last value.
#
# For a bucket's way into one tensor and back, use the functions below, or your own.


# %% role="given"
def flatten(bucket):
    grads = [torch.zeros_like(p) if p.grad is None else p.grad for p in bucket]
    return torch.cat([grad.reshape(-1) for grad in grads])


def write_back(flat, bucket):
    start = 0
    for p in bucket:
        p.grad = flat[start : start + p.numel()].reshape(p.shape).clone()
        start += p.numel()


# %% role="answer"
def attach(buckets):
    """Register hooks that send buckets; return `finish`."""
    ### BEGIN SOLUTION
    bucket_of = {p: k for k, bucket in enumerate(buckets) for p in bucket}
    left, started = [len(bucket) for bucket in buckets], []

    def start():
        flat = flatten(buckets[len(started)])
        started.append((flat, dist.all_reduce(flat, async_op=True)))

    def hook(p):
        left[bucket_of[p]] -= 1
        while len(started) < len(buckets) and left[len(started)] == 0:
            start()

    def finish():
        while len(started) < len(buckets):
            start()
        for bucket, (flat, work) in zip(buckets, started, strict=True):
            work.wait()
            write_back(flat / dist.get_world_size(), bucket)
        left[:] = [len(bucket) for bucket in buckets]
        started.clear()

    for p in bucket_of:
        p.register_post_accumulate_grad_hook(hook)
    return finish
    ### END SOLUTION


# %% role="check"
check("overlap", attach)

# %% [markdown]
# *See* your hooks in the same step (numbers are layers; before them, in short bars, their forward).

# %%
see("overlap", attach)

# %% [markdown]
# *Measure.* The same code, unchanged, in **two real processes** of this machine: they talk through
# *gloo*, PyTorch's library for processors, and PyTorch's profiler looks at one of them. To start
# them takes some seconds. This is a demonstration: cores that compute, send and watch at once give
# another share in every run. Look for an all-reduce that lies beside a backward.

# %%
real = measure("overlap", attach)
see("ddp/real-trace", real)

# %% [markdown]
# How large should a bucket be? With overlap, what counts is what sticks out behind the backward.
# Here it is modeled, for the gradients of ResNet-50 on two networks. (Why do the curves dip, as at
# 100 MB on InfiniBand? The buckets there have 4 kB, 99.8 MB and 2.4 MB. Where the network keeps up,
# what sticks out is the **last** bucket, and it happens to be small.)

# %%
see("ddp/bucket-size")

# %% [markdown]
# *Reflect.* Why was the draft no faster, though it sent while the backward ran? (Its all-reduce
# returns when it is through, and until then the hook, and with it the backward, stands still. So
# nothing is computed beside it, and it sent twice as many messages as there are buckets.) In your
# step the network was idle until the first bucket, and the ranks waited for the last ones. What
# would a bucket of *all* layers hide? And as the network is the slower of the two there: what does
# it bring if the **first** bucket alone is complete a millisecond sooner? (0.2 ms: the network
# sends it in 1.2 ms, and then pauses for 0.8 ms until the second is complete. If *all* are complete
# a millisecond sooner, it brings that millisecond.)

# %% [markdown]
# ## What you take with you
#
# - Copies of a model stay equal if they begin equal and apply equal gradients: the mean over all
#   samples of the batch, of every parameter, on every rank, in every step.
# - Every rank calls the same all-reduces in the same order, whether it has a gradient or not. One
#   that does not is waited for; one that mixes up two of the same shape is not even noticed.
# - Few large messages cost few latencies, and buckets that are sent while the backward still runs
#   cost next to no time, as long as computing takes longer than sending.
#
# **Your number:** the share of the exchange that your hooks hid, in the simulated step. What would
# it be if the network were ten times as fast? Ten times as slow?

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Times of networks are those of the lesson on collectives: alpha, beta and the ring's formula.
# - Buckets, their limits (25 MiB, 1 MiB for the first), their order, hooks, and parameters that are
#   not used: S. Li et al., *PyTorch Distributed: Experiences on Accelerating Data Parallel
#   Training*, VLDB 2020; PyTorch 2.13, `DistributedDataParallel` (`bucket_cap_mb`) and
#   `torch.distributed._DEFAULT_FIRST_BUCKET_BYTES`.
# - `register_post_accumulate_grad_hook`: PyTorch 2.13, `torch.Tensor`.
# - ResNet-50: K. He, X. Zhang, S. Ren, J. Sun, *Deep Residual Learning for Image Recognition*, CVPR
#   2016, table 1. Its 161 parameters have 25,557,032 elements: counted from their shapes.
# - What fills up, and `set_epoch`: PyTorch 2.13, `torch.utils.data.distributed.DistributedSampler`.
#   `no_sync`, the forward that has to be in it, and that gradients are averaged over the ranks:
#   PyTorch 2.13, `torch.nn.parallel.DistributedDataParallel`.
# - The link of the first picture and of `no-sync` is 10 Gb Ethernet: IEEE 802.3ae; its latency of
#   50 µs is assumed. Times of computing there are made up.
