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
# - Nothing outside the arrays is loaded or stored, and no value that a mask leaves out takes
#   part.
# - The programs take the tiles in the order above, so that those of neighboring columns in a
#   group load no more different elements than the stripes of these columns have.
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
# - An H100's L2 cache: NVIDIA, *NVIDIA Hopper Architecture In-Depth*, 2022. Programs run in any
#   order: *CUDA C++ Programming Guide*, "Thread Hierarchy". Why their order matters all the same,
#   and groups of rows of tiles: Triton's tutorials, "Matrix Multiplication", "L2 Cache
#   Optimizations".
# - Precision of products, warps and stages, and when tuning starts again: Triton's documentation,
#   `triton.language.dot`, `triton.Config` and `triton.autotune`. TF32's bits: NVIDIA, *A100 Tensor
#   Core GPU Architecture*, 2020.
