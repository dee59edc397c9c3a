# %% [markdown]
# # What if the optimizer does not fit?
#
# In data parallelism every GPU keeps a full copy of the weights, of their gradients, and of what
# the optimizer remembers about them. With Adam in mixed precision that's 16 bytes per parameter, so
# a model of 7.5 billion parameters takes 120 GB on *every* GPU, and adding GPUs doesn't help. But
# all these copies are identical, so why keep every one of them? **Sharding** gives each rank one
# piece and lets it fetch the rest when it needs it.
#
# **You will be able to** say what each stage of sharding saves, and what it needs at its peak;
# shard the optimizer; and shard the gradients.
#
# **You need** *Data parallelism*, and reduce-scatter and all-gather from *Collectives*. **Time**
# about 80 minutes, without the stretch exercise.

# %% role="setup"
from gpuedu import check, hint, predict, progress, reveal, see, setup

import itertools
import math

import torch
import torch.distributed as dist

setup("sharding")

# %%
see("sharding/copies")

# %% [markdown] exercise="memory-by-stage"
# ## What does each rank keep?
#
# **`memory-by-stage` · 5 points · about 20 minutes**
#
# A training run in mixed precision with Adam keeps these bytes per parameter:
#
# | | bytes | sharded from |
# |---|---|---|
# | **states**: the float32 copy of the weight, and Adam's two numbers | 12 | stage 1 |
# | **gradient**, in bfloat16 | 2 | stage 2 |
# | **weight**, in bfloat16 | 2 | stage 3 |
#
# The stages are those of ZeRO, the *zero redundancy optimizer*. Stage 0 is plain data parallelism.
#
# *Predict.* A model of 7.5 billion parameters trains on 64 ranks in stage 1. How many GB does each
# rank keep?

# %% role="predict"
predict("memory-by-stage", 31.4)

# %% [markdown]
# Sharding works layer by layer. Real layers don't divide evenly, so a layer of n parameters is
# **padded** with zeros up to a multiple of the number of ranks, and each rank keeps one of the
# equal pieces. Whatever isn't sharded has no padding.
#
# *Implement* `kept_bytes`. It returns three numbers: the bytes of weights, of gradients and of
# states that *one* rank keeps from step to step. `layers` lists how many parameters each layer has.


# %% role="answer"
def kept_bytes(layers, ranks, stage):
    """Bytes of weights, gradients and states that one rank keeps."""
    ### BEGIN SOLUTION
    whole = sum(layers)
    share = sum(math.ceil(n / ranks) for n in layers)
    weights = 2 * (share if stage >= 3 else whole)
    gradients = 2 * (share if stage >= 2 else whole)
    states = 12 * (share if stage >= 1 else whole)
    return weights, gradients, states
    ### END SOLUTION


# %% [markdown]
# A rank can compute only with a whole layer. So sharded weights and gradients have to be whole for
# a moment, padding included, and that comes on top of what the rank keeps:
#
# - **Stage 2.** The backward pass makes the whole gradient of a layer. A reduce-scatter turns it
#   into the rank's piece of the sum, and the whole gradient is freed before the next layer
#   computes.
# - **Stage 3.** Gradients are handled as in stage 2. In addition, a layer's weights are gathered
#   before it computes and freed afterwards. While a layer is in its backward pass, the weights of
#   the layer *before* it are already being gathered, so that nobody has to wait for them. That
#   makes two layers' weights and one gradient. Layer 0 has no layer before it.

# %% [markdown]
# Stages 0 and 1 keep whole weights and gradients anyway, so nothing is added. Activations aren't
# counted here.
#
# *Implement* `peak_bytes` and `stage_needed`. `peak_bytes` returns the most bytes that one rank has
# at once in a step. `stage_needed` returns the lowest stage whose peak is at most `memory_bytes`,
# because a higher stage may send more. If no stage fits, it returns `math.inf`.


# %% role="answer"
def peak_bytes(layers, ranks, stage):
    """The most bytes that one rank has at once in a step."""
    ### BEGIN SOLUTION
    full = [2 * ranks * math.ceil(n / ranks) for n in layers]
    passing = 0
    if stage == 2:
        passing = max(full)
    if stage == 3:
        passing = max(before + 2 * size for before, size in itertools.pairwise([0, *full]))
    return sum(kept_bytes(layers, ranks, stage)) + passing
    ### END SOLUTION


def stage_needed(layers, ranks, memory_bytes):
    """The lowest stage that fits."""
    ### BEGIN SOLUTION
    for stage in range(4):
        if peak_bytes(layers, ranks, stage) <= memory_bytes:
            return stage
    return math.inf
    ### END SOLUTION


# %% role="check"
check("memory-by-stage", kept_bytes, peak_bytes, stage_needed)

# %% [markdown]
# *See* the four stages for a model of 7.5 billion parameters in 36 equal layers, on 64 ranks.

# %%
see("memory-by-stage", kept_bytes, peak_bytes)
reveal("memory-by-stage")

# %% [markdown]
# *Reflect.* Which stage saves the most, and why does it come first? (Stage 1: the states are 12 of
# the 16 bytes.) What do the bars look like on 8 ranks, or on 1,024? Add the number to the call, as
# in `see(..., 1024)`, and look. Sharding the weights saves only 2 of the 16 bytes, so why is stage
# 3 the one that changes everything? (Without it, every rank keeps the 2 bytes of each weight. With
# enough ranks that's nearly all that is left, and adding GPUs doesn't make it any smaller.)

# %% [markdown] exercise="sharded-optimizer"
# ## An optimizer in pieces
#
# **`sharded-optimizer` · 7 points · about 30 minutes**
#
# Let's start with stage 1. In data parallelism all ranks have the same gradients after the
# all-reduce, so all of them compute the same update from the same optimizer states. Instead, each
# rank can update only *its piece* of the weights, and keep the optimizer's states for that piece
# alone. After that, the new weights have to reach every rank.
#
# *Predict.* An all-reduce is a reduce-scatter followed by an all-gather. Suppose a step
# reduce-scatters the gradients and all-gathers the weights. How many times the bytes of an
# all-reduce does it send?

# %% role="predict"
predict("sharded-optimizer", 1)

# %% [markdown]
# Here is a draft: plain data parallelism, in which every rank updates every weight. *See* what four
# ranks keep.


# %% role="given"
def draft(weights, update):
    for number, w in enumerate(weights):
        dist.all_reduce(w.grad, op=dist.ReduceOp.AVG)
        update(number, w, w.grad)


# %%
see("sharded-optimizer", draft)

# %% [markdown]
# *Implement* `step`, which every rank calls after its backward pass. All ranks have the same
# weights, and each has the gradients of its own part of the batch; the parts are equally large.
# About 17 lines.
#
# - `weights` lists the model's parameters, in the same order on all ranks. One that doesn't require
#   a gradient is frozen, and stays as it is. One that this rank didn't use has None as its `.grad`,
#   which counts as zeros.
# - `update(name, piece, gradient)` changes the tensor `piece` in place. The optimizer stores its
#   states by `name`, for as many weights as the piece has, so use the same name and a piece of the
#   same size in every step. You don't need to know which optimizer it is.

# %% [markdown]
# - When `step` returns, every rank has all the new weights. They are those of a single process with
#   the mean gradient of the whole batch.
# - On n ranks, no rank's optimizer keeps states for more than 1/n of the weights and some padding.
# - A step sends no more than an all-reduce of the gradients would, apart from a little padding.
#
# Weights are float64 here. `dist.reduce_scatter_tensor` and `dist.all_gather_into_tensor` need
# equal pieces, but the number of weights is rarely a multiple of the number of ranks, so pad.


# %% role="answer"
def step(weights, update):
    ### BEGIN SOLUTION
    ranks, rank = dist.get_world_size(), dist.get_rank()
    trained = [w for w in weights if w.requires_grad]
    grads = [torch.zeros_like(w) if w.grad is None else w.grad for w in trained]

    def padded(tensors):
        flat = torch.cat([one.flatten() for one in tensors])
        return torch.nn.functional.pad(flat, (0, -len(flat) % ranks))

    with torch.no_grad():
        whole = padded(grads)
        gradient = torch.empty(len(whole) // ranks, dtype=whole.dtype)
        dist.reduce_scatter_tensor(gradient, whole)
        piece = padded(trained).view(ranks, -1)[rank]
        update("mine", piece, gradient / ranks)
        dist.all_gather_into_tensor(whole, piece)
        at = 0
        for w in trained:
            w.copy_(whole[at : at + w.numel()].view_as(w))
            at += w.numel()
    ### END SOLUTION


# %% role="check"
check("sharded-optimizer", step)

# %%
see("sharded-optimizer", step)
reveal("sharded-optimizer")

# %% [markdown]
# *Reflect.* Apart from padding, the step sends exactly what an all-reduce sends, so stage 1 saves
# memory without sending any more. What does each rank still have whole? (Weights and gradients.)
# Adam updates each weight by itself. What would a rank be missing if the optimizer needed a whole
# matrix, as Muon does, or clipped by the norm of all gradients? (The rest of the matrix. And for
# the norm, one number from each rank: the sum of squares of its piece.)
#
# PyTorch has `torch.distributed.optim.ZeroRedundancyOptimizer`. It gets gradients that DDP has
# all-reduced, and shares out whole parameters. Each rank broadcasts the ones that it has updated,
# so a step sends half again as much.

# %% [markdown] exercise="sharded-gradients"
# ## Gradients in pieces
#
# **`sharded-gradients` · 7 points · about 25 minutes**
#
# Now stage 2. A rank that updates one piece of the weights needs only that piece of the mean
# gradient. And the backward pass doesn't make all gradients at once: it goes layer by layer, from
# the last to the first. So as soon as a layer's gradient is ready, each rank can reduce it to its
# piece and free the whole one, before the next layer's is made.
#
# *Predict.* A step has 4 micro-batches. In stage 1, a rank adds up their gradients and reduces the
# sum once. In stage 2, it reduces each layer's gradient as soon as it's ready, in every
# micro-batch. How many times as many bytes of gradients does it send?

# %% role="predict"
predict("sharded-gradients", 4)

# %% [markdown]
# Here is a draft that all-reduces each weight's gradient and adds its own piece. *See* the
# gradients that it leaves behind.


# %% role="given"
def draft_gradients(weights, piece):
    rank, each = dist.get_rank(), len(piece)
    for w in weights:
        dist.all_reduce(w.grad, op=dist.ReduceOp.AVG)
    flat = torch.cat([w.grad.flatten() for w in weights])
    mine = flat[rank * each : (rank + 1) * each]
    piece[: len(mine)] += mine


# %%
see("sharded-gradients", draft_gradients)

# %% [markdown]
# *Implement* `reduce_layer`. Every rank calls it when a layer's backward pass is done: from the
# last layer to the first, for one micro-batch after another. About 10 lines.
#
# - `weights` are the layer's parameters, with this rank's gradients. One that doesn't require a
#   gradient is frozen, and has no place in `piece`. One that this rank didn't use has None as its
#   `.grad`, which counts as zeros.
# - `piece` is this rank's part of the layer's gradient: a flat tensor, equally long on all ranks.
#   Joined in the order of the ranks, the pieces are the layer's flat gradient, padded with zeros.
# - **Add** the mean over the ranks to `piece`. It's zero at the start of a step, and a step may
#   have several micro-batches.

# %% [markdown]
# - When `reduce_layer` returns, no gradient of the layer is left whole: each `.grad` is None.
# - It sends one reduce-scatter, and nothing else.
#
# At the end of the step, we update the pieces and gather the weights, as you did in stage 1.


# %% role="answer"
def reduce_layer(weights, piece):
    ### BEGIN SOLUTION
    ranks = dist.get_world_size()
    trained = [w for w in weights if w.requires_grad]
    grads = [torch.zeros_like(w) if w.grad is None else w.grad for w in trained]
    flat = torch.cat([grad.flatten() for grad in grads])
    whole = torch.nn.functional.pad(flat, (0, ranks * len(piece) - len(flat)))
    mine = torch.empty_like(piece)
    dist.reduce_scatter_tensor(mine, whole)
    piece += mine / ranks
    for w in weights:
        w.grad = None
    ### END SOLUTION


# %% role="check"
check("sharded-gradients", reduce_layer)

# %%
see("sharded-gradients", reduce_layer)
reveal("sharded-gradients")

# %% [markdown]
# *Reflect.* In data parallelism you sent less by exchanging gradients only once for several
# micro-batches. Why does stage 2 have to choose between that and its memory? (Until gradients are
# exchanged, they have to be whole.) And how much memory do gradients take at the peak if the whole
# model is a single layer? (As much as without sharding, plus the piece. What counts is the *largest
# layer*.)

# %% [markdown] exercise="offload"
# ## The optimizer on the host
#
# **`offload` · 6 points · stretch · about 35 minutes**
#
# With a single GPU there is nobody to share with. But there is the host's memory, which is larger
# and cheaper. ZeRO-Offload keeps the optimizer's states there, and with them the float32 weights
# and the gradients: 14 of the 16 bytes. During the backward pass, each layer's gradient goes to the
# host, the CPU updates the layer, and the new weights come back in 16 bits. All of this can happen
# while the GPU is busy with the backward pass of the layers that follow. (ZeRO-Offload itself
# updates after the backward pass, and so does anyone who clips by the norm of all gradients.)

# %% [markdown]
# *Predict.* A GPU computes the backward pass at 400 TFLOP/s. Its link carries 64 GB/s each way, and
# the CPU's memory 300 GB/s. For each parameter, a gradient of 2 bytes goes to the host and a weight
# of 2 bytes comes back, and Adam's update reads and writes 28 bytes of the host's memory. The
# backward pass takes 4 operations per parameter and token. How many tokens does a batch need, at
# the very least, so that the GPU waits only for the last layer's round trip?

# %% role="predict"
predict("offload", 9334)

# %% [markdown]
# Here is a draft, on the simulated device that you know from *Copies and streams*.
# `device.buffer(bytes, name)` allocates, `device.copy(to, source, stream)` copies, and
# `device.launch(kernel, reads=[...], writes=[...], stream=stream)` computes. `device.stream(name)`
# makes a stream; if you name none, work goes to `device.default_stream`. `device.event()` makes an
# event, and `event.record(stream)` marks a point in a stream. Until the stream gets there,
# `other.wait_event(event)` holds up another stream, and `event.synchronize()` holds up the host.
# *See* who waits.


# %% role="given"
def draft_step(device, backward, weights, gradients, updated, update):
    buffer = device.buffer(gradients[0].size_bytes, "gradient")
    for k in reversed(range(len(weights))):
        device.launch(backward[k], reads=[weights[k]], writes=[buffer])
        device.copy(gradients[k], buffer)
        device.synchronize()
        update(k)
        device.copy(weights[k], updated[k])
    device.synchronize()


# %%
see("offload", draft_step)

# %% [markdown]
# *Implement* two functions. The first, `offload_step`, takes about 18 lines.
#
# - `offload_step` makes a step's backward pass, from the last layer to layer 0. `backward[k]` is a
#   kernel that reads `weights[k]`, on the device, and writes a gradient to a buffer on the device.
# - `gradients[k]` and `updated[k]` are pinned buffers on the host. `update(k)` keeps the host busy,
#   reads `gradients[k]`, and puts the new weights into `updated[k]`. All these buffers have the
#   same size. Leave the lists unchanged.
# - When it returns, all new weights are on the device. There is no race.
# - Each gradient goes to the host once, and each layer's weights go to the device once.
# - On the device, you allocate room for at most two layers' gradients in all.

# %% [markdown]
# - The kernel, each direction of the link, and the host all work at the same time. The step takes
#   at most 3% longer than one layer's trip through all four, plus the slowest of the four for each
#   further layer.
# - `tokens_to_hide` returns the smallest number of tokens in a batch, at least 1, for which a
#   layer's backward pass takes at least as long as each of the other three: two copies and an
#   update. Take the 4 operations, 2 bytes each way and 28 bytes from above.


# %% role="answer"
def offload_step(device, backward, weights, gradients, updated, update):
    """A backward pass whose optimizer is on the host."""
    ### BEGIN SOLUTION
    run, down, up = (device.stream(name) for name in ("run", "down", "up"))
    buffers = [device.buffer(gradients[0].size_bytes, f"gradient {i}") for i in range(2)]
    written, copied = ([device.event() for _ in weights] for _ in range(2))
    order = list(reversed(range(len(weights))))
    for place, k in enumerate(order):
        buffer = buffers[place % 2]
        if place >= 2:
            run.wait_event(copied[k + 2])
        device.launch(backward[k], reads=[weights[k]], writes=[buffer], stream=run)
        written[k].record(run)
        down.wait_event(written[k])
        device.copy(gradients[k], buffer, down)
        copied[k].record(down)
    for k in order:
        copied[k].synchronize()
        update(k)
        device.copy(weights[k], updated[k], up)
    device.synchronize()
    ### END SOLUTION


# %% role="answer"
def tokens_to_hide(flop_per_s, link_bytes_per_s, host_bytes_per_s):
    """The smallest number of tokens that hides the link and the host."""
    ### BEGIN SOLUTION
    slower_s = max(2 / link_bytes_per_s, 28 / host_bytes_per_s)
    return max(1, math.ceil(slower_s * flop_per_s / 4))
    ### END SOLUTION


# %% role="check"
check("offload", offload_step, tokens_to_hide)

# %%
see("offload", offload_step)
reveal("offload")

# %% [markdown]
# *Reflect.* What is left that nothing hides? (The round trip of the layer whose backward pass comes
# last. That's layer 0, the one that the next forward pass needs first.) ZeRO-Offload can use
# weights that are one step old, which it calls a delayed update. Why does that help? (Then the
# trips may take until the end of the next step.) With gradient accumulation, which of the four
# happen once per step, however many micro-batches there are? (The update, and the weights' trip
# back. The gradients have to be added up somewhere: either on the device, where they take memory,
# or on the host, and then they travel for each micro-batch.)

# %% [markdown]
# In PyTorch, `fully_shard(..., offload_policy=CPUOffloadPolicy())` keeps each rank's pieces of
# weights, gradients and states on the host, and the optimizer runs there. You'll meet `fully_shard`
# in *Fully sharded*.

# %% [markdown]
# ## What you take with you
#
# - Stage 1 shards the optimizer's states, 12 of the 16 bytes. Stage 2 also shards the gradients,
#   and stage 3 the weights. What isn't sharded takes the same memory however many ranks there are.
# - A layer's gradient has to be whole while it's computed, so the peak depends on the largest
#   layer, and not only on the total.
# - Apart from padding, stage 1 sends no more than data parallelism does. Stage 2 sends the
#   gradients again for every micro-batch.
#
# **Your number:** how many GPUs of 80 GB a model of yours needs, stage by stage.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - The stages, 16 bytes per parameter, and the example of 7.5 billion parameters on 64 GPUs: S.
#   Rajbhandari, J. Rasley, O. Ruwase, Y. He, *ZeRO: Memory Optimizations Toward Training Trillion
#   Parameter Models*, SC 2020, arXiv:1910.02054, section 3.1 and figure 1.
# - `ZeroRedundancyOptimizer` and `CPUOffloadPolicy`: documentation of PyTorch 2.13, "Distributed
#   Optimizers" and "torch.distributed.fsdp.fully_shard".
# - The optimizer on the host, each gradient sent as soon as it's ready, and the delayed update: J.
#   Ren et al., *ZeRO-Offload: Democratizing Billion-Scale Model Training*, USENIX ATC 2021,
#   arXiv:2101.06840, sections 3 to 5. 64 GB/s each way: PCIe 5 with 16 lanes, NVIDIA, data sheet of
#   the H100 PCIe. The 400 TFLOP/s and 300 GB/s are assumed. The 28 bytes are counted: weight,
#   momentum and variance in float32, read and written, a gradient and a new weight in 16 bits.
