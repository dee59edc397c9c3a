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
# **You need** memory and tiling, the roofline, and the formats of mixed precision.
# **Time** about 120 minutes.

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
# is undefined.

# %% [markdown]
# The size of a block is a power of 2, and it's known when the kernel is compiled: that's what
# `tl.constexpr` says. Triton's compiler decides which thread has which element, how loads are
# coalesced, and what goes through shared memory.
#
# There is no GPU needed here. Without one, a kernel in Triton runs in Triton's own interpreter, and
# we count what it loads and stores.

# %% [markdown]
# *Implement* `softmax`. Row r of `x` and of `out` starts at element `r * columns`; there is one
# program for each row, and `BLOCK` is the smallest power of 2 that is at least `columns`. You may
# use `tl.max(values, axis=0)`, `tl.sum(values, axis=0)` and `tl.exp(values)`. (About 5 lines.)
#
# - Each row of `out` is the softmax of that row of `x`, also where the numbers are around 1000 or
#   -1000. `x` is left as it is.
# - Each element of `x` is loaded once, and each element of `out` is stored once.
# - Nothing outside the arrays is loaded or stored, and no value that a mask leaves out takes part.


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

# %% [markdown] exercise="triton-matmul"
# ## A product in tiles, in an order that suits the cache
#
# **`triton-matmul` · 8 points · about 30 minutes**
#
# You'll write a matrix product in Triton, `c = a @ b`, in two parts: which tile of `c` a program
# has, and how it computes that tile.
#
# `a` is M x K, `b` is K x N, and all are float16, row by row in memory. A tile of `c` is `BLOCK_M` x
# `BLOCK_N`. It needs one **stripe** of `a`, `BLOCK_M` rows of all K columns, and one stripe of `b`,
# `BLOCK_N` columns of all K rows.

# %% [markdown]
# Programs that run at the same time share what they read through the L2 cache: all
# multiprocessors load through it, and an H100 has 50 MB of it. A stripe that several of them need
# comes from memory once, if they need it at about the same time.
#
# So it matters which tiles run together. Programs usually start in the order of their numbers
# (CUDA promises no order). Say 16 of them run at once. If their tiles are neighbors in one row of
# tiles, they need 1 stripe of `a` and 16 of `b`, 17 in all.
#
# *Predict.* What is the smallest number of stripes that 16 tiles can do with?

# %% role="predict"
predict("triton-matmul", 8)

# %% [markdown]
# *Implement* `tile_of`, which gives the place of a program's tile: its row and its column, counted
# in tiles. `c` has `rows` x `columns` tiles. `GROUP` rows of tiles are a group. Programs take one
# group after the other; in a group they go column by column, each from top to bottom. The last
# group may have fewer rows. These are the programs' numbers for 3 rows, 5 columns and `GROUP = 2`:
#
# ```text
#  0   2   4   6   8
#  1   3   5   7   9
# 10  11  12  13  14
# ```
#
# A kernel may call it, since it has `@triton.jit`, too. (About 4 lines.)


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
# *Implement* `matmul`, with one program for each tile: ceil(M / BLOCK_M) * ceil(N / BLOCK_N) of
# them. What you may need:
#
# - `x[:, None]` and `x[None, :]` make a column or a row of a block, as in NumPy.
# - `tl.zeros((rows, columns), tl.float32)` is a block of zeros; loops go over `range`.
# - `tl.dot(left, right, total)` is `total + left @ right`. Of float16 factors it is computed on
#   tensor cores, with a sum in float32. All sides of the blocks are at least 16.

# %% [markdown]
# - `c` is right for every M, N and K, also where the blocks don't divide them. The sum is kept in
#   float32, and rounded to float16 when it's stored. `a` and `b` are left as they are.
# - Each element of `c` is stored once. No program loads an element of `a` or `b` twice.
# - Nothing outside the arrays is loaded or stored, and no value that a mask leaves out takes part.
# - The programs take the tiles in the order above. So those of neighboring columns of a group
#   together load the stripes of these tiles, and nothing else.
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
# *See* the order in which programs take the tiles, row by row and in yours, for tiles of 16 x 16:

# %%
see("triton-matmul", matmul)
reveal("triton-matmul")

# %% [markdown]
# *Reflect.* With tiles of 64 x 64 and N = 4096, how many programs load each element of `a`? (All 64
# in its row of tiles. Most of these loads should find it in the cache.) What else would make a
# program load less for each product? (Larger tiles, until registers and shared memory are full.)
#
# For float32 factors `tl.dot` rounds them to TF32 on GPUs that have it, which keeps 10 bits of
# the fraction; `input_precision="ieee"` keeps all of float32, and is slower.

# %% [markdown]
# The block's sides and `GROUP` are not all there is to choose. `num_warps` is how many warps work on
# one program, and `num_stages` how many turns of the loop the compiler has under way at once, so
# that loads of the next turns run during the products of this one. What is best depends on the GPU
# and on the shapes: `@triton.autotune` takes a list of such choices, times each of them, and keeps
# the fastest for each `key`.

# %% [markdown]
# ## What you take with you
#
# - A chain of operations costs what it reads and writes.
# - One kernel that does the whole chain moves each byte once.
# - A running maximum and a running sum are enough for a softmax.
#
# **Your number:** how many bytes your attention moves for each token.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - None yet.
