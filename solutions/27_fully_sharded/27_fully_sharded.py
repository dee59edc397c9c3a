# %% [markdown]
# # What if the model does not fit?
#
# The weights of a model with 70 billion parameters take 140 GB in 16 bits. You can shard its
# optimizer and its gradients over as many GPUs as you like, but as long as every GPU keeps all the
# weights, none of them ever gets below 140 GB. So **fully sharded** training shards the weights
# too. Each GPU keeps only a piece of every layer. The layer is put together right before it
# computes, and freed right after.
#
# **You will be able to** shard the weights yourself, so that they travel while something else
# computes; do the same with PyTorch's FSDP; and save a model so that any number of ranks can load
# it.
#
# **You need** *Sharding*. **Time** about 110 minutes, without the stretch exercise.

# %% role="setup"
from gpuedu import check, hint, predict, progress, reveal, see, setup

import math

import torch
import torch.distributed as dist

setup("fully-sharded")

# %%
see("sharding/floor")

# %% [markdown] exercise="fsdp"
# ## Gather, use, free
#
# **`fsdp` · 7 points · about 35 minutes**
#
# This is stage 3 of ZeRO, known in PyTorch as *fully sharded data parallel*. A rank keeps only its
# piece of each layer's weights. It gathers a layer's weights before the layer computes and frees
# them right afterwards: once in the forward pass, and once more in the backward pass.
#
# *Predict.* Data parallelism sends each gradient in a reduce-scatter and an all-gather. If a weight
# has as many bytes as a gradient, how many times as many bytes does fully sharded training send?

# %% role="predict"
predict("fsdp", 1.5)

# %% [markdown]
# The extra messages cost time, unless they travel while something else computes. So ask for the
# next layer's weights *before* you compute with this one's: **prefetch** them.


# %% role="given"
def gather(piece, allocate):
    """Start to gather a layer; return its buffer, and what to wait for before you use it."""
    buffer = allocate(dist.get_world_size() * len(piece))
    work = dist.all_gather_into_tensor(buffer, piece, async_op=True)
    return buffer, work


# %% [markdown]
# `gather` returns at once, and `work.wait()` returns when `buffer` is filled.
#
# *Implement* the two passes of a step, in about 12 lines each. `pieces[k]` is this rank's piece of
# layer k's flat weights, which are padded with zeros and cut into equal pieces.
#
# - `buffer = allocate(n)` takes room for n float64 numbers from the GPU's memory, filled with NaN,
#   and `free(buffer)` gives it back. All whole weights and gradients live in such buffers.
# - `forward(k, weights)` computes layer k with its gathered weights. Call it for layers 0, 1, 2 and
#   so on.

# %% [markdown]
# - `backward(k, weights, gradient)` writes the layer's gradient for this rank's samples into
#   `gradient`, another buffer of the same length as `weights`. Call it from the last layer down to
#   layer 0.
# - The last layer is needed twice in a row, so it stays: `forward_pass` returns its buffer, and
#   `backward_pass` gets that buffer as `weights`. All other layers are gathered twice.
# - `backward_pass` returns a list. Its entry k is this rank's piece of layer k's gradient, in an
#   ordinary tensor: the mean over the ranks, which all have the same number of samples.

# %% [markdown]
# Besides the gradients, three things are checked:
#
# - **Memory.** While a layer computes, a rank has that layer's weights, those of the layer that
#   comes next, and in the backward pass the layer's gradient. It has nothing else, because each
#   gradient is reduced and freed before the next layer computes. At the end, all buffers are freed.
# - **Time.** Every gather except the first travels while a layer computes.
# - **Bytes.** The last layer is gathered once and all others twice, and each gradient is reduced
#   once.


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
# *See* your step, and above it one that gathers everything at once and keeps it, as stage 2 does.

# %%
see("fsdp", forward_pass, backward_pass)
reveal("fsdp")

# %% [markdown]
# *Reflect.* Where does rank 0 still wait, and what could it compute in the meantime? (It waits for
# each reduce-scatter. It could compute the next layer if there were room for one more gradient, and
# that's what PyTorch's FSDP does.) On a slower network a gather takes longer than a layer. What
# helps? (Layers that compute longer, which means a larger batch.) Layers are often grouped into
# larger units. Why, and what does that cost? (You get fewer, larger messages, and pay with memory.)

# %% [markdown] exercise="fsdp2-in-practice"
# ## FSDP in PyTorch
#
# **`fsdp2-in-practice` · 7 points · about 35 minutes**
#
# PyTorch does the gathering and freeing for you. You only say *what* is gathered together: each
# call of `fully_shard` makes a **unit** of all the parameters in a module that aren't in a unit
# yet. Every parameter of a unit is cut by rows. One all-gather makes a unit whole before its module
# computes, and one reduce-scatter takes care of its gradients.
#
# *Predict.* A model of 70 billion parameters trains on 64 GPUs, each of which keeps 1/64 of it.
# Somebody calls `fully_shard(model)`, and nothing else. How many GB of bfloat16 weights are on each
# GPU while it computes?

# %% role="predict"
predict("fsdp2-in-practice", 140)

# %% [markdown]
# *See* what two real ranks do in that case, with a model of three blocks.


# %% role="given"
def draft_shard(model, fully_shard):
    fully_shard(model)


# %%
see("fsdp2-in-practice", draft_shard)

# %% [markdown]
# *Implement* `shard`, in about 4 lines. The model has its blocks in `model.blocks`, a list of at
# least one. It also has an embedding, a norm, a head (which may share the embedding's matrix), and
# one parameter of its own.
#
# - Each block is a unit, and the model itself is a unit with everything else. Whatever is in no
#   unit stays whole, and nobody sums its gradients.
# - `reshard_after_forward` says whether a unit's weights are freed after its forward pass and
#   gathered again for its backward pass. All blocks are freed except the last one, whose backward
#   pass comes right away. The model's own unit stays, too. (If you don't say, the outermost unit
#   stays and all others are freed.)
# - All weights travel in bfloat16 (`param_dtype`), and all gradients are summed in float32
#   (`reduce_dtype`). A call sets the dtypes of its own unit only.

# %% [markdown]
# The `fully_shard` that you get takes these three arguments and no others. Outside this course, the
# two dtypes are in one object, and a mesh says which ranks take part:
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
# You create the optimizer after that, from parameters that are pieces by now. The training loop is
# the one that you know, `torch.nn.utils.clip_grad_norm_` included.


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
# *Implement* three functions that say what a training step costs, for any units. `units` is a list
# of `(numbers, is_freed)`: how many weights a unit has, and whether they are freed after its
# forward pass. The first entry is the model's own unit, which may be freed, too. The others compute
# in the order of the list.
#
# - `messages(units)` returns how many all-gathers and how many reduce-scatters a step has.
# - `gathered_bytes(shapes, ranks)` returns the bytes that a unit has in bfloat16 once all pieces
#   are gathered, padding included. `shapes` lists the shapes of its parameters, each of which is
#   cut into pieces with the same number of rows.
# - `peak(units)` returns the most weights that are whole at once: always those of the model's own
#   unit, plus those of the unit that computes, plus those of earlier units that stay. (Weights that
#   are gathered ahead but not in use yet don't count here.)


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
# there are more and smaller messages, each with its latency.) What if you make the model's own unit
# first? (It takes all parameters, so nothing is left for the blocks, and PyTorch refuses.) Why is
# float32 worth its bytes in a reduce-scatter? (Each of many ranks adds a little to a sum, and in
# bfloat16 a small addition is soon lost.) When would you keep all blocks, with
# `reshard_after_forward=False`? (When there is enough memory: then a step gathers each weight only
# once, as stage 2 does.)

# %% [markdown] exercise="checkpoint-shards"
# ## A checkpoint for any number of ranks
#
# **`checkpoint-shards` · 7 points · about 35 minutes**
#
# A training run takes weeks, so its state is saved from time to time, and it often resumes on a
# different number of GPUs. Each rank can write what it holds into its own file, as long as a list
# of **chunks** says where the elements of each tensor are. A rank that is loading looks up what it
# needs in this list and reads it from the files, so it doesn't matter how many ranks wrote them.
# This is what `torch.distributed.checkpoint` does.
#
# *Predict.* A model of 70 billion parameters is saved by 1,024 ranks that write 2 GB/s each.
# Without its gradient, each parameter has 14 bytes, so one rank alone would need 490 s. How many
# seconds do all of them need?

# %% role="predict"
predict("checkpoint-shards", 0.478)

# %% [markdown]
# Here is a draft, in which every rank writes everything it has: `held[rank]` says which range of
# each tensor that is, `pieces` has the numbers, and `write` appends some of them to the rank's
# file. *See* what two real ranks write for a model that PyTorch's `fully_shard` has cut, next to
# what PyTorch writes.


# %% role="given"
def draft_save(rank, held, pieces, write):
    ranges = held[rank]
    return [(name, *ranges[name], write(values)) for name, values in pieces.items()]


# %%
see("checkpoint-shards", draft_save)

# %% [markdown]
# *Implement* `save`, which every rank calls, in about 7 lines.
#
# - `held[r]` is a dict of what rank r holds: the name of each tensor with its range `(start,
#   stop)`, which means numbers `start` to `stop - 1` of the flat tensor. (Rows of a matrix are such
#   a range, too.) A range with `start == stop` is empty. The ranges of two ranks are either equal
#   or have nothing in common. A rank may lack a name altogether.
# - `pieces` has this rank's flat tensors, by the same names. A piece may be longer than its range;
#   the rest is padding.
# - `write(values)` appends a flat tensor to this rank's file, and returns the place of its first
#   number there. It refuses an empty tensor.
# - `save` returns a list of what this rank wrote: `(name, start, stop, place)`.
# - Together the ranks write every number exactly once, and no padding.

# %% [markdown]
# *Implement* `load`, in about 12 lines. It's called on the ranks of the new run.
#
# - `needed` is a dict of what this rank needs: the name of a tensor with a range `(start, stop)`,
#   which may be empty. It may leave out tensors.
# - `chunks` is the list of everything that was saved, in any order: `(name, start, stop, file,
#   place)`. No number is in two of them.
# - `read(file, place, count)` returns `count` numbers of a file, at least one, starting at `place`.
# - `load` returns a dict of flat float64 tensors, each as long as its range. It reads each number
#   that the rank needs once, in as many calls as you like, and nothing else.
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
# *See* three real ranks load what two have saved. To load on a different number of ranks, write,
# for example, `see("checkpoint-shards", save, load, 1)`.

# %%
see("checkpoint-shards", save, load)
reveal("checkpoint-shards")

# %% [markdown]
# In PyTorch, each of the two is a single line. `save` leaves the files `__0_0.distcp`,
# `__1_0.distcp` and so on, and a file `.metadata` with the chunks. `load` is given tensors, and
# fills them in place:
#
# ```python
# import torch.distributed.checkpoint as dcp
#
# dcp.save({"model": model.state_dict()}, checkpoint_id="step-1000")
# state = {"model": model.state_dict()}  # of the new run, however it is cut
# dcp.load(state, checkpoint_id="step-1000")
# ```

# %% [markdown]
# *Reflect.* If all ranks hold the same tensor, who saves it: the first rank, or another one?
# (PyTorch picks the rank that has the least to write so far. That's why `step` is in rank 1's
# file.) The ranks wait while they write. How could training go on in the meantime? (Copy the pieces
# into the host's memory first and write from there, as `dcp.async_save` does.) What if a rank dies
# while it writes? (The list of chunks is written last, so there is none, and the checkpoint before
# this one is still whole.)

# %% [markdown] exercise="hybrid-shard"
# ## Shard inside, replicate across
#
# **`hybrid-shard` · 6 points · stretch · about 30 minutes**
#
# Full sharding over many nodes gathers every layer through the slow network between them, twice in
# each step. But a model often fits into the GPUs of *one* node. In **hybrid sharding**, every node
# has all weights once, cut into pieces, and the nodes are replicas of each other. Then weights
# never leave a node; only gradients do. PyTorch does this if you give `fully_shard` a mesh of two
# dimensions: `init_device_mesh("cuda", (nodes, per_node))`.
#
# *Predict.* There are 2 nodes of 8 GPUs, and each GPU has its own network card to the other node.
# With full sharding over all 16, a step gathers each layer twice and reduces it once, each time in
# a single ring through all GPUs, in the order of their ranks. How much does the busiest card send
# then, divided by what it sends with hybrid sharding?

# %% role="predict"
predict("hybrid-shard", 22.5)

# %% [markdown]
# Here is a draft that gets the weights right, but every message goes to all ranks. (It sends twice
# what full sharding would, because each node has its own copy of the pieces and the draft
# all-reduces whole gradients.) *See* what two nodes of four ranks send in a step. A ring in the
# order of the ranks leaves the nodes at ranks 3 and 7.


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
# *Implement* three functions, in about 17 lines. Node 0 has ranks 0 to `per_node - 1`, node 1 has
# the next ones, and so on; all nodes have the same number of ranks.
#
# - `make_groups(per_node)` is called once, on every rank. What it returns is up to you: the other
#   two functions get it as `groups`. `dist.new_group(list of ranks)` makes a group. Every rank has
#   to make every group, in the same order, even those that it isn't in.
# - A layer's flat weights are padded with zeros to a multiple of `per_node` and cut into equal
#   pieces. The rank at place p of *each* node has piece p. `gather_weights(piece, groups)` returns
#   the whole layer, padding included. It is called before a layer's forward pass, and again before
#   its backward pass.
# - `reduce_gradient(gradient, groups)` gets this rank's flat gradient of a layer, without padding,
#   and returns the rank's piece of the mean over *all* ranks, which all have the same number of
#   samples.

# %% [markdown]
# - To other nodes, no rank sends more than an all-reduce of its piece of each gradient takes.
# - Inside a node, a step sends two all-gathers and one reduce-scatter of each layer, and no more.
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
# *Reflect.* NCCL builds several rings, each of which leaves a node through a different card, so all
# cards share the load. What is left of the 22.5 then, in the example with 16 GPUs? (2.8. With full
# sharding, 2.8 layers leave each of the 2 nodes. With hybrid sharding, each of a node's 8 cards
# sends 1/8 of a layer, so 1 layer leaves each node.) What does it cost? (Memory: a piece is 1/8 of
# a layer here instead of 1/16, and it stays 1/8 however many nodes there are.) With 1,000 nodes,
# what else improves? (The rings get shorter: gathering weights takes 7 steps instead of 7,999.)

# %% [markdown]
# ## What you take with you
#
# - With full sharding, a rank keeps 1/n of everything. While it computes, it also needs two layers'
#   weights and one gradient, so its peak depends on the largest layers.
# - Full sharding sends half again as much as data parallelism. What travels while a layer computes
#   costs no time, so ask for the next layer's weights before you compute with this one's.
# - A checkpoint is a list of chunks, and each rank writes and reads only its own. That's why the
#   number of ranks may change between saving and loading.
#
# **Your number:** how many GB of weights are whole at once in a model of yours, with one unit per
# layer.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - What each stage keeps, in the first picture: S. Rajbhandari, J. Rasley, O. Ruwase, Y. He, *ZeRO:
#   Memory Optimizations Toward Training Trillion Parameter Models*, SC 2020, arXiv:1910.02054,
#   figure 1.
# - Pieces of equal size, padding, gathering before a layer and freeing after it, prefetching in the
#   backward pass, and hybrid sharding: Y. Zhao et al., *PyTorch FSDP: Experiences on Scaling Fully
#   Sharded Data Parallel*, VLDB 2023, arXiv:2304.11277, sections 3.2 and 3.3.
# - Units, what is freed after the forward pass, dtypes, rows as pieces, and a mesh of two
#   dimensions: PyTorch 2.13, "torch.distributed.fsdp.fully_shard".
# - Files and metadata of a checkpoint, the rank that writes what several have, and `async_save`:
#   PyTorch 2.13, "Distributed Checkpoint - torch.distributed.checkpoint", and `dedup_save_plans` in
#   `torch/distributed/checkpoint/_dedup_save_plans.py`.
