# %% [markdown]
# # What if one layer does not fit?
#
# Sharding lets a rank keep a piece of the weights, but it still computes with whole layers. A layer
# of Llama 3.1 405B, with one long text going through it, takes more than the memory of a GPU. And
# more GPUs don't help, as long as each of them computes a whole layer. In **model parallelism** the
# ranks share the computation itself. **Tensor parallelism** cuts the matrices, so that several
# ranks multiply one layer's inputs together.
#
# **You will be able to** cut a layer's matrices, heads, vocabulary and tokens so that the ranks
# communicate little, and have PyTorch cut a block.
#
# **You need** collectives, sharding, and the backward pass of a matrix product.
# **Time** about 155 minutes, without the stretch exercise.

# %% role="setup"
import math

import torch
import torch.distributed as dist

from gpuedu import check, hint, predict, progress, reveal, see, setup

setup("tensor-parallel")

# %%
see("tensor-parallel/one-layer")

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
# multiply at their peak, 18% of the time goes to all-reduces. On 16 GPUs of two nodes, an
# all-reduce starts with a reduce-scatter within each node. Then each GPU all-reduces its eighth
# with its partner in the other node, and an all-gather within the node ends it. Within a node, a
# GPU sends 450 GB/s over NVLink; to its partner, 50 GB/s over an InfiniBand link of its own. What
# percentage is it now?

# %% role="predict"
predict("column-row-links", 42)

# %%
see("tensor-parallel/links")
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
# result. *See* which part each rank has of x, of `u` (what goes into `relu`) and of y, and what it
# sends.


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
# - A step sends no more bytes than five all-gathers or reduce-scatters of N x D numbers, two of
#   them forward and three backward, and one all-reduce of D numbers, for `dscale`.

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


def reduce_scatter(partial):
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
    return x + rows * reduce_scatter(torch.relu(u) @ b), u
    ### END SOLUTION


# %% role="answer"
def block_backward(x, u, pieces, mask, dy):
    ### BEGIN SOLUTION
    scale, a, b = pieces
    rows = mask.split(len(x))[dist.get_rank()]
    dz = gather(rows * dy)
    du = (dz @ b.T) * (u > 0)
    dx, dscale = norm_backward(x, scale, reduce_scatter(du @ a.T))
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
see("tensor-parallel/tokens-too")

# %% [markdown]
# *Reflect.* `norm(gather(x))` gives the same tokens as `gather(norm(x))`, for the same bytes. Why
# is the second one better? (In the first one, every rank computes the norm of all tokens.) What was
# an all-gather forward is a reduce-scatter backward, and the other way round. Why? (Forward, a
# token goes to all ranks, so backward its gradients come from all of them.)
#
# Each rank could also draw a mask for its own tokens alone. What would go wrong then if all ranks
# started from the same seed? (Each part of the text would lose numbers at the same places.) And
# with different seeds in column-row, after the all-reduce? (The ranks' copies of `y` would differ.)

# %% [markdown] exercise="dtensor-in-practice"
# ## Tensor parallelism in PyTorch
#
# **`dtensor-in-practice` · 8 points · about 40 minutes**
#
# In PyTorch you don't write the messages. A **DTensor** knows its **placement**: each rank has all
# of it, `Replicate()`; some of its rows, `Shard(0)`; some of its columns, `Shard(1)`; or one term
# of a sum, `Partial()`. The placement of a result follows from those of the inputs. *Implement* the
# two rules that it all rests on, with placements as strings such as `"Shard(0)"`.
#
# - `linear(x, weight)` returns the placement of `x @ weight.T`, if each rank multiplies what it
#   has. The weight is (outputs, inputs), as in `nn.Linear`. If the shapes don't fit, or the
#   products are nothing of that kind, it returns `""`.
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
# To check only these two, write
# `check("dtensor-in-practice", lambda: {}, lambda: {}, linear, collective)`.
#
# A **plan** for `parallelize_module` says how each module is cut. It maps names of modules to
# styles; a module that isn't in it is left as it is:
#
# | style | its class in PyTorch | input | output |
# |---|---|---|---|
# | `"colwise"` | `ColwiseParallel` | `Replicate()` | `Shard(1)` |
# | `"rowwise"` | `RowwiseParallel` | `Shard(1)` | `Replicate()` |
# | `"sequence"`, for a norm | `SequenceParallel` | `Shard(0)` | `Shard(0)` |
# | `"prepare"`, for `attn` or `mlp` | `PrepareModuleInput` | `Replicate()` | |

# %% [markdown]
# These are placements of activations, (tokens, width). A colwise weight is `Shard(0)`, because it
# is (outputs, inputs), and a rowwise one `Shard(1)`. So by your rules a rowwise product comes out
# as `Partial()`, and the message after it makes that `Replicate()` or `Shard(0)`.
#
# `("rowwise", {"output": "Shard(0)"})` asks for another output, and `"input"` says how the input
# comes. It is redistributed where the weights want it otherwise.
#
# Between modules, also after q, k and v, most tensors are plain ones, of which each rank has its
# part. PyTorch *believes* what the plan says of them. There are two exceptions: a `"prepare"` makes
# its input a DTensor, replicated, for all modules inside, and a `"sequence"` returns a DTensor.

# %% [markdown]
# The modules of our block are `norm1`, `attn` with `attn.q`, `attn.k`, `attn.v` and `attn.out`,
# `norm2`, and `mlp` with `mlp.up` and `mlp.down`.
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
#   If a module has no style, its gradient comes from what the rank has seen, and nobody sums it.
# - If a DTensor comes in another placement than a module's weights want, PyTorch redistributes it
#   by itself. Don't leave it to that: a `"prepare"` for it, or the module's own `"input"`, says so.


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
# *See* the second plan on two real ranks; `True` gives each of them some of the tokens. For the
# first one write `see("dtensor-in-practice", tensor_plan)`.

# %%
see("dtensor-in-practice", sequence_plan, True)
reveal("dtensor-in-practice")

# %% [markdown]
# In PyTorch a plan has objects in place of strings. The block is cut in place, and then called as
# before. *See* the code for your plan. What it doesn't name is PyTorch's default, such as
# `Shard(-1)`, the last dimension, for the output of `ColwiseParallel`.

# %%
see("tensor-parallel/in-pytorch", sequence_plan)

# %% [markdown]
# *Reflect.* Leave out `"attn"` in `tensor_plan`, and look at the backward pass. Where do two more
# all-reduces come from? (Each of q, k and v sums the gradient of its own input. By hand you would
# add up the three first, and send their sum.) Leave out the norms in `sequence_plan`, and look at
# the title. Why is that off? (Each rank has the gradient from its own tokens, and nobody sums it.)
# Which of these mistakes would you notice in a run on 8 GPUs? (A wrong gradient raises nothing.
# Compare with one GPU, on a small model, before you start.)

# %% [markdown] exercise="ring-attention"
# ## Keys and values in a ring
#
# **`ring-attention` · 8 points · stretch · about 45 minutes**
#
# Sequence parallelism gathers all tokens for attention, where each rank has some of the heads. For
# a million tokens, the keys and values of even these heads may not fit on one GPU. In **context
# parallelism** the tokens stay cut in attention, too, and each rank has all heads; here we look at
# one. **Ring attention** is a way to do that: each rank keeps its own queries, and the **blocks**
# of keys and values go round. A rank computes with the block that it has, while it passes it on to
# the next rank and receives another one. After one round each query has met all keys.
#
# A softmax over all keys can be put together from blocks. Keep three things for each query: the
# largest score so far, the sum of exponentials relative to it, and the sum of values weighted by
# these, not divided yet. If a block brings a larger score, rescale the other two.

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
# masked completely. How many percent less time does the ring take than if no block is skipped?

# %% role="predict"
predict("ring-attention", 0)

# %% [markdown]
# *Implement* `ring_attention`, and a helper for the softmax if you like. About 30 lines.
#
# - `q` are the queries of this rank's tokens, (tokens, D). `kv` is its own block, (2, tokens, D):
#   keys, then values. Both are float64, for one head.
# - `lengths` lists how many tokens each rank has. Rank 0 has the first ones of the sequence, rank 1
#   the next ones, and so on. They needn't be equal.
# - `scores(q, block)` returns `q @ block[0].T / sqrt(D)`, and takes the time of a block, so call it
#   for each block that a rank needs. `block` is `kv` or a buffer.
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
    """Largest scores, sums of exponentials and weighted values so far, with one block more."""
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

# %% [markdown]
# ## What you take with you
#
# - Columns, then rows: nothing is sent between two products, and a sum after the second one. As a
#   reduce-scatter it leaves the tokens cut between layers. Attention is cut in the same way, by
#   heads, and a loss on slices of the vocabulary sends a few numbers for each token.
# - Every pass through a layer waits for its sums, so tensor parallelism belongs on the links within
#   a node. Blocks that go round a ring can travel while others are computed.
# - PyTorch sends the messages, by a plan of placements. It believes the plan, and a wrong gradient
#   raises nothing: compare with one GPU.
#
# **Your number:** how many GPUs a layer of your model needs: the bytes of its weights, of their
# gradients and of its activations, over the memory of one.

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
# - Context parallelism: NVIDIA, Megatron Core, `ModelParallelConfig`, `context_parallel_size`.
# - Softmax in one pass: M. Milakov, N. Gimelshein, *Online normalizer calculation for softmax*,
#   2018, arXiv:1805.02867.
# - Memory and rates of an H100 SXM, 989 TFLOP/s in 16 bits and 450 GB/s each way by NVLink: NVIDIA,
#   data sheet of the H100. InfiniBand NDR, 400 Gb/s: NVIDIA, data sheet of Quantum-2.
# - Grouped-query attention: J. Ainslie et al., *GQA: Training Generalized Multi-Query Transformer
#   Models from Multi-Head Checkpoints*, EMNLP 2023, arXiv:2305.13245.
# - Shapes and vocabulary of Llama 3.1 405B: A. Grattafiori et al., *The Llama 3 Herd of Models*,
#   2024, arXiv:2407.21783, table 3.
# - DTensor, its placements, and the styles of `parallelize_module`: PyTorch 2.13,
#   "torch.distributed.tensor" and "Tensor Parallelism - torch.distributed.tensor.parallel".
