# %% [markdown]
# # What changes when it is real?
#
# Simulated ranks start together, have the numbers that you gave them, and never die. Real ones are
# processes. A program for one GPU that is started on eight trains eight models, and there is no
# error. A norm, a loss or a mean that each rank takes of its own part is another number on every
# rank. And a training on 16,384 GPUs was interrupted about **every three hours**.
#
# **You will be able to** train with PyTorch's own data parallelism; say which numbers all ranks
# have to agree on; work out what 64 GPUs would give; and lose nothing when a rank is killed.
#
# **You need** data parallelism on simulated ranks (sampler, averaged gradients, buckets), and a
# training loop in PyTorch. **Time** about 160 minutes, in two sittings: there is a mark half-way.

# %% role="setup"
import math

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from gpuedu import check, hint, measure, multi, predict, progress, reveal, see, setup

setup("ddp-in-practice")

# %% [markdown] exercise="torch-ddp"
# ## PyTorch's own
#
# **`torch-ddp` · 8 points · about 40 minutes**
#
# Here is a script for one GPU. `data` gives a sample and its class at each number, `batch` is how
# many samples are computed at once, `every` how many batches make an update.


# %% role="given"
from contextlib import nullcontext

from torch.utils.data import DataLoader, DistributedSampler, Subset


def draft(model, data, epochs, batch, every, optimizer_for):
    optimizer, losses = optimizer_for(model.parameters()), []
    for _ in range(epochs):
        total = 0.0
        for number, (x, y) in enumerate(DataLoader(data, batch, shuffle=True), 1):
            loss = torch.nn.functional.cross_entropy(model(x), y)
            (loss / every).backward()
            total += loss.item() * len(y)
            if number % every == 0:
                optimizer.step()
                optimizer.zero_grad()
        losses.append(total / len(data))
    return model.state_dict(), losses


# %% [markdown]
# *Predict.* Somebody starts it on two GPUs as it is, with `torchrun --nproc-per-node 2`. What do
# they get: `"one model, in half the time"`, `"one model, in the same time"` or `"two models"`?
#
# And done right: 103 samples on two ranks, batches of 8 on each rank, 4 of them an update, the
# last update of an epoch perhaps with fewer. How often does a rank exchange its gradients in an
# epoch?

# %% role="predict"
predict("torch-ddp-draft", "two models")
predict("torch-ddp", 2)

# %% [markdown]
# *See* it in two **real processes** of this machine: each made its model from a random state of its
# own. To start the first ones takes some seconds.

# %%
see("torch-ddp", draft)
reveal("torch-ddp-draft")

# %% [markdown]
# `ddp = DistributedDataParallel(model)` wraps a model. That gives every rank rank 0's parameters
# and buffers; from then on the backward of what `ddp(x)` gave averages the gradients over the
# ranks, in buckets, while it runs. `ddp.module` is the model itself; `ddp.state_dict()` has
# `module.` before each name. In the block of `with ddp.no_sync():` nothing is exchanged, where the
# **forward** is in it, too.
#
# `DistributedSampler(data)` draws a rank's share, and fills up, so that all ranks have as many
# batches, of the same sizes. A `DataLoader` takes it as `sampler=`.

# %% [markdown]
# *Implement* an epoch; every rank calls it, with its own list of batches `(x, y)`: as many on all
# ranks, of the same sizes. `every` of them make a group, and a group makes one update; the last
# group of an epoch may have fewer, and its last batch fewer samples. Leave the list as it is. About
# 13 lines.
#
# - An update is that of one process with all samples of the group on all ranks as one batch, whose
#   loss is the mean of their cross-entropies. Only one batch fits at once: each has its forward,
#   then its backward.
# - The gradients are exchanged once a group, by `ddp` itself. Besides, you may all-reduce a number
#   or two a batch.
# - It returns, on all ranks, the mean loss over the samples of all ranks, as a number or a tensor
#   of one. A sample's loss is the one from the forward pass that it was trained with.
#
# (`contextlib.nullcontext()` is a context that does nothing.)


# %% role="answer"
def train_epoch(ddp, optimizer, batches, every):
    """Train one epoch; return its mean loss over all ranks' samples."""
    ### BEGIN SOLUTION
    totals = torch.zeros(2, dtype=torch.float64)
    for begin in range(0, len(batches), every):
        group = batches[begin : begin + every]
        samples = sum(len(y) for _, y in group)
        optimizer.zero_grad()
        for place, (x, y) in enumerate(group, 1):
            with ddp.no_sync() if place < len(group) else nullcontext():
                loss = torch.nn.functional.cross_entropy(ddp(x), y, reduction="sum")
                (loss / samples).backward()
            totals += torch.tensor([loss.item(), len(y)])
        optimizer.step()
    dist.all_reduce(totals)
    return (totals[0] / totals[1]).item()
    ### END SOLUTION


# %% [markdown]
# *Implement* the training, with your `train_epoch`. The process group is there already. Models of
# the ranks begin with different numbers; what counts is rank 0's. About 8 lines.
#
# - `batch` and `every` are a rank's; `optimizer_for(parameters)` makes an optimizer, which may have
#   momentum: it lasts for all epochs.
# - Over all ranks, an epoch draws every sample, and repeats samples only as padding; and each epoch
#   has its own order. (Take the batches in this process: no workers.)
# - It returns a pair: a state dict that fits a model which was never wrapped, equal on all ranks,
#   and the list of the epochs' losses. (No model here has batch norm, whose running statistics each
#   rank would have of its own batches.)


# %% role="answer"
def train(model, data, epochs, batch, every, optimizer_for):
    """Train on all ranks; return the state and each epoch's loss."""
    ### BEGIN SOLUTION
    ddp = DistributedDataParallel(model)
    optimizer = optimizer_for(ddp.parameters())
    sampler = DistributedSampler(data)
    loader, losses = DataLoader(data, batch, sampler=sampler), []
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        losses.append(train_epoch(ddp, optimizer, list(loader), every))
    return ddp.module.state_dict(), losses
    ### END SOLUTION


# %% [markdown]
# *Implement* the evaluation: which share of `data` a model is right on, where its highest score is
# the sample's class. `model` is not wrapped, and in its evaluation mode. All ranks call it, and all
# return the share over all samples, as a number or a tensor of one. Each sample is evaluated once,
# on one rank; there may be fewer samples than ranks, but at least 1. About 8 lines.
#
# (`torch.utils.data.Subset(data, numbers)` is a data set of those samples. A share from float32
# numbers is exact enough.)


# %% role="answer"
def accuracy(model, data, batch):
    """The share of all samples that the model is right on."""
    ### BEGIN SOLUTION
    mine = Subset(data, range(dist.get_rank(), len(data), dist.get_world_size()))
    counts = torch.zeros(2)
    with torch.no_grad():
        for x, y in DataLoader(mine, batch):
            hits = (model(x).argmax(dim=1) == y).sum().item()
            counts += torch.tensor([hits, len(y)])
    dist.all_reduce(counts)
    return (counts[0] / counts[1]).item()
    ### END SOLUTION


# %% role="check"
check("torch-ddp", train_epoch, train, accuracy)

# %% [markdown]
# *See* yours in the same two processes, beside one process that takes all samples itself.

# %%
see("torch-ddp", train)
reveal("torch-ddp")

# %% [markdown]
# *Measure* a group of three batches in two processes, on a larger model of 6 layers. What computes
# and what sends share this machine's processors: the times differ in every run. Look for the
# backwards without an all-reduce, and for the buckets of the last one. (The loss has one, too.)

# %%
real = measure("torch-ddp", train_epoch)
see("ddp-in-practice/real-group", real)

# %% [markdown]
# To train outside of a notebook, put your functions into a file, with this at its end:
#
# ```python
# import os
#
# if __name__ == "__main__":
#     torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
#     dist.init_process_group("nccl")  # without GPUs: "gloo", and nothing of cuda
#     state, losses = train(make_model().cuda(), data, 10, 64, 4, make_optimizer)
#     if dist.get_rank() == 0:
#         torch.save(state, "model.pt")
#     dist.destroy_process_group()
# ```

# %% [markdown]
# `torchrun --nproc-per-node 8 train.py` starts it on the 8 GPUs of one machine; it sets `RANK`,
# `LOCAL_RANK` (the rank within a machine), `WORLD_SIZE`, and where the ranks find each other. On
# two machines, call this on both; `node0` is the first one's name, and the port any free one of it:
#
# ```
# torchrun --nnodes 2 --nproc-per-node 8 --rdzv-backend c10d \
#     --rdzv-endpoint node0:29500 train.py
# ```
#
# On GPUs a batch is moved first: `x, y = x.cuda(), y.cuda()`, and what is all-reduced by NCCL lies
# on the GPU, too (`device="cuda"`).

# %% [markdown]
# *Reflect.* In `train` every rank returns the state; only rank 0 should write it: why? (They would
# write the same file at the same time.) What does a rank do that finds its loss not finite and
# leaves the loop with `break`? (It leaves the others in their next all-reduce, where they wait. All
# have to decide alike, by a number that is the same on all ranks.) And with twice as many ranks an
# update covers twice as many samples: what does that ask of the learning rate? (A new look, as with
# every larger batch.)

# %% [markdown] exercise="clip-and-mean"
# ## Numbers of all ranks
#
# **`clip-and-mean` · 7 points · about 35 minutes**
#
# DistributedDataParallel averages gradients. Whatever else a step computes from its batch, each
# rank computes from its shard: the norm that is clipped, the loss that is reported, the mean and
# the variance of a batch norm. Here are three of these, on light ranks. The first, with a draft:


# %% role="given"
def average(model):  # the shards have one size
    for p in model.parameters():
        if p.grad is not None:
            dist.all_reduce(p.grad)
            p.grad /= dist.get_world_size()


def draft(model, max_norm):
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    average(model)
    return norm.item()


# %% [markdown]
# (`clip_grad_norm_` takes the norm of all gradients together, as of one long vector; if that is
# longer than `max_norm`, it scales all of them down to it.)
#
# *Predict.* The gradients of two ranks are (10, 0) and (0, 1), and `max_norm` is 1. What is the
# norm of what the draft leaves behind?
#
# Another one: one rank has the values 1 and 3, the other 11 and 13. Each rank's variance is 1: it
# is the mean of the squares of the distances to the mean. What is the variance of all four?

# %% role="predict"
predict("clip-and-mean", 0.707)
predict("clip-and-mean-variance", 26)

# %% [markdown]
# *See* the draft on four ranks. One of them has met a sample with a long gradient.

# %%
see("clip-and-mean", draft)
reveal("clip-and-mean")

# %% [markdown]
# *Implement* `finish`, which is called after the backward. The shards have one size; a parameter's
# `grad` is None on all ranks or on none. About 2 lines, or 8 without `clip_grad_norm_`.
#
# - After it, all ranks have the mean of the gradients, clipped to `max_norm` as one process with
#   the whole batch does it: by one norm over all parameters. A mean that is shorter than `max_norm`
#   stays as it is.
# - It returns the norm of the mean, from before it was clipped: a number, or a tensor of one.


# %% role="answer"
def finish(model, max_norm):
    """Average the gradients and clip them; return the norm before the clipping."""
    ### BEGIN SOLUTION
    average(model)
    return torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm).item()
    ### END SOLUTION


# %% [markdown]
# *Implement* `mean_loss`: the mean over the samples of all ranks, on every rank. `loss` is a tensor
# of one number, the mean over this rank's `samples`. Ranks may have other numbers of samples, even
# 0: a mean over nothing is NaN, and does not count. One rank at least has some; if the loss of
# samples is NaN, so is the mean, so that it is seen. Return a number, or a tensor of one, and leave
# `loss` as it is. One call of a collective is enough, and more are not right (`all_gather_object`
# makes two: one for the sizes, one for the bytes). About 3 lines.


# %% role="answer"
def mean_loss(loss, samples):
    """The mean loss over the samples of all ranks."""
    ### BEGIN SOLUTION
    pair = torch.tensor([loss.item() * samples if samples else 0.0, samples])
    dist.all_reduce(pair)
    return (pair[0] / pair[1]).item()
    ### END SOLUTION


# %% [markdown]
# *Batch norm.* A layer of it takes mean and variance of each feature from the batch, and in
# training keeps **running** means of both, in buffers. Each rank sees its shard only: with 4
# samples a rank, both are noisy, however large the whole batch is. And the running ones drift
# apart, as here. DistributedDataParallel therefore gives all ranks rank 0's buffers before a
# forward (`forward_sync_buffers`, before PyTorch 2.13 `broadcast_buffers`): they are equal then,
# and made of rank 0's shards alone.

# %%
see("ddp-in-practice/drift")

# %% [markdown]
# *Implement* `moments`, what a batch norm over all ranks needs. `x` has this rank's rows, (N, D) in
# float64. On every rank it returns the pair of mean and variance over the rows of **all** ranks,
# each of shape (D,), and leaves `x` as it is. The variance divides by the number of rows. About 6
# lines.
#
# - Ranks have other numbers of rows, perhaps 0; one at least has some.
# - At most two calls of collectives.
# - Columns may lie far from 0: a mean of 1,000,000 and a standard deviation of 0.01 (to four
#   digits). The mean of the squares less the square of the mean has no right digit there.
#
# (Sums of rows and their number fit into one tensor: `torch.cat`, `x.new_tensor([...])`. For the
# variance there are two ways: once all know the mean, take it off; or each takes its own off, and
# the distances of the ranks' means are added.)


# %% role="answer"
def moments(x):
    """Mean and variance of each column over the rows of all ranks."""
    ### BEGIN SOLUTION
    sums = torch.cat([x.sum(dim=0), x.new_tensor([len(x)])])
    dist.all_reduce(sums)
    mean = sums[:-1] / sums[-1]
    squares = ((x - mean) ** 2).sum(dim=0)
    dist.all_reduce(squares)
    return mean, squares / sums[-1]
    ### END SOLUTION


# %% role="check"
check("clip-and-mean", finish, mean_loss, moments)

# %% [markdown]
# *See* what yours leaves of the same four gradients, and your variance, the farther the data lie
# from 0.

# %%
see("clip-and-mean", finish)
see("ddp-in-practice/far", moments)
reveal("clip-and-mean-variance")

# %% [markdown]
# *Reflect.* Clipping before the reduction is right in one case: which? (Where no rank's gradient is
# longer than the limit. Then nothing is clipped.) And with accumulation, when do you clip? (Once,
# after the last backward of the group, which has averaged.)
#
# `torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)` puts a batch norm over all ranks into a
# model, on GPUs only. What does it cost? (A collective in the forward of each such layer and one in
# its backward. The next layer waits for it, so nothing hides it: with 53 layers of batch norm in
# ResNet-50, 106 latencies a step.) And which moments does an evaluation use? (The running ones, on
# every rank its own: with DistributedDataParallel rank 0's, with SyncBatchNorm those of all.
# Without either, ranks give one sample other scores.)

# %% [markdown]
# **Half-way.** You train on real ranks, and the numbers that they report are those of all samples.
# Next: how many ranks are worth it, and what if one of them dies. A good place for a break.

# %% [markdown] exercise="scaling"
# ## What would 64 GPUs give?
#
# **`scaling` · 7 points · about 35 minutes**
#
# Before you ask for 64 GPUs, work out what they would give. Two questions are meant by that.
# **Weak scaling**: every GPU keeps its batch, and the batch of a step grows. How many times the
# samples a second? **Strong scaling**: the batch of a step stays, and is cut into more shards. How
# many times as fast is a step? The **efficiency** is what the n GPUs reach of n times one: 32 times
# as fast with 64 GPUs is 50%.
#
# *Predict.* A GPU computes a step in 25 ms. Then the 102.2 MB of ResNet-50's gradients go round a
# ring of 64, and nothing is hidden. In percent, which efficiency is reached in weak scaling on 10
# Gb Ethernet (50 µs, 1.25 GB/s)? Which one on InfiniBand NDR (9.6 µs, 50 GB/s)?

# %% role="predict"
predict("scaling", 13)
predict("scaling-infiniband", 83)

# %% [markdown]
# A model of a step, with numbers as in `work` and `net` below. GPUs of a node are joined by a fast
# link, nodes by a slower one.


# %% role="given"
from types import SimpleNamespace

work = SimpleNamespace(
    fixed_s=3e-3,  # of computing, however few samples a GPU has
    sample_s=0.35e-3,  # of computing, for each sample of a GPU
    backward=2 / 3,  # the backward's share of computing
    bytes=102.2e6,  # of all gradients
    last_bytes=1e6,  # of these: the last bucket's
)
net = SimpleNamespace(
    per_node=8,  # GPUs
    within=multi.network.link("nvlink4"),  # .latency_s and .bytes_per_s
    across=multi.network.link("infiniband-ndr"),
)


# %% [markdown]
# *Implement* the seconds of a step in which all ranks together have `batch` samples. About 6 lines.
#
# - **Computing.** Samples are dealt out as evenly as can be. All wait for a rank that has most.
# - **Exchange.** A ring takes 2 (n - 1) messages of S / n bytes, one after another (none with a
#   single rank). Up to `per_node` ranks, and with just as many, all are in one node. With more than
#   that, every step of the ring waits for its slowest message, which goes `across`.
# - **Hidden.** All bytes but the last bucket's go round in one ring, beside the backward. Only what
#   takes longer than the backward counts. The last bucket has a ring of its own, behind it.


# %% role="answer"
def step_s(ranks, batch, work, net):
    """Seconds of a step of `ranks` GPUs."""
    ### BEGIN SOLUTION
    computing = work.fixed_s + math.ceil(batch / ranks) * work.sample_s
    link = net.within if ranks <= net.per_node else net.across

    def ring_s(size):
        return 2 * (ranks - 1) * (link.latency_s + size / ranks / link.bytes_per_s)

    early = ring_s(work.bytes - work.last_bytes)
    return computing + max(0, early - work.backward * computing) + ring_s(work.last_bytes)
    ### END SOLUTION


# %% [markdown]
# *Implement* the efficiency. With `"weak"` each rank has `batch` samples, as the single one has.
# With `"strong"` all ranks together have `batch`, as the single one has. About 4 lines.
#
# Then the largest of several numbers of ranks (a list in any order, which is left as it is) whose
# efficiency is at least `least`; 0 if there is none. More ranks are not always less efficient: 16
# samples on 7 GPUs take as long as on 6 (three on the fullest), and on 8 only two: 8 can be more
# efficient than 7. About 2 lines.


# %% role="answer"
def efficiency(ranks, batch, work, net, scaling):
    """What `ranks` GPUs reach of `ranks` times one."""
    ### BEGIN SOLUTION
    alone = step_s(1, batch, work, net)
    if scaling == "weak":
        return alone / step_s(ranks, ranks * batch, work, net)
    return alone / (ranks * step_s(ranks, batch, work, net))
    ### END SOLUTION


def most_ranks(counts, least, batch, work, net, scaling):
    """The largest of `counts` that is efficient enough."""
    ### BEGIN SOLUTION
    enough = [n for n in counts if efficiency(n, batch, work, net, scaling) >= least]
    return max(enough, default=0)
    ### END SOLUTION


# %% [markdown]
# Weak scaling changes the training, as its batch grows. You know the rules. For k times the batch,
# k times the learning rate with SGD, and the root of k with Adam (for rates well below the cliff,
# behind a warm-up). And
#
# `steps = least * (1 + scale / batch)`
#
# steps to the same loss; `scale` is the noise scale, and `least` for batches as large as you like.
#
# *Implement.* `recipe` is given what is right on one rank: `batch`, the peak of the learning rate,
# and `steps`. Return the three for `ranks` ranks, each with `batch` samples; let the steps be a
# number with a fraction. `optimizer` is `"sgd"` or `"adam"`. About 3 lines.


# %% role="answer"
def recipe(ranks, batch, peak, steps, scale, optimizer):
    """Batch, peak and steps of the same training on `ranks` GPUs."""
    ### BEGIN SOLUTION
    new = ranks * batch
    factor = ranks if optimizer == "sgd" else math.sqrt(ranks)
    return new, peak * factor, steps * (1 + scale / new) / (1 + scale / batch)
    ### END SOLUTION


# %% role="check"
check("scaling", step_s, efficiency, most_ranks, recipe)

# %% [markdown]
# *See* your functions from 1 GPU to 1,024, on two networks; then how many times as fast a training
# gets to the same loss.

# %%
see("scaling", step_s, efficiency)
see("ddp-in-practice/to-a-goal", step_s, recipe)
reveal("scaling")
reveal("scaling-infiniband")

# %% [markdown]
# *Measure.* And for real: a small network in one process of this machine, and in two that talk by
# gloo. It takes some seconds. If each process has a core of its own, the two can be nearly twice as
# fast as one; where they share a core, or a cache, even weak scaling is far from 100%.

# %%
real = measure("scaling")
see("ddp-in-practice/measured", real)

# %% [markdown]
# *Reflect.* On InfiniBand, weak scaling is still above 90% on 128 GPUs: each rank of the ring sends
# nearly twice the bytes, however many share it, and most of that is hidden. What does grow
# with n? (The latencies: 2 (n - 1) for each ring. With 1,024 GPUs half of the time is lost. So
# large runs use trees, or rings in two levels.) Why does
# strong scaling end so soon? (Computing falls to its fixed part, and with it the backward that
# hides; the bytes stay.) And why is a training with 1,024 GPUs done later than with 256? (Far above
# the noise scale, a larger batch saves next to no steps, and each step takes longer.)
#
# What the model leaves out: a rank that is slow today, other jobs on the same network, data that
# come late. A measured efficiency lies below it. By how much is what there is to find out.

# %% [markdown] exercise="survive"
# ## A rank is killed, and nothing is lost
#
# **`survive` · 8 points · about 45 minutes**
#
# Llama 3 was trained on up to 16,384 GPUs. In 54 days its training was interrupted 466 times, 419
# of them unexpected: about one every three hours. When one rank dies, the others wait in a
# collective for somebody who will never come. So a launcher ends all of them, and starts all again,
# from the *first line* of the program. What is not in a file is gone.
#
# On a cluster `torchrun --max-restarts 3 --nproc-per-node 8 train.py` does that; in a notebook
# `multi.launch(function, ranks, restarts=3)`. (PyTorch 2.13 with gloo: set
# `TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1` for `torchrun`, or the ranks of the second start look for
# those of the first, and hang. `multi.launch` sees to it by itself.)

# %% [markdown]
# *Predict.* A checkpoint is written every 30 steps: behind step 30, 60, ... (the first step is step
# 1). In step 200 a rank is killed. How many *finished* steps are lost?
#
# Then: SGD with a momentum of 0.9, and gradients that hardly change from step to step. After a
# restart the weights are right, but the optimizer is a new one. How many times too small is its
# first step?

# %% role="predict"
predict("survive", 19)
predict("survive-momentum", 10)

# %% [markdown]
# A `job` is a training on this rank: `job.model` (it has dropout), `job.optimizer` (SGD with
# momentum) and `job.schedule` (a new learning rate for every step) are PyTorch's. There are
# `job.epochs` epochs of `job.steps` steps. `job.batches(epoch)` is the list of this rank's batches
# in an epoch, the same at every start. `job.step(batch)` makes a step of all ranks: forward,
# backward, mean of the gradients, update, `job.schedule.step()`.
#
# Here is a draft, with some of what is often forgotten.

# %% role="given"
import os


def draft(job, folder, every):
    path, begin = folder / "model.pt", 0
    if path.exists():
        saved = torch.load(path)
        job.model.load_state_dict(saved["model"])
        begin = saved["epoch"] + 1
    for epoch in range(begin, job.epochs):
        for batch in job.batches(epoch):
            job.step(batch)
        if dist.get_rank() == 0:
            torch.save({"model": job.model.state_dict(), "epoch": epoch}, path)


# %% [markdown]
# *See* two real processes train with it. In the first start one of them gets a SIGKILL in the
# middle of an epoch, which no `try` catches. After the restart one is killed when `torch.save` has
# written half of its bytes; after the next, if it gets that far, just before a file gets its name.

# %%
see("survive", draft)

# %% [markdown]
# *Implement* `save(state, path)`; `path` is a `pathlib.Path`. It writes with `torch.save`,
# straight into a file (not into memory first). If the process is killed in any line of it, under
# `path` there is a whole checkpoint: the old one or the new one. About 5 lines.
#
# - Write under another name in the same folder. For paths `a` and `b`, `a.replace(b)` then gives
#   the file `a` the name `b` in one go: whoever opens `b` finds the old file or the new one.
# - What was written stays in the system's memory for some seconds. A machine that loses its power
#   loses it, and may have kept the new name. `os.fsync` of the file's `fileno()` returns when all
#   of it is on the disk: call it before the file gets its name. (`torch.save` empties Python's own
#   buffer at its end; after a `file.write` of yours, `file.flush()` does that.)


# %% role="answer"
def save(state, path):
    """Put `state` under `path`, whole or not at all."""
    ### BEGIN SOLUTION
    waiting = path.with_suffix(".part")
    with waiting.open("wb") as file:
        torch.save(state, file)
        os.fsync(file.fileno())
    waiting.replace(path)
    ### END SOLUTION


# %% [markdown]
# And *implement* `train_job(job, folder, every)`, which every rank calls at every start. `folder`
# is a `pathlib.Path` that all ranks see; it exists, and other files in it stay as they are. About
# 18 lines.
#
# - A checkpoint behind every `every` steps **of the whole run** (through epochs), and one behind
#   its last step. A complete run that is started again trains nothing, and has its final model.
# - After a restart it goes on after the last whole checkpoint, wherever a rank was killed, also
#   between two calls of `save`: no batch twice, none left out.
# - It ends **equal to the bit** to a run in which nobody was killed, on every rank. So a checkpoint
#   holds weights, momentum, the schedule, where it is, and **each rank's own** random state, from
#   which dropout draws.
# - No file is written by two ranks, and all ranks go on from the same step.

# %% [markdown]
# Model, optimizer and schedule have `state_dict()` and `load_state_dict(state)`. Each rank's random
# state is `torch.get_rng_state()`, a tensor, and `torch.set_rng_state(state)` puts it back. (It
# takes a tensor of its own: PyTorch 2.13 crashes on a row of a larger one, of which you make a copy
# with `.clone()`.) `dist.all_gather_object(found, mine)` fills the list `found`, which has a place
# for every rank, with what each rank hands over; all ranks call it. `torch.load(path)` reads
# tensors, numbers, texts, lists and dicts. `divmod(17, 5)` is `(3, 2)`.
#
# The ranks here compute on CPUs. On GPUs two things are added: dropout draws from the GPU's own
# generator, so the checkpoint needs every rank's `torch.cuda.get_rng_state()` as well; and rank 0
# saved tensors of *its* GPU, so each rank reads them with `torch.load(path, map_location="cpu")`
# before it loads them into its own model.


# %% role="answer"
def train_job(job, folder, every):
    """Train to the end, from the last checkpoint if there is one."""
    ### BEGIN SOLUTION
    path, parts = folder / "checkpoint.pt", (job.model, job.optimizer, job.schedule)
    done, last = 0, job.epochs * job.steps
    if path.exists():
        saved = torch.load(path)
        for part, state in zip(parts, saved["parts"], strict=True):
            part.load_state_dict(state)
        torch.set_rng_state(saved["random"][dist.get_rank()])
        done = saved["done"]
    while done < last:
        epoch, place = divmod(done, job.steps)
        job.step(job.batches(epoch)[place])
        done += 1
        if done % every == 0 or done == last:
            random = [None] * dist.get_world_size()
            dist.all_gather_object(random, torch.get_rng_state())
            if dist.get_rank() == 0:
                states = [part.state_dict() for part in parts]
                save({"parts": states, "random": random, "done": done}, path)
    ### END SOLUTION


# %% [markdown]
# The check trains for real: an unbroken run, then one with three deaths in places that are drawn.
# That takes some seconds.

# %% role="check"
check("survive", save, train_job)

# %%
see("survive", save, train_job)
reveal("survive")
reveal("survive-momentum")

# %% [markdown]
# *Reflect.* Why is there no `dist.barrier()` behind rank 0's `save`? (Nobody reads the file before
# the next start. Had every rank a file of its own, as with models that are spread over ranks, one
# could die before it has written and another behind it: then a barrier, and only behind it *one*
# rank notes, in one go, that this step is complete.) What if a restart has fewer ranks, as one
# machine is broken for good? (The batches are other ones, and there are random states too many: it
# goes on, but not to the bit.)
#
# Your checkpoint stands still while it is written. How often would you write it? Every step loses
# nothing and is slow; once a day is the other way round. Two numbers decide: how long one takes,
# and how often you are interrupted.

# %% [markdown]
# ## What you take with you
#
# - DistributedDataParallel averages gradients, and that is all it does: that ranks draw different
#   samples, that an evaluation counts each once, and that a loss is the mean of all, is for you.
# - What a step computes from its batch (a norm to clip, a mean, a variance) is computed from what
#   all ranks have, or behind the reduction; each rank's own number is another one.
# - A run goes on as if nothing had happened if *all* its state is in a file that is whole at every
#   moment: weights, optimizer, schedule, its place in the data, every rank's random state.
#
# **Your number:** the efficiency of two processes that you measured on this machine, weak and
# strong. Which of the two is the lower one, and what does that say of its cores?

# %%
progress()

# %% [markdown]
# ## Sources
#
# - `DistributedDataParallel`: that it broadcasts parameters and buffers when it is made and buffers
#   before a forward (`forward_sync_buffers`; `broadcast_buffers` is deprecated), means over ranks,
#   `no_sync`, buckets of 25 MiB; `DistributedSampler` and its filling up: PyTorch 2.13,
#   `torch.nn.parallel.DistributedDataParallel`, `torch.utils.data.distributed`.
# - What `torchrun` sets, and rendezvous of several machines: PyTorch 2.13, "torchrun (Elastic
#   Launch)".
# - `SyncBatchNorm` gathers each rank's moments in its forward and sums in its backward, on GPUs:
#   PyTorch 2.13, `torch.nn.SyncBatchNorm` and `torch/nn/modules/_functions.py`.
# - Moments of parts, put together: T. F. Chan, G. H. Golub, R. J. LeVeque, *Algorithms for
#   Computing the Sample Variance*, The American Statistician 37 (3), 1983.
# - ResNet-50 has 53 layers of batch norm, one behind each convolution: K. He and others, *Deep
#   Residual Learning for Image Recognition*, CVPR 2016, table 1, and its 4 projections.
# - Interruptions: A. Dubey and others, *The Llama 3 Herd of Models*, 2024, section 3.3.4, table 5
#   (466 in 54 days, 419 of them unexpected; on up to 16,384 GPUs).
# - Restarts: PyTorch 2.13, `torchrun` ("all ranks are restarted"), and
#   `torch.distributed.elastic.agent.server`, where `TORCH_DISABLE_SHARE_RDZV_TCP_STORE` is read.
# - `pathlib.Path.replace`, `os.fsync`, and that Python's buffer has to be flushed before: Python's
#   documentation of `pathlib` and `os`. What is in a `state_dict`, and what `torch.load` reads:
#   PyTorch 2.13.
# - Links and the ring's formula are those of the lesson on collectives; the law of steps and the
#   rules for learning rates those of the lesson on batch size, with their sources. Times of
#   computing are made up.
# - Weak and strong scaling: J. L. Gustafson, *Reevaluating Amdahl's Law*, Communications of the ACM
#   31, 1988.
