# %% [markdown]
# # What changes when it is real?
#
# Start a script for one GPU on eight of them. It runs, the loss falls, and there is no error. What
# you get is eight models. And even when you do it right, more can go wrong silently: a norm, a
# loss, or a mean that each rank computes from its own samples is a different number on every rank.
#
# **You will be able to** train with PyTorch's own data parallelism in real processes, and say which
# numbers all ranks have to agree on.
#
# **You need** the lesson *Data parallelism*, and a training loop in PyTorch. **Time**
# about 80 minutes.

# %% role="setup"
from gpuedu import check, hint, measure, predict, progress, reveal, see, setup

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

setup("ddp-in-practice")

# %% [markdown] exercise="torch-ddp"
# ## PyTorch's own DDP
#
# **`torch-ddp` · 8 points · about 40 minutes**
#
# Here is a script for one GPU. `data[i]` is sample i and its class, `batch` is how many samples are
# computed at once, and `every` is how many batches make an update.

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
# And if it's done right: there are 103 samples on two ranks, with batches of 8 on each rank. Four
# batches make an update; the last update of an epoch may have fewer. How many times per epoch does
# a rank exchange its gradients?

# %% role="predict"
predict("torch-ddp-draft", "two models")
predict("torch-ddp", 2)

# %% [markdown]
# *See* it in two **real processes** on this machine. Each made its model from its own random state.
# Starting the first ones takes a few seconds.

# %%
see("torch-ddp", draft)
reveal("torch-ddp-draft")

# %% [markdown]
# `ddp = DistributedDataParallel(model)` wraps a model. That copies the parameters and buffers of
# rank 0 to every rank. From then on, the backward pass of whatever `ddp(x)` returned averages the
# gradients over the ranks, in buckets, while it runs. `ddp.module` is the model itself, and
# `ddp.state_dict()` has `module.` before each name. Inside the block of `with ddp.no_sync():`
# nothing is exchanged, as long as the **forward** pass is in it, too.
#
# `DistributedSampler(data)` draws a rank's share, and pads it, so that all ranks have the same
# number of batches, of the same sizes. A `DataLoader` takes it as `sampler=`.

# %% [markdown]
# *Implement* `train_epoch`, which every rank calls with its own list of batches `(x, y)`: the same
# number on all ranks, of the same sizes. A group is `every` batches in a row, and makes one update.
# The last group of an epoch may have fewer batches, and its last batch fewer samples. About 13
# lines.
#
# - An update is the one that a single process would make if all samples of the group, from all
#   ranks, were one batch. Its loss is the mean of their cross-entropies.
# - Only one batch fits at a time: each has its forward pass, and then its backward pass.
# - The gradients are exchanged once per group, by `ddp` itself. Besides that, you may all-reduce a
#   number or two per batch.

# %% [markdown]
# - It returns, on all ranks, the mean loss over the samples of all ranks, as a number or a tensor
#   with one element. A sample's loss is the one from the forward pass it was trained with.
# - The list is left as it is.
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
# *Implement* `train`, the training, with your `train_epoch`. The process group already exists. The
# models of the ranks start with different weights; rank 0's are the ones that count. About 8 lines.
#
# - `batch` and `every` are per rank. `optimizer_for(parameters)` makes an optimizer. It may have
#   momentum, so make only one, and use it for all epochs.
# - Over all ranks, an epoch draws every sample, and repeats samples only as padding. Each epoch has
#   its own order. (Load the batches in this process: no workers.)
# - It returns a pair: a state dict that fits a model which was never wrapped, the same on all
#   ranks, and the list of the epochs' losses. (No model here has a batch norm, whose running
#   statistics could differ between ranks after the last step.)


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
# *Implement* `accuracy`, the evaluation: the share of `data` that a model gets right, which means
# that its highest score is at the sample's class. `model` is not wrapped, and it is in evaluation
# mode. About 8 lines.
#
# - All ranks call it, and all return the share over all samples, as a number or a tensor with one
#   element.
# - Each sample is evaluated once, on one rank. There may be fewer samples than ranks, but there is
#   at least 1.
#
# (`torch.utils.data.Subset(data, indices)` is a data set of those samples. A share computed from
# float32 numbers is exact enough.)


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
# *See* yours in the same two processes, next to a single process that takes all samples itself.

# %%
see("torch-ddp", train)
reveal("torch-ddp")

# %% [markdown]
# *Measure* a group of three batches in two processes, on a larger model with 6 layers. Computing
# and sending share this machine's cores, so the times differ in every run. Look for the backward
# passes without an all-reduce, and for the buckets of the last one. (The loss has an all-reduce,
# too.)

# %%
real = measure("torch-ddp", train_epoch)
see("ddp-in-practice/real-group", real)

# %% [markdown]
# To train outside a notebook, put your functions into a file, with this at its end:
#
# ```python
# import os
#
# if __name__ == "__main__":
#     torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
#     dist.init_process_group("nccl")  # without GPUs: "gloo", and no calls to cuda
#     state, losses = train(make_model().cuda(), data, 10, 64, 4, make_optimizer)
#     if dist.get_rank() == 0:
#         torch.save(state, "model.pt")
#     dist.destroy_process_group()
# ```

# %% [markdown]
# `torchrun --nproc-per-node 8 train.py` starts it on the 8 GPUs of one machine. It sets `RANK`,
# `LOCAL_RANK` (the rank within a machine), `WORLD_SIZE`, and the address at which the ranks find
# each other. With two machines, run this on both, where `node0` is the name of the first one, and
# the port is any free one on it:
#
# ```
# torchrun --nnodes 2 --nproc-per-node 8 --rdzv-backend c10d \
#     --rdzv-endpoint node0:29500 train.py
# ```
#
# On GPUs, move each batch first: `x, y = x.cuda(), y.cuda()`. What NCCL all-reduces has to be on
# the GPU as well (`device="cuda"`).

# %% [markdown]
# *Reflect.* In `train`, every rank returns the state, but only rank 0 should write it to a file.
# Why? (Otherwise all of them would write the same file at the same time.)
#
# What happens if a rank finds that its loss isn't finite, and leaves the loop with `break`? (The
# others wait for it in their next all-reduce. All ranks have to decide alike, by a number that is
# the same on all of them.)
#
# And with twice as many ranks, an update covers twice as many samples. What does that mean for the
# learning rate? (You have to revisit it, as with any larger batch.)

# %% [markdown] exercise="clip-and-mean"
# ## Numbers over all ranks
#
# **`clip-and-mean` · 7 points · about 35 minutes**
#
# DistributedDataParallel averages gradients. Anything else that a step computes from its batch,
# each rank computes from its own shard: the norm to clip by, the loss to report, the mean and
# variance of a batch norm. Here are three of these, on light ranks. The first one comes with a
# draft:


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
# (`clip_grad_norm_` takes the norm of all gradients together, as if they were one long vector. If
# that is longer than `max_norm`, it scales all of them down to it.)
#
# *Predict.* The gradients of two ranks are (10, 0) and (0, 1), and `max_norm` is 1. What is the
# norm of what the draft leaves behind?
#
# And a second one: one rank has the values 1 and 3, and the other 11 and 13. Each rank's variance
# is 1: the mean of the squared distances from its mean. What is the variance of all four values?

# %% role="predict"
predict("clip-and-mean", 0.707)
predict("clip-and-mean-variance", 26)

# %% [markdown]
# *See* the draft on four ranks. One of them got a sample with a long gradient.

# %%
see("clip-and-mean", draft)
reveal("clip-and-mean")

# %% [markdown]
# *Implement* `finish`, which is called after the backward pass. The shards have the same size, and
# a parameter's `grad` is None on all ranks or on none. About 2 lines, or 8 without
# `clip_grad_norm_`.
#
# - Afterwards all ranks have the mean of the gradients, clipped to `max_norm` as a single process
#   with the whole batch would do it: by one norm over all parameters. A mean that is shorter than
#   `max_norm` stays as it is.
# - It returns the norm of the mean before clipping, as a number or a tensor with one element.


# %% role="answer"
def finish(model, max_norm):
    """Average the gradients and clip them; return the norm before the clipping."""
    ### BEGIN SOLUTION
    average(model)
    return torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm).item()
    ### END SOLUTION


# %% [markdown]
# *Implement* `mean_loss`, which returns the mean over the samples of all ranks, on every rank, as a
# number or a tensor with one element. `loss` is a tensor with one number, the mean over this rank's
# `samples`. About 3 lines.
#
# - Ranks may have different numbers of samples, even 0, but at least one rank has some. A mean over
#   no samples is NaN, and doesn't count.
# - If the loss of actual samples is NaN, so is the mean: you want to see that.
# - It calls a single collective. (`all_gather_object` makes two: one for the sizes, one for the
#   bytes.)
# - `loss` is left as it is.


# %% role="answer"
def mean_loss(loss, samples):
    """The mean loss over the samples of all ranks."""
    ### BEGIN SOLUTION
    pair = torch.tensor([loss.item() * samples if samples else 0.0, samples])
    dist.all_reduce(pair)
    return (pair[0] / pair[1]).item()
    ### END SOLUTION


# %% [markdown]
# *Batch norm.* Such a layer takes the mean and variance of each feature from the batch, and during
# training it keeps **running** means of both, in buffers. Each rank sees only its own shard. With 4
# samples per rank, both are noisy, however large the whole batch is; and the running ones drift
# apart, as you see here. That's why DistributedDataParallel copies rank 0's buffers to all ranks
# before a forward pass (`forward_sync_buffers`, before PyTorch 2.13 `broadcast_buffers`). After
# that they are equal, but they come from rank 0's shards alone.

# %%
see("ddp-in-practice/drift")

# %% [markdown]
# *Implement* `moments`, which is what a batch norm over all ranks needs. `x` has this rank's rows:
# (N, D), in float64. On every rank, it returns the mean and the variance over the rows of **all**
# ranks, as a pair of shape (D,) each. The variance divides by the number of rows. About 6 lines.
#
# - Ranks have different numbers of rows, perhaps 0, but at least one rank has some.
# - It calls at most two collectives.
# - The values in a column may be far from 0. With a mean of 1,000,000 and a standard deviation of
#   0.01, for example, the variance is still right to four digits. (The mean of the squares minus
#   the square of the mean has no correct digit there.)
# - `x` is left as it is.

# %% [markdown]
# (Sums of rows and their number fit into one tensor: `torch.cat`, `x.new_tensor([...])`. There are
# two ways to get the variance. Either all ranks find out the mean, and subtract it. Or each
# subtracts its own, and then the distances between the ranks' means are added in.)


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
# *See* what yours leaves of the same four gradients, and how good your variance is as the data move
# away from 0.

# %%
see("clip-and-mean", finish)
see("ddp-in-practice/far", moments)
reveal("clip-and-mean-variance")

# %% [markdown]
# *Reflect.* When does clipping before the reduction do no harm? (If no rank's gradient is longer
# than the limit: then nothing is clipped.) And with accumulation, when do you clip? (Once, after
# the group's last backward pass, which does the averaging. With a GradScaler, call `unscale_`
# before you clip.)
#
# `torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)` gives a model batch norms over all ranks,
# on GPUs only. What does it cost? (One collective in the forward pass of each such layer, and one
# in its backward pass. The next layer waits for it, so nothing hides it: with 53 batch norms in
# ResNet-50, that's 106 collectives in a step, each with its latency.)

# %% [markdown]
# And which moments does an evaluation use? (The running ones that each rank has. With
# DistributedDataParallel those are rank 0's, if you call the wrapped model: after the last step,
# they differ until its next forward pass. With SyncBatchNorm they come from all ranks' samples.
# Without either, two ranks give the same sample different scores.)

# %% [markdown]
# ## What you take with you
#
# - DistributedDataParallel copies rank 0's model and buffers, and averages gradients. That's all it
#   does. It's up to you to see that ranks draw different samples, that an evaluation counts each
#   sample once, and that a loss is the mean over all of them.
# - Anything a step computes from its batch (a norm to clip by, a mean, a variance) has to come from
#   all ranks' samples, or be computed after the reduction. Otherwise each rank gets a different
#   number.
# - On real hardware, `torchrun` starts your script once per GPU, and tells each process which rank
#   it is.
#
# **Your number:** in the group that you measured, the share of the all-reduces' time during which a
# layer was computed.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - `DistributedDataParallel`: that it broadcasts parameters and buffers when it is made, and
#   buffers before a forward pass (`forward_sync_buffers`; `broadcast_buffers` is deprecated), means
#   over ranks, `no_sync`, buckets of 25 MiB; `DistributedSampler` and its padding: PyTorch 2.13,
#   `torch.nn.parallel.DistributedDataParallel`, `torch.utils.data.distributed`.
# - What `torchrun` sets, and rendezvous of several machines: PyTorch 2.13, "torchrun (Elastic
#   Launch)". `unscale_` before clipping: there, "Automatic Mixed Precision examples".
# - `SyncBatchNorm` gathers each rank's moments in its forward pass and sums in its backward pass,
#   on GPUs: PyTorch 2.13, `torch.nn.SyncBatchNorm` and `torch/nn/modules/_functions.py`.
# - Moments of parts, put together: T. F. Chan, G. H. Golub, R. J. LeVeque, *Algorithms for
#   Computing the Sample Variance*, The American Statistician 37 (3), 1983.
# - ResNet-50 has 53 layers of batch norm, one after each convolution: K. He and others, *Deep
#   Residual Learning for Image Recognition*, CVPR 2016, table 1, and its 4 projections.
