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
# - `forward(x, a, b, bias)` returns `y` on every rank. Each rank has the whole bias, (D,).
# - `backward(x, a, b, dy)` gets the gradient of `y`, the same on all ranks. It returns `dx`, whole
#   on every rank, and `da` and `db`, which then update the pieces. `forward` kept nothing for it.
# - Leave the arguments as they are.
# - A step sends no more bytes than one all-reduce of N x D numbers forward, and one backward.



# %% role="answer"
def split(w1, w2):
    ### BEGIN SOLUTION
    ranks, rank = dist.get_world_size(), dist.get_rank()
    return w1.tensor_split(ranks, dim=1)[rank], w2.tensor_split(ranks)[rank]
    ### END SOLUTION


def forward(x, a, b, bias):
    ### BEGIN SOLUTION
    y = gelu(x @ a) @ b
    dist.all_reduce(y)
    return y + bias
    ### END SOLUTION


def backward(x, a, b, dy):
    ### BEGIN SOLUTION
    h = x @ a
    dh = (dy @ b.T) * gelu_slope(h)
    dx = dh @ a.T
    dist.all_reduce(dx)
    return dx, x.T @ dh, gelu(h).T @ dy
    ### END SOLUTION


# %% role="check"
check("column-row", split, forward, backward)

# %%
see("column-row", split, forward)
reveal("column-row")

# %% [markdown]
# *Reflect.* Why must the columns come first? What would have to be summed before `gelu` if `w1`
# were cut into rows? (All of `x @ w1`, which is H wide: one more all-reduce, four times as large.)
# In data parallelism the gradients of the weights are summed over the ranks. Why is nothing sent
# for `da` and `db` here? (No other rank has these weights, and every rank saw all tokens.)

# %% [markdown]
# ## What you take with you
#
# - Columns, then rows: an activation between two products needs no communication, and the sum after
#   the second one is all that is sent.
# - What each rank computes from all tokens needs no sum over the ranks; what it computes from some
#   columns does.
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
#   Models Using Model Parallelism*, 2019, arXiv:1909.08053, section 3.
