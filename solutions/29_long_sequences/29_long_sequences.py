# %% [markdown]
# # What if one long sequence does not fit?
#
# Tensor parallelism cuts a layer's matrices, but every GPU still keeps something of every token:
# what goes into the norms and comes out of them, and the keys and values of its heads. When a text
# gets long, these fill the memory, and sharing the matrices among more GPUs doesn't help. The way
# out is to cut the text itself, so that each GPU has some of the tokens.
#
# **You will be able to** cut the tokens between a layer's matrices; cut them in attention, where
# every token looks at the others; and have PyTorch cut a block by a plan.
#
# **You need** *Tensor parallelism*. **Time** about 115 minutes.

# %% role="setup"
from gpuedu import check, hint, predict, progress, reveal, see, setup

import math

import torch
import torch.distributed as dist

setup("long-sequences")

# %%
see("tensor-parallel/long-texts")

# %% [markdown] exercise="sequence-parallel"
# ## Tokens between, columns inside
#
# **`sequence-parallel` · 9 points · about 30 minutes**
#
# With tensor parallelism, every rank computes the norm, dropout and the residual for *all* tokens
# between two all-reduces, and keeps what their backward pass needs. That's the part of the picture
# that grows with the text on every GPU. But these steps treat each token by itself, and an
# all-reduce is a reduce-scatter followed by an all-gather. **Sequence parallelism** does this work
# between the two, while each rank has only some of the tokens.
#
# The block is `y = x + mask * (relu(norm(x) @ w1) @ w2)`, with these functions:


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
# Here is a draft that gathers all tokens, computes the two products as in *Tensor parallelism*, and
# keeps its own rows of the result. *See* which part each rank has of x, of `u` (which goes into
# `relu`) and of y, and what it sends.


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
# *Predict.* With tensor parallelism alone, a training step of this block sends two all-reduces.
# Sequence parallelism turns each into a reduce-scatter and an all-gather. Suppose that no rank
# keeps gathered tokens for the backward pass. How many times the bytes of those two all-reduces
# does a step send? (Leave out `dscale`, which is small.)

# %% role="predict"
predict("sequence-parallel", 1.25)

# %% [markdown]
# *Implement* both passes, plus two helpers if you like. About 20 lines.
#
# - `x` and `dy` are (N / ranks, D), this rank's tokens: rank 0 has the first ones, and so on.
#   `pieces` are `scale` (D), the same on all ranks, and the rank's columns `a` of `w1` and rows `b`
#   of `w2`.
# - `mask` is the dropout mask of *all* tokens, (N, D), which all ranks draw from the same seed. A
#   rank needs its own rows of it.
# - `block_forward(x, pieces, mask)` returns `y` for the rank's tokens, and `u`, which is the rank's
#   columns of `norm(x) @ w1` for all tokens.
# - `block_backward(x, u, pieces, mask, dy)` returns `dx` for the rank's tokens, `dscale` for all
#   tokens on every rank, and `da` and `db`.

# %% [markdown]
# - Leave the arguments as they are.
# - A step sends no more bytes than five all-gathers or reduce-scatters of N x D numbers, two of
#   them forward and three backward, and one all-reduce of D numbers, for `dscale`.

# %% [markdown]
# Between the passes a rank keeps only `x` and `u`. The check looks at results and bytes. It doesn't
# look at how many tokens you call `norm` on, so think about that yourself: where should the norm be
# computed so that no rank does it for all of them?


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
# *See* what has happened to the dotted parts of the first picture.

# %%
see("tensor-parallel/tokens-too")

# %% [markdown]
# *Reflect.* `norm(gather(x))` gives the same tokens as `gather(norm(x))`, for the same bytes. Why
# is the second one better? (In the first, every rank computes the norm of all tokens.) Whatever was
# an all-gather in the forward pass is a reduce-scatter in the backward pass, and the other way
# around. Why? (In the forward pass a token goes to all ranks, so in the backward pass its gradients
# come from all of them.)
#
# Each rank could also draw a mask for its own tokens alone. What would go wrong if all ranks
# started from the same seed? (Every part of the text would lose numbers at the same places.) And
# what if they used different seeds with tensor parallelism alone, after the all-reduce? (The ranks'
# copies of `y` would differ.)

# %% [markdown] exercise="ring-attention"
# ## Keys and values in a ring
#
# **`ring-attention` · 8 points · about 40 minutes**
#
# Sequence parallelism gathers all tokens for attention, where each rank has some of the heads. But
# for a million tokens, the keys and values of even these heads may not fit on one GPU. In **context
# parallelism** the tokens stay cut in attention, too, and each rank has all heads. (We'll look at
# one of them.) **Ring attention** is one way to do that. Each rank keeps its own queries, and the
# **blocks** of keys and values go around: a rank computes with the block that it has, while it
# passes that block on to the next rank and receives another one. After one round, each query has
# met all keys.

# %% [markdown]
# A softmax over all keys can be put together from blocks. For each query, keep three things: the
# largest score so far, the sum of the exponentials relative to it, and the sum of the values
# weighted by these exponentials, not divided yet. When a block brings a larger score, rescale the
# other two.

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
# of all scores are masked. Suppose 8 ranks have the same number of tokens each, and skip the blocks
# that are masked completely. What percentage of the ring's time does that save, compared with
# skipping no block?

# %% role="predict"
predict("ring-attention", 0)

# %% [markdown]
# *Implement* `ring_attention`, plus helpers for the softmax and the mask if you like. About 30
# lines.
#
# - `q` has the queries of this rank's tokens, (tokens, D). `kv` is its own block, (2, tokens, D):
#   keys, then values. Both are float64, for one head.
# - `lengths` lists how many tokens each rank has. Rank 0 has the first ones of the sequence, rank 1
#   the next ones, and so on. The numbers may differ.
# - `scores(q, block)` returns `q @ block[0].T / sqrt(D)`. It stands for the time that a block
#   takes, so call it for each block that a rank needs. `block` is `kv` or a buffer.
# - `allocate(tokens)` returns a buffer (2, tokens, D) for a block that arrives, filled with NaN.
#   `free(buffer)` gives it back.
# - Return the outputs of this rank's tokens, (tokens, D). If `causal`, no token looks at a later
#   one.

# %% [markdown]
# Besides the outputs, which have to be right even for scores of a thousand and more, these are
# checked:
#
# - **Messages.** Each rank sends only to the next one, `(rank + 1) % ranks`: every block except the
#   next rank's own, once. There are no collectives.
# - **Memory.** A rank has at most two buffers at once, besides `kv`. At the end all are freed, and
#   `q` and `kv` are as they were, for the backward pass.
# - **Time.** While a rank computes with one block, the next one is already on its way.


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
    """The scores, with minus infinity for later keys."""
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
# *Reflect.* A block of c tokens takes 4 c² D operations, and its keys and values have 4 c D bytes
# in 16 bits. How many tokens does a block need for its message to be hidden on an H100, with 989
# TFLOP/s and 450 GB/s? (At least 989e12 / 450e9, about 2,200. On InfiniBand with 50 GB/s, about
# 20,000.) Now skip the blocks that are masked completely, and *see* it with a mask. Who waits? (The
# others wait for the last rank, which skips nothing, so the ring is no faster.) How could you deal
# out the tokens so that all ranks have the same amount to do? (In *striped attention*, rank r has
# tokens r, r + ranks, and so on, so about half of each block is masked on every rank. Or give each
# rank one early part and one late part.)

# %% [markdown]
# On GPUs with NCCL, post the send and the receive of a step together, in one call of
# `dist.batch_isend_irecv`. Posted one by one, messages between the same two ranks may run in that
# order, and then two ranks that both send first wait forever.
#
# A ring isn't the only way. In *Ulysses* the ranks trade tokens for heads: an all-to-all before
# attention gives each rank all tokens for some of the heads, and another one afterwards trades
# back. So it needs at least as many heads as ranks. Llama 3 was trained with a plain all-gather of
# keys and values. With grouped-query attention these are much smaller than the queries, and a
# gather handles all kinds of masks.

# %% [markdown] exercise="dtensor-in-practice"
# ## Tensor parallelism in PyTorch
#
# **`dtensor-in-practice` · 8 points · about 40 minutes**
#
# In PyTorch you don't write the messages. A **DTensor** knows its **placement**: each rank has all
# of it, `Replicate()`; some of its rows, `Shard(0)`; some of its columns, `Shard(1)`; or one term
# of a sum, `Partial()`. The placement of a result follows from those of the inputs.

# %% [markdown]
# *Implement* the two rules that all of this rests on. Placements are strings such as `"Shard(0)"`.
#
# - `linear(x, weight)` returns the placement of `x @ weight.T` if each rank multiplies what it has.
#   The weight is (outputs, inputs), as in `nn.Linear`. If the shapes don't fit, or if the product
#   has none of these placements, it returns `""`.
# - `collective(before, after)` returns which collective turns one placement into another:
#   `"all_gather"`, `"all_reduce"`, `"reduce_scatter"` or `"all_to_all"`, or `""` if nothing has to
#   be sent. `after` is never `Partial()`.


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
# To check only these two, write `check("dtensor-in-practice", lambda: {}, lambda: {}, linear,
# collective)`.
#
# A **plan** for `parallelize_module` says how each module is cut. It maps names of modules to
# styles, and a module that isn't in it is left as it is:
#
# | style | its class in PyTorch | input | output |
# |---|---|---|---|
# | `"colwise"` | `ColwiseParallel` | `Replicate()` | `Shard(1)` |
# | `"rowwise"` | `RowwiseParallel` | `Shard(1)` | `Replicate()` |
# | `"sequence"`, for a norm | `SequenceParallel` | `Shard(0)` | `Shard(0)` |
# | `"prepare"`, for `attn` or `mlp` | `PrepareModuleInput` | `Replicate()` | |

# %% [markdown]
# These are placements of activations, (tokens, width). A colwise weight is `Shard(0)`, because it
# is stored as (outputs, inputs), and a rowwise one is `Shard(1)`. So by your rules a rowwise
# product comes out as `Partial()`, and the message after it turns that into `Replicate()` or
# `Shard(0)`.
#
# To ask for another output, write `("rowwise", {"output": "Shard(0)"})`. In the same way, `"input"`
# says in which placement the input arrives; where the weights need another one, it is
# redistributed.
#
# Between modules, and also after q, k and v, most tensors are plain ones, of which each rank has
# its part. PyTorch *believes* what the plan says about them. There are two exceptions: a
# `"prepare"` turns its input into a replicated DTensor for all modules inside, and a `"sequence"`
# returns a DTensor.

# %% [markdown]
# The modules of our block are `norm1`; `attn` with `attn.q`, `attn.k`, `attn.v` and `attn.out`;
# `norm2`; and `mlp` with `mlp.up` and `mlp.down`.
#
# Here is a draft, in which every matrix is cut by columns. *See* what two real ranks make of it.


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
# - `tensor_plan()`: every rank has the block's whole input, and gets its whole output. Each pass
#   has one all-reduce for attention and one for the MLP.
# - `sequence_plan()`: each rank has some of the tokens of the input and of the output, as in the
#   exercise `sequence-parallel`. Each pass has one all-gather and one reduce-scatter for attention,
#   and one of each for the MLP.
# - In both plans, all six matrices are cut, and output and gradients are those of the whole block.
#   If a module has no style, its gradient comes from what the rank has seen, and nobody sums it.
# - If a DTensor arrives in a placement other than the one a module's weights need, PyTorch
#   redistributes it on its own. Don't rely on that: say it yourself, with a `"prepare"` or the
#   module's own `"input"`.


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
# In PyTorch a plan has objects instead of strings. It cuts the block in place, and you call the
# block as before. *See* the code for your plan. Whatever it doesn't mention has PyTorch's default,
# such as `Shard(-1)`, the last dimension, for the output of `ColwiseParallel`. (`SequenceParallel`
# cuts dimension 1 by default, for tensors with a batch in front. Ours have none.)

# %%
see("tensor-parallel/in-pytorch", sequence_plan)

# %% [markdown]
# *Reflect.* Leave out `"attn"` in `tensor_plan`, and look at the backward pass. Where do the two
# extra all-reduces come from? (Each of q, k and v sums the gradient of its own input. By hand you
# would add up the three first, and send their sum.) Leave out the norms in `sequence_plan`, and
# look at the title. Why is the gradient off? (Each rank has the gradient from its own tokens, and
# nobody sums it.) Which of these mistakes would you notice in a run on 8 GPUs? (A wrong gradient
# raises no error. So before you start, compare with one GPU, on a small model.)

# %% [markdown]
# ## What you take with you
#
# - An all-reduce is a reduce-scatter and an all-gather. Between the two, each rank can work on some
#   of the tokens, so that no activation is kept by all ranks.
# - In ring attention each rank keeps its queries while keys and values go around. Their trip is
#   hidden if a block has enough tokens, but with a causal mask the early ranks have less to do.
# - PyTorch sends the messages, by a plan of placements. It believes the plan, and a wrong gradient
#   raises no error: compare with one GPU.
#
# **Your number:** how long a text can get before one layer's activations fill a GPU of yours.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Sequence parallelism, and gathering once more in the backward pass: V. Korthikanti et al.,
#   *Reducing Activation Recomputation in Large Transformer Models*, MLSys 2023, arXiv:2205.05198,
#   section 4.2.
# - Ring attention, and how large a block must be to hide its messages: H. Liu, M. Zaharia, P.
#   Abbeel, *Ring Attention with Blockwise Transformers for Near-Infinite Context*, 2023,
#   arXiv:2310.01889, section 3. Striped attention: W. Brandon et al., *Striped Attention: Faster
#   Ring Attention for Causal Transformers*, 2023, arXiv:2311.09431.
# - Context parallelism: NVIDIA, Megatron Core, `ModelParallelConfig`, `context_parallel_size`. From
#   tokens to heads and back: S. A. Jacobs et al., *DeepSpeed Ulysses*, 2023, arXiv:2309.14509,
#   section 3. By all-gather, and with one early and one late part for each rank: A. Grattafiori et
#   al., *The Llama 3 Herd of Models*, 2024, arXiv:2407.21783, section 3.3.2; shapes of Llama 3.1
#   405B: table 3.
# - Softmax in one pass: M. Milakov, N. Gimelshein, *Online normalizer calculation for softmax*,
#   2018, arXiv:1805.02867.
# - Sends and receives of a batch, in any order: PyTorch 2.13,
#   `torch.distributed.batch_isend_irecv`; why they belong in one group: NVIDIA, NCCL user guide,
#   "Point-to-point communication".
# - Memory and rates of an H100 SXM, 989 TFLOP/s in 16 bits and 450 GB/s each way by NVLink: NVIDIA,
#   data sheet of the H100. InfiniBand NDR, 400 Gb/s: NVIDIA, data sheet of Quantum-2.
# - DTensor, its placements, and the styles of `parallelize_module`: PyTorch 2.13,
#   "torch.distributed.tensor" and "Tensor Parallelism - torch.distributed.tensor.parallel".
