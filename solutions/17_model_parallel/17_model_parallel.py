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
# rarely talk; and say how much they have to send.
#
# **You need** collectives, and the backward pass of a matrix product.
# **Time** about 110 minutes.

# %% role="setup"
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
# **`column-row` · 8 points · about 35 minutes**
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
    return [w.chunk(n, dim=1)[dist.get_rank()] for w in (w1, w2)]


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
predict("column-row", 2)

# %% [markdown]
# *Implement* Megatron-LM's way of splitting it. About 15 lines.
#
# - `split(w1, w2)` returns this rank's pieces, `a` and `b`, of at most ceil(H / ranks) columns or
#   rows. H needn't divide by the ranks, and there may be more ranks than columns.
# - `mlp_forward(x, a, b, bias)` returns `y` on every rank. Each rank has the whole bias, (D,); its
#   gradient, the sum of `dy` over the tokens, is the same everywhere, and not your business.
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
# *Predict.* On the 8 GPUs of one node, 18% of the time of a layer of Llama 3.1 405B goes to
# all-reduces. What percentage is it on 16 GPUs of two nodes?

# %% role="predict"
predict("column-row-links", 20)

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
# Here is a draft that deals out both kinds of heads evenly. *See* which rank lacks what.


# %% role="given"
def draft_heads(rank, ranks, heads, kv_heads):
    def part(count):
        return list(range(rank * count // ranks, (rank + 1) * count // ranks))

    return part(heads), part(kv_heads)


# %%
see("attention-heads", draft_heads)

# %% [markdown]
# *Implement* two functions. `heads` divides by `ranks`, and by `kv_heads`.
#
# - `heads_of(rank, ranks, heads, kv_heads)` returns two lists: the rank's query heads, and the
#   key-value heads that these use, in ascending order. Rank 0 has the first `heads / ranks` query
#   heads, rank 1 the next ones, and so on.
# - `add_copies(gradient, heads, kv_heads)` is called on each rank with the gradient of its
#   key-value heads, one row for each, as its own query heads make it. It returns these rows with
#   the sum over all ranks that have a copy of the head. No rank hands over more bytes than its
#   `gradient` has. (`dist.new_group(list of ranks)` makes a group, which collectives take as
#   `group=`. Every rank has to make every group, in the same order, even those that it isn't in.)


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
# The last product of a model gives each token a score for every entry of the vocabulary; let's call
# the entries words. Its matrix is cut by columns, so a rank has the scores of some words, for all
# tokens.
#
# *Predict.* 8,192 tokens, and a vocabulary of 128,256 words. How many GB do the scores take in
# float32?

# %% role="predict"
predict("attention-heads", 0.4)

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
# *Reflect.* With 8 key-value heads on 16 ranks every one of them is there twice. What does that
# cost, and what would it cost to have each once? (A little memory, and one sum of small gradients;
# else its keys and values would have to be sent in every layer.) Why is the maximum the same on all
# ranks, and not each rank's own? (The sums of exponentials are added up, so all have to be relative
# to the same number. Or each rank sends both, and scales afterwards.)

# %% [markdown] exercise="sequence-parallel"
# ## Tokens between, columns inside
#
# **`sequence-parallel` · 8 points · about 35 minutes**
#
# Between two all-reduces, every rank computes the norm, dropout and the residual for *all* tokens,
# and keeps what their backward pass needs. These are the dotted parts of the first picture, which
# don't shrink. But they act on each token by itself, and an all-reduce is a reduce-scatter and an
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
# *Predict.* In a training step, column-row sends two all-reduces. How many times their bytes does
# this block send, if no rank keeps the gathered tokens for the backward pass?

# %% role="predict"
predict("sequence-parallel", 1)

# %% [markdown]
# *Implement* both passes, and two helpers for them if you like. About 20 lines.
#
# - `x` and `dy` are (N / ranks, D), this rank's tokens: rank 0 has the first ones, and so on.
#   `pieces` are `scale` (D), the same on all ranks, and the rank's `a` and `b`, as in column-row.
# - `mask` is the dropout mask of *all* tokens, (N, D), which all ranks draw from the same seed.
# - `block_forward(x, pieces, mask)` returns `y` for the rank's tokens, and `u`, which is the rank's
#   columns of `norm(x) @ w1` for all tokens.
# - `block_backward(x, u, pieces, mask, dy)` returns `dx` for the rank's tokens, `dscale` for all
#   tokens on every rank, and `da` and `db`. Leave the arguments as they are.
# - A step sends no more than two parts of an all-reduce forward and three backward, where a part is
#   an all-gather or a reduce-scatter of N x D numbers, and one all-reduce of D numbers.


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
# *Reflect.* What was an all-gather forward is a reduce-scatter backward, and the other way round.
# Why? (Forward, a token goes to all ranks, so backward its gradients come from all of them.) Each
# rank could also draw a mask for its own tokens alone. What would go wrong if all ranks started
# from the same seed then? (All parts of the text would lose the same numbers.) And with different
# seeds in column-row, after the all-reduce? (The ranks' copies of `y` would differ.)

# %% [markdown]
# ## What you take with you
#
# - Columns, then rows: an activation between two products needs no communication, and the sum after
#   the second one is all that is sent.
# - An all-reduce is a reduce-scatter and an all-gather. Between them each rank can work on its
#   tokens alone, for the same bytes and less memory.
# - Every pass through a layer waits for its all-reduces, so tensor parallelism lives on fast links.
#
# **Your number:** how many ranks a layer of a model of yours would need.

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
# - Grouped-query attention: J. Ainslie et al., *GQA: Training Generalized Multi-Query Transformer
#   Models from Multi-Head Checkpoints*, EMNLP 2023, arXiv:2305.13245.
# - Shapes and vocabulary of Llama 3.1 405B: A. Grattafiori et al., *The Llama 3 Herd of Models*,
#   2024, arXiv:2407.21783, table 3.
