# %% [markdown]
# # What if the optimizer or the model does not fit?
#
# In data parallelism every GPU keeps a whole copy: of the weights, of their gradients, and of what
# the optimizer remembers. That is 16 bytes for each parameter, so 7.5 billion parameters take
# 120 GB on *every* GPU, and more GPUs don't help. But the copies are all equal. Why keep each of
# them n times? **Sharding** gives every rank a piece, and lets it fetch the rest when it needs it.
#
# **You will be able to** say what each stage of sharding saves, and at what peak; shard the
# optimizer, the gradients and the weights yourself, without waiting for what travels; do the same
# with PyTorch's FSDP; and save a model so that any number of ranks can load it.
#
# **You need** data parallelism, and the collectives reduce-scatter and all-gather.
# **Time** about 185 minutes.

# %% role="setup"
import itertools
import math

import torch
import torch.distributed as dist

from gpuedu import check, hint, predict, progress, reveal, see, setup

setup("sharding")

# %%
see("sharding/copies")

# %% [markdown] exercise="memory-by-stage"
# ## What does each rank keep?
#
# **`memory-by-stage` · 5 points · about 20 minutes**
#
# A run in mixed precision with Adam keeps these bytes for each parameter:
#
# | | bytes | shared out from |
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
# Real layers don't divide evenly. What is shared out is cut layer by layer: a layer of n parameters
# is **padded** with zeros to a multiple of the ranks, and every rank keeps one of the equal pieces.
# What isn't shared out has no padding.
#
# *Implement.* `kept_bytes` returns three numbers: the bytes of weights, gradients and states that
# *one* rank keeps from step to step. `layers` lists how many parameters each layer has.


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
# A rank can only compute with a whole layer. So weights and gradients that are shared out have to
# be whole for a moment, with their padding, and that comes on top of what is kept:
#
# - **Stage 2.** The backward pass makes the whole gradient of a layer. A reduce-scatter turns it
#   into the rank's piece of the sum, and the whole one is freed before the next layer computes.
# - **Stage 3.** As in stage 2, and a layer's weights are gathered before it computes, and freed
#   after. While a layer goes backward, the weights of the layer *before* it are gathered already,
#   so that nobody waits for them: two layers' weights and one gradient. Layer 0 has none before it.
#
# Stages 0 and 1 keep whole weights and gradients anyway. Activations are not counted here.
#
# *Implement.* `peak_bytes` returns the most bytes that one rank has at once in a step.
# `stage_needed` returns the lowest stage whose peak is at most `memory_bytes`, since each further
# stage sends more; and `math.inf` where none fits.


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
# *Reflect.* Which stage takes the largest step down, and why is it the first one? (The states are
# 12 of the 16 bytes.) What becomes of the bars on 8 ranks, or on 1,024? Add the number to the call,
# `see(..., 1024)`, and look. Sharding the weights saves 2 of 16 bytes. Why is stage 3 still the one
# that changes everything? (Without it, every rank keeps the 2 bytes of each weight: with enough
# ranks that is nearly all there is, and no number of GPUs makes it smaller.)

# %% [markdown] exercise="sharded-optimizer"
# ## An optimizer in pieces
#
# **`sharded-optimizer` · 7 points · about 30 minutes**
#
# Stage 1. In data parallelism all ranks have the same gradients after the all-reduce, so all of
# them compute the same update, with the same numbers of the optimizer. Instead, each rank can
# update *its piece* of the weights and keep the optimizer's numbers for that piece only. Then the
# new weights have to reach everybody.
#
# *Predict.* An all-reduce is a reduce-scatter followed by an all-gather. How many times its bytes
# does a step send that scatters the gradients and gathers the weights?

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
# *Implement* the step that every rank makes after its backward pass. All ranks have the same
# weights, and gradients of their own parts of the batch, which are equally large. About 17 lines.
#
# - `weights` is the list of the model's parameters, in the same order on all ranks. One that
#   doesn't require a gradient is frozen: it stays as it is. One that this rank didn't use has None
#   as its `.grad`, which counts as zeros.
# - `update(name, piece, gradient)` changes `piece`, a tensor, in place. The optimizer keeps its
#   numbers by `name`, for as many weights as the piece has. Use the same name, and pieces of the
#   same size, in every step. Which optimizer it is, you don't need to know.
# - When `step` returns, every rank has all the new weights: those of one process that had the mean
#   gradient of the whole batch.
#
# Weights are float64 here. `dist.reduce_scatter_tensor` and `dist.all_gather_into_tensor` want
# equal pieces, and the model's weights rarely divide by the ranks: pad.


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
# *Reflect.* But for the padding, the step sends what an all-reduce sends, so stage 1 costs nothing.
# What does each rank still have whole? (Weights and gradients.) Adam's update looks at each weight
# by itself. What would a rank be missing for an optimizer that looks at a whole matrix, such as
# Muon, or that clips by the norm of all gradients? (The rest of the matrix. And for the norm, one
# number from every rank: the sum of the squares of its piece.)

# %% [markdown] exercise="sharded-gradients"
# ## Gradients in pieces
#
# **`sharded-gradients` · 7 points · about 25 minutes**
#
# Stage 2. A rank that updates a piece of the weights needs only that piece of the mean gradient.
# The backward pass makes gradients one layer at a time, from the last layer to the first. So each
# rank can reduce a layer's gradient to its piece and free the whole one before the next layer's is
# made.
#
# *Predict.* A step has 4 micro-batches. In stage 1, a rank adds up their gradients and reduces the
# sum once. In stage 2, it reduces each layer's gradient as soon as it is there, in every
# micro-batch. How many times as many bytes of gradients does it send?

# %% role="predict"
predict("sharded-gradients", 4)

# %% [markdown]
# Here is a draft that all-reduces each weight's gradient, and adds its piece. *See* the gradients
# that it leaves behind.


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
# *Implement* `reduce_layer`, which every rank calls when the backward pass of a layer is done: from
# the last layer to the first, for one micro-batch after another. About 10 lines.
#
# - `weights` are the layer's parameters, with this rank's gradients. One that doesn't require a
#   gradient is frozen, and has no place in `piece`. One that this rank didn't use has None as its
#   `.grad`, which counts as zeros.
# - `piece` is this rank's part of the layer's gradient: a flat tensor, equally long on all ranks.
#   Joined in the order of the ranks, the pieces are the layer's flat gradient, padded with zeros.
#   **Add** the mean over the ranks to it: it is zero at the start of a step, and a step may have
#   several micro-batches.
# - When `reduce_layer` returns, no gradient of the layer is left whole: each `.grad` is None.
# - It sends one reduce-scatter, and no more.
#
# Then the course updates the pieces and gathers the weights, as you did in stage 1.


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
# *Reflect.* In data parallelism you saved messages by exchanging once for several micro-batches.
# Why does stage 2 have to choose between that and its memory? (Until they are exchanged, gradients
# have to be whole.) How large is the peak if the model is one single layer? (As large as without
# sharding, and the piece comes on top: it is the *largest layer* that counts.)

# %% [markdown] exercise="fsdp"
# ## Gather, use, free
#
# **`fsdp` · 7 points · about 35 minutes**
#
# Stage 3, *fully sharded data parallel*. A rank keeps only its piece of each layer's weights. It
# gathers a layer's weights before the layer computes, and frees them right afterwards: in the
# forward pass, and once more in the backward pass.
#
# *Predict.* Data parallelism sends each gradient in a reduce-scatter and an all-gather. How many
# times its bytes does fully sharded training send, if a weight has as many bytes as a gradient?

# %% role="predict"
predict("fsdp", 1.5)

# %% [markdown]
# What is sent again costs time, unless it travels while something else computes. So ask for the
# next layer's weights *before* you compute with this one's: **prefetch** them.


# %% role="given"
def gather(piece, allocate):
    """Start to gather a layer; return its buffer, and what to wait for before you use it."""
    buffer = allocate(dist.get_world_size() * len(piece))
    work = dist.all_gather_into_tensor(buffer, piece, async_op=True)
    return buffer, work


# %% [markdown]
# `gather` returns at once. `work.wait()` returns when `buffer` is filled.
#
# *Implement* the two passes of a step, in about 12 lines each. `pieces[k]` is this rank's piece of
# layer k's flat weights, padded with zeros to equal pieces.
#
# - `buffer = allocate(n)` takes n numbers of the GPU's memory, float64, filled with NaN.
#   `free(buffer)` gives them back. All whole weights and gradients are in such buffers.
# - `forward(k, weights)` computes layer k, with its gathered weights. It is called for layer 0, 1,
#   2 and so on.

# %% [markdown]
# - `backward(k, weights, gradient)` puts the layer's gradient for this rank's samples into another
#   buffer, as long as `weights`. It is called from the last layer to layer 0.
# - The last layer is needed twice in a row, so it stays: `forward_pass` returns its buffer, and
#   `backward_pass` gets it as `weights`. All other layers are gathered twice.
# - `backward_pass` returns a list, whose entry k is this rank's piece of layer k's gradient, in an
#   ordinary tensor: the mean over the ranks, which have equally many samples.

# %% [markdown]
# Besides the gradients, these are judged:
#
# - **Memory.** While a layer computes, there are its weights, those of the layer that comes next,
#   and in the backward pass its gradient. Nothing else: a gradient is reduced and freed before the
#   next layer computes. At the end, all buffers are freed.
# - **Time.** All gathers but the first one travel while a layer computes.
# - **Bytes.** The last layer is gathered once, all others twice, and each gradient is reduced once.


# %% role="answer"
def forward_pass(pieces, allocate, free, forward):
    """Compute all layers; return the buffer of the last one."""
    ### BEGIN SOLUTION
    last = len(pieces) - 1
    ahead = gather(pieces[0], allocate)
    for k in range(last + 1):
        weights, work = ahead
        work.wait()
        if k < last:
            ahead = gather(pieces[k + 1], allocate)
        forward(k, weights)
        if k < last:
            free(weights)
    return weights
    ### END SOLUTION


# %% role="answer"
def backward_pass(pieces, weights, allocate, free, backward):
    """Go back through all layers; return this rank's piece of each gradient."""
    ### BEGIN SOLUTION
    gradients = [torch.empty_like(piece) for piece in pieces]
    for k in reversed(range(len(pieces))):
        if k > 0:
            ahead = gather(pieces[k - 1], allocate)
        whole = allocate(len(weights))
        backward(k, weights, whole)
        free(weights)
        dist.reduce_scatter_tensor(gradients[k], whole, op=dist.ReduceOp.AVG)
        free(whole)
        if k > 0:
            weights, work = ahead
            work.wait()
    return gradients
    ### END SOLUTION


# %% role="check"
check("fsdp", forward_pass, backward_pass)

# %% [markdown]
# *See* your step below one that gathers everything at once and keeps it, as stage 2 does.

# %%
see("fsdp", forward_pass, backward_pass)
reveal("fsdp")

# %% [markdown]
# *Reflect.* Where does rank 0 still wait, and what could it compute meanwhile? (For each
# reduce-scatter. It could compute the next layer, if there were room for one gradient more.
# PyTorch's FSDP does that.) On a slower network a gather takes longer than a layer. What helps?
# (Layers that compute longer: a larger batch.) Why are layers often grouped into larger units, and
# what does that cost? (Fewer, larger messages, for more memory.)

# %% [markdown] exercise="fsdp2-in-practice"
# ## FSDP in PyTorch
#
# **`fsdp2-in-practice` · 7 points · about 35 minutes**
#
# PyTorch gathers and frees for you. You say *what* is gathered together: each call of `fully_shard`
# makes a **unit** of those parameters in a module that are in no unit yet. Every parameter of a
# unit is cut along its rows. One all-gather makes a unit whole before its module computes, and one
# reduce-scatter takes its gradients.
#
# *Predict.* A model of 70 billion parameters trains on 64 GPUs, each of which keeps 1/64 of it.
# Somebody calls `fully_shard(model)`, and nothing else. How many GB of bfloat16 weights are on each
# GPU while it computes?

# %% role="predict"
predict("fsdp2-in-practice", 140)

# %% [markdown]
# *See* what two real ranks do then, with a model of three blocks.


# %% role="given"
def draft_shard(model, fully_shard):
    fully_shard(model)


# %%
see("fsdp2-in-practice", draft_shard)

# %% [markdown]
# *Implement* `shard`, in about 4 lines. The model has its blocks in `model.blocks`, a list with at
# least one of them. It also has an embedding, a norm, a head, which may share the embedding's
# matrix, and a parameter of its own.
#
# - Each block is a unit, and the model itself is one, with everything else. What is in no unit
#   stays whole, and nobody sums its gradients.
# - `reshard_after_forward` says whether a unit's weights are freed after its forward pass and
#   gathered again for its backward pass. All blocks are freed except the last one, which goes
#   backward right away. The model's own unit stays, too. (If you don't say it, the outermost unit
#   stays and all others are freed.)
# - All weights travel in bfloat16 (`param_dtype`), and all gradients are summed in float32
#   (`reduce_dtype`). A call sets the dtypes of its own unit only.

# %% [markdown]
# The `fully_shard` that you get takes these three arguments, and no others. Outside of this course,
# the two dtypes are in one object, and the ranks are in a mesh:
#
# ```python
# from torch.distributed.device_mesh import init_device_mesh
# from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
#
# mesh = init_device_mesh("cuda", (64,))
# policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
# fully_shard(block, mesh=mesh, reshard_after_forward=False, mp_policy=policy)
# ```
#
# Then the optimizer is made, of parameters that are pieces by now, and the training loop is the
# one that you know, with `torch.nn.utils.clip_grad_norm_` and all.


# %% role="answer"
def shard(model, fully_shard):
    """Make the units: `fully_shard(module, reshard_after_forward=..., param_dtype=..., ...)`."""
    ### BEGIN SOLUTION
    dtypes = {"param_dtype": torch.bfloat16, "reduce_dtype": torch.float32}
    for block in model.blocks:
        fully_shard(block, reshard_after_forward=block is not model.blocks[-1], **dtypes)
    fully_shard(model, reshard_after_forward=False, **dtypes)
    ### END SOLUTION


# %% [markdown]
# *Implement* what a training step costs, for any units. `units` is a list of
# `(numbers, is_freed)`: how many weights a unit has, and whether they are freed after its forward
# pass. The first one is the model's own, which may be freed, too. The others compute in this order.
#
# - `messages(units)` returns how many all-gathers and how many reduce-scatters a step has.
# - `gathered_bytes(shapes, ranks)` returns how many bytes a unit has in bfloat16 when all pieces
#   are gathered, with their padding. `shapes` lists those of its parameters, each of which is cut
#   into pieces of equally many rows.
# - `peak(units)` returns the most weights that are whole at once: always those of the model's own
#   unit, those of the one that computes, and of those before it that stay. (What is gathered ahead,
#   and not in use yet, doesn't count here.)


# %% role="answer"
def messages(units):
    """All-gathers and reduce-scatters of a step."""
    ### BEGIN SOLUTION
    return len(units) + sum(is_freed for _, is_freed in units), len(units)
    ### END SOLUTION


def gathered_bytes(shapes, ranks):
    """Bytes of a unit's weights in an all-gather."""
    ### BEGIN SOLUTION
    rows = [ranks * math.ceil(shape[0] / ranks) for shape in shapes]
    return sum(2 * n * math.prod(shape[1:]) for n, shape in zip(rows, shapes))
    ### END SOLUTION


def peak(units):
    """The most weights that are whole at once."""
    ### BEGIN SOLUTION
    stays = most = units[0][0]
    for numbers, is_freed in units[1:]:
        most = max(most, stays + numbers)
        if not is_freed:
            stays += numbers
    return most
    ### END SOLUTION


# %% role="check"
check("fsdp2-in-practice", shard, messages, gathered_bytes, peak)

# %% [markdown]
# *See* your units on two real ranks, which train with `clip_grad_norm_` and AdamW.

# %%
see("fsdp2-in-practice", shard, messages, peak)
reveal("fsdp2-in-practice")

# %% [markdown]
# *Reflect.* What if every `nn.Linear` were a unit? Try it with `see`. (Less is whole at once, but
# there are more and smaller messages, each with its latency.) What happens if the model's own unit
# is made first? (It takes all parameters, and nothing is left for the blocks: PyTorch refuses.) Why
# is float32 worth its bytes in a reduce-scatter? (Each of many ranks adds a little to a sum, and in
# bfloat16 a little is soon lost.) When would you keep all blocks, `reshard_after_forward=False`?
# (With enough memory: a step then gathers each weight once, as stage 2 does.)

# %% [markdown] exercise="checkpoint-shards"
# ## A checkpoint for any number of ranks
#
# **`checkpoint-shards` · 7 points · about 35 minutes**
#
# Training runs for weeks, so it is saved, and it often goes on with another number of GPUs. Each
# rank can write what it holds into a file of its own, if a list of **chunks** says which numbers of
# which tensor are where. A rank that loads reads what it needs from this list and these files, and
# needn't know how many ranks have saved. This is what `torch.distributed.checkpoint` does.
#
# *Predict.* A model of 70 billion parameters is saved by 1,024 ranks that write 2 GB/s each.
# Without its gradient, each parameter has 14 bytes, so one rank alone would need 490 s. How many
# seconds do all of them need?

# %% role="predict"
predict("checkpoint-shards", 0.478)

# %% [markdown]
# Here is a draft, in which every rank writes all that it has: `held[rank]` says which range of each
# tensor that is, `pieces` has the numbers, and `write` appends some to the rank's file. *See* what
# two real ranks write of a model that PyTorch's `fully_shard` has cut, beside what PyTorch writes.


# %% role="given"
def draft_save(rank, held, pieces, write):
    ranges = held[rank]
    return [(name, *ranges[name], write(values)) for name, values in pieces.items()]


# %%
see("checkpoint-shards", draft_save)

# %% [markdown]
# *Implement* `save`, which every rank calls, in about 7 lines.
#
# - `held[r]` is a dict of what rank r holds: for the name of a tensor, its range `(start, stop)`,
#   so the numbers `start` to `stop - 1` of the flat tensor. (Rows of a matrix are such a range,
#   too.) An empty range has `start == stop`. Ranges of two ranks are equal, or have nothing in
#   common. A rank may lack a name altogether.
# - `pieces` has this rank's flat tensors, by the same names. A piece may be longer than its range:
#   what comes after it is padding.
# - `write(values)` appends a flat tensor to this rank's file, and returns the place of its first
#   number there. It refuses a tensor that has no numbers.
# - `save` returns a list of what this rank wrote: `(name, start, stop, place)`.
# - Together the ranks write every number exactly once, and no padding.

# %% [markdown]
# *Implement* `load`, in about 12 lines. It's called on the ranks of the new run.
#
# - `needed` is a dict of what this rank needs: for the name of a tensor, a range `(start, stop)`,
#   which may be empty. It needn't name all tensors.
# - `chunks` is the list of all that was saved, in any order: `(name, start, stop, file, place)`.
#   No number is in two of them.
# - `read(file, place, count)` returns `count` numbers of a file, at least one, from `place` on.
# - `load` returns a dict of flat tensors, float64, as long as the ranges. It reads each number that
#   the rank needs once, in as many calls as you like, and nothing else.
# - If something that the rank needs is in no chunk, `load` raises ValueError.


# %% role="answer"
def save(rank, held, pieces, write):
    ### BEGIN SOLUTION
    chunks = []
    for name, values in pieces.items():
        start, stop = held[rank][name]
        owners = [r for r, ranges in enumerate(held) if ranges.get(name) == (start, stop)]
        if start < stop and rank == owners[0]:
            chunks.append((name, start, stop, write(values[: stop - start])))
    return chunks
    ### END SOLUTION


def load(needed, chunks, read):
    ### BEGIN SOLUTION
    found = {}
    for name, (first, last) in needed.items():
        values, count = torch.zeros(last - first, dtype=torch.float64), 0
        for chunk, start, stop, file, place in chunks:
            low, high = max(start, first), min(stop, last)
            if chunk == name and low < high:
                values[low - first : high - first] = read(file, place + low - start, high - low)
                count += high - low
        if count < last - first:
            raise ValueError(f"{name}: {last - first - count} numbers are in no chunk")
        found[name] = values
    return found
    ### END SOLUTION


# %% role="check"
check("checkpoint-shards", save, load)

# %% [markdown]
# *See* three real ranks load what two have saved. For other numbers of ranks that load, write
# `see("checkpoint-shards", save, load, 1)`.

# %%
see("checkpoint-shards", save, load)
reveal("checkpoint-shards")

# %% [markdown]
# In PyTorch, both are one line each. `save` leaves files `__0_0.distcp`, `__1_0.distcp` and so on,
# and a file `.metadata` with the chunks. `load` fills the tensors that it gets in place:
#
# ```python
# import torch.distributed.checkpoint as dcp
#
# dcp.save({"model": model.state_dict()}, checkpoint_id="step-1000")
# state = {"model": model.state_dict()}  # of the new run, however it is cut
# dcp.load(state, checkpoint_id="step-1000")
# ```

# %% [markdown]
# *Reflect.* Who saved what is the same everywhere: the first rank, or another one? (PyTorch gives
# it to the rank that has least to write so far. That's why `step` is in rank 1's file.) The ranks
# wait while they write. How could training go on meanwhile? (Copy the pieces into the host's memory
# first, and write from there: `dcp.async_save`.) What if a rank dies while it writes? (The list of
# chunks comes last, so there is none, and the checkpoint before is still whole.)

# %% [markdown] exercise="hybrid-shard"
# ## Shard inside, replicate across
#
# **`hybrid-shard` · 6 points · stretch · about 30 minutes**
#
# Full sharding over many nodes gathers every layer through the slow network between them, twice in
# each step. But a model often fits the GPUs of *one* node. In **hybrid sharding**, PyTorch's
# `HYBRID_SHARD`, every node has all weights once, cut into pieces, and the nodes are replicas of
# each other. Then weights never leave a node, and only gradients do.
#
# *Predict.* There are 2 nodes of 8 GPUs, and each GPU has its own network card to the other node.
# Fully sharded over all 16, a step gathers each layer twice and reduces it once, each time in one
# ring through all GPUs, in the order of their ranks. What does the busiest card send then, divided
# by what it sends with hybrid sharding?

# %% role="predict"
predict("hybrid-shard", 22.5)

# %% [markdown]
# Here is a draft that gives the right weights, but goes over all ranks every time. (It sends twice
# what full sharding would, since its nodes have copies of the pieces and it all-reduces whole
# gradients.) *See* what two nodes of four ranks send in a step. A ring in the order of the ranks
# leaves them at ranks 3 and 7.


# %% role="given"
def draft_groups(per_node):
    return per_node


def draft_gather(piece, per_node):
    copies = piece.new_empty(dist.get_world_size() * len(piece))
    dist.all_gather_into_tensor(copies, piece)
    return copies[: per_node * len(piece)]


def draft_reduce(gradient, per_node):
    dist.all_reduce(gradient, op=dist.ReduceOp.AVG)
    each = math.ceil(len(gradient) / per_node)
    whole = torch.nn.functional.pad(gradient, (0, each * per_node - len(gradient)))
    return whole.view(per_node, each)[dist.get_rank() % per_node]


# %%
see("hybrid-shard", draft_groups, draft_gather, draft_reduce)

# %% [markdown]
# *Implement* three functions, in about 17 lines. Node 0 has the ranks from 0 to `per_node - 1`,
# node 1 the next ones, and so on; all nodes have equally many.
#
# - `make_groups(per_node)` is called once, on every rank. What it returns is up to you: the others
#   get it as `groups`. `dist.new_group(list of ranks)` makes a group. Every rank has to make every
#   group, in the same order, even those that it isn't in.
# - A layer's flat weights are padded with zeros to a multiple of `per_node` and cut into equal
#   pieces. The rank at place p of *each* node has piece p. `gather_weights(piece, groups)` returns
#   the whole layer, padding included. It is called before the forward pass of a layer, and again
#   before its backward pass.
# - `reduce_gradient(gradient, groups)` gets this rank's flat gradient of a layer, without padding,
#   and returns the rank's piece of the mean over *all* ranks, which have equally many samples.

# %% [markdown]
# - To other nodes, no rank sends more than an all-reduce of its piece of each gradient takes.
# - Inside a node, a step sends no more than two all-gathers and one reduce-scatter of each layer.
#
# Weights are float64 here. There may be a single node, or one rank in each node.


# %% role="answer"
def make_groups(per_node):
    """The groups of this rank: its node, and the ranks with its place in all nodes."""
    ### BEGIN SOLUTION
    ranks, rank = dist.get_world_size(), dist.get_rank()
    nodes = [
        dist.new_group(list(range(first, first + per_node))) for first in range(0, ranks, per_node)
    ]
    places = [dist.new_group(list(range(place, ranks, per_node))) for place in range(per_node)]
    return nodes[rank // per_node], places[rank % per_node]
    ### END SOLUTION


def gather_weights(piece, groups):
    """A layer's flat weights, with their padding."""
    ### BEGIN SOLUTION
    node, _ = groups
    whole = piece.new_empty(len(piece) * dist.get_world_size(node))
    dist.all_gather_into_tensor(whole, piece, group=node)
    return whole
    ### END SOLUTION


# %% role="answer"
def reduce_gradient(gradient, groups):
    """This rank's piece of the mean over all ranks."""
    ### BEGIN SOLUTION
    node, place = groups
    per_node = dist.get_world_size(node)
    whole = torch.nn.functional.pad(gradient, (0, -len(gradient) % per_node))
    piece = whole.new_empty(len(whole) // per_node)
    dist.reduce_scatter_tensor(piece, whole, group=node)
    dist.all_reduce(piece, group=place)
    return piece / dist.get_world_size()
    ### END SOLUTION


# %% role="check"
check("hybrid-shard", make_groups, gather_weights, reduce_gradient)

# %%
see("hybrid-shard", make_groups, gather_weights, reduce_gradient)
reveal("hybrid-shard")

# %% [markdown]
# *Reflect.* NCCL builds several rings, each of which leaves a node through another card, so all
# cards share the load. What is left of the 22.5 then, in the example of 16 GPUs? (2.8. Fully
# sharded, 2.8 layers leave each of the 2 nodes. With hybrid sharding, each of 16 cards sends 1/8 of
# a layer, so 1 layer leaves each node.) What does it cost? (Memory: a piece is 1/8 of a layer here,
# instead of 1/16, however many nodes there are.) With 1,000 nodes, what else is shorter? (The
# rings: gathering weights takes 7 steps instead of 7,999.)

# %% [markdown] exercise="offload"
# ## The optimizer on the host
#
# **`offload` · 6 points · stretch · about 35 minutes**
#
# With one GPU there is nobody to share with, but there is the host's memory, which is larger and
# cheaper. ZeRO-Offload keeps the optimizer's states there, and the float32 weights with them: 12 of
# the 16 bytes. The backward pass sends each layer's gradient to the host, the CPU updates the
# layer, and its new weights, in 16 bits, come back. All of that can happen while the GPU is busy
# with the layers that go backward next.

# %% [markdown]
# *Predict.* A GPU computes the backward pass at 400 TFLOP/s. Its link carries 64 GB/s each way, and
# the CPU's memory 300 GB/s. For each parameter, a gradient of 2 bytes goes to the host, and a
# weight of 2 bytes comes back. Adam's update reads and writes 28 bytes of the host's memory. The
# backward pass computes 4 operations for each parameter and token. How many tokens does a batch
# need at least, so that the GPU waits only for the last layer's trip?

# %% role="predict"
predict("offload", 9334)

# %% [markdown]
# Here is a draft, on the simulated device that you know from streams. `device.buffer(bytes, name)`
# allocates, `device.copy(to, source, stream)` copies, and `device.launch(kernel, reads=[...],
# writes=[...], stream=stream)` computes. `device.stream(name)` makes a stream; without one, work
# goes to `device.default_stream`. `device.event()` makes an event: `event.record(stream)` marks a
# point in a stream. Until the stream gets there, `other.wait_event(event)` holds another stream,
# and `event.synchronize()` the host. *See* who waits.


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
# *Implement* two functions. The first takes about 18 lines.
#
# - `offload_step` makes a step's backward pass, from the last layer to layer 0. `backward[k]` is a
#   kernel that reads `weights[k]`, on the device, and writes a gradient to a buffer on the device.
# - `gradients[k]` and `updated[k]` are pinned buffers on the host. `update(k)` keeps the host busy,
#   reads `gradients[k]`, and puts the new weights into `updated[k]`. All these buffers have the
#   same size. Leave the lists unchanged.
# - When it returns, all new weights are on the device. There is no race.
# - Each gradient goes to the host once, and each layer's weights go to the device once.
# - On the device, you allocate room for two layers' gradients at most, all in all.
# - The kernel, each way of the link and the host work at the same time. The step takes at most 3%
#   longer than all four take for one layer, plus the slowest of them for each further layer.

# %% [markdown]
# - `tokens_to_hide` returns the smallest number of tokens in a batch, at least 1, with which a
#   layer's backward pass takes at least as long as each of the other stages. Take the 4 operations,
#   2 bytes each way and 28 bytes from above.


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
# *Reflect.* What is left that nobody hides? (The trip of the layer that goes backward last, layer
# 0, which is the one that the next forward pass needs first.) Why does it help to do the forward
# pass with *old* weights for one step, which ZeRO-Offload calls a delayed update? (Then the trip of
# all layers may take until the step after.) With gradient accumulation, which of the stages happen
# once in a step, however many micro-batches there are? (The update, and the weights' way back. The
# gradients have to be added up somewhere: on the device, where they take memory, or on the host,
# and then they travel each time.)

# %% [markdown]
# ## What you take with you
#
# - Stage 1 shares out the optimizer's states, 12 of 16 bytes; stage 2 the gradients; stage 3 the
#   weights. What isn't shared out stays the same however many ranks there are.
# - What is shared out has to be whole while a layer computes, so the peak depends on the largest
#   layers, and not only on the sum.
# - Stage 1 sends what data parallelism sends anyway, and stage 3 half as much again. What travels
#   while a layer computes costs no time.
#
# **Your number:** on how many GPUs of 80 GB a model of yours would fit, by stage.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Stages, 16 bytes for each parameter, and the example of 7.5 billion parameters on 64 GPUs:
#   S. Rajbhandari, J. Rasley, O. Ruwase, Y. He, *ZeRO: Memory Optimizations Toward Training
#   Trillion Parameter Models*, SC 2020, arXiv:1910.02054, section 3.1 and figure 1.
# - Pieces of equal size, padding, gathering before a layer and freeing after it, and prefetching in
#   the backward pass: Y. Zhao et al., *PyTorch FSDP: Experiences on Scaling Fully Sharded Data
#   Parallel*, VLDB 2023, arXiv:2304.11277, sections 3.2 and 3.3; hybrid sharding: there, section
#   3.2.2, and `ShardingStrategy.HYBRID_SHARD` in the documentation of PyTorch's FSDP.
# - Units, what is freed after the forward pass, dtypes, and rows as pieces: PyTorch 2.13,
#   "torch.distributed.fsdp.fully_shard".
# - Files and metadata of a checkpoint, the rank that writes what several have, and `async_save`:
#   PyTorch 2.13, "Distributed Checkpoint - torch.distributed.checkpoint", and `dedup_save_plans` in
#   `torch/distributed/checkpoint/_dedup_save_plans.py`.
# - The optimizer on the host, each gradient sent as soon as it is there, and the delayed update:
#   J. Ren et al., *ZeRO-Offload: Democratizing Billion-Scale Model Training*, USENIX ATC 2021,
#   arXiv:2101.06840, sections 3 to 5. 64 GB/s each way: PCIe 5 with 16 lanes, NVIDIA, data sheet of
#   the H100 PCIe. The 400 TFLOP/s and 300 GB/s are assumed; the 28 bytes are counted: weight,
#   momentum and variance in float32, read and written, a gradient and a new weight in 16 bits.
