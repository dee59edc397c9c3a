# %% [markdown]
# # How do you compute attention without storing its scores?
#
# In attention, every token gets a score for every other token. If you write attention as a chain of
# plain operations, those scores go to memory and come back several times, and then they're thrown
# away. With long texts they don't even fit. The kernel that made long texts possible computes
# exactly the same result and never stores a score. In this lesson you find out how, and write it.
#
# **You will be able to** compute the softmax of a row that comes in blocks, and write flash
# attention in Triton, forward and (if you like) backward.
#
# **You need** *Custom kernels*, and to know what attention computes (*The training step*).
# **Time** about 65 minutes.

# %% role="setup"
from gpuedu import check, hint, predict, progress, reveal, see, setup

import math

import numpy as np
import triton
import triton.language as tl

setup("attention-kernels")

# %% [markdown]
# *See* how much memory the scores of one layer take, compared with what they're computed from. The
# inputs and the result grow with the number of tokens, but the scores grow with its square.

# %%
see("custom-kernels/scores-grow")

# %% [markdown] exercise="online-softmax"
# ## A row that comes in blocks
#
# **`online-softmax` · 6 points · about 20 minutes**
#
# Compute the softmax of a row that you see only once, a block at a time. A softmax seems to need
# the whole row before it can start: first the largest score, then the sum, then the quotients. So a
# row that doesn't fit would have to be read two or three times. In attention it isn't even there to
# be read: its scores are products, which a kernel computes block by block and would like to throw
# away at once.
#
# *Predict.* A row of 100,000 scores comes in blocks, and you see each block once. You want the sum
# of `exp(score - largest)`. How many numbers must you keep from one block to the next?

# %% role="predict"
predict("online-softmax", 100_000)

# %% [markdown]
# The trick is to keep the sum relative to the largest score *so far*. When a larger one comes,
# everything that has been added up is multiplied by one factor. This is called **online softmax**.
# Write it in NumPy first, for one row of attention: each score has a value, which is a vector of
# `d` numbers, and the result is the sum of all values, weighted by the softmax of all scores.
#
# *Implement* three functions that pass on a **state**, a tuple `(largest, total, weighted)`. It
# holds the largest score so far, the sum of all `exp(score - largest)`, and the sum of these powers
# of e, each times its value (not divided by anything yet).

# %% [markdown]
# - `update(state, scores, values)` returns the state after one more block, with `scores` of shape
#   `(n,)` and `values` of shape `(n, d)`, both float64. Before the first block the state is
#   `(-math.inf, 0.0, np.zeros(d))`.
# - `merge(a, b)` returns the state of two parts of a row, given the states of both.
# - `finish(state)` returns the result, of shape `(d,)`.
#
# These rules hold:
#
# - The result is that of the whole row, for blocks of any sizes.
# - The result is also right for scores of 1,500 or -2,000, whose `exp` no float64 can hold.

# %% [markdown]
# - A score of `-inf` doesn't count. A block may consist of nothing else, even the first one, and so
#   may one or both of two merged parts. The row as a whole always has some other score.
# - `largest` and `total` are numbers, `weighted` is a float64 array of shape `(d,)`, and nothing
#   that a function is given is changed.


# %% role="answer"
def update(state, scores, values):
    """The state after one more block."""
    largest, total, weighted = state
    ### BEGIN SOLUTION
    new = max(largest, scores.max())
    if new == -math.inf:
        return state
    shrink = math.exp(largest - new)
    powers = np.exp(scores - new)
    total = total * shrink + powers.sum()
    weighted = weighted * shrink + powers @ values
    return new, total, weighted
    ### END SOLUTION


# %% role="answer"
def merge(a, b):
    """The state of two parts of a row."""
    ### BEGIN SOLUTION
    new = max(a[0], b[0])
    if new == -math.inf:
        return a
    of_a, of_b = math.exp(a[0] - new), math.exp(b[0] - new)
    return new, of_a * a[1] + of_b * b[1], of_a * a[2] + of_b * b[2]
    ### END SOLUTION


def finish(state):
    """The result of a row."""
    ### BEGIN SOLUTION
    return state[2] / state[1]
    ### END SOLUTION


# %% role="check"
check("online-softmax", update, merge, finish)

# %% [markdown]
# *See* eight blocks of scores arrive, and what share of the sum each of them has after each step:

# %%
see("online-softmax", update)
reveal("online-softmax")

# %% [markdown]
# *Reflect.* Does it matter in which order the blocks come? (Only for rounding.) Where have you seen
# a `merge` like this one? (In the layer norm, with means and squared deviations. Whatever can be
# merged can be computed by several programs, each on its part of a row.) When is it worth splitting
# a row of attention like that? (If there are too few rows to fill the GPU: when a model writes one
# token after a long text, say. This is called **flash decoding**.)

# %% [markdown] exercise="flash-attention"
# ## Attention, block by block
#
# **`flash-attention` · 10 points · about 40 minutes**
#
# Write attention as one kernel that never stores a score. With plain operations, attention is a
# chain of three: `scores = q @ k.T * scale`, their softmax, and `weights @ v`. The arrays `q`, `k`
# and `v` have a row for each token. The scores have a row *and* a column for each token, and nobody
# needs them afterwards.
#
# *Predict.* How many bytes does the matrix of scores of one head take, for 8,192 tokens in float16?

# %% role="predict"
predict("flash-attention", 1_000_000)

# %% [markdown]
# In **flash attention**, a program takes `BM` queries and keeps a state for each of them. Then it
# goes through the keys and values in blocks of `BN`, just as in `online-softmax`. So `step` is
# `update` for `BM` queries at once: `largest` and `total` have shape `(BM,)`, `weighted` has
# `(BM, D)`, `scores` has `(BM, BN)`, and `values` has `(BN, D)`.
#
# Language models are **causal**: a token sees itself and earlier tokens, but never a later one. So
# blocks of later keys need not be loaded at all.

# %% [markdown]
# *Implement* `step`, and then `attention` for one head, which calls it. (`check` finds `step` by
# itself.) `q`, `k`, `v` and `o` are float16 of shape `(n, D)`, row by row: element (i, j) is at
# `i * D + j`. Program p has `BM` queries, starting at `p * BM` (fewer at the end). `D`, `BM` and
# `BN` are powers of 2, and at least 16.
#
# - Row i of `o` is the softmax of `scale` times the products of `q[i]` with all rows of `k`, times
#   `v`. With `CAUSAL`, only rows 0 to i count. `q`, `k` and `v` stay as they are.
# - `o` is accurate to within 0.004, even for scores of several hundred. Nothing is computed in
#   float64.
# - A program loads each element of `q`, `k` and `v` at most once. With `CAUSAL` it loads no block
#   of keys that are all later than its queries; blocks of keys start at multiples of `BN`.
# - Nothing outside the arrays is loaded or stored, no undefined value of a masked load is used, and
#   each element of `o` is stored once.

# %% [markdown]
# What you may need from Triton, besides what you used in *Custom kernels*:
#
# - `tl.maximum(a, b)` and `tl.minimum(a, b)` take the larger and the smaller of two values, or of
#   two blocks element by element. `tl.max(a, axis=1)` gives the largest number in each row of `a`.
# - `tl.where(condition, a, b)` chooses for each element, `tl.trans(a)` transposes a block, and
#   `tl.full(shape, value, tl.float32)` makes a block filled with `value`.
# - Both factors of `tl.dot` must have the same dtype: `a.to(tl.float16)` converts a block.
# - There's no `break` in a loop such as `for start in range(0, end, BN):`, so compute its `end`
#   first. An `if CAUSAL:` is decided when the kernel is compiled.


# %% role="answer"
@triton.jit
def step(largest, total, weighted, scores, values):
    """The state of all queries after one more block of keys."""
    ### BEGIN SOLUTION
    new = tl.maximum(largest, tl.max(scores, axis=1))
    shrink = tl.exp(largest - new)
    powers = tl.exp(scores - new[:, None])
    total = total * shrink + tl.sum(powers, axis=1)
    weighted = weighted * shrink[:, None] + tl.dot(powers.to(values.dtype), values)
    return new, total, weighted
    ### END SOLUTION


# %% role="answer"
@triton.jit
def attention(
    q, k, v, o, n, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr
):
    rows, columns = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    place = rows[:, None] * D + columns[None, :]
    ### BEGIN SOLUTION
    queries = tl.load(q + place, mask=rows[:, None] < n, other=0.0)
    largest, total = tl.full((BM,), -float("inf"), tl.float32), tl.zeros((BM,), tl.float32)
    weighted = tl.zeros((BM, D), tl.float32)
    end = n
    if CAUSAL:
        end = tl.minimum(n, (tl.program_id(0) + 1) * BM)
    for start in range(0, end, BN):
        at = start + tl.arange(0, BN)
        block = at[:, None] * D + columns[None, :]
        keys = tl.load(k + block, mask=at[:, None] < n, other=0.0)
        values = tl.load(v + block, mask=at[:, None] < n, other=0.0)
        counts = at[None, :] < n
        if CAUSAL:
            counts = counts & (at[None, :] <= rows[:, None])
        scores = tl.where(counts, tl.dot(queries, tl.trans(keys)) * scale, -float("inf"))
        largest, total, weighted = step(largest, total, weighted, scores, values)
    tl.store(o + place, weighted / total[:, None], mask=rows[:, None] < n)
    ### END SOLUTION


# %% role="check"
check("flash-attention", attention)

# %% [markdown]
# *See* how many bytes your kernel requests from memory, and how many the chain does:

# %%
see("flash-attention", attention)
reveal("flash-attention")

# %% [markdown]
# *Reflect.* Your kernel's bytes still grow with the square of the number of tokens, since every
# program reads all keys and values, and at 1,024 tokens they are half of the chain's. Why is that
# much better than it looks? (These are bytes that programs ask for. Programs that run at the same
# time ask for the same keys, so most of those loads hit the L2 cache, whereas the scores of many
# heads don't fit there. And with twice as many queries per program, you ask for half as many
# bytes.)
#
# What else do you save? (Memory: nothing of size n x n exists, so n can be large.) Your kernel
# computes the same products as the chain, and a backward pass without stored scores computes even
# more. Why is it still faster? (The products never took most of the time; moving the scores did.)

# %% [markdown] exercise="flash-backward"
# ## The backward pass, block by block
#
# **`flash-backward` · 4 points · stretch · about 25 minutes**
#
# Write the backward pass of attention, again without a matrix of weights in memory. Besides its
# result, the forward pass keeps one number for each query: `lse`, the logarithm of the sum of
# `exp(score)` over the keys that it sees. With it, you can recompute a block of weights wherever
# you need it: `weights = exp(scores - lse)`.
#
# *Predict.* The forward pass has two matrix products: the scores, and `weights @ v`. How many does
# the backward pass have, if it recomputes the scores and then finds the gradients of q, k and v?

# %% role="predict"
predict("flash-backward", 5)

# %% [markdown]
# `grad` is the gradient of `out`, the result of the forward pass. For whole matrices, the chain
# rule says:
#
# ```python
# weights = exp(scale * q @ k.T - lse[:, None])  # 0 for later keys
# dv = weights.T @ grad
# delta = (grad * out).sum(axis=1, keepdims=True)  # a number for each query
# slopes = weights * (grad @ v.T - delta)  # the gradient of the scores, before `scale`
# dk = scale * slopes.T @ q
# dq = scale * slopes @ k
# ```
#
# A key gets contributions from many queries. So this time a program has keys, and loops over
# queries.

# %% [markdown]
# *Implement* `contributions`, which computes what a block of queries adds to both gradients, and
# with it `backward`, which computes `dk` and `dv` for one head. Program p has `BN` keys, starting
# at `p * BN` (fewer at the end), and takes the queries in blocks of `BM`. Attention is
# **causal**: query i sees keys 0 to i only. `lse` has n numbers in float32; all other arrays are
# float16 of shape `(n, D)`, row by row. `D`, `BM` and `BN` are powers of 2, and at least 16. (About
# 5 and 17 lines.)
#
# `contributions` gets blocks. `queries`, `results` (of `out`) and `grads` have `BM` rows, `sums`
# (of `lse`) has `BM` numbers, and `keys` and `values` have `BN` rows. `counts` says for each query
# and key whether the query sees the key. (A weight that doesn't count may be infinite before you
# mask it. What is 0 times that?)

# %% [markdown]
# - `dk` and `dv` are accurate to within 0.01, even for scores of several hundred. Nothing is
#   computed in float64. All other arrays stay as they are.
# - A program loads no element twice, and stores each element of `dk` and `dv` once.
# - It loads no block of queries that are all earlier than its keys. Blocks of queries start at
#   multiples of `BM`.
# - Nothing outside the arrays is loaded or stored, and no undefined value of a masked load is used.


# %% role="answer"
@triton.jit
def contributions(queries, results, grads, sums, keys, values, counts, scale):
    """What a block of queries adds to `dv`, and to `dk`; both (BN, D) in float32."""
    ### BEGIN SOLUTION
    weights = tl.exp(tl.dot(queries, tl.trans(keys)) * scale - sums[:, None])
    weights = tl.where(counts, weights, 0.0)
    delta = tl.sum(grads.to(tl.float32) * results.to(tl.float32), axis=1)
    slopes = weights * (tl.dot(grads, tl.trans(values)) - delta[:, None])
    to_values = tl.dot(tl.trans(weights.to(tl.float16)), grads)
    return to_values, tl.dot(tl.trans(slopes.to(tl.float16)), queries) * scale
    ### END SOLUTION


# %% role="answer"
@triton.jit
def backward(
    q, k, v, out, grad, lse, dk, dv, n, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr
):
    mine, columns = tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, D)
    place = mine[:, None] * D + columns[None, :]
    ### BEGIN SOLUTION
    keys = tl.load(k + place, mask=mine[:, None] < n, other=0.0)
    values = tl.load(v + place, mask=mine[:, None] < n, other=0.0)
    of_keys, of_values = tl.zeros((BN, D), tl.float32), tl.zeros((BN, D), tl.float32)
    for start in range(tl.program_id(0) * BN // BM * BM, n, BM):
        rows = start + tl.arange(0, BM)
        block, mask = rows[:, None] * D + columns[None, :], rows[:, None] < n
        queries = tl.load(q + block, mask=mask, other=0.0)
        results = tl.load(out + block, mask=mask, other=0.0)
        grads = tl.load(grad + block, mask=mask, other=0.0)
        sums = tl.load(lse + rows, mask=rows < n, other=0.0)
        counts = mine[None, :] <= rows[:, None]
        more = contributions(queries, results, grads, sums, keys, values, counts, scale)
        of_values += more[0]
        of_keys += more[1]
    tl.store(dk + place, of_keys, mask=mine[:, None] < n)
    tl.store(dv + place, of_values, mask=mine[:, None] < n)
    ### END SOLUTION


# %% role="check"
check("flash-backward", backward)

# %% [markdown]
# *See* how many bytes your kernel requests from memory:

# %%
see("flash-backward", backward)
reveal("flash-backward")

# %% [markdown]
# *Reflect.* Why don't you compute `dq` here, too? (A query's gradient gets contributions from many
# keys, and so from many programs, which would all have to add to it in memory. A second kernel with
# the loops exchanged, one program for each block of queries, needs no such additions, but it has to
# compute the weights once more.) `delta` is the same for every program that needs it. What would
# you do about that? (Compute it once, in a small kernel before this one. Then `out` needn't be
# loaded at all.)

# %% [markdown]
# ## Attention that you don't have to write
#
# PyTorch has kernels like yours behind `torch.nn.functional.scaled_dot_product_attention`, which
# picks one by device, dtype and shape. It matters which one: if none of the fused kernels supports
# your inputs, PyTorch falls back to the chain of operations, scores in memory and all, and you
# notice only from the time and the memory that it takes. To restrict the choice, and get an error
# instead, use `with torch.nn.attention.sdpa_kernel(...):`. If your model changes the scores before
# the softmax (by position, by document, by a window), **FlexAttention**
# (`torch.nn.attention.flex_attention`) takes that change as a Python function and generates the
# fused kernel around it.

# %% [markdown]
# Is there anything left to gain? The idea stays the same, but each generation of GPUs needs a new
# kernel. Flash attention 2 reached only 35% of an H100's peak. It uses older GPUs' instructions,
# and a block's products and its softmax take turns. Flash attention 3 lets some warps load while
# others multiply, and overlaps the softmax of one block with the products of the next: up to 75% in
# float16. That's where you'd leave Triton for CuTe.

# %% [markdown]
# ## What you take with you
#
# - A running maximum and a running sum are enough for a softmax, and two such states can be merged.
# - Attention can go through keys block by block, so that no score is ever stored.
# - A backward pass may recompute what it needs: products are cheap, and memory traffic isn't.
#
# **Your number:** how many bytes per token your attention requests, for a text of 1,024 tokens.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Online softmax: M. Milakov, N. Gimelshein, *Online normalizer calculation for softmax*, 2018,
#   arXiv:1805.02867.
# - Flash attention: T. Dao et al., *FlashAttention: Fast and Memory-Efficient Exact Attention with
#   IO-Awareness*, NeurIPS 2022, arXiv:2205.14135. Blocks of queries for each program, with a loop
#   over keys: T. Dao, *FlashAttention-2*, 2023, arXiv:2307.08691.
# - One row split among programs: T. Dao, D. Haziza, F. Massa, G. Sizov, *Flash-Decoding for
#   long-context inference*, PyTorch blog, 2023.
# - The backward pass: recomputed weights, T. Dao et al. 2022, section 3.1; one number for each
#   query, and programs that have keys, T. Dao 2023, sections 3.1 and 3.2. 2.5 times the arithmetic,
#   and a kernel that computes `delta` first: Triton's tutorials, "Fused Attention".
# - What PyTorch chooses from: its pages of `scaled_dot_product_attention`, `torch.nn.attention` and
#   `torch.nn.attention.flex_attention`.
# - 35% and 75%, and how: J. Shah et al., *FlashAttention-3: Fast and Accurate Attention with
#   Asynchrony and Low-precision*, 2024, arXiv:2407.08608.
# - An H100's 80 GB of memory: NVIDIA, *NVIDIA H100 Tensor Core GPU*, data sheet.
