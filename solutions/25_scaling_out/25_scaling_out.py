# %% [markdown]
# # How many GPUs pay off, and what if one of them dies?
#
# Llama 3 was trained on up to 16,384 GPUs. Over a period of 54 days its training was interrupted
# 466 times, 419 of them unexpectedly: about once every three hours. The more GPUs you use, the
# sooner something fails, as the figure shows. And the more you use, the less each of them
# contributes.
#
# **You will be able to** work out what 64 GPUs would give you before you ask for them. You will
# write a checkpoint from which a killed training run continues as if nothing had happened.
#
# **You need** the lessons *Buckets and overlap* (how much of an exchange is hidden), *DDP in
# practice* (real processes) and *Learning rate* (what a larger batch does to it). **Time**
# about 85 minutes.

# %% role="setup"
from gpuedu import check, hint, measure, multi, predict, progress, reveal, see, setup

import math

import torch
import torch.distributed as dist

setup("scaling-out")

# %%
see("ddp-in-practice/interruptions")

# %% [markdown] exercise="scaling"
# ## What would 64 GPUs give you?
#
# **`scaling` · 7 points · about 35 minutes**
#
# Before you ask for 64 GPUs, work out what they would give you. There are two ways to use them. In
# **weak scaling**, every GPU keeps its batch, so the batch of a step grows: how many times as many
# samples do you get per second? In **strong scaling**, the batch of a step stays the same and is
# cut into more shards: how many times as fast is a step? The **efficiency** is what n GPUs achieve,
# divided by n times what one does: 32 times as fast with 64 GPUs is 50%.
#
# *Predict.* A GPU computes a step in 25 ms. Then the 102.2 MB of ResNet-50's gradients go around a
# ring of 64, and nothing is hidden. What is the efficiency of weak scaling, in percent, on 10 Gb
# Ethernet (50 µs, 1.25 GB/s)? And on InfiniBand NDR (9.6 µs, 50 GB/s)?

# %% role="predict"
predict("scaling", 13)
predict("scaling-infiniband", 83)

# %% [markdown]
# Here is a model of a step, with numbers like those in `work` and `net` below. The GPUs of a node
# are connected by a fast link, and nodes by a slower one.

# %% role="given"
from types import SimpleNamespace

work = SimpleNamespace(
    fixed_s=3e-3,  # computing, however few samples a GPU has
    sample_s=0.35e-3,  # computing, for each sample of a GPU
    backward=2 / 3,  # the backward pass's share of computing
    bytes=102.2e6,  # of all gradients
    last_bytes=1e6,  # of the last bucket
)
net = SimpleNamespace(
    per_node=8,  # GPUs
    within=multi.network.link("nvlink4"),  # .latency_s and .bytes_per_s
    across=multi.network.link("infiniband-ndr"),
)

# %% [markdown]
# *Implement* `step_s`, the seconds of a step in which all ranks together have `batch` samples.
# About 6 lines.
#
# - **Computing.** Samples are distributed as evenly as possible, and all ranks wait for whichever
#   has the most.
# - **Exchange.** A ring takes 2 (n - 1) messages of S / n bytes in a row (none with a single rank).
#   Up to `per_node` ranks, inclusive, all are in one node. With more, every step of the ring waits
#   for its slowest message, which goes `across`.
# - **Hidden.** All bytes except the last bucket's go around in one ring, during the backward pass.
#   Only the time beyond the backward pass counts. The last bucket has its own ring, after the
#   backward pass.


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
# *Implement* `efficiency`. With `"weak"`, each rank has `batch` samples, and so does the single
# one. With `"strong"`, all ranks together have `batch`, and so does the single one. About 4 lines.
#
# *Implement* `most_ranks`, too: the largest of several numbers of ranks whose efficiency is at
# least `least`, or 0 if there is none. `counts` is a list in any order, and is left as it is. More
# ranks aren't always less efficient: 16 samples on 7 GPUs take as long as on 6 (the fullest has
# three), but on 8 GPUs each has only two, so 8 can be more efficient than 7. About 2 lines.


# %% role="answer"
def efficiency(ranks, batch, work, net, scaling):
    """What `ranks` GPUs achieve, as a share of `ranks` times one."""
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
# Weak scaling changes the training, because its batch grows. You know the usual rules: for k times
# the batch, k times the learning rate with SGD, and the square root of k with Adam. (They hold only
# at rates far below the one at which training breaks, and after a warm-up. For Adam, the rule's
# authors also change beta1, beta2, and epsilon.) And to get to the same loss it takes
#
# `steps = least * (1 + scale / batch)`
#
# steps, where `scale` is the noise scale, and `least` is the number of steps that even the largest
# batches need.

# %% [markdown]
# *Implement* `recipe`. It gets what is right on one rank: `batch`, the peak of the learning rate,
# and `steps`. It returns the same three for `ranks` ranks with `batch` samples each; the steps may
# be a fraction. `optimizer` is `"sgd"` or `"adam"`. About 3 lines.


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
# *See* your functions from 1 GPU to 1,024, on two networks. Then see how many times as fast a
# training run gets to the same loss.

# %%
see("scaling", step_s, efficiency)
see("ddp-in-practice/to-a-goal", step_s, recipe)
reveal("scaling")
reveal("scaling-infiniband")

# %% [markdown]
# *Measure* it for real, too: a small network in one process on this machine, and in two that talk
# through gloo. This takes a few seconds. If each process has its own core, two can be nearly twice
# as fast as one. If they share a core or a cache, even weak scaling is far from 100%.

# %%
real = measure("scaling")
see("ddp-in-practice/measured", real)

# %% [markdown]
# *Reflect.* On InfiniBand, weak scaling is still above 90% on 128 GPUs, because each rank of the
# ring sends nearly twice the gradients' bytes, however many ranks there are, and most of that is
# hidden. So what does grow with n? (The latencies: 2 (n - 1) for each ring. With 1,024 GPUs, half
# of the time is lost, which is why large runs use trees, or rings in two levels.)
#
# Why does strong scaling end so soon? (Computing shrinks to its fixed part, and so does the
# backward pass that hides the exchange; the bytes stay.) And why is a training run on 1,024 GPUs
# done later than one on 256? (Far above the noise scale, a larger batch saves next to no steps, and
# each step takes longer.)
#
# The model leaves out ranks that are slow today, other jobs on the same network, and data that come
# late. So a measured efficiency is lower than the model's, and you have to find out by how much.

# %% [markdown] exercise="survive"
# ## A rank is killed, and nothing is lost
#
# **`survive` · 8 points · about 45 minutes**
#
# When one rank dies, the others wait in a collective for a rank that never comes. So a launcher
# ends all of them, and starts all of them again, from the *first line* of the program. Anything
# that isn't in a file is gone.
#
# On a cluster, `torchrun --max-restarts 3 --nproc-per-node 8 train.py` does that; in a notebook,
# `multi.launch(function, ranks, restarts=3)` does. (With PyTorch 2.13 and gloo, set
# `TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1` for `torchrun`. Otherwise the ranks of the second start
# look for those of the first, and hang. `multi.launch` takes care of that itself.)

# %% [markdown]
# *Predict.* A checkpoint is written every 30 steps: after step 30, 60, and so on (the first step is
# step 1). In step 200 a rank is killed. How many *finished* steps are lost?
#
# And then: you use SGD with a momentum of 0.9, and the gradients hardly change from step to step.
# After a restart, the weights are right, but the optimizer is a new one. By what factor is its
# first step too small?

# %% role="predict"
predict("survive", 19)
predict("survive-momentum", 10)

# %% [markdown]
# A `job` is this rank's training run. `job.model` (which has dropout), `job.optimizer` (SGD with
# momentum), and `job.schedule` (a new learning rate for every step) are PyTorch's. There are
# `job.epochs` epochs of `job.steps` steps. `job.batches(epoch)` is the list of this rank's batches
# in an epoch, the same at every start. `job.step(batch)` makes a step of all ranks: forward pass,
# backward pass, mean of the gradients, update, `job.schedule.step()`.
#
# Here is a draft that leaves out some of what is often forgotten.

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
# *See* two real processes train with it. After the first start, one of them gets a SIGKILL, which
# no `try` can catch, in the middle of an epoch. After the restart, one is killed when `torch.save`
# has written half of its bytes. After the next one, if it gets that far, one is killed just before
# a file gets its name.

# %%
see("survive", draft)

# %% [markdown]
# *Implement* `save(state, path)`, where `path` is a `pathlib.Path`. About 5 lines.
#
# - It writes with `torch.save`, straight into a file (not into memory first).
# - If the process is killed at any line of `save`, there is a whole checkpoint under `path`: the
#   old one or the new one. So write under a different name in the same folder. Then `a.replace(b)`,
#   for paths `a` and `b`, gives the file `a` the name `b` in one go: whoever opens `b` finds either
#   the old file or the new one.
# - That holds even if the machine loses power. For some seconds, what was written is only in the
#   system's memory, while the new name may already be on the disk. `os.fsync` of the file's
#   `fileno()` returns when all of it is on the disk, so call it before the file gets its name.

# %% [markdown]
# (`torch.save` empties Python's own buffer when it's done. After a `file.write` of your own, call
# `file.flush()` before `os.fsync`.)


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
# *Implement* `train_job(job, folder, every)`, too, which every rank calls at every start. `folder`
# is a `pathlib.Path` that all ranks see. About 18 lines.
#
# - The folder exists, and other files in it stay as they are.
# - There is a checkpoint after every `every` steps **of the whole run** (across epochs), and one
#   after its last step. A complete run that is started again trains nothing, and has its final
#   model.
# - After a restart, it continues after the last whole checkpoint, wherever a rank was killed, even
#   between two calls of `save`: no batch counts twice, and none is left out.
# - It ends **bit for bit equal** to a run in which nobody was killed, on every rank.
# - No file is written by two ranks, and all ranks continue from the same step.

# %% [markdown]
# So a checkpoint has to hold the weights, the momentum, the schedule, the place in the run, and
# **each rank's own** random state, from which dropout draws.
#
# Model, optimizer, and schedule have `state_dict()` and `load_state_dict(state)`. A rank's random
# state is `torch.get_rng_state()`, a tensor, and `torch.set_rng_state(state)` puts it back. (Give
# it a tensor of its own: PyTorch 2.13 crashes on a row of a larger one, so make a copy of the row
# with `.clone()`.) All ranks call `dist.all_gather_object(found, mine)`. It fills the list `found`,
# which has one place per rank, with each rank's `mine`. `torch.load(path)` reads tensors, numbers,
# strings, lists, and dicts. `divmod(17, 5)` is `(3, 2)`.


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
# The check trains for real: a run that isn't interrupted, and then one with three deaths in places
# that are drawn at random. That takes a few seconds.

# %% role="check"
check("survive", save, train_job)

# %%
see("survive", save, train_job)
reveal("survive")
reveal("survive-momentum")

# %% [markdown]
# *Reflect.* Why is there no `dist.barrier()` after rank 0's `save`? (Nobody reads the file before
# the next start. If every rank had its own file, as with models that are spread over ranks, one
# could die before it has written its file, and another after. Then you'd need a barrier, after
# which *one* rank records, in one go, that this step is complete.) What if a restart has fewer
# ranks, because one machine is broken for good? (The batches are different ones, and there are too
# many random states. It continues, but not bit for bit.)
#
# Training waits while the checkpoint is written. So how often would you write one? If you write one
# after every step, nothing is lost, but it's slow; once a day is the opposite. Two numbers decide:
# how long it takes to write one, and how often you are interrupted.

# %% [markdown]
# **On GPUs there is more state.** The ranks above compute on CPUs, batches come from a list, and
# nothing is scaled. In a real training run, a checkpoint also needs:
#
# - every rank's `torch.cuda.get_rng_state()`, because on a GPU dropout draws from the GPU's
#   generator
# - the GradScaler's `state_dict()`, if you train in float16: its scale and its count of good steps
# - the loader's place in the epoch. A plain DataLoader starts over, so skip the batches that were
#   used, or use a loader that can save its state (torchdata's `StatefulDataLoader`). If samples are
#   augmented at random, the workers' random states count, too.
#
# And rank 0 saved tensors from *its* GPU, so each rank reads them with
# `torch.load(path, map_location="cpu")`, and then loads them into its own model.

# %% [markdown]
# ## What you take with you
#
# - Weak scaling keeps the batch of each GPU fixed, and strong scaling the batch of all together.
#   Strong scaling ends sooner: there is less to compute on each GPU, but no less to exchange.
# - Twice the samples per second doesn't get you to the same loss twice as fast: far above the noise
#   scale, a larger batch saves next to no steps.
# - A run continues as if nothing had happened if *all* of its state is in a file that is whole at
#   every moment: weights, optimizer, schedule, its place in the data, and every rank's random
#   state.
#
# **Your number:** the efficiency of two processes that you measured on this machine, weak and
# strong. Which of the two is lower, and what does that tell you about its cores?

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Interruptions: A. Grattafiori and others, *The Llama 3 Herd of Models*, 2024, section 3.3.4,
#   table 5 (466 in 54 days, 419 of them unexpected; on up to 16,384 GPUs).
# - Restarts: PyTorch 2.13, `torchrun` ("all ranks are restarted"), and
#   `torch.distributed.elastic.agent.server`, where `TORCH_DISABLE_SHARE_RDZV_TCP_STORE` is read.
# - `pathlib.Path.replace`, `os.fsync`, and that Python's buffer has to be flushed before: Python's
#   documentation of `pathlib` and `os`. What is in a `state_dict`, what `torch.load` reads, the
#   GPU's generator, and the GradScaler's state: PyTorch 2.13, "Saving and loading models",
#   `torch.cuda.get_rng_state` and `torch.amp.GradScaler`. A loader with a state: torchdata,
#   `StatefulDataLoader`.
# - Adam's rule: S. Malladi and others, *On the SDEs and Scaling Rules for Adaptive Gradient
#   Algorithms*, NeurIPS 2022.
# - Links and the ring's formula are those of the lesson *Networks*; the law of steps and the other
#   rules for learning rates are those of the lessons on batch size, with their sources. Times of
#   computing are made up.
# - Weak and strong scaling: J. L. Gustafson, *Reevaluating Amdahl's Law*, Communications of the ACM
#   31, 1988.
