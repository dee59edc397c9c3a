# %% [markdown]
# # What if one layer does not fit?
#
# Sharding lets a rank keep only a piece of the weights, but the rank still computes with whole
# layers. A single layer of Llama 3.1 405B, with one long text going through it, takes more memory
# than a GPU has, and adding GPUs doesn't help as long as each of them computes whole layers. In
# **model parallelism** the ranks share the computation itself. **Tensor parallelism** cuts the
# matrices, so that several ranks compute one layer together.
#
# **You will be able to** cut a layer's matrices, its heads and the vocabulary so that the ranks
# send little, and say how many ranks should share a layer.
#
# **You need** *Collectives*, *Sharding*, and the backward pass of a matrix product from *The
# training step*. **Time** about 80 minutes.

# %% role="setup"
from gpuedu import check, hint, predict, progress, reveal, see, setup

import math

import torch
import torch.distributed as dist

setup("tensor-parallel")

# %%
see("tensor-parallel/one-layer")

# %% [markdown] exercise="column-row"
# ## Columns first, then rows
#
# **`column-row` · 9 points · about 35 minutes**
#
# A transformer's MLP is two matrix products with an activation in between: `y = gelu(x @ w1) @ w2 +
# bias`. Here `x` is (N, D), for N tokens; `w1` is (D, H) and `w2` is (H, D), and H is often 4 D.
# All ranks have the same `x`, and all of them need `y`.


# %% role="given"
def gelu(h):
    """The activation, element by element."""
    return h * (1 + torch.erf(h / math.sqrt(2))) / 2


def gelu_slope(h):
    """Its derivative at `h`."""
    bell = torch.exp(-h * h / 2) / math.sqrt(2 * math.pi)
    return (1 + torch.erf(h / math.sqrt(2))) / 2 + h * bell


# %% [markdown]
# Here is a draft that gives each rank some columns of both matrices. The result is right, but every
# rank needs all columns of the first product before it can start on the second. *See* what four
# ranks send.


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
# *Predict.* A transformer layer consists of attention and an MLP, each cut in such a way that one
# all-reduce per pass is enough. How many all-reduces does the layer need in a training step?

# %% role="predict"
predict("column-row", 4)

# %% [markdown]
# *Implement* the cut that Megatron-LM uses. About 15 lines.
#
# - `split(w1, w2)` returns this rank's pieces: `a` has at most ceil(H / ranks) columns of `w1`, and
#   `b` has the matching rows of `w2`. Views are fine. H doesn't have to be a multiple of the ranks,
#   and there may be more ranks than columns; then some ranks have none. (`chunk` may return fewer
#   pieces than you ask for; `tensor_split` doesn't.)
# - `mlp_forward(x, a, b, bias)` returns `y` on every rank. Each rank has the whole bias, (D,). You
#   don't have to compute its gradient, since that is the same everywhere: the sum of `dy` over the
#   tokens.

# %% [markdown]
# - `mlp_backward(x, a, b, dy)` gets the gradient of `y`, which is the same on all ranks. It returns
#   `dx`, whole on every rank, and `da` and `db`, which then update the pieces. It gets nothing else
#   from the forward pass, so it computes `x @ a` again.
# - Leave the arguments as they are.
# - A step sends no more bytes than two all-reduces of N x D numbers, one in the forward pass and
#   one in the backward pass.


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
# While an all-reduce is on its way, there is little else to do, because the next product needs the
# sum. So the links matter.
#
# *Predict.* A layer of Llama 3.1 405B works on 8,192 tokens, on the 8 H100s of one node. If they
# multiply at their peak, 18% of the time goes to all-reduces. Now take 16 GPUs in two nodes. An
# all-reduce starts with a reduce-scatter within each node. Then each GPU all-reduces its eighth
# with its partner in the other node, and an all-gather within the node finishes it. Within a node,
# a GPU sends 450 GB/s over NVLink; to its partner it sends 50 GB/s, over its own InfiniBand link.
# What percentage is it now?

# %% role="predict"
predict("column-row-links", 42)

# %%
see("tensor-parallel/links")
reveal("column-row-links")

# %% [markdown]
# *Reflect.* Why must the columns come first? What would have to be summed before `gelu` if `w1`
# were cut by rows? (All of `x @ w1`, which is H wide. That's one more all-reduce, four times as
# large.) In data parallelism the ranks sum the gradients of the weights. Why is nothing sent for
# `da` and `db` here? (No other rank has these weights, and every rank saw all tokens.)

# %% [markdown] exercise="attention-heads"
# ## Attention by heads, the loss by words
#
# **`attention-heads` · 9 points · about 40 minutes**
#
# Attention is columns and rows again. A head is some columns of the matrices for queries, keys and
# values, plus the matching rows of the output matrix. Heads don't need each other, so a rank
# computes its heads without sending anything, and one all-reduce sums the outputs.
#
# In **grouped-query attention**, several consecutive query heads share one head of keys and values:
# `heads / kv_heads` query heads for each key-value head. If query heads that share one are on
# different ranks, each of these ranks needs a copy of it.

# %% [markdown]
# Here is a draft that divides both kinds of heads among the ranks and rounds down, so with 2
# key-value heads on 4 ranks, two ranks get none. *See* which rank lacks what.


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
#   gradient of its i-th key-value head, computed from the rank's own query heads. It returns the
#   same rows, each summed over all ranks that have a copy of the head. You may change `gradient` in
#   place.
# - While it does so, no rank passes more bytes to collectives than its `gradient` has.

# %% [markdown]
# `dist.new_group(list of ranks)` makes a group, which collectives take as `group=`. Every rank has
# to make every group, in the same order, even those that it isn't in. Here you may make them in
# each call. A real program makes its groups once, when it starts, and keeps them, because all ranks
# have to take part each time.


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
# The last product of a model gives each token a score for every entry of the vocabulary. We'll call
# the entries words. The matrix of this product, too, is cut by columns, so a rank has the scores of
# some words, for all tokens.
#
# *Predict.* There are 8,192 tokens, and a vocabulary of 128,256 words. How many GB do the scores
# take in float32?

# %% role="predict"
predict("attention-heads", 4.2)

# %% [markdown]
# So nobody should ever gather them. *Implement* `parallel_cross_entropy`, the cross-entropy loss on
# slices of the vocabulary.
#
# - `scores` (N, V / ranks) are this rank's, starting with word number `first`. `targets` (N) are
#   the numbers of the right words, the same on all ranks.
# - V is a multiple of the ranks. Words from number `vocabulary` on don't exist, however large their
#   scores: they are **padding**, and their gradient is 0. Some ranks may have nothing else.
# - It returns the loss of each token, the same on all ranks, and the gradient of the losses' sum
#   with respect to this rank's `scores`.
# - No rank passes more than three numbers per token to collectives.
# - You may change the arguments in place.
# - Scores may be as large as 1,000 and as small as -1,000, even at the same time.


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
# copy, its keys and values would have to be sent in every layer.) Why do all ranks use the same
# maximum, instead of each using its own? (The sums of exponentials are added up, so all of them
# have to be relative to the same number. Or each rank sends both, and rescales afterwards.)
#
# The embedding, at the other end of the model, is cut by words as well. Each rank looks up the
# words that it has and takes zeros for all others, and one all-reduce puts the vectors together.

# %% [markdown]
# ## What you take with you
#
# - Columns first, then rows: nothing is sent between the two products, and one sum follows the
#   second. Attention is cut the same way, by heads.
# - A loss on slices of the vocabulary sends a few numbers per token, so nobody ever holds all the
#   scores.
# - A layer can't go on without its sums, so tensor parallelism belongs on the fast links within a
#   node.
#
# **Your number:** how many GPUs a layer of your model needs: the bytes of its weights, of their
# gradients and of its activations, divided by the memory of one GPU.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Columns, then rows, with one all-reduce in each pass; heads, the embedding by words, and a loss
#   that never gathers the scores: M. Shoeybi, M. Patwary, R. Puri, P. LeGresley, J. Casper, B.
#   Catanzaro, *Megatron-LM: Training Multi-Billion Parameter Language Models Using Model
#   Parallelism*, 2019, arXiv:1909.08053, section 3.
# - Memory and rates of an H100 SXM, 989 TFLOP/s in 16 bits and 450 GB/s each way by NVLink: NVIDIA,
#   data sheet of the H100. InfiniBand NDR, 400 Gb/s: NVIDIA, data sheet of Quantum-2.
# - Grouped-query attention: J. Ainslie et al., *GQA: Training Generalized Multi-Query Transformer
#   Models from Multi-Head Checkpoints*, EMNLP 2023, arXiv:2305.13245.
# - Shapes and vocabulary of Llama 3.1 405B: A. Grattafiori et al., *The Llama 3 Herd of Models*,
#   2024, arXiv:2407.21783, table 3.
