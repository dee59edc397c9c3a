# %% [markdown]
# # What if the library has no kernel for it?
#
# PyTorch has a kernel for each of its operations. Each one reads its inputs from memory and writes
# its result back, even if the next operation needs nothing but that result. So a chain of small
# operations spends nearly all of its time moving the same numbers back and forth. One kernel for
# the whole chain touches memory only at its two ends, and in this lesson you write two of these,
# and a matrix product.
#
# **You will be able to** write fused kernels and a matrix product in Triton, and tell from their
# bytes how fast they can be.
#
# **You need** *Tiling* and *Formats and tensor cores*; and Linux, because Triton's packages exist
# for no other system (on Windows, use WSL). **Time** about 85 minutes.

# %% role="setup"
from gpuedu import check, hint, predict, progress, reveal, see, setup

import triton
import triton.language as tl

setup("custom-kernels")

# %% [markdown]
# *See* what there is to gain. GELU, an activation function, is a chain of eight operations if you
# build it from PyTorch's basic ones. The arithmetic is the same in all three rows.

# %%
see("custom-kernels/gelu-at-best")

# %% [markdown] exercise="fused-softmax"
# ## A softmax in one kernel
#
# **`fused-softmax` · 7 points · about 25 minutes**
#
# Write a softmax that goes through memory once. Suppose PyTorch didn't have one, and you had to
# build it from other operations:
#
# ```python
# largest = x.max(dim=1, keepdim=True).values
# powers = (x - largest).exp()
# out = powers / powers.sum(dim=1, keepdim=True)
# ```
#
# That's five operations, and each is a separate kernel, with its own trip to memory and back.
#
# *Predict.* `x` has many rows and many columns. Add up what the five kernels read and write: how
# many bytes is that for each byte of `x`? (One number per row is too little to count.)

# %% role="predict"
predict("fused-softmax", 10)

# %% [markdown]
# One kernel can do all of it, as long as a row fits in the registers that a block has. We'll write
# it in **Triton**. In CUDA you say what one thread does. In Triton you say what one **program**
# does, which is what CUDA calls a block, and the values that you work with are whole blocks of
# numbers:
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
# loaded or stored. `other=` says what to put there instead; without it, those elements of the block
# are undefined. Inside a kernel, minus infinity is `-float("inf")`.
#
# The size of a block is a power of 2, and it has to be known when the kernel is compiled, which is
# what `tl.constexpr` says. The rest is up to Triton's compiler: which thread holds which element,
# how loads are coalesced, and what goes through shared memory.

# %% [markdown]
# You don't need a GPU here. Without one, your kernel runs in Triton's own interpreter, and we count
# what it loads and stores. Triton's compiler reads it as well, because the interpreter accepts more
# of Python than a GPU can run.

# %% [markdown]
# *Implement* `softmax`. Row r of `x` and of `out` starts at element `r * columns`. There is one
# program for each row, and `BLOCK` is the smallest power of 2 that is at least `columns`. You will
# need `tl.max(values, axis=0)`, `tl.sum(values, axis=0)` and `tl.exp(values)`. (About 5 lines.)
#
# - Each row of `out` is the softmax of that row of `x`, even for numbers around 1000 or -1000. `x`
#   stays as it is.
# - Each element of `x` is loaded once, and each element of `out` is stored once.
# - Nothing outside the arrays is loaded or stored, and no undefined value of a masked load is used.


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
# *Reflect.* Your kernel does the same arithmetic as the chain. Why can it be four times as fast? (A
# softmax does only a few operations for each number it reads, and a GPU could do far more in that
# time. So both take as long as their bytes do, once `x` is too large for the cache.) What limits
# the length of a row? (The whole row has to fit in the registers of one multiprocessor: 256 KiB on
# an H100.)

# %% [markdown] exercise="layer-norm"
# ## A layer norm of long rows
#
# **`layer-norm` · 7 points · about 25 minutes**
#
# Write a layer norm for rows that are longer than a block, so that a program has to loop over its
# row. What makes this awkward is that nothing can be stored until the row's mean and variance are
# known: `out = (x - mean) / sqrt(variance + eps) * weight + bias`, where the variance is the mean
# of the squared deviations.
#
# *Predict.* A kernel goes through each row three times: for the mean, for the variance, and for the
# result. How many bytes does it read and write for each byte of `x`?

# %% role="predict"
predict("layer-norm", 2)

# %% [markdown]
# You can get mean and variance in a single pass. Take two parts of a row, with $n_a$ and $n_b$
# numbers, means $m_a$ and $m_b$, and sums of squared deviations $s_a$ and $s_b$. With
# $d = m_b - m_a$ and $n = n_a + n_b$, the two together have
#
# $$m = m_a + d\,\frac{n_b}{n} \qquad s = s_a + s_b + d^2\,\frac{n_a n_b}{n}$$
#
# So a loop can keep three numbers, start with $n_a = 0$, and merge in one block per turn. (The mean
# of the squares minus the square of the mean takes one pass, too. But far away from zero both are
# large, and float32 has only about seven digits, so what is left of their difference is mostly
# rounding error.)

# %% [markdown]
# What you may need from Triton, besides what the last exercise used:
#
# - `for start in range(0, columns, BLOCK):` is a loop; its variables keep their values from one
#   turn to the next.
# - `tl.minimum(a, b)` is the smaller of two values, and `tl.sqrt(a)` a square root.
# - `tl.where(condition, a, b)` chooses for each element of a block.

# %% [markdown]
# *Implement* `layer_norm`. There is one program for each row, rows are `columns` elements apart,
# and `weight` and `bias` have `columns` elements. All arrays are float32. (About 18 lines.)
#
# - Each row of `out` is the layer norm of that row of `x`, even for rows around 1000 or -3000,
#   where an error of 0.004 is allowed. `x`, `weight` and `bias` stay as they are.
# - Each element of `x` is loaded at most twice, and a program loads each element of `weight` and
#   `bias` once. Each element of `out` is stored once.
# - Nothing outside the arrays is loaded or stored, no undefined value of a masked load is used, and
#   nothing is computed in float64.


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
# *Reflect.* Your kernel reads a long row twice. Could it read it once? (If `BLOCK` is at least as
# large as `columns`, the program can keep the row in its registers and never load it again.
# Libraries choose between the two by the length of the row.) Where else have you merged two parts
# like this? (In a sum, combined in a tree. Whatever can be merged can be computed in any order, and
# by many programs at once.)

# %% [markdown] exercise="triton-matmul"
# ## A product in tiles, in an order that suits the cache
#
# **`triton-matmul` · 8 points · about 30 minutes**
#
# Write a matrix product in Triton, `c = a @ b`, in two steps: first choose which tile of `c` each
# program gets, then compute the tile.
#
# `a` is M x K, `b` is K x N and `c` is M x N, all in float16 and stored row by row. A tile of `c`
# has `BLOCK_M` rows and `BLOCK_N` columns. To compute one, a program needs a **stripe** of `a`,
# which is `BLOCK_M` whole rows, and a stripe of `b`, which is `BLOCK_N` whole columns.

# %% [markdown]
# All multiprocessors load through the same L2 cache, which holds 50 MB on an H100. So programs that
# run at the same time share what they read: if several of them need a stripe, it comes from memory
# once, and from the cache after that.
#
# That's why it matters which tiles are computed together. Programs start roughly in the order of
# their numbers (though CUDA doesn't promise any order). Suppose 16 of them run at once. If their
# tiles are neighbors in one row, they need 1 stripe of `a` and 16 of `b`, so 17 in all.
#
# *Predict.* Now pick any 16 tiles of `c` to run together. What is the smallest number of stripes
# that they need?

# %% role="predict"
predict("triton-matmul", 8)

# %% [markdown]
# *Implement* `tile_of`, which returns the row and the column of a program's tile, counted in tiles.
# `number` is the program's number, and `c` has `rows` x `columns` tiles. Every `GROUP` rows of
# tiles form a group. Programs take one group after another from the top; within a group they go
# column by column, and down each column. The last group may have fewer rows. With 3 rows, 5 columns
# and `GROUP = 2`, the programs are numbered like this:
#
# ```text
#  0   2   4   6   8
#  1   3   5   7   9
# 10  11  12  13  14
# ```
#
# Your kernel can call this function because it's marked `@triton.jit`, too. (About 4 lines.)


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
# *Implement* `matmul`, which is launched with one program for each tile of `c`. (`tl.cdiv`, in its
# first line, divides and rounds up.) A program walks along its stripes in steps of `BLOCK_K`. What
# you may need:
#
# - `x[:, None]` and `x[None, :]` make a block with one column or with one row, as in NumPy. Combine
#   them to get a two-dimensional block: with `+` for addresses, or with `&` for a mask.
# - `tl.zeros((BLOCK_M, BLOCK_N), tl.float32)` is a block of zeros.
# - `tl.dot(left, right, total)` is `total + left @ right`. Float16 factors go to the tensor cores,
#   which add up in float32. Each side of a block is a power of 2, and at least 16 here.

# %% [markdown]
# - `c` is right for every M, N and K, even if the blocks don't divide them. The sum is kept in
#   float32, and rounded to float16 once. `a` and `b` stay as they are.
# - Each element of `c` is stored once, and no program loads an element of `a` or `b` twice.
# - Nothing outside the arrays is loaded or stored, and no undefined value of a masked load is used.
# - Programs take the tiles in the order above. This is checked by their loads: together, the
#   programs of neighboring columns in a group load the stripes of these columns and of the group's
#   rows, and no others.
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
# one for each tile in that row of tiles. The cache should serve most of these loads.) How could a
# program load less for the same number of products? (By computing a larger tile, until registers
# and shared memory are full.)
#
# One thing to know before you use `tl.dot` with float32: where the tensor cores can do it, its
# default is **TF32**, which keeps only 10 bits of each factor's fraction. `input_precision="ieee"`
# keeps all 23, and gives up most of the speed.

# %% [markdown]
# ## Before you write the next one
#
# **Tune it.** Besides the block sizes and `GROUP`, you choose `num_warps`, the number of warps that
# work on one program, and `num_stages`, which tells the compiler how far ahead a loop may load
# while it multiplies. The best choice depends on the GPU and on the shapes, so it has to be
# measured. `@triton.autotune` times a list of choices for you, and times them again whenever an
# argument that you name in its `key` changes. `triton.testing.do_bench` times anything else.
#
# **Check that it's needed.** `torch.compile` fuses chains of elementwise operations and reductions
# by itself, and writes Triton to do so. A kernel of your own pays off where you know what a
# compiler can't: a better algorithm, or a different order of the same work.

# %% [markdown]
# **Choose the level.** Triton isn't the only language in which you write what a block does.
# NVIDIA's **cuTile** also has tiles in Python, but its loads take an array and the index of a tile
# instead of addresses and masks, and it runs on NVIDIA's GPUs only.
#
# **CuTe** goes the other way. It's the core of CUTLASS, NVIDIA's C++ templates for matrix products,
# and the **CuTe DSL** is the same in Python. There, as in CUDA C, you say what each thread does.
# But which thread holds which element is a *layout*, an object that you can compute with, and the
# building blocks are copies and the tensor cores' own instructions. What Triton's compiler decides,
# you decide there.

# %% [markdown]
# ## What you take with you
#
# - A chain of small operations takes as long as the bytes that it moves.
# - One kernel for the whole chain moves each byte in once and out once.
# - Which tiles run together decides how often memory is read, even if each program's work is fixed.
#
# **Your number:** how many bytes the softmax chain moves for each byte that your kernel moves.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - What a load gives where its mask is false: Triton's documentation, `triton.language.load`. A row
#   for each program: Triton's tutorials, "Fused Softmax". 256 KiB of registers in each
#   multiprocessor, and 50 MB of L2 cache: NVIDIA, *NVIDIA H100 Tensor Core GPU Architecture*, 2022.
# - Platforms: the files of `triton` on PyPI.
# - Means and squared deviations of two parts: T. Chan, G. Golub, R. LeVeque, *Algorithms for
#   Computing the Sample Variance*, The American Statistician 37, 1983.
# - Programs run in any order: *CUDA C++ Programming Guide*, "Thread Hierarchy". Why their order
#   matters all the same, and groups of rows of tiles: Triton's tutorials, "Matrix Multiplication",
#   "L2 Cache Optimizations".
# - Precision of products, warps and stages, and when tuning starts again: Triton's documentation,
#   `triton.language.dot`, `triton.Config`, `triton.autotune` and `triton.testing.do_bench`. TF32's
#   bits: NVIDIA, *A100 Tensor Core GPU Architecture*, 2020.
# - What a compiler fuses, in Triton: PyTorch, *torch.compiler*, "TorchInductor".
# - Loads of tiles from arrays, and the GPUs: NVIDIA, *cuTile Python*, `cuda.tile.load`, and *CUDA
#   Tile*. Layouts, tensors, atoms and control over threads: NVIDIA, *CUTLASS*, "CuTe DSL",
#   Overview.
