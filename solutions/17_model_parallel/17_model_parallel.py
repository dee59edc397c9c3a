# %% [markdown]
# # What if one layer does not fit?
#
# Sharding lets a rank keep a piece of the weights, but it still computes with whole layers. A layer
# of Llama 3.1 405B, with one long text going through it, takes more than the memory of a GPU. And
# more GPUs don't help, as long as each of them computes a whole layer. In **model parallelism** the
# ranks share the computation itself. **Tensor parallelism** cuts the matrices, so that several
# ranks multiply one layer's inputs together.
#
# **Pipeline parallelism** cuts between layers, so that each rank has some of them.
#
# **You will be able to** cut a layer's matrices, heads, vocabulary and tokens so that the ranks
# communicate little; to have PyTorch cut a block; to write the schedules of a pipeline; and to
# choose the fastest plan for a cluster.
#
# **You need** collectives, gradient accumulation, and the backward pass of a matrix product.
# **Time** about 265 minutes.

# %% role="setup"
import itertools
import math

import torch
import torch.distributed as dist

from gpuedu import check, hint, predict, progress, reveal, see, setup

setup("model-parallel")

# %%
see("model-parallel/one-layer")

# %% [markdown] exercise="column-row"
# ## Columns first, then rows
#
# **`column-row` · 9 points · about 35 minutes**
#
# A transformer's MLP is two matrix products with an activation between them:
# `y = gelu(x @ w1) @ w2 + bias`. Here `x` is (N, D), for N tokens; `w1` is (D, H), `w2` is (H, D),
# and H is often 4 D. All ranks have the same `x`, and all of them need `y`.


# %% role="given"
def gelu(h):
    """The activation, element by element."""
    return h * (1 + torch.erf(h / math.sqrt(2))) / 2


def gelu_slope(h):
    """Its derivative at `h`."""
    bell = torch.exp(-h * h / 2) / math.sqrt(2 * math.pi)
    return (1 + torch.erf(h / math.sqrt(2))) / 2 + h * bell


# %% [markdown]
# Here is a draft: each rank has some columns of both matrices. That gives the right result, but
# every rank needs all columns of the first product before it can start on the second. *See* what
# four ranks send.


# %% role="given"
def draft_split(w1, w2):
    n = dist.get_world_size()
    return [w.tensor_split(n, dim=1)[dist.get_rank()] for w in (w1, w2)]


def gathered(columns):
    parts = [torch.empty_like(columns) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, columns.contiguous())
    return torch.cat(parts, dim=1)


def draft_forward(x, a, b, bias):
    return gathered(gathered(gelu(x @ a)) @ b) + bias


# %%
see("column-row", draft_split, draft_forward)

# %% [markdown]
# *Predict.* A transformer layer is attention and an MLP, each of them split so that one all-reduce
# in each pass is enough. How many all-reduces does the layer need in a training step?

# %% role="predict"
predict("column-row", 4)

# %% [markdown]
# *Implement* Megatron-LM's way of splitting it. About 15 lines.
#
# - `split(w1, w2)` returns this rank's pieces: `a` has at most ceil(H / ranks) columns of `w1`, and
#   `b` as many rows of `w2`. Views are fine. H needn't be a multiple of the ranks, and there may be
#   more ranks than columns; then some ranks have none. (`chunk` may return fewer pieces than you
#   ask for; `tensor_split` doesn't.)
# - `mlp_forward(x, a, b, bias)` returns `y` on every rank. Each rank has the whole bias, (D,). Its
#   gradient is the same everywhere, the sum of `dy` over the tokens, so you needn't compute it.
# - `mlp_backward(x, a, b, dy)` gets the gradient of `y`, the same on all ranks. It returns `dx`,
#   whole on every rank, and `da` and `db`, which then update the pieces. It gets nothing else from
#   the forward pass, so it computes `x @ a` again.
# - Leave the arguments as they are.
# - A step sends no more bytes than one all-reduce of N x D numbers forward, and one backward.


# %% role="answer"
def split(w1, w2):
    ### BEGIN SOLUTION
    ranks, rank = dist.get_world_size(), dist.get_rank()
    return w1.tensor_split(ranks, dim=1)[rank], w2.tensor_split(ranks)[rank]
    ### END SOLUTION


def mlp_forward(x, a, b, bias):
    ### BEGIN SOLUTION
    y = gelu(x @ a) @ b
    dist.all_reduce(y)
    return y + bias
    ### END SOLUTION


def mlp_backward(x, a, b, dy):
    ### BEGIN SOLUTION
    h = x @ a
    dh = (dy @ b.T) * gelu_slope(h)
    dx = dh @ a.T
    dist.all_reduce(dx)
    return dx, x.T @ dh, gelu(h).T @ dy
    ### END SOLUTION


# %% role="check"
check("column-row", split, mlp_forward, mlp_backward)

# %%
see("column-row", split, mlp_forward)
reveal("column-row")

# %% [markdown]
# There is little to do while an all-reduce is on its way, because the next product needs the sum.
# *Predict.* A layer of Llama 3.1 405B works on 8,192 tokens, on the 8 GPUs of one node. If they
# multiply at their peak, 18% of the time goes to all-reduces. Within a node, a GPU sends 450 GB/s
# over NVLink; to another node, 50 GB/s over InfiniBand. What percentage is it on 16 GPUs of two
# nodes?

# %% role="predict"
predict("column-row-links", 42)

# %%
see("model-parallel/links")
reveal("column-row-links")

# %% [markdown]
# *Reflect.* Why must the columns come first? What would have to be summed before `gelu` if `w1`
# were cut into rows? (All of `x @ w1`, which is H wide: one more all-reduce, four times as large.)
# In data parallelism the gradients of the weights are summed over the ranks. Why is nothing sent
# for `da` and `db` here? (No other rank has these weights, and every rank saw all tokens.)

# %% [markdown] exercise="attention-heads"
# ## Attention by heads, the loss by words
#
# **`attention-heads` · 9 points · about 40 minutes**
#
# Attention is columns and rows again. A head is some columns of the matrices for queries, keys and
# values, and the rows of the output's matrix that belong to them. Heads don't need each other, so a
# rank computes its heads without sending anything, and one all-reduce sums up the outputs.
#
# In **grouped-query attention**, several consecutive query heads share one head of keys and values:
# `heads / kv_heads` of them each. If ranks have query heads that share one, each of these ranks
# needs a copy of it.
#
# Here is a draft that divides both kinds of heads among the ranks, rounding down, so that with 2
# key-value heads on 4 ranks two ranks get none. *See* which rank lacks what.


# %% role="given"
def draft_heads(rank, ranks, heads, kv_heads):
    def part(count):
        return list(range(rank * count // ranks, (rank + 1) * count // ranks))

    return part(heads), part(kv_heads)


# %%
see("attention-heads", draft_heads)

# %% [markdown]
# *Implement* two functions. `heads` is a multiple of `ranks`, and of `kv_heads`.
#
# - `heads_of(rank, ranks, heads, kv_heads)` returns two lists: the rank's query heads, and the
#   key-value heads that these use, in ascending order. Rank 0 has the first `heads / ranks` query
#   heads, rank 1 the next ones, and so on.
# - `add_copies(gradient, heads, kv_heads)` is called on each rank. Row i of `gradient` is the
#   gradient of its i-th key-value head, from the rank's own query heads. It returns the same rows,
#   each summed over all ranks that have a copy of the head. You may change `gradient` in place.
# - For that, no rank hands over more bytes than its `gradient` has. `dist.new_group(list of ranks)`
#   makes a group, which collectives take as `group=`. Every rank has to make every group, in the
#   same order, even those that it isn't in.


# %% role="answer"
def heads_of(rank, ranks, heads, kv_heads):
    ### BEGIN SOLUTION
    each, shared_by = heads // ranks, heads // kv_heads
    queries = list(range(rank * each, (rank + 1) * each))
    return queries, sorted({head // shared_by for head in queries})
    ### END SOLUTION


def add_copies(gradient, heads, kv_heads):
    ### BEGIN SOLUTION
    ranks, rank = dist.get_world_size(), dist.get_rank()
    held = [heads_of(one, ranks, heads, kv_heads)[1] for one in range(ranks)]
    total = gradient.clone()
    for head in range(kv_heads):
        owners = [one for one in range(ranks) if head in held[one]]
        group = dist.new_group(owners)
        if rank in owners:
            dist.all_reduce(total[held[rank].index(head)], group=group)
    return total
    ### END SOLUTION


# %%
see("attention-heads", heads_of)

# %% [markdown]
# To check only these two, write `check("attention-heads", heads_of, add_copies, lambda *_: None)`.
# The five lines about the loss then say "no".
#
# The last product of a model gives each token a score for every entry of the vocabulary. We call
# the entries words. The product's matrix is cut by columns, so a rank has the scores of some words,
# for all tokens.
#
# *Predict.* 8,192 tokens, and a vocabulary of 128,256 words. How many GB do the scores take in
# float32?

# %% role="predict"
predict("attention-heads", 4.2)

# %% [markdown]
# So nobody should ever gather them. *Implement* the cross-entropy loss on slices.
#
# - `scores` (N, V / ranks) are this rank's, of the words from number `first` on. `targets` (N) are
#   the numbers of the right words, the same on all ranks.
# - V is a multiple of the ranks. Words from number `vocabulary` on don't exist, however large their
#   scores: they are **padding**, and their gradient is 0. Some ranks may have nothing else.
# - `parallel_cross_entropy` returns the loss of each token, the same on all ranks, and the gradient
#   of their sum with respect to this rank's `scores`.
# - No rank hands over more than three numbers for each token.
# - You may change the arguments in place.
# - Scores may be as large as 1,000, or as small as -1,000, or both.


# %% role="answer"
def parallel_cross_entropy(scores, targets, first, vocabulary):
    ### BEGIN SOLUTION
    words = torch.arange(first, first + scores.shape[1])
    scores = scores.masked_fill(words >= vocabulary, -math.inf)
    top = scores.amax(1)
    dist.all_reduce(top, op=dist.ReduceOp.MAX)
    exps = torch.exp(scores - top[:, None])
    place = targets - first
    mine = (place >= 0) & (place < scores.shape[1])
    found = torch.zeros_like(top)
    found[mine] = scores[mine, place[mine]]
    sums = torch.stack([exps.sum(1), found])
    dist.all_reduce(sums)
    gradient = exps / sums[0][:, None]
    gradient[mine, place[mine]] -= 1
    return top + sums[0].log() - sums[1], gradient
    ### END SOLUTION


# %% role="check"
check("attention-heads", heads_of, add_copies, parallel_cross_entropy)

# %%
reveal("attention-heads")

# %% [markdown]
# *Reflect.* With 8 key-value heads on 16 ranks, there are two copies of each. What does that cost,
# and what would a single copy cost? (A little memory, and one sum of small gradients. With a single
# copy, its keys and values would have to be sent in every layer.) Why is the maximum the same on
# all ranks, and not each rank's own? (The sums of exponentials are added up, so all have to be
# relative to the same number. Or each rank sends both, and scales afterwards.)

# %% [markdown] exercise="sequence-parallel"
# ## Tokens between, columns inside
#
# **`sequence-parallel` · 9 points · about 35 minutes**
#
# Between two all-reduces, every rank computes the norm, dropout and the residual for *all* tokens,
# and keeps what their backward pass needs. That's the part of the first picture that doesn't
# shrink. But they act on each token by itself, and an all-reduce is a reduce-scatter and an
# all-gather. **Sequence parallelism** does this work between the two, while each rank has some of
# the tokens.
#
# The block is `y = x + mask * (relu(norm(x) @ w1) @ w2)`, with these:


# %% role="given"
def norm(x, scale):
    """RMSNorm of each row."""
    return x / x.square().mean(1, keepdim=True).sqrt() * scale


def norm_backward(x, scale, dn):
    """The gradients of `x`, and of `scale` summed over these rows, from that of norm(x, scale)."""
    size = x.square().mean(1, keepdim=True).sqrt()
    direction, arrives = x / size, dn * scale
    along = (arrives * direction).mean(1, keepdim=True)
    return (arrives - direction * along) / size, (dn * direction).sum(0)


# %% [markdown]
# Here is a draft that gathers all tokens, does what column-row does, and keeps its own rows of the
# result. *See* which part each rank has of x, of `u` (what goes into `relu`) and of y.


# %% role="given"
def draft_block(x, pieces, mask):
    scale, a, b = pieces
    parts = [torch.empty_like(x) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x)
    x = torch.cat(parts)
    u = norm(x, scale) @ a
    z = torch.relu(u) @ b
    dist.all_reduce(z)
    return (x + mask * z).chunk(len(parts))[dist.get_rank()], u


# %%
see("sequence-parallel", draft_block)

# %% [markdown]
# *Predict.* In a training step, column-row sends two all-reduces. Sequence parallelism turns each
# into a reduce-scatter and an all-gather. How many times the bytes of those two all-reduces does a
# step send, if no rank keeps gathered tokens for the backward pass? (Leave out `dscale`, which is
# small.)

# %% role="predict"
predict("sequence-parallel", 1.25)

# %% [markdown]
# *Implement* both passes, and two helpers for them if you like. About 20 lines.
#
# - `x` and `dy` are (N / ranks, D), this rank's tokens: rank 0 has the first ones, and so on.
#   `pieces` are `scale` (D), the same on all ranks, and the rank's `a` and `b`, as in column-row.
# - `mask` is the dropout mask of *all* tokens, (N, D), which all ranks draw from the same seed. A
#   rank needs its own rows of it.
# - `block_forward(x, pieces, mask)` returns `y` for the rank's tokens, and `u`, which is the rank's
#   columns of `norm(x) @ w1` for all tokens.
# - `block_backward(x, u, pieces, mask, dy)` returns `dx` for the rank's tokens, `dscale` for all
#   tokens on every rank, and `da` and `db`. Leave the arguments as they are.
# - A step sends no more bytes than these: two all-gathers or reduce-scatters of N x D numbers
#   forward, three of them backward, and one all-reduce of D numbers, for `dscale`.

# %% [markdown]
# Between the passes a rank keeps only `x` and `u`. The check sees results and bytes, but not how
# many tokens you call `norm` for: that saving is yours to make.


# %% role="answer"
def gather(mine):
    ### BEGIN SOLUTION
    whole = mine.new_empty(mine.shape[0] * dist.get_world_size(), mine.shape[1])
    dist.all_gather_into_tensor(whole, mine)
    return whole
    ### END SOLUTION


def scatter(partial):
    ### BEGIN SOLUTION
    mine = partial.new_empty(partial.shape[0] // dist.get_world_size(), partial.shape[1])
    dist.reduce_scatter_tensor(mine, partial)
    return mine
    ### END SOLUTION


def block_forward(x, pieces, mask):
    ### BEGIN SOLUTION
    scale, a, b = pieces
    rows = mask.split(len(x))[dist.get_rank()]
    u = gather(norm(x, scale)) @ a
    return x + rows * scatter(torch.relu(u) @ b), u
    ### END SOLUTION


# %% role="answer"
def block_backward(x, u, pieces, mask, dy):
    ### BEGIN SOLUTION
    scale, a, b = pieces
    rows = mask.split(len(x))[dist.get_rank()]
    dz = gather(rows * dy)
    du = (dz @ b.T) * (u > 0)
    dx, dscale = norm_backward(x, scale, scatter(du @ a.T))
    dist.all_reduce(dscale)
    da = gather(norm(x, scale)).T @ du
    return dy + dx, dscale, da, torch.relu(u).T @ dz
    ### END SOLUTION


# %% role="check"
check("sequence-parallel", block_forward, block_backward)

# %%
see("sequence-parallel", block_forward)
reveal("sequence-parallel")

# %% [markdown]
# *See* what became of the dotted parts.

# %%
see("model-parallel/tokens-too")

# %% [markdown]
# *Reflect.* `norm(gather(x))` gives the same tokens as `gather(norm(x))`, for the same bytes. Why
# is the second one better? (In the first one, every rank computes the norm of all tokens.) What was
# an all-gather forward is a reduce-scatter backward, and the other way round. Why? (Forward, a
# token goes to all ranks, so backward its gradients come from all of them.)
#
# Each rank could also draw a mask for its own tokens alone. What would go wrong then if all ranks
# started from the same seed? (Each part of the text would lose numbers at the same places.) And
# with different seeds in column-row, after the all-reduce? (The ranks' copies of `y` would differ.)

# %% [markdown] exercise="gpipe"
# ## A pipeline of stages
#
# **`gpipe` · 7 points · about 30 minutes**
#
# A deep model can be cut between its layers. Each GPU keeps some consecutive layers, a **stage**,
# and sends its activations to the next stage. On the way back, gradients travel the other way. Only
# neighbors talk, and a message is as small as one layer's output. But then one stage computes while
# all the others wait. *See* four stages:

# %%
see("model-parallel/whole-batch")

# %% [markdown]
# So cut the batch into **micro-batches**. While stage 1 computes the first one, stage 0 is already
# at the second. Gradients add up over the micro-batches, as in gradient accumulation, so the step
# is the same as with the whole batch. What is left of the idle time is called the **bubble**.
#
# *Predict.* There are 4 stages that take equally long, and 4 micro-batches. What percentage of the
# time is each GPU idle?

# %% role="predict"
predict("gpipe", 42.9)

# %% [markdown]
# *Implement* `gpipe`: the list of what one stage does, in order. This is the schedule of GPipe: all
# micro-batches forward, then all of them backward.
#
# An entry is `("forward", m)` or `("backward", m)`; stages and micro-batches count from 0. The list
# only says in which *order* a stage works. A stage starts an entry as soon as it is free and its
# input has come: for a forward pass the activations of the stage before it, for a backward pass the
# gradient from the stage after it, and what its own forward pass has kept. It never skips an entry.
# Messages take no time here.

# %% [markdown]
# - We train a small model by your lists, in float64. Every stage ends with the gradients of one
#   process that has the whole batch, so each micro-batch goes forward and backward once.
# - No stage goes backward before it has gone forward with all micro-batches.
# - With p stages and m micro-batches the whole step takes (m + p - 1)(f + b), where one stage takes
#   f to go forward with one micro-batch, and b to go backward.

# %% [markdown]
# *Implement* `bubble`, too: the share of that time in which a stage is idle.
#
# And `micro_batches_for`: the smallest number of micro-batches, at least 1, with which the bubble
# is at most `share`, a number greater than 0 and less than 1. A bubble of exactly `share` is
# enough, and `bubble` in float64 decides: with 4 stages and 0.2, the answer is 12, since 3 / 15 is
# 0.2.


# %% role="answer"
def gpipe(stage, stages, micro_batches):
    """What one stage does, in order."""
    ### BEGIN SOLUTION
    forward = [("forward", m) for m in range(micro_batches)]
    backward = [("backward", m) for m in range(micro_batches)]
    return forward + backward
    ### END SOLUTION


def bubble(stages, micro_batches):
    """The share of the time in which a stage is idle."""
    ### BEGIN SOLUTION
    return (stages - 1) / (micro_batches + stages - 1)
    ### END SOLUTION


def micro_batches_for(stages, share):
    """The smallest number of micro-batches whose bubble is at most this share."""
    ### BEGIN SOLUTION
    micro_batches = 1
    while bubble(stages, micro_batches) > share:
        micro_batches += 1
    return micro_batches
    ### END SOLUTION


# %% role="check"
check("gpipe", gpipe, bubble, micro_batches_for)

# %% [markdown]
# *See* 4 stages and 8 micro-batches. For other numbers write `see("gpipe", gpipe, 8, 16)`.

# %%
see("gpipe", gpipe)
reveal("gpipe")

# %% [markdown]
# *Reflect.* Does the bubble depend on how long forward and backward take? (No: a stage is idle for
# (p - 1)(f + b), whatever f and b are.) More micro-batches make it smaller. What do they cost?
# (Each kernel gets a smaller batch, which may not fill the GPU. And look at the bars on the right:
# each stage keeps something of *all* micro-batches until the first one comes back. That's why GPipe
# keeps only the inputs of a stage, and computes its activations again.) The GPipe paper draws the
# backward passes in reverse, from the last micro-batch to the first. Try it, and look at the time.
# (It is the same.)

# %% [markdown] exercise="one-f-one-b"
# ## One forward, one backward
#
# **`one-f-one-b` · 6 points · about 30 minutes**
#
# After its backward pass, a micro-batch's activations are no longer needed. So why should the last
# stage wait until it has gone forward with all of them? In **1F1B**, every stage goes backward as
# early as it can, and then takes turns: one forward, one backward.
#
# *Predict.* With GPipe, 4 stages and 8 micro-batches, each GPU is idle for 27% of the time. Is
# it "less", "the same" or "more" with 1F1B?

# %% role="predict"
predict("one-f-one-b", "the same")

# %% [markdown]
# Here is a draft that takes turns right from the start. *See* what comes of it: it keeps almost
# nothing, but it's as slow as having no micro-batches at all.


# %% role="given"
def draft(stage, stages, micro_batches):
    actions = []
    for m in range(micro_batches):
        actions += [("forward", m), ("backward", m)]
    return actions


# %%
see("one-f-one-b", draft)

# %% [markdown]
# *Implement* 1F1B in three parts. In the *warm-up*, a stage goes forward alone. Then come turns of
# one forward and one backward pass, in this order (the *steady state*). Then it goes backward with
# those that are left (the *cool-down*). The first backward pass comes as soon as the gradient of
# the first micro-batch can be back. About 7 lines.
#
# - Entries are as in GPipe, and so is everything that a stage waits for.
# - Every stage ends with the gradients of one process, as before.
# - Stage s, of p stages, keeps the activations of at most p - s micro-batches at once: from the
#   start of its forward pass to the end of its backward pass.
# - The whole step still takes (m + p - 1)(f + b), with any f and b.
#
# There may be fewer micro-batches than stages.


# %% role="answer"
def one_f_one_b(stage, stages, micro_batches):
    """What one stage does, in order."""
    ### BEGIN SOLUTION
    warm_up = min(micro_batches, stages - 1 - stage)
    steady = micro_batches - warm_up
    actions = [("forward", m) for m in range(warm_up)]
    for m in range(steady):
        actions += [("forward", warm_up + m), ("backward", m)]
    actions += [("backward", m) for m in range(steady, micro_batches)]
    return actions
    ### END SOLUTION


# %% role="check"
check("one-f-one-b", one_f_one_b)

# %%
see("one-f-one-b", one_f_one_b)
reveal("one-f-one-b")

# %% [markdown]
# *Reflect.* What do 16 or 64 micro-batches cost in memory now? (Nothing more: a stage keeps p - s
# of them, however many there are. So you can afford many, and *that* makes the bubble small.)
# Stage 0 keeps p micro-batches and the last stage 1. Which of them runs out of memory first? (Stage
# 0, if all have equally large layers, and the embedding is often there, too.) In real programs,
# stage 0 sends an activation to stage 1 while stage 1 sends a gradient to stage 0. What happens if
# both call a send that only ends when it is received? (Both wait forever. That's why frameworks
# post such a pair of sends and receives together.)

# %% [markdown]
# In PyTorch a schedule is an object. Each rank runs this, with its own layers as `part`; the order
# in which it works is the one that you have just written:
#
# ```python
# from torch.distributed.pipelining import PipelineStage, Schedule1F1B
#
# stage = PipelineStage(part, rank, stages, device)
# schedule = Schedule1F1B(stage, n_microbatches=8, loss_fn=loss_fn)
# schedule.step(x)  # on the first stage; the last calls step(target=target), the others step()
# ```

# %% [markdown] exercise="dtensor-in-practice"
# ## Tensor parallelism in PyTorch
#
# **`dtensor-in-practice` · 8 points · about 40 minutes**
#
# In PyTorch you don't write the messages. A **DTensor** knows its **placement**: each rank has all
# of it, `Replicate()`; some of its rows, `Shard(0)`; some of its columns, `Shard(1)`; or a term of
# a sum, `Partial()`. Operations on DTensors follow from that. *Implement* the two rules that it all
# rests on, with placements as texts such as `"Shard(0)"`.
#
# - `linear(x, weight)` returns the placement of `x @ weight.T`, if each rank multiplies what it
#   has. The weight is (outputs, inputs), as in `nn.Linear`. Where the products are nothing of that
#   kind, it returns `""`.
# - `collective(before, after)` returns which collective makes one placement of another:
#   `"all_gather"`, `"all_reduce"`, `"reduce_scatter"` or `"all_to_all"`; and `""`, if nothing has
#   to be sent. `after` is never `Partial()`.


# %% role="answer"
def linear(x, weight):
    ### BEGIN SOLUTION
    if weight == "Replicate()":
        return "" if x == "Shard(1)" else x
    if x == "Replicate()":
        return {"Shard(0)": "Shard(1)", "Partial()": "Partial()"}.get(weight, "")
    return "Partial()" if x == weight == "Shard(1)" else ""
    ### END SOLUTION


def collective(before, after):
    ### BEGIN SOLUTION
    if before in (after, "Replicate()"):
        return ""
    if before == "Partial()":
        return "all_reduce" if after == "Replicate()" else "reduce_scatter"
    return "all_gather" if after == "Replicate()" else "all_to_all"
    ### END SOLUTION


# %% [markdown]
# Then you say which module is cut how, in a **plan** for `parallelize_module`. The modules of our
# block are `norm1`, `attn` with `attn.q`, `attn.k`, `attn.v` and `attn.out`, `norm2`, and `mlp`
# with `mlp.up` and `mlp.down`. A plan gives names of modules one of these styles; what isn't in it
# is left as it is:
#
# | here | in PyTorch | input | output |
# |---|---|---|---|
# | `"colwise"` | `ColwiseParallel()` | `Replicate()` | `Shard(1)` |
# | `"rowwise"` | `RowwiseParallel()` | `Shard(1)` | `Replicate()` |
# | `"sequence"`, for a norm | `SequenceParallel()` | `Shard(0)` | `Shard(0)` |
# | `"prepare"`, for `attn` or `mlp` | `PrepareModuleInput()` | `Replicate()` | |

# %% [markdown]
# `("rowwise", {"output": "Shard(0)"})` asks for another output, and `"input"` says how the input
# comes; in PyTorch these are `output_layouts=` and `input_layouts=`. An input that comes in another
# placement than the weights want is redistributed, and so is the output.
#
# Between modules most tensors are plain ones, of which each rank has its part. PyTorch *believes*
# what the plan says of them. The input of a `"prepare"` becomes a DTensor, replicated, for all
# modules inside, and a norm with `"sequence"` returns a DTensor, too.
#
# Here is a draft, in which each matrix is cut into columns. *See* what two real ranks make of it.


# %% role="given"
def draft_plan():
    names = "attn.q", "attn.k", "attn.v", "attn.out", "mlp.up", "mlp.down"
    return dict.fromkeys(names, ("colwise", {"output": "Replicate()"}))


# %%
see("dtensor-in-practice", draft_plan)

# %% [markdown]
# *Predict.* With `"colwise"` for q, k, v and `mlp.up`, and `"rowwise"` for the other two, the
# forward pass of the block has two all-reduces. How many does PyTorch make in the backward pass?

# %% role="predict"
predict("dtensor-in-practice", 4)

# %% [markdown]
# *Implement* two plans, as functions without arguments.
#
# - `tensor_plan()`: every rank has the block's whole input, and should have its whole output. Each
#   pass has one all-reduce for attention and one for the MLP.
# - `sequence_plan()`: each rank has some of the tokens of input and output, as in
#   sequence-parallel. Forward and backward there are one all-gather and one reduce-scatter for
#   attention, and one of each for the MLP.
# - In both, each of the six matrices is cut, and output and gradients are those of the whole block.
#   A module without a style has a gradient from what its rank has seen, and nobody sums it.
# - Where a DTensor comes in another placement than a module's weights want, and the plan doesn't
#   say so, PyTorch redistributes by itself. Don't leave it to that.


# %% role="answer"
def tensor_plan():
    ### BEGIN SOLUTION
    return {
        "attn": "prepare",
        "attn.q": "colwise",
        "attn.k": "colwise",
        "attn.v": "colwise",
        "attn.out": "rowwise",
        "mlp.up": "colwise",
        "mlp.down": "rowwise",
    }
    ### END SOLUTION


def sequence_plan():
    ### BEGIN SOLUTION
    return {
        **tensor_plan(),
        "norm1": "sequence",
        "norm2": "sequence",
        "attn": ("prepare", {"input": "Shard(0)"}),
        "mlp": ("prepare", {"input": "Shard(0)"}),
        "attn.out": ("rowwise", {"output": "Shard(0)"}),
        "mlp.down": ("rowwise", {"output": "Shard(0)"}),
    }
    ### END SOLUTION


# %% role="check"
check("dtensor-in-practice", tensor_plan, sequence_plan, linear, collective)

# %% [markdown]
# *See* the second plan on two real ranks. For the first one write
# `see("dtensor-in-practice", tensor_plan)`.

# %%
see("dtensor-in-practice", sequence_plan, tokens=True)
reveal("dtensor-in-practice")

# %% [markdown]
# In PyTorch, the block is cut in place, and then called as before:
#
# ```python
# from torch.distributed.device_mesh import init_device_mesh
# from torch.distributed.tensor.parallel import ColwiseParallel, parallelize_module
#
# mesh = init_device_mesh("cuda", (8,))
# parallelize_module(block, mesh, {"attn.q": ColwiseParallel(), ...})
# ```

# %% [markdown]
# *Reflect.* Leave out `"attn"` in `tensor_plan`, and look at the backward pass. Where do two more
# all-reduces come from? (Each of q, k and v sums the gradient of its own input. By hand you would
# add up the three first, and send their sum.) Leave out the norms in `sequence_plan`, and look at
# the title. What is off? (The gradients of the norms' weights: each rank has those of its own
# tokens.) Which of these mistakes would you notice in a run on 8 GPUs? (A wrong gradient raises
# nothing. Compare with one GPU, on a small model, before you start.)

# %% [markdown] exercise="plan"
# ## The plan for a cluster
#
# **`plan` · 9 points · about 45 minutes**
#
# Each way to share a model has its price: ZeRO sends weights and gradients, tensor parallelism
# sends activations in every layer, and a pipeline waits. Large models need several of them at once.
# How many ranks should share the batch, how many a layer, and how many stages should there be?
#
# *Predict.* With ZeRO stage 3, all ranks can share the batch, and you need no model parallelism at
# all. Say GPT-3 trains on 1,536 A100s. How many times as long as with the fastest plan does a step
# take that way?

# %% role="predict"
predict("plan", 3.34)

# %% [markdown]
# A **plan** is a dict: `{"data": 2, "tensor": 4, "pipeline": 3, "micro_batches": 5, "zero": 1}`.
# Here 4 ranks share a layer, there are 3 stages, and 2 such groups of 12 ranks share the batch. A
# group cuts its part of the batch into 5 micro-batches; `zero` is a stage of ZeRO, from 0 to 3.
#
# `model` is a dict, too: `parameters` (all in equal `layers`), `heads`, `width`, and a step's
# `batch` of sequences with `length` tokens each. `cluster` has `ranks`, `per_node`, `memory_bytes`
# and `flop_per_s` of a GPU, and the links' bytes per second: `within` a node, and `across`.
#
# Here is a draft of a choice: all ranks share the batch. *See* it among all possible plans.


# %% role="given"
def draft_plan(model, cluster):
    ranks = cluster["ranks"]
    return {"data": ranks, "tensor": 1, "pipeline": 1, "micro_batches": 1, "zero": 3}


# %%
see("plan", draft_plan)

# %% [markdown]
# First *implement* what a plan needs. `memory_bytes(model, plan)` returns two numbers for a rank of
# the first stage, which keeps most:
#
# - the bytes of parameters: 2 for each weight, 2 for its gradient and 12 of states. A rank computes
#   with 1 / (tensor x pipeline) of the parameters. Data-parallel ranks share the states from stage
#   1 of ZeRO on, gradients from stage 2 on, and weights in stage 3.
# - the bytes of activations: a layer keeps 34 x width bytes for each token of a micro-batch, and
#   its tensor-parallel ranks share them. With 1F1B, the first stage keeps as many micro-batches as
#   there are stages, or all of them if there are fewer.

# %% [markdown]
# Next, *implement* `times_s(model, cluster, plan)`: the seconds of a step in five parts, which are
# listed below, in this order. Nothing that is sent hides behind computing.
#
# Which link does a group of ranks use? Consecutive ranks share a layer. Data-parallel ranks are
# `tensor` apart, and stages are `data * tensor` apart. So each kind of group lies within a `span`
# of consecutive ranks: `tensor` of them, `data * tensor`, or all. The rest is in `rate`:


# %% role="given"
def rate(cluster, span):
    """Bytes per second between ranks of a group that lies within `span` consecutive ranks."""
    return cluster["across"] if cluster["per_node"] % span else cluster["within"]


def divisors(n):
    return [k for k in range(1, n + 1) if n % k == 0]


# %% [markdown]
# - Computing takes 6 operations for each parameter and token of the batch, shared by all ranks.
# - Tensor parallelism takes 4 all-reduces for each layer of the stage and each micro-batch, of
#   2 x width bytes for each token. An all-reduce over n ranks sends 2 (n - 1) / n of its bytes.
# - If there are several stages, a rank sends two messages for each micro-batch, one forward and one
#   backward, each with 1 / tensor of a micro-batch's 2 x width bytes for each token.
# - The bubble is (pipeline - 1) / micro_batches times all of the above.
# - Gradients and weights go between the n data-parallel ranks, 2 bytes for each that the rank has.
#   A reduce-scatter or an all-gather sends (n - 1) / n of them. Stages 0 and 1 take one of each in
#   a step. Stage 2 takes a reduce-scatter for every micro-batch, and one all-gather. Stage 3 takes
#   a reduce-scatter and two all-gathers for every micro-batch.

# %% [markdown]
# Last, `best_plan(model, cluster)` returns the fastest plan whose memory fits, or None if none
# does. If several are equally fast, any of them is right.
#
# - data x tensor x pipeline is the number of ranks.
# - `tensor` divides the heads, `pipeline` the layers, and data x micro_batches the batch.
# - All bytes of a rank of the first stage, together, are at most `memory_bytes`.
#
# The three functions take about 40 lines. Leave the arguments as they are.


# %% role="answer"
def memory_bytes(model, plan):
    ### BEGIN SOLUTION
    data, tensor, pipeline = plan["data"], plan["tensor"], plan["pipeline"]
    own = model["parameters"] / (tensor * pipeline)
    parameters = 0
    for size, shared_from in ((12, 1), (2, 2), (2, 3)):
        parameters += size * own / (data if plan["zero"] >= shared_from else 1)
    tokens = model["batch"] * model["length"] / (data * plan["micro_batches"])
    layer = 34 * model["width"] * tokens / tensor
    in_flight = min(pipeline, plan["micro_batches"])
    return parameters, layer * model["layers"] / pipeline * in_flight
    ### END SOLUTION


# %% role="answer"
def times_s(model, cluster, plan):
    ### BEGIN SOLUTION
    data, tensor, pipeline = plan["data"], plan["tensor"], plan["pipeline"]
    micro_batches, ranks = plan["micro_batches"], cluster["ranks"]
    tokens = model["batch"] * model["length"]
    computing = 6 * model["parameters"] * tokens / (ranks * cluster["flop_per_s"])
    sent = 2 * model["width"] * tokens / data
    each = 2 * (tensor - 1) / tensor * sent / rate(cluster, tensor)
    reduces = 4 * model["layers"] / pipeline * each
    between = 2 * sent / tensor / rate(cluster, ranks) if pipeline > 1 else 0
    bubble = (pipeline - 1) / micro_batches * (computing + reduces + between)
    own = 2 * model["parameters"] / (tensor * pipeline)
    half = (data - 1) / data * own / rate(cluster, data * tensor)
    halves = (2, 2, 1 + micro_batches, 3 * micro_batches)[plan["zero"]]
    return computing, reduces, between, bubble, halves * half
    ### END SOLUTION


# %% role="answer"
def best_plan(model, cluster):
    ### BEGIN SOLUTION
    best, best_s = None, math.inf
    for tensor, pipeline in itertools.product(divisors(model["heads"]), divisors(model["layers"])):
        data, rest = divmod(cluster["ranks"], tensor * pipeline)
        if rest or model["batch"] % data:
            continue
        for micro_batches, zero in itertools.product(divisors(model["batch"] // data), range(4)):
            plan = {"data": data, "tensor": tensor, "pipeline": pipeline}
            plan |= {"micro_batches": micro_batches, "zero": zero}
            took_s = sum(times_s(model, cluster, plan))
            if sum(memory_bytes(model, plan)) <= cluster["memory_bytes"] and took_s < best_s:
                best, best_s = plan, took_s
    return best
    ### END SOLUTION


# %% role="check"
check("plan", memory_bytes, times_s, best_plan)

# %%
see("plan", best_plan)
reveal("plan")

# %% [markdown]
# *See* where the time goes, if more or fewer ranks share a layer.

# %%
see("model-parallel/plan-times")

# %% [markdown]
# *Reflect.* Why is 8 the best number of ranks for a layer here, though with 2 they send less? (With
# 2, there have to be more stages, and the bubble grows. With 16, all-reduces leave the node.)
# Why is stage 1 of ZeRO free, and stage 3 so expensive? (Stage 1 sends what an all-reduce sends,
# once a step. Stage 3 gathers the weights for every micro-batch, and a pipeline needs many.)
#
# Megatron-LM's authors let 96 ranks share this model. With tensor 8, that's 12 stages, and by the
# formulas it takes 0.1% longer than the fastest plan. Meta trained Llama 3 405B on 8,192 H100s with
# tensor 8, pipeline 16 and data 64. *See* how that does.

# %%
see("plan", best_plan, "llama-3")

# %% [markdown]
# *Reflect.* The formulas would take twice as many stages as Meta. Why? (Meta's plan would be 0.7%
# faster, but needs 86 GB by our count.) How could it fit all the same? (Meta frees activations as
# soon as nobody needs them. We count them until the end.) By the formulas, each GPU does 297
# TFLOP/s; Meta measured 430. Where does the difference come from? (We assume half of the peak for
# products, and theirs are faster. Messages hide behind computing. And a third of our step is
# bubble, which interleaving makes smaller: that's the next exercise.)

# %% [markdown] exercise="interleaved"
# ## Several chunks on each stage
#
# **`interleaved` · 6 points · stretch · about 40 minutes**
#
# The bubble comes from filling and draining the pipeline: p - 1 steps, each as long as one stage
# takes. Shorter steps would make it smaller. So cut the model into p times v parts, and give each
# GPU v of them, its **chunks**. With 4 stages and 2 chunks, stage 0 has parts 0 and 4, stage 1 has
# parts 1 and 5, and so on: chunk c of stage s is part cp + s. A micro-batch goes through all
# stages in their chunk 0, returns to stage 0, and goes through all of them again in chunk 1.
#
# *Predict.* You give each of 4 stages 2 chunks instead of one. By what factor does the number of
# messages grow?

# %% role="predict"
predict("interleaved", 2.33)

# %% [markdown]
# *Implement* the interleaved 1F1B of Megatron-LM. It's 1F1B again, with two changes. Micro-batches
# come in groups of p: a stage takes a group through chunk 0, then the same group through chunk 1,
# and so on, and then the next group. Backward it takes the chunks from the last one to the first.
# And the warm-up is longer, because the first gradient comes back later. In Megatron-LM it has
# 2(p - 1 - s) + (v - 1)p forward passes, or all of them if there are fewer.

# %% [markdown]
# - An entry is `("forward", m, c)` or `("backward", m, c)`, with the number of the chunk.
# - The number of micro-batches is a multiple of p. There may be one chunk only.
# - Every part of the model ends with the gradients of one process.
# - A chunk takes f / v forward and b / v backward. The whole step takes
#   m(f + b) + (p - 1)(f + b) / v.
# - Stage s keeps at most 2(p - 1 - s) + (v - 1)p + 1 pieces at once, as in Megatron-LM. A piece is
#   what one chunk keeps of one micro-batch.


# %% role="answer"
def interleaved(stage, stages, micro_batches, chunks):
    """What one stage does, in order."""
    ### BEGIN SOLUTION
    count = micro_batches * chunks
    order = []
    for k in range(count):
        group, place = divmod(k, stages * chunks)
        order.append((group * stages + place % stages, place // stages))
    warm_up = min(count, 2 * (stages - 1 - stage) + (chunks - 1) * stages)
    forward = [("forward", m, c) for m, c in order]
    backward = [("backward", m, chunks - 1 - c) for m, c in order]
    actions = forward[:warm_up]
    for k in range(count - warm_up):
        actions += [forward[warm_up + k], backward[k]]
    return actions + backward[count - warm_up :]
    ### END SOLUTION


# %% role="check"
check("interleaved", interleaved)

# %%
see("interleaved", interleaved)
reveal("interleaved")

# %% [markdown]
# *Reflect.* The bubble shrinks from 27% to 16%. How much more does stage 0 keep? (11 pieces, each
# half as large as before: 5.5 micro-batches instead of 4.) In reality, messages take time. Draw it
# with messages of 0.25, where a forward pass takes 1: `see("interleaved", interleaved, 4, 8, 2,
# 0.25)`, and the same with 1 chunk and with 4. Which is best? (2 chunks: 25% idle, against 30% and
# 29%. The more chunks, the more messages a micro-batch waits for.) Halve the part 2(p - 1 - s) of
# the warm-up. When does that cost time? (Only with messages: then there is too little to do while
# they travel.)

# %% [markdown]
# A backward pass computes two things: the gradient for the stage before it, and the gradient of the
# stage's own weights. Which of them does another stage wait for? (Only the first. *Zero Bubble*
# schedules put off the second, and fill the bubble with it.)

# %% [markdown] exercise="ring-attention"
# ## Keys and values in a ring
#
# **`ring-attention` · 8 points · stretch · about 45 minutes**
#
# Sequence parallelism shares out the tokens between the products. But attention needs all tokens:
# every query looks at the keys and values of the whole sequence. Of a million tokens, those may not
# fit a GPU. In **ring attention** each rank keeps its own queries, and the **blocks** of keys and
# values go round: each rank computes with the block that it has, while it passes it on to the next
# rank and receives another one. After one round each query has met all keys.
#
# A softmax over all keys can be put together from blocks. Keep three things for each query: the
# largest score so far, the sum of exponentials relative to it, and the sum of values weighted by
# these. If a block brings a larger score, rescale the other two.

# %% [markdown]
# Here is a draft that gathers all blocks first. *See* which block each of four ranks computes with,
# and what rank 0 has in its buffers.


# %% role="given"
def draft_attention(q, kv, lengths, causal, scores, allocate, free):
    blocks = [allocate(tokens) for tokens in lengths]
    dist.all_gather(blocks, kv)
    weights = torch.cat([scores(q, block) for block in blocks], dim=1).softmax(1)
    output = weights @ torch.cat([block[1] for block in blocks])
    for block in blocks:
        free(block)
    return output


# %%
see("ring-attention", draft_attention)

# %% [markdown]
# *Predict.* With a **causal** mask, a token doesn't look at those that come after it, so about half
# of all scores are masked. 8 ranks have equally many tokens each, and skip the blocks that are
# masked completely. How many percent less time does the ring take?

# %% role="predict"
predict("ring-attention", 0)

# %% [markdown]
# *Implement* `ring_attention`, and a helper for the softmax if you like. About 30 lines.
#
# - `q` are the queries of this rank's tokens, (tokens, D). `kv` is its own block, (2, tokens, D):
#   keys, then values. Both are float64, for one head.
# - `lengths` lists how many tokens each rank has. Rank 0 has the first ones of the sequence, rank 1
#   the next ones, and so on. They needn't be equal.
# - `scores(q, block)` returns `q @ block[0].T / sqrt(D)`, and takes time. `block` is `kv` or a
#   buffer.
# - `allocate(tokens)` returns a buffer (2, tokens, D) for a block that arrives, filled with NaN.
#   `free(buffer)` gives it back.
# - Return the outputs of this rank's tokens, (tokens, D). If `causal`, no token looks at a later
#   one.

# %% [markdown]
# Besides the outputs, also for scores of a thousand and more, these are judged:
#
# - **Messages.** Each rank sends only to the next one, `(rank + 1) % ranks`: every block but that
#   rank's own, once. There are no collectives.
# - **Memory.** A rank has at most two buffers at once, beside `kv`. At the end all are freed, and
#   `q` and `kv` are as they were, for the backward pass.
# - **Time.** Blocks travel while others are computed.


# %% role="answer"
def add_block(seen, s, values):
    """The largest scores, sums and outputs so far, with one block more."""
    ### BEGIN SOLUTION
    old_top, total, out = seen
    top = torch.maximum(old_top, s.amax(1, keepdim=True))
    shares, keep = torch.exp(s - top), torch.exp(old_top - top)
    return top, total * keep + shares.sum(1, keepdim=True), out * keep + shares @ values
    ### END SOLUTION


def masked(s, first_query, first_key):
    """Scores of which those of later keys are minus infinity."""
    ### BEGIN SOLUTION
    queries = first_query + torch.arange(s.shape[0])
    keys = first_key + torch.arange(s.shape[1])
    return s.masked_fill(keys > queries[:, None], -math.inf)
    ### END SOLUTION


# %% role="answer"
def ring_attention(q, kv, lengths, causal, scores, allocate, free):
    """The outputs of this rank's tokens."""
    ### BEGIN SOLUTION
    rank, ranks = dist.get_rank(), dist.get_world_size()
    seen = q.new_full((len(q), 1), -math.inf), q.new_zeros(len(q), 1), torch.zeros_like(q)
    block = kv
    for passed in range(ranks):
        owner = (rank - passed) % ranks
        works, coming = [], None
        if passed < ranks - 1:
            coming = allocate(lengths[owner - 1])
            works = [dist.isend(block, (rank + 1) % ranks), dist.irecv(coming, (rank - 1) % ranks)]
        s = scores(q, block)
        if causal:
            s = masked(s, sum(lengths[:rank]), sum(lengths[:owner]))
        seen = add_block(seen, s, block[1])
        for work in works:
            work.wait()
        if block is not kv:
            free(block)
        block = coming
    _, total, out = seen
    return out / total
    ### END SOLUTION


# %% role="check"
check("ring-attention", ring_attention)

# %% [markdown]
# *See* it without a mask, and with one.

# %%
see("ring-attention", ring_attention)
see("ring-attention", ring_attention, True)
reveal("ring-attention")

# %% [markdown]
# *Reflect.* A block of c tokens takes 4 c² D operations, and its keys and values are 4 c D bytes in
# 16 bits. From how many tokens on is a message hidden on an H100, with 989 TFLOP/s and 450 GB/s?
# (If c is at least 989e12 / 450e9, about 2,200. On InfiniBand with 50 GB/s, about 20,000.) Skip the
# blocks that are masked completely, and *see* it with a mask. Who waits? (Nobody is faster than the
# last rank, which skips nothing.) How could tokens be dealt out instead, so that all ranks have
# equally much to do? (In *striped attention*, rank r has tokens r, r + ranks, and so on, so about
# half of each block is masked on every rank. Or each rank has one early and one late part.)

# %% [markdown] exercise="experts"
# ## Experts on other ranks
#
# **`experts` · 7 points · stretch · about 40 minutes**
#
# A **mixture of experts** has many MLPs in one layer, the **experts**, and each token goes through
# one of them (or through a few). So a model can have many times the parameters, and hardly any more
# arithmetic for a token. Each rank keeps some of the experts. Then a token has to travel to the
# rank that has its expert, and its result has to come back: two **all-to-alls**.
#
# A **router** gives each token a logit for every expert. Tokens choose the likeliest one, and
# nothing makes them spread evenly. So each expert has a **capacity**: a rank sends it at most that
# many of its own tokens. The others are **dropped**: they skip the layer.

# %% [markdown]
# *Predict.* A rank has 256 tokens, and each chooses one of 64 experts, all equally likely. The
# capacity is 4, as many as there are on average. How many percent of the tokens are dropped?

# %% role="predict"
predict("experts", 19.4)

# %% [markdown]
# Here is a draft that needs no all-to-all: all ranks gather all tokens, compute those of their own
# experts, and sum up. *See* what it sends. It also forgets to drop anything.


# %% role="given"
def draft_route(logits, capacity):
    expert = logits.argmax(dim=1)
    return expert, logits.softmax(dim=1).amax(dim=1), torch.ones_like(expert, dtype=torch.bool)


def draft_layer(x, logits, capacity, w1, w2):
    rank, each = dist.get_rank(), len(w1)
    both = torch.cat([x, logits], dim=1)
    parts = [torch.empty_like(both) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, both)
    tokens, scores = torch.cat(parts).split([x.shape[1], logits.shape[1]], dim=1)
    expert, gate, _ = draft_route(scores, capacity)
    y = torch.zeros_like(tokens)
    for number, (first, second) in enumerate(zip(w1, w2, strict=True)):
        asked = expert == rank * each + number
        y[asked] = gate[asked, None] * (torch.relu(tokens[asked] @ first) @ second)
    dist.all_reduce(y)
    return x + y.split(len(x))[rank]


# %%
see("experts", draft_route, draft_layer)

# %% [markdown]
# *Implement* the layer with `dist.all_to_all_single(output, input, output_split_sizes,
# input_split_sizes)`. It sends the first rows of `input` to rank 0, the next ones to rank 1, and so
# on; the list `input_split_sizes` says how many. The other list says how many come from each rank.
# Without the lists, all parts are equal. About 30 lines.
#
# - `route(logits, capacity)` gets the logits (N, E) of a rank's tokens. For each token it returns
#   its expert (the one with the largest logit), the **gate** (that expert's probability by softmax)
#   and whether it is kept, a bool: of the tokens that choose the same expert, the first `capacity`.

# %% [markdown]
# - `moe_forward(x, logits, capacity, w1, w2)` returns y, (N, D) as x. Expert e gives `relu(x @
#   w1[e]) @ w2[e]`, and `y` is x plus the gate times that. For a dropped token `y` is x.
# - The ranks have the same number of experts: rank 0 the first ones, and so on. Its own are in `w1`
#   (experts, D, H) and `w2` (experts, H, D). Ranks may have different numbers of tokens, or none.
# - Only kept tokens travel, only to the rank that has the expert, and only if that is another one;
#   likewise their results. Beside them, ranks send each other at most E whole numbers.
# - `balance_loss(logits)` returns the same on all ranks: E times the sum, over all experts, of the
#   fraction of *all* ranks' tokens that choose it (dropped or not) times its mean probability over
#   these tokens.
# - Leave the arguments as they are.


# %% role="answer"
def route(logits, capacity):
    ### BEGIN SOLUTION
    gate, expert = torch.softmax(logits, dim=1).max(dim=1)
    chosen = torch.nn.functional.one_hot(expert, logits.shape[1])
    place = (chosen.cumsum(dim=0) * chosen).sum(dim=1)
    return expert, gate, place <= capacity
    ### END SOLUTION


# %% role="answer"
def moe_forward(x, logits, capacity, w1, w2):
    ### BEGIN SOLUTION
    ranks, each = dist.get_world_size(), len(w1)
    expert, gate, kept = route(logits, capacity)
    order = kept.nonzero()[:, 0]
    order = order[expert[order].argsort()]
    counts = torch.bincount(expert[order], minlength=ranks * each)
    arriving = torch.empty_like(counts)
    dist.all_to_all_single(arriving, counts)
    gives = counts.view(ranks, each).sum(dim=1).tolist()
    takes = arriving.view(ranks, each).sum(dim=1).tolist()
    tokens = x.new_empty(sum(takes), x.shape[1])
    dist.all_to_all_single(tokens, x[order], takes, gives)
    asked = torch.arange(each).repeat(ranks).repeat_interleave(arriving)
    for e in range(each):
        mine = asked == e
        tokens[mine] = torch.relu(tokens[mine] @ w1[e]) @ w2[e]
    back = torch.empty_like(x[order])
    dist.all_to_all_single(back, tokens, gives, takes)
    y = x.clone()
    y[order] += gate[order, None] * back
    return y
    ### END SOLUTION


# %% role="answer"
def balance_loss(logits):
    ### BEGIN SOLUTION
    experts = logits.shape[1]
    chances = torch.softmax(logits, dim=1)
    chosen = torch.nn.functional.one_hot(chances.argmax(dim=1), experts)
    tokens = chances.new_tensor([len(logits)])
    sums = torch.cat([chosen.sum(dim=0), chances.sum(dim=0), tokens])
    dist.all_reduce(sums)
    fractions, means = (sums[:-1] / sums[-1]).split(experts)
    return experts * (fractions * means).sum()
    ### END SOLUTION


# %% role="check"
check("experts", route, moe_forward, balance_loss)

# %%
see("experts", route, moe_forward)
reveal("experts")

# %% [markdown]
# *Reflect.* The loss is 1 if all experts get equally many tokens, with equal probabilities. What is
# it if all tokens go to one expert, with certainty? (E.) Why is it multiplied by E at all? (So that
# it stays 1 for any number of experts.) Which of its two factors has a gradient? (The probability:
# choosing the largest has none.) How many all-to-alls of tokens does the layer need in a training
# step? (Four: the gradient of one is another one, the other way.)
#
# With equal parts, each rank would send `capacity` rows to every expert, whether there are as many
# tokens or not. What does that cost, and what does it save? (More bytes, which are padding. But the
# sizes are known in advance: no numbers are exchanged, and the host need not wait for them.)

# %% [markdown]
# ## What you take with you
#
# - Columns, then rows: an activation between two products needs no communication, and the sum after
#   the second one is all that is sent. As a reduce-scatter and an all-gather it leaves each rank
#   its own tokens in between, for the same bytes and less memory.
# - Every pass through a layer waits for its all-reduces, so tensor parallelism belongs on the links
#   within a node. In a pipeline only neighboring stages talk, so stages can be in different nodes.
#   The ranks that are left share the batch, and the optimizer's states.
# - With m micro-batches and p stages, (p - 1) / (m + p - 1) of the time is idle, in GPipe and 1F1B.
#   1F1B saves memory, so that m can be large; interleaving saves time, and sends more messages.
#
# **Your number:** how many ranks a layer of a model of yours would need, and how many micro-batches
# keep the bubble of your pipeline under 10%.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Columns, then rows, and one all-reduce in each pass: M. Shoeybi, M. Patwary, R. Puri,
#   P. LeGresley, J. Casper, B. Catanzaro, *Megatron-LM: Training Multi-Billion Parameter Language
#   Models Using Model Parallelism*, 2019, arXiv:1909.08053, section 3; heads, and a loss that never
#   gathers the scores, are there, too.
# - Sequence parallelism, and gathering once more in the backward pass: V. Korthikanti et al.,
#   *Reducing Activation Recomputation in Large Transformer Models*, MLSys 2023, arXiv:2205.05198,
#   section 4.2.
# - Ring attention, and from which size of a block on its messages are hidden: H. Liu, M. Zaharia,
#   P. Abbeel, *Ring Attention with Blockwise Transformers for Near-Infinite Context*, 2023,
#   arXiv:2310.01889, section 3. Striped attention: W. Brandon et al., *Striped Attention: Faster
#   Ring Attention for Causal Transformers*, 2023, arXiv:2311.09431.
# - Softmax in one pass: M. Milakov, N. Gimelshein, *Online normalizer calculation for softmax*,
#   2018, arXiv:1805.02867.
# - Rates of an H100 SXM, 989 TFLOP/s in 16 bits and 450 GB/s each way by NVLink: NVIDIA, data sheet
#   of the H100. InfiniBand NDR, 400 Gb/s: NVIDIA, data sheet of Quantum-2.
# - Grouped-query attention: J. Ainslie et al., *GQA: Training Generalized Multi-Query Transformer
#   Models from Multi-Head Checkpoints*, EMNLP 2023, arXiv:2305.13245.
# - Shapes and vocabulary of Llama 3.1 405B: A. Grattafiori et al., *The Llama 3 Herd of Models*,
#   2024, arXiv:2407.21783, table 3.
# - Micro-batches, and the share (K - 1) / (M + K - 1) of a pipeline with K stages: Y. Huang et al.,
#   *GPipe: Efficient Training of Giant Neural Networks using Pipeline Parallelism*, NeurIPS 2019,
#   arXiv:1811.06965, section 2.
# - 1F1B: D. Narayanan et al., *PipeDream: Generalized Pipeline Parallelism for DNN Training*, SOSP
#   2019; with a flush after each batch, as here: *Memory-Efficient Pipeline-Parallel DNN Training*,
#   ICML 2021, arXiv:2006.09503 (PipeDream-Flush).
# - Interleaved 1F1B, and its bubble and messages: D. Narayanan et al., *Efficient Large-Scale
#   Language Model Training on GPU Clusters Using Megatron-LM*, SC 2021, arXiv:2104.04473, section
#   2.2. There the bubble is compared with the time in which a stage works: (p - 1) / m.
# - Activations of a layer, 34 x width bytes for each token with sequence parallelism, and without
#   attention's scores: V. Korthikanti et al., arXiv:2205.05198, section 4. Ranks in the order
#   tensor, data, pipeline: Megatron-LM, `initialize_model_parallel`.
# - GPT-3 with ZeRO stage 3, and with tensor and pipeline parallelism over 96 ranks: D. Narayanan et
#   al., arXiv:2104.04473, section 5.2 and table 2. Llama 3 405B on 8,192 H100s, what is freed
#   early, and two layers fewer for embedding and output: arXiv:2407.21783, section 3.3.2, table 4.
# - Experts, capacity, tokens that skip the layer, and the load-balance loss: W. Fedus, B. Zoph,
#   N. Shazeer, *Switch Transformers*, JMLR 2022, arXiv:2101.03961, section 2.2, equations 3 to 6.
#   There, the loss has another factor, of 0.01. Experts on devices, and two all-to-alls:
#   D. Lepikhin et al., *GShard*, ICLR 2021, arXiv:2006.16668, section 3.
# - Backward in two halves: P. Qi et al., *Zero Bubble Pipeline Parallelism*, ICLR 2024,
#   arXiv:2401.10241.
# - `Schedule1F1B`: documentation of PyTorch, torch.distributed.pipelining.
# - Memory, peak and links of the figures: NVIDIA, data sheets of the H100 and of Quantum-2
#   InfiniBand. All-reduces across nodes as in *hierarchical*, with a card for each GPU.
# - DTensor, its placements, and the styles of `parallelize_module`: PyTorch 2.13,
#   "torch.distributed.tensor" and "Tensor Parallelism - torch.distributed.tensor.parallel".
