# %% [markdown]
# # What when the library has no kernel for it?
#
# PyTorch has a kernel for each of its operations, and each of them reads its inputs from memory and
# writes its result back. A chain of small operations spends its time on that traffic. One kernel
# that does the whole chain reads and writes each element once.
#
# **You will be able to** write such kernels in Triton, up to flash attention, and tell from the
# bytes why they are fast.
#
# **You need** memory and tiling, the roofline, and the formats of mixed precision; and Linux, since
# Triton runs nowhere else (on Windows, WSL will do). **Time** about 145 minutes.

# %% role="setup"
import math

import numpy as np
import triton
import triton.language as tl

from gpuedu import check, hint, predict, progress, reveal, see, setup

setup("custom-kernels")

# %% [markdown] exercise="fused-softmax"
# ## A softmax in one kernel
#
# **`fused-softmax` · 7 points · about 25 minutes**
#
# Suppose PyTorch had no softmax, and you wrote it as a chain of operations:
#
# ```python
# largest = x.max(dim=1, keepdim=True).values
# powers = (x - largest).exp()
# out = powers / powers.sum(dim=1, keepdim=True)
# ```
#
# Each of the five operations is a kernel of its own: it reads its input from memory, and writes its
# result back for the next one.
#
# *Predict.* `x` has many rows of many columns. How many bytes do these five kernels read and write
# together, for each byte of `x`? (A number for each row is too little to count.)

# %% role="predict"
predict("fused-softmax", 10)

# %% [markdown]
# One kernel can do all of it, if a row fits in what a block keeps in its registers. We write it in
# **Triton**, where you don't write what one thread does. You write what one **program** does, which
# is what a block is in CUDA, and its values are whole blocks of numbers:
#
# ```python
# @triton.jit
# def double(x, out, n, BLOCK: tl.constexpr):
#     at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
#     values = tl.load(x + at, mask=at < n)
#     tl.store(out + at, 2 * values, mask=at < n)
# ```

# %% [markdown]
# `x` is a pointer, so `x + at` is a block of addresses. Where the `mask` is false, nothing is
# loaded or stored. `other=` says what such an element of the block is then; without it, its value
# is undefined. Minus infinity is `-float("inf")` in a kernel.

# %% [markdown]
# The size of a block is a power of 2, and it's known when the kernel is compiled: that's what
# `tl.constexpr` says. Triton's compiler decides which thread has which element, how loads are
# coalesced, and what goes through shared memory.
#
# There is no GPU needed here. Without one, a kernel in Triton runs in Triton's own interpreter, and
# we count what it loads and stores. Triton's compiler reads it, too, since the interpreter runs
# more of Python than a GPU can.

# %% [markdown]
# *Implement* `softmax`. Row r of `x` and of `out` starts at element `r * columns`; there is one
# program for each row, and `BLOCK` is the smallest power of 2 that is at least `columns`. You will
# need `tl.max(values, axis=0)`, `tl.sum(values, axis=0)` and `tl.exp(values)`. (About 5 lines.)
#
# - Each row of `out` is the softmax of that row of `x`, also where the numbers are around 1000 or
#   -1000. `x` is left as it is.
# - Each element of `x` is loaded once, and each element of `out` is stored once.
# - Nothing outside the arrays is loaded or stored, and no undefined value of a masked load takes
#   part.


# %% role="answer"
@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    ### BEGIN SOLUTION
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + at, mask=at < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    total = tl.sum(powers, axis=0)
    tl.store(out + row * columns + at, powers / total, mask=at < columns)
    ### END SOLUTION


# %% role="check"
check("fused-softmax", softmax)

# %% [markdown]
# *See* what moves through memory, for the chain and for your kernel:

# %%
see("fused-softmax", softmax)
reveal("fused-softmax")

# %% [markdown]
# *Reflect.* Your kernel does the same arithmetic as the chain. Why is it four times as fast on a
# GPU? (A softmax does a few operations for each number that it reads, far fewer than a GPU could do
# in that time. So it takes as long as its bytes.) What limits the length of a row? (The block is in
# the registers of one multiprocessor, 256 KiB on an H100.)

# %% [markdown] exercise="layer-norm"
# ## A layer norm of long rows
#
# **`layer-norm` · 7 points · about 25 minutes**
#
# A row of `x` is now longer than a block, so a program goes through it in a loop. A layer norm
# needs the row's mean and variance before it can store anything: `out = (x - mean) / sqrt(variance
# + eps) * weight + bias`, where the variance is the mean of the squared deviations.
#
# *Predict.* A kernel goes through each row three times: for the mean, for the variance, and for the
# result. How many bytes does it read and write, for each byte of `x`?

# %% role="predict"
predict("layer-norm", 2)

# %% [markdown]
# Mean and variance can come from one pass. Two parts of a row with $n_a$ and $n_b$ numbers, means
# $m_a$ and $m_b$, and sums of squared deviations $s_a$ and $s_b$ have together, with $d = m_b -
# m_a$ and $n = n_a + n_b$:
#
# $$m = m_a + d\,\frac{n_b}{n} \qquad s = s_a + s_b + d^2\,\frac{n_a n_b}{n}$$
#
# So a loop can keep three numbers, and merge a block into them in each turn: start with n_a = 0.
# (The mean of the squares minus the square of the mean needs one pass, too. But both are large for
# a row far away from zero, and float32 has seven digits, so their difference is mostly rounding.)

# %% [markdown]
# What you may need of Triton, besides what the last exercise used:
#
# - `for start in range(0, columns, BLOCK):` is a loop, in which numbers can be kept and changed.
# - `tl.minimum(a, b)` is the smaller of two values, and `tl.sqrt(a)` a root.
# - `tl.where(condition, a, b)` chooses for each element of a block.

# %% [markdown]
# *Implement* `layer_norm`. There is one program for each row, rows are `columns` elements apart,
# and `weight` and `bias` have `columns` elements. All arrays are float32. (About 18 lines.)
#
# - Each row of `out` is the layer norm of that row of `x`, also for rows around 1000 or -3000,
#   where an error of 0.004 is allowed. `x`, `weight` and `bias` are left as they are.
# - Each element of `x` is loaded at most twice, and a program loads each element of `weight` and
#   `bias` once. Each element of `out` is stored once.
# - Nothing outside the arrays is loaded or stored, no undefined value of a masked load takes part,
#   and nothing is computed in float64.


# %% role="answer"
@triton.jit
def layer_norm(x, out, weight, bias, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    ### BEGIN SOLUTION
    count, mean, squares = 0.0, 0.0, 0.0
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        values = tl.load(x + row * columns + at, mask=at < columns, other=0.0)
        more = tl.minimum(BLOCK, columns - start)
        middle = tl.sum(values, axis=0) / more
        off = tl.where(at < columns, values - middle, 0.0)
        delta = middle - mean
        mean += delta * more / (count + more)
        squares += tl.sum(off * off, axis=0) + delta * delta * count * more / (count + more)
        count += more
    scale = 1 / tl.sqrt(squares / columns + eps)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        values = tl.load(x + row * columns + at, mask=at < columns, other=0.0)
        w = tl.load(weight + at, mask=at < columns, other=0.0)
        b = tl.load(bias + at, mask=at < columns, other=0.0)
        tl.store(out + row * columns + at, (values - mean) * scale * w + b, mask=at < columns)
    ### END SOLUTION


# %% role="check"
check("layer-norm", layer_norm)

# %% [markdown]
# *See* what moves through memory, for a chain of operations and for your kernel:

# %%
see("layer-norm", layer_norm)
reveal("layer-norm")

# %% [markdown]
# *Reflect.* Your kernel reads a long row twice. Could it read it once? (If the row stays on the
# chip, in the registers of one program: with a `BLOCK` at least as large as `columns`, a kernel
# without a second load can keep it there. Libraries choose by the length of the row.) Where else
# did you merge two parts like this? (A sum in a tree, a softmax in blocks. What can be merged can
# be computed in any order, by many programs.)

# %% [markdown] exercise="triton-matmul"
# ## A product in tiles, in an order that suits the cache
#
# **`triton-matmul` · 8 points · about 30 minutes**
#
# You'll write a matrix product in Triton, `c = a @ b`, in two steps: first you choose which tile
# of `c` each program has, then you compute the tile.
#
# `a` is M x K, `b` is K x N and `c` is M x N, all in float16 and row by row in memory. A tile of
# `c` has `BLOCK_M` rows and `BLOCK_N` columns. For it a program needs one **stripe** of `a`,
# which is `BLOCK_M` whole rows, and one stripe of `b`, which is `BLOCK_N` whole columns.

# %% [markdown]
# All multiprocessors load through one L2 cache; an H100's has 50 MB. So programs that run at the
# same time share what they read: a stripe that several of them need comes from memory once, and
# from the cache after that.
#
# That's why it matters which tiles run together. Programs start in about the order of their
# numbers (CUDA doesn't promise any order). Suppose 16 of them run at once. If their tiles are
# neighbors in one row, they need 1 stripe of `a` and 16 of `b`, 17 in all.
#
# *Predict.* Any 16 tiles of `c` may run together. What is the smallest number of stripes that
# they need?

# %% role="predict"
predict("triton-matmul", 8)

# %% [markdown]
# *Implement* `tile_of`, which returns the place of a program's tile: its row and its column,
# counted in tiles. `number` is the program's, and `c` has `rows` x `columns` tiles. Every `GROUP`
# rows of tiles are a group. Programs take one group after the other, from the top; within a group
# they go column by column, and down each column. The last group may have fewer rows. With 3 rows,
# 5 columns and `GROUP = 2`, the programs' numbers are:
#
# ```text
#  0   2   4   6   8
#  1   3   5   7   9
# 10  11  12  13  14
# ```
#
# A kernel can call this function, because it has a `@triton.jit` of its own. (About 4 lines.)


# %% role="answer"
@triton.jit
def tile_of(number, rows, columns, GROUP: tl.constexpr):
    ### BEGIN SOLUTION
    first = number // (GROUP * columns) * GROUP
    height = min(rows - first, GROUP)
    within = number % (GROUP * columns)
    return first + within % height, within // height
    ### END SOLUTION


# %% [markdown]
# *Implement* `matmul`. It's launched with one program for each tile of `c`; `tl.cdiv`, in the first
# line, is a quotient rounded up. A program goes along its stripes in steps of `BLOCK_K`. What you
# may need:
#
# - `x[:, None]` and `x[None, :]` make a block with one column or with one row, as in NumPy.
#   Together they give a block of two dimensions: of addresses, say, or of a mask, with `&`.
# - `tl.zeros((BLOCK_M, BLOCK_N), tl.float32)` is a block of zeros. Loops go over `range`.
# - `tl.dot(left, right, total)` is `total + left @ right`. With float16 factors it runs on tensor
#   cores, which add up in float32. The sides of a block are powers of 2, and at least 16 here.

# %% [markdown]
# - `c` is right for every M, N and K, even if the blocks don't divide them. The sum is kept in
#   float32, and rounded to float16 once. `a` and `b` are left as they are.
# - Each element of `c` is stored once, and no program loads an element of `a` or `b` twice.
# - Nothing outside the arrays is loaded or stored, and no undefined value of a masked load takes
#   part.
# - Programs take the tiles in the order above. What is checked of it are their loads: together,
#   the programs of neighboring columns in a group load the stripes of these columns, and no more.
#
# (About 9 lines.)


# %% role="answer"
@triton.jit
def matmul(
    a,
    b,
    c,
    M,
    N,
    K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP: tl.constexpr,
):
    row, column = tile_of(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP)
    ### BEGIN SOLUTION
    i = row * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    j = column * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        left = tl.load(a + i * K + k[None, :], mask=(i < M) & (k[None, :] < K), other=0.0)
        right = tl.load(b + k[:, None] * N + j, mask=(k[:, None] < K) & (j < N), other=0.0)
        total = tl.dot(left, right, total)
    tl.store(c + i * N + j, total, mask=(i < M) & (j < N))
    ### END SOLUTION


# %% role="check"
check("triton-matmul", matmul)

# %% [markdown]
# *See* which tiles the first 16 programs take, row by row and in your order, and what they read:

# %%
see("triton-matmul", matmul)
reveal("triton-matmul")

# %% [markdown]
# *Reflect.* With tiles of 64 x 64 and N = 4096, how many programs load each element of `a`? (64,
# one for each tile in that row of tiles. The cache should serve most of these loads.) How could
# each program load less for the same number of products? (With larger tiles, until registers and
# shared memory are full.)
#
# If the factors are float32, `tl.dot` uses only 10 bits of their fraction by default, as **TF32**
# does, on GPUs that have it. `input_precision="ieee"` keeps all 23, and gives up that speed.

# %% [markdown]
# The sides of a block and `GROUP` aren't all there is to choose. `num_warps` says how many warps
# work on one program. `num_stages` says over how many stages the compiler spreads the loop, so
# that later turns load while this one multiplies. Which choice is best depends on the GPU and on
# the shapes. `@triton.autotune` times a list of such choices, and again whenever an argument that
# you name in its `key` changes.

# %% [markdown] exercise="online-softmax"
# ## A row that comes in blocks
#
# **`online-softmax` · 6 points · about 20 minutes**
#
# A softmax seems to need the whole row before it can start: the largest score first, then the sum,
# then the quotients. So a row that doesn't fit would be read two or three times. In attention it
# isn't even there: its scores are products that a kernel computes block by block, and would like to
# throw away again.
#
# *Predict.* A row of 100,000 scores comes in blocks, each of them once, and you want the sum of
# their powers relative to the largest score. How many numbers must be kept from one block to the
# next?

# %% role="predict"
predict("online-softmax", 100_000)

# %% [markdown]
# The sum can be kept relative to the largest score *so far*. When a larger one comes, everything
# that has been added up is multiplied by one factor. This is called **online softmax**. First write
# it in NumPy, for one row of attention: each score has a value, a vector of `d` numbers, and the
# result is the sum of all values, weighted by the softmax of all scores.
#
# *Implement* three functions that pass a **state** on, a tuple `(largest, total, weighted)`: the
# largest score so far, the sum of all `exp(score - largest)`, and the sum of these powers times
# their values (which isn't divided by anything yet).
#
# - `update(state, scores, values)` gives the state after one more block, with `scores` of shape
#   `(n,)` and `values` of shape `(n, d)`, both float64. Before the first block the state is
#   `(-math.inf, 0.0, np.zeros(d))`.
# - `merge(a, b)` gives the state of two parts of a row from the states of both.
# - `finish(state)` gives the result, of shape `(d,)`.

# %% [markdown]
# - The result is that of the whole row, for blocks of any sizes.
# - It's also right for scores of 1,500, whose `exp` is too large for a float64.
# - A score of `-inf` takes no part. A block may have no others, also the first one, and so may one
#   of two parts that are merged, or both. The row as a whole has some.
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
# *See* eight blocks of scores that come one after another, and what share each of them has in the
# sum so far:

# %%
see("online-softmax", update)
reveal("online-softmax")

# %% [markdown]
# *Reflect.* Does it matter in which order the blocks come? (Not but for rounding.) `merge` lets
# several programs work on one row, each on a part of it. When is that worth it? (If there are too
# few rows to fill the GPU: one question to a long text, say.)

# %% [markdown] exercise="flash-attention"
# ## Attention, block by block
#
# **`flash-attention` · 10 points · about 40 minutes**
#
# Attention with plain operations is a chain of three: `scores = q @ k.T * scale`, their softmax,
# and `weights @ v`. The arrays `q`, `k`, `v` have a row for each token. The scores have a row *and*
# a column for each token, and there's no use for them afterwards.
#
# *Predict.* How many bytes does the matrix of scores of one head need, for 8,192 tokens in float16?

# %% role="predict"
predict("flash-attention", 1_000_000)

# %% [markdown]
# **Flash attention** never stores a score. A program takes `BM` queries, keeps a state for each
# of them, and goes through the keys and values in blocks of `BN`, as in `online-softmax`. So `step`
# is `update` for `BM` queries at once: `largest` and `total` have shape `(BM,)`, `weighted` has
# `(BM, D)`, `scores` `(BM, BN)`, and `values` `(BN, D)`.
# Language models are **causal**: a token sees itself and earlier ones. Then blocks of later keys
# need not be loaded at all.
#
# *Implement* `step`, and with it `attention` for one head; `check` finds `step` by itself, since
# `attention` calls it. `q`, `k`, `v` and `o` are float16, of shape `(n, D)`, row by row: element
# (i, j) is at `i * D + j`. Program p has `BM` queries, from `p * BM` on, as far as there are any.
# `D`, `BM` and `BN` are powers of 2, and at least 16.

# %% [markdown]
# - Row i of `o` is the softmax of `scale` times the products of `q[i]` with all rows of `k`, times
#   `v`. With `CAUSAL` it's that of rows 0 to i alone. `q`, `k` and `v` are left as they are.
# - It's right up to 0.004, also for scores of some hundreds. Nothing is computed in float64.
# - A program loads each element of `q`, `k` and `v` at most once. With `CAUSAL` it loads no block
#   of keys that are all later than its queries; blocks of keys start at multiples of `BN`.
# - Nothing outside the arrays is loaded or stored, no undefined value of a masked load takes part,
#   and each element of `o` is stored once.

# %% [markdown]
# What you may need of Triton, besides what the last exercises used:
#
# - `tl.maximum(a, b)` and `tl.minimum(a, b)` take the larger and the smaller of two values, or of
#   two blocks element by element. `tl.max(a, axis=1)` has one number for each row of `a`.
# - `tl.where(condition, a, b)` chooses for each element, `tl.trans(a)` turns a block around, and
#   `tl.full(shape, value, tl.float32)` makes one.
# - Both factors of `tl.dot` must have the same dtype: `a.to(tl.float16)` converts a block.
# - `for start in range(0, end, BN):` is a loop, which can't be left by `break`: compute its `end`
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
# *See* what your kernel asks of memory, and what the chain does:

# %%
see("flash-attention", attention)
reveal("flash-attention")

# %% [markdown]
# *Reflect.* Your kernel's bytes still grow with the square of the tokens, since each program reads
# all keys and values, and at 1,024 tokens they are half of the chain's. Why is that so much better
# than it looks? (These are bytes that programs ask for. Those that run at the same time ask for the
# same keys, so most of them come from the L2 cache, while scores of many heads are too many for it.
# And twice as many queries in a program halve them.) What else is saved? (The memory: nothing of
# size n x n exists, so n can be large.) It computes as many products as the chain, or more in a
# backward pass. Why is it faster all the same? (The products were never what took the time.)

# %% [markdown] exercise="flash-backward"
# ## The way back, block by block
#
# **`flash-backward` · 4 points · stretch · about 25 minutes**
#
# Write the backward pass of attention, without a matrix of weights in memory. Besides its result,
# the forward pass keeps one number for each query: `lse`, the logarithm of the sum of its powers.
# With it, a block of weights is computed again where it's needed: `weights = exp(scores - lse)`.
#
# *Predict.* The forward pass has two products of matrices: the scores, and `weights @ v`. How many
# does the backward pass have, if it computes the scores again, and the gradients of q, k and v?

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
# A key gets contributions from all queries. So here a program has keys, and loops over queries.

# %% [markdown]
# *Implement* `contributions`, what a block of queries adds to both gradients, and with it
# `backward`, which computes `dk` and `dv` for one head. Program p has `BN` keys, from `p * BN` on,
# as far as there are any, and takes the queries in blocks of `BM`. Attention is **causal**: query i
# sees keys 0 to i alone. `lse` has n numbers in float32; all other arrays are float16, of shape
# `(n, D)`, row by row. `D`, `BM` and `BN` are powers of 2, and at least 16. (About 5 and 17 lines.)

# %% [markdown]
# - `dk` and `dv` are right up to 0.01, also for scores of some hundreds. Nothing is computed in
#   float64. All other arrays are left as they are.
# - A program loads no element twice, and stores each element of `dk` and `dv` once.
# - It loads no block of queries that are all earlier than its keys. Blocks of queries start at
#   multiples of `BM`.
# - Nothing outside the arrays is loaded or stored, and no undefined value of a masked load takes
#   part.
#
# `contributions` gets blocks: `queries`, `results` (of `out`) and `grads` of `BM` rows, `sums` (of
# `lse`) of `BM` numbers, `keys` and `values` of `BN` rows, and `counts`, which says for each query
# and key whether the query sees the key. (A weight that doesn't count may be infinite before you
# leave it out. What is 0 times that?)


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
# *See* what your kernel asks of memory:

# %%
see("flash-backward", backward)
reveal("flash-backward")

# %% [markdown]
# *Reflect.* Why is `dq` not computed here, too? (A query's gradient gets contributions from all
# keys, so from all programs. They would have to add to it in memory, one after another. A second
# kernel with the loops exchanged, a program for each block of queries, needs no such sums, but
# computes the weights once more.) `delta` is the same for every program that needs it. What would
# you do? (A small kernel before this one computes it once. Then `out` needn't be loaded at all.)

# %% [markdown]
# Triton isn't the only language of this kind. **cuTile**, by NVIDIA, has tiles, too, in Python. But
# its loads take an array, which knows its shape, and the number of a tile in it, where yours
# compute addresses and masks. It runs on NVIDIA's GPUs alone.
#
# **CuTe** goes the other way. It's the core of CUTLASS, NVIDIA's templates for matrix products in
# C++, and its **CuTe DSL** is the same in Python. As in CUDA C you say what each thread does, but
# who has which element is a *layout* that can be computed with, and copies and the instructions of
# tensor cores are its building blocks. What Triton's compiler decides, you decide there.

# %% [markdown]
# ## What you take with you
#
# - A chain of operations costs what it reads and writes.
# - One kernel that does the whole chain moves each byte once.
# - A running maximum and a running sum are enough for a softmax.
#
# **Your number:** how many bytes your attention asks for, for each of 1,024 tokens.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - What a load gives where its mask is false: Triton's documentation, `triton.language.load`. A row
#   for each program: Triton's tutorials, "Fused Softmax". 256 KiB of registers in each
#   multiprocessor: NVIDIA, *NVIDIA H100 Tensor Core GPU Architecture*, 2022.
# - Means and squared deviations of two parts: T. Chan, G. Golub, R. LeVeque, *Algorithms for
#   Computing the Sample Variance*, The American Statistician 37, 1983.
# - An H100's L2 cache: NVIDIA, *NVIDIA Hopper Architecture In-Depth*, 2022. Programs run in any
#   order: *CUDA C++ Programming Guide*, "Thread Hierarchy". Why their order matters all the same,
#   and groups of rows of tiles: Triton's tutorials, "Matrix Multiplication", "L2 Cache
#   Optimizations".
# - Precision of products, warps and stages, and when tuning starts again: Triton's documentation,
#   `triton.language.dot`, `triton.Config` and `triton.autotune`. TF32's bits: NVIDIA, *A100 Tensor
#   Core GPU Architecture*, 2020.
# - Online softmax: M. Milakov, N. Gimelshein, *Online normalizer calculation for softmax*, 2018,
#   arXiv:1805.02867.
# - Flash attention: T. Dao et al., *FlashAttention: Fast and Memory-Efficient Exact Attention with
#   IO-Awareness*, NeurIPS 2022, arXiv:2205.14135. Blocks of queries for each program, with a loop
#   over keys: T. Dao, *FlashAttention-2*, 2023, arXiv:2307.08691.
# - Loads of tiles from arrays, and the GPUs: NVIDIA, *cuTile Python*, `cuda.tile.load`, and *CUDA
#   Tile*. Layouts, tensors, atoms and control over threads: NVIDIA, *CUTLASS*, "CuTe DSL",
#   Overview.
# - The way back: weights are computed again, T. Dao et al. 2022, section 3.1; from one number for
#   each query, by programs that have keys, T. Dao 2023, sections 3.1 and 3.2. 2.5 times the
#   arithmetic, and a kernel that computes `delta` first: Triton's tutorials, "Fused Attention".
