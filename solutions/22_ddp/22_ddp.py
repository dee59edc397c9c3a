# %% [markdown]
# # How do you train one model on many GPUs?
#
# Give every GPU a copy of the model and a part of the batch. Each computes the gradient of its
# part. If all parts have the same size, the mean of those gradients is the gradient of the whole
# batch. If every GPU then makes the same update, the copies stay equal, and n GPUs together make
# the step that one would have made. That is **data parallelism**. It goes wrong silently if one
# copy starts from different weights, one sample is drawn twice, or one gradient is missing.
#
# **You will be able to** divide data among ranks, keep their models equal, and exchange gradients
# once for many micro-batches.
#
# **You need** the lesson *Collectives*, and a training loop in PyTorch. **Time**
# about 100 minutes.

# %% role="setup"
from gpuedu import check, hint, predict, progress, reveal, see, setup

import math
from contextlib import contextmanager

import torch
import torch.distributed as dist

setup("ddp")

# %% [markdown]
# Here is one step over 64 samples, on one device and on four. On four, computing takes a quarter of
# the time, but then the gradients have to be summed in an **all-reduce**. Unless we say otherwise,
# the ranks in this lesson are light ones, with simulated clocks and links.

# %%
see("ddp/four-ranks")

# %% [markdown] exercise="sampler"
# ## Which rank draws which sample?
#
# **`sampler` · 6 points · about 25 minutes**
#
# An **epoch** should see every sample, in a new order, and every rank should have the same number
# of them: a rank with one batch fewer would never get to the last all-reduce, and the others would
# wait forever. So N samples on W ranks make ceil(N / W) · W draws, and if N is not a multiple of W,
# some samples are drawn again, as padding.
#
# *Predict.* A program evaluates with its training sampler, which draws samples 0 and 1 once more to
# make 12 draws out of 10 samples. The model is wrong on sample 0 only, so it is right on 90%. What
# accuracy does the program print, in percent?

# %% role="predict"
predict("sampler", 83.3)

# %% [markdown]
# Here is a draft. Every rank calls it, and gets the indices of its samples. *See* what four ranks
# draw; each is a process with its own random state.


# %% role="given"
def draft(samples, epoch, rank, ranks, seed):
    order = torch.randperm(samples)
    return order[rank::ranks].tolist()


# %%
see("sampler", draft)
reveal("sampler")

# %% [markdown]
# *Implement* `train_part`, which returns what a rank draws in training: the indices of its samples,
# as a list or a tensor. `samples` is at least 1, but may be smaller than `ranks`. About 5 lines.
#
# - Over all ranks, every sample is drawn, and every rank draws ceil(samples / ranks).
# - Samples are repeated only as padding, and no sample more often than needed.
# - Each epoch has its own order, and so does each `seed` of a run. (PyTorch seeds an order with
#   seed + epoch, and so may you.)
# - The same arguments give the same draws, in every process and at any time.
# - The split is not fixed: over the epochs, any sample can go to any rank, and any two can go to
#   the same one.

# %% [markdown]
# *Implement* `eval_part`, too: what a rank draws in an evaluation, where nobody waits for a
# gradient. About 1 line.
#
# - Every sample is drawn exactly once.
# - The numbers of samples on any two ranks differ by at most one.
#
# (`torch.Generator().manual_seed(n)` is a separate random state, which `torch.randperm` takes as
# `generator=`. Ranks that start from the same number draw the same.)


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
# *Reflect.* PyTorch's `DistributedSampler` does the same, and you have to call its
# `set_epoch(epoch)` before each epoch. If you don't, every epoch has the order of the first one;
# the loss still falls, and you get no warning. It pads an evaluation as well, so what would you use
# there instead?
#
# And how do the ranks' results become one? (Each rank counts its hits and its samples. Both counts
# are summed over the ranks, and then you divide. The mean of the ranks' accuracies would be wrong
# wherever they don't have the same number of samples.)

# %% [markdown] exercise="naive-ddp"
# ## The same step on all ranks
#
# **`naive-ddp` · 8 points · about 40 minutes**
#
# Every rank has a copy of the model and its share of the batch, its **shard**. Each runs its own
# forward and backward pass; then the gradients are averaged, and every rank updates its copy. Here
# is that step, with a draft of the two parts that are new. (`zero_grad` leaves None behind, not
# zeros. A rank's loss is the **mean** over its shard.)


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
# *Predict.* Each rank made its model from its own seed, so two copies differ. The draft averages
# their gradients in every step. What happens to the difference between the copies during training:
# `"it shrinks"`, `"it stays"` or `"it grows"`?
#
# Shards don't always have the same size: the last batch may not be full, or you may count tokens in
# texts of different lengths. Say that the last batch has 3 samples on one rank and 1 on the other.
# In the whole batch, that lone sample has some weight. How many times that weight does the draft
# give it?

# %% role="predict"
predict("naive-ddp-apart", "it stays")
predict("naive-ddp", 2)

# %% [markdown]
# *See* how far the draft is from a single process with the whole batch, for several models and
# batches. Then see how far apart two copies are, step by step.

# %%
see("naive-ddp", draft_start, draft_average)
see("ddp/apart", draft_start, draft_average)

# %% [markdown]
# *Implement* `start` and `average`. After every step, every rank has the model that a single
# process would have if it started from rank 0's and trained on the whole batch, except for
# rounding. About 2 and 8 lines.
#
# - `start(model)` is called once on every rank. It makes all parameters, including frozen ones, and
#   all buffers equal to rank 0's, in place. (A buffer is something a model keeps but doesn't train,
#   like the running means of a batch norm. Some are never saved, and they count, too.)
# - `average(model, samples)` gets gradients that are means over this rank's own `samples`, which
#   may be fewer than on other ranks, even 0. It turns each into the mean over the samples of all
#   ranks.

# %% [markdown]
# - If a rank did not use a parameter, its gradient is None there, though other ranks may have one.
#   It counts as zeros. A frozen parameter (`p.requires_grad` is False) has None everywhere, and is
#   not sent.
# - Each gradient is exchanged once, alone or together with others, by an all-reduce. (An all-gather
#   would send more bytes. `model.parameters()` lists a parameter that has two names only once.)
#
# (`p.detach()` is the same memory, seen without a gradient: what you write there is in `p`.
# `dist.broadcast` and `dist.all_reduce` work in place, and every rank calls them in the same order.
# They take tensors only, so turn a number into one, `torch.tensor(float(n))`, and get it back with
# `.item()`: as a Python number it is exact, while a quotient of float32 tensors has seven digits.)


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
# *Measure.* What does your step send? Here is one step of 3 ranks, for a model with three layers,
# on a simulated NVLink.

# %%
see("ddp/one-step", start, average)

# %% [markdown]
# *Reflect.* A gradient that is **None** on some ranks is the trap here. A rank that skips the call
# runs one call ahead of the others, and from then on it sums things that don't belong together. If
# the shapes happen to match, you get no warning.
#
# For a parameter that *no* rank used, zeros are right with plain SGD. With momentum or weight decay
# they aren't; why? (Both move a parameter whose gradient is 0, and leave one alone whose gradient
# is None.) PyTorch's DistributedDataParallel raises an error in the next step if parameters went
# unused. With `find_unused_parameters=True`, it searches the graph after every forward pass, and
# lets the ranks agree on which parameters nobody used; those keep the gradient they had. The search
# takes time, so leave it off if all parameters are always used.

# %% [markdown]
# Buffers are equal after `start`, but nothing keeps them so: in training, each rank's batch norm
# takes its running means from its own shard, and they drift apart. *DDP in practice* has more on
# that.
#
# And where does the time of your step go? Every call pays its latencies, however small its tensor.
# *Buckets and overlap* is about that.

# %% [markdown] exercise="no-sync"
# ## One exchange for many micro-batches
#
# **`no-sync` · 6 points · about 30 minutes**
#
# If a rank's shard doesn't fit into memory, you take it in micro-batches, with a backward pass for
# each. Here the backward pass is given, and it averages the gradients afterwards. There's also a
# draft of a step.


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
# *Predict.* All micro-batches have the same size. The draft averages after each one: what the first
# backward pass left in `p.grad` is averaged again after the second, third, and fourth. In the end,
# is the gradient `"right"`, `"too large"` or `"too small"`?

# %% role="predict"
predict("no-sync", "right")

# %% [markdown]
# *See* the draft on three ranks, with four micro-batches. The times of the forward and backward
# passes are made up.

# %%
see("no-sync", Parallel, draft)
reveal("no-sync")

# %% [markdown]
# *Implement* `no_sync` as a context manager. About 6 lines.
#
# - Inside the block of `with no_sync(parallel):`, a backward pass exchanges nothing. After the
#   block, it works as before.
# - It restores whatever it found: inside another such block, the exchange stays off.
# - The same holds if an exception leaves the block; the exception isn't swallowed.
#
# (`@contextmanager` turns a generator with a single `yield` into a context manager: what's before
# the `yield` runs when the block starts, and what's after it when the block ends. An exception in
# the block comes out of the `yield`; a `finally` runs in any case.)


# %% role="answer"
@contextmanager
def no_sync(parallel):
    """Keep backward passes of `parallel` in this block from exchanging gradients."""
    ### BEGIN SOLUTION
    before = parallel.is_exchanging
    parallel.is_exchanging = False
    try:
        yield
    finally:
        parallel.is_exchanging = before
    ### END SOLUTION


# %% [markdown]
# *Implement* `accumulated_step`, which makes one update. About 13 lines.
#
# - Each rank passes its own list of one or more pairs `(x, y)`, each with one or more samples. The
#   pairs may differ in size, and the ranks' lists in length.
# - The update is the one that a single process would make with all samples of all ranks as one
#   batch. Its loss is the **mean** over these samples.
# - Only one micro-batch fits at a time: each has its forward pass, and then its backward pass.
# - A rank exchanges its gradients once, plus a number or two.
# - The list and `parallel` are left as they were.


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
# *Reflect.* In PyTorch, `no_sync` is a method of `DistributedDataParallel`, and the forward pass
# has to be inside its block, too. Its gradients are means over the ranks, as they are here, so if
# you want the mean over samples, you have to scale each loss, as you did here.
#
# What would go wrong if `Parallel` took the *sum* over the ranks, and you forgot the block? (Then
# the draft's gradient would be too large, because each exchange multiplies what was exchanged
# before by the number of ranks. With the mean, all you lose is time.)

# %% [markdown]
# ## What you take with you
#
# - Copies of a model stay equal if they start equal and apply equal gradients: the mean over all
#   samples of the batch, for every parameter, on every rank, in every step.
# - Every rank calls the same all-reduces in the same order, whether it has a gradient or not. The
#   others wait for a rank that doesn't; and if it mixes up two tensors of the same shape, you get
#   no warning.
# - Ranks may have different numbers of samples. Weight each rank's mean by its number of samples;
#   otherwise the result is wrong.
#
# **Your number:** how many all-reduces does your own step call for a model with three layers? How
# many would it call for your own model?

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Network times are those of the lesson *Networks*.
# - Parameters that are not used: S. Li et al., *PyTorch Distributed: Experiences on Accelerating
#   Data Parallel Training*, VLDB 2020; PyTorch 2.13, `DistributedDataParallel`
#   (`find_unused_parameters`).
# - Padding, and `set_epoch`: PyTorch 2.13, `torch.utils.data.distributed.DistributedSampler`.
#   `no_sync`, the forward pass that has to be in it, and that gradients are averaged over the
#   ranks: PyTorch 2.13, `torch.nn.parallel.DistributedDataParallel`.
# - The link of the first picture and of `no-sync` is 10 Gb Ethernet: IEEE 802.3ae; its latency of
#   50 µs is assumed. Times of computing there are made up.
