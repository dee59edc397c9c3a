# %% [markdown]
# # What do fewer bits buy, and what do they cost?
#
# A 16-bit number takes half the memory and half the traffic of a 32-bit one. On an H200, the matrix
# units also do 15 times as many 16-bit operations per second as the ordinary units do in fp32 (data
# sheet, dense). So what's the catch? The figure below takes the gradients of a small model and
# counts how many of them survive in 16 bits, and how many in 8.
#
# **You will be able to** say what a format keeps of a number and what it loses; add in 16 bits
# without losing the sum; multiply matrices on tensor cores.
#
# **You need** pairwise sums (*Cooperation*), tiles (*Tiling*) and CUDA C (*Registers*).
# **Time** about 100 minutes.

# %% role="setup"
from gpuedu import check, cp, hint, predict, progress, reveal, see, setup

import math

import numpy as np
import torch

setup("formats")

# %%
see("mixed-precision/gradients")

# %% [markdown]
# Each bar starts at its format's smallest number. Anything at most half that size, one power of 2
# further left, rounds to 0. In the striped stretch, numbers lose digits one by one as they shrink.
# To the right of the bar, a number becomes infinite or is cut down to the largest one there is. And
# in between, every format has its own number of digits. So there are three ways to lose a number:
# it's too small, too large, or needs more digits. All three happen in real training runs.

# %% [markdown] exercise="float-anatomy"
# ## What the bits of a number say
#
# **`float-anatomy` · 8 points · about 35 minutes**
#
# A floating-point number has three fields. From left to right they are one bit for the **sign** (1
# means minus), E bits for the **exponent field**, and M bits for the **mantissa**. A larger E buys
# range, and a larger M buys digits.

# %%
see("mixed-precision/formats")

# %% [markdown]
# Let's read one by hand. The pattern 0x3c01 in fp16 is `0 01111 0000000001` in bits, so the sign is
# plus, the field is 15, and the mantissa is 1. The field counts from a **bias**, which is 15 in
# fp16, so the exponent is 15 - 15 = 0. The mantissa counts steps of 1/1024 above 1. Together that's
# `(1 + 1/1024) * 2**0`, the next number after 1. In the same way, 0xc400 is `1 10001 0000000000`,
# or `-(1 + 0/1024) * 2**(17 - 15)`, which is -4.

# %% [markdown]
# Take the field f and the mantissa m as whole numbers, and let `bias = 2 ** (E - 1) - 1`. There are
# three cases:
#
# - **Normal**, f from 1 to the second-to-last: the size is `(1 + m / 2**M) * 2.0 ** (f - bias)`.
#   The 1 is *hidden*: it takes no bit. So there are `2**M` steps from 1 to 2, and just as many from
#   2 to 4, each twice as long.
# - **Subnormal**, f = 0: the size is `m / 2**M * 2.0 ** (1 - bias)`. There's no hidden 1, so the
#   steps stay as long as those of f = 1, all the way down to 0. There's both a 0 and a -0.
# - **The last f**, all ones: infinity if m is 0, otherwise NaN. e4m3 has no infinity, so there this
#   f holds normal numbers too, up to 448, and only an m of all ones is NaN.
#
# *Predict.* fp16 has M = 10. What's the next fp16 number above 2048?

# %% role="predict"
predict("float-anatomy", 2049)

# %% [markdown]
# *Implement.* Write both functions once for all formats, in 7 to 9 lines each. (The check makes up
# two more formats, which have infinity.)
#
# - `decode(bits, E, M, has_infinity)` returns the number (a float) that a pattern (an int) stands
#   for.
# - `encode(value, E, M, has_infinity)` returns the pattern for a float. (Each `value` is a float32
#   number.)
#
# | `value` | becomes |
# |---|---|
# | between two numbers | the nearer one; if exactly halfway, the one whose pattern is even |
# | infinite, or half a step or more past the largest | infinity; in e4m3, the largest: 448 |
# | NaN | NaN, any pattern of it |
# | 0.0, -0.0, and what rounds to 0 | 0, with the sign of `value` |

# %% [markdown]
# So round first, and only then ask whether the result is too large. In e4m3, which has no infinity,
# numbers *saturate*: anything too large becomes the largest number. PyTorch 2.13 does that, though
# the standard also allows NaN.
#
# Some help from Python: `math.frexp(x)` is `(m, e)` with `x = m * 2**e` and m from 0.5 to just
# below 1; for 0.0 it's `(0.0, 0)`. `math.copysign(1, x)` is -1.0 for -0.0, too. And `round` takes a
# tie to the even number.


# %% role="given"
formats = {"fp16": (5, 10, True), "bf16": (8, 7, True), "tf32": (8, 10, True)}
formats |= {"e5m2": (5, 2, True), "e4m3": (4, 3, False)}


# %% role="answer"
def decode(bits, E, M, has_infinity):
    bias, last = 2 ** (E - 1) - 1, 2**E - 1
    ### BEGIN SOLUTION
    sign = -1.0 if bits >> (E + M) else 1.0
    field, mantissa = bits >> M & last, bits & (2**M - 1)
    if field == last and has_infinity:
        return sign * math.inf if mantissa == 0 else math.nan
    if field == last and mantissa == 2**M - 1:
        return math.nan
    steps = mantissa + 2**M if field else mantissa
    return sign * steps * 2.0 ** (max(field, 1) - bias - M)
    ### END SOLUTION


def encode(value, E, M, has_infinity):
    bias, last = 2 ** (E - 1) - 1, 2**E - 1
    ### BEGIN SOLUTION
    sign = (math.copysign(1, value) < 0) << (E + M)
    too_large = last << M if has_infinity else (last << M) + 2**M - 2
    if math.isnan(value):
        return 2 ** (E + M) - 1
    if value == 0 or math.isinf(value):
        return sign | (too_large if value else 0)
    exponent = max(math.frexp(abs(value))[1] - 1, 1 - bias)
    steps = round(abs(value) * 2.0 ** (M - exponent))
    return sign | min(steps + ((exponent + bias - 1) << M), too_large)
    ### END SOLUTION


# %% role="check"
check("float-anatomy", decode, encode)

# %% [markdown]
# *See.* Numbers of many sizes go through your `encode` and back through your `decode`; the curves
# show the worst relative error in each **octave**, which is the range from one power of 2 to the
# next. Where is a curve flat, where does it rise, where does it end, and why?

# %%
see("float-anatomy", decode, encode)
reveal("float-anatomy")

# %% [markdown]
# *Reflect.* A flat stretch is the normal numbers, which have the same number of digits in every
# octave. A rise to the left is the subnormals, because the steps keep their length while the
# numbers shrink. A curve ends at infinity; e4m3 saturates instead, so its curve rises. bf16 is the
# left half of a float32: the full range, but few digits. fp16 has eight times as many steps.
#
# Positive numbers and their patterns are in the same order. After the last one of an octave comes
# the first of the next, and after the last subnormal comes the first normal. That's why a carry out
# of the mantissa gives the right answer by itself. Here are PyTorch's own conversions of four
# numbers:

# %%
x = torch.tensor([2049.0, 0.1, 1e-8, 70_000.0])
for dtype in (torch.float16, torch.bfloat16, torch.float8_e5m2, torch.float8_e4m3fn):
    print(f"{dtype!s:22}", x.to(dtype).tolist())

# %% [markdown]
# Go through it column by column. 2049 is halfway between two fp16 numbers, and goes to the one with
# the even pattern. No format has 0.1, and the fewer the mantissa bits, the larger the error. 1e-8
# survives only in bf16. And 70,000 is infinite in fp16 and e5m2, and 448 in e4m3.

# %% [markdown] exercise="accumulate"
# ## What a sum loses
#
# **`accumulate` · 7 points · about 25 minutes**
#
# A number is rounded once when it's stored. In a sum it's the *total* that is rounded, again and
# again, and the total is large while the numbers you add to it are small. Every dot product in a
# layer is such a sum.
#
# *Predict.* Starting at 0, you add 0.01 in fp16, thousands of times. What value does the total
# never get past?

# %% role="predict"
predict("accumulate", 64)

# %% [markdown]
# *Implement.* Write four sums, in 1 to 7 lines each. `values`, `a` and `b` are NumPy arrays of
# float16. NumPy rounds the result of each `+`, `-` and `*` to float16. (Inside `np.sum` and
# `np.dot` it doesn't.) Leave the arrays as they are, and return 0 for the sum of no numbers.
#
# - `running_sum(values)` adds from the first to the last.
# - `pairwise_sum(values)` adds in rounds. Each round leaves half as many numbers, until only one is
#   left: add neighbors, or the first half to the second, as you like. The number of values is a
#   power of 2, or 0.
# - `dot(a, b)` does what a GPU's matrix units do with float16: it doesn't round the products (two
#   numbers of 11 binary digits make one of 22, and float32 has room for that), and it adds them up
#   in float32, or in float64.

# %% [markdown]
# - `kahan_sum(values)` is a running sum with a memory, `lost`, which starts at 0. For each value,
#   the total should grow by `value + lost`, so add that. How much did the total really grow? The
#   difference is the new `lost`. Do all of it in float16. (W. Kahan, 1965)


# %% role="answer"
def running_sum(values):
    ### BEGIN SOLUTION
    total = np.float16(0)
    for value in values:
        total = total + value
    return total
    ### END SOLUTION


def pairwise_sum(values):
    ### BEGIN SOLUTION
    while len(values) > 1:
        values = values[0::2] + values[1::2]
    return values.sum()
    ### END SOLUTION


# %% role="answer"
def kahan_sum(values):
    ### BEGIN SOLUTION
    total = lost = np.float16(0)
    for value in values:
        wanted = value + lost
        new = total + wanted
        lost = wanted - (new - total)
        total = new
    return total
    ### END SOLUTION


def dot(a, b):
    ### BEGIN SOLUTION
    return np.dot(a.astype(np.float32), b.astype(np.float32))
    ### END SOLUTION


# %% role="check"
check("accumulate", running_sum, pairwise_sum, kahan_sum, dot)

# %%
see("accumulate", running_sum, pairwise_sum, kahan_sum, dot)
reveal("accumulate")

# %% [markdown]
# *Reflect.* The running sum is wrong long before it stops: it grows too slowly, then too fast. In
# the pairwise sum, both numbers of an addition are about the same size, and each number goes
# through only log2 n roundings. A block of threads that sums in rounds gets this for free.
#
# Kahan's sum is just as accurate, whatever the order. It costs four operations per number, but no
# wider format. It's for cases where nothing wider exists, or where float64 is slow. GPUs rarely
# need it, because keeping the total in fp32 costs just a few registers, while what's in memory
# stays at 16 bits.

# %% [markdown] exercise="tensor-cores"
# ## A matrix in one instruction
#
# **`tensor-cores` · 6 points · about 35 minutes**
#
# How can there be 15 times as many operations in 16 bits? Since compute capability 7.0, SMs have
# **tensor cores** (except in a few devices of 7.5, such as the GTX 1660). In one call, a *warp*
# multiplies two matrices of 16 x 16 fp16 numbers and adds the product to a third matrix: products
# as in your `dot`, and sums in float32. The sums aren't rounded as IEEE 754 demands, though.
# Hardware adds several products at once and may cut digits off, so don't expect the bits of a
# float32 loop.
#
# *Predict.* How many of a warp's ordinary multiply-add instructions, with one multiply-add in each
# lane, does such a call replace? And if both factors are loaded from memory each time, how many
# FLOP is that per byte loaded?

# %% role="predict"
predict("tensor-cores", 16)
predict("tensor-cores-bytes", 2)

# %% [markdown]
# In CUDA C, an fp16 number has the type `half` (from `cuda_fp16.h`), and a warp's matrix is a
# `wmma::fragment<use, M, N, K, type, layout>` (from `mma.h`). All 32 lanes hold it together, and
# which lane holds which element is unspecified. The parameters are:
#
# - *use*: `wmma::matrix_a` and `wmma::matrix_b` are the factors, `wmma::accumulator` holds the
#   sums;
# - *M, N, K*: the product is M x K by K x N, here 16, 16, 16;
# - *type*: that of the elements, `half` or, for sums, also `float`;
# - *layout*: for a factor only, whether its rows (`wmma::row_major`) or its columns
#   (`wmma::col_major`) are contiguous in memory.

# %% [markdown]
# These functions work on a whole fragment:
#
# - `wmma::fill_fragment(f, 0.0f)` sets all its elements;
# - `wmma::load_matrix_sync(f, pointer, leading)` loads 16 x 16 elements, starting at `pointer`;
#   `leading` is the **leading dimension**, the number of elements from one row to the next;
# - `wmma::mma_sync(d, a, b, c)` computes d = a @ b + c; c and d may be the same fragment;
# - `wmma::store_matrix_sync(pointer, f, leading, wmma::mem_row_major)` stores it.
#
# All 32 lanes must call them together, with the same arguments. A matrix has to start at a multiple
# of 32 bytes (16 halves), and a leading dimension has to be a multiple of 16 bytes.

# %% [markdown]
# *Implement.* Compute `c = a @ b` for sizes that are multiples of 16: `a` is M x K and `b` is K x
# N, both in half, and `c` is float32. A block is one warp and makes one tile of `c`. You need 7 to
# 9 lines. The fragment for the sums, which has no layout, is still to be declared.

# %% role="answer"
code = r"""
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void matmul(const half* a, const half* b, float* c, int M, int N, int K) {
    int row = 16 * blockIdx.y, column = 16 * blockIdx.x;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> of_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> of_b;
    // ### BEGIN SOLUTION
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    for (int k = 0; k < K; k += 16) {
        wmma::load_matrix_sync(of_a, a + row * K + k, K);
        wmma::load_matrix_sync(of_b, b + k * N + column, N);
        wmma::mma_sync(sums, of_a, of_b, sums);
    }
    wmma::store_matrix_sync(c + row * N + column, sums, N, wmma::mem_row_major);
    // ### END SOLUTION
}"""
matmul = cp.RawKernel(code, "matmul")

# %% [markdown]
# Not every device has every format:

# %%
see("mixed-precision/tensor-formats")

# %% [markdown]
# **TF32** isn't a format you store. Numbers stay float32, and tensor cores use 10 of the 23 bits
# after the point. PyTorch has a switch for matrix products, off by default:
# `torch.backends.cuda.matmul.fp32_precision = "tf32"` (before 2.9, `allow_tf32 = True`; for
# convolutions it's *on*). On a CPU this switch does nothing, so round the factors yourself.
#
# *Implement.* Two things, in 2 to 4 lines:
#
# - Fill in `since`: for each format, the smallest compute capability in the table that has it.
# - `tf32(x)` rounds each number of a float32 tensor to the nearest one with 10 bits after the
#   point. (If two are equally near, take either.) `x.view(torch.int32)` is its bits as whole
#   numbers, which you can add to and combine with `&`; a view back makes them float32. A view
#   shares its memory with `x`, and `x` itself must stay as it is.


# %% role="answer"
### BEGIN SOLUTION
since = {"tf32": 8.0, "bf16": 8.0, "fp8": 8.9}
### END SOLUTION


def tf32(x):
    ### BEGIN SOLUTION
    bits = x.view(torch.int32) + 2**12  # half a step of the 13 bits that are cut off
    return (bits & -(2**13)).view(torch.float32)
    ### END SOLUTION


# %% role="check"
check("tensor-cores", matmul, since, tf32)

# %% [markdown]
# *See.* The first picture shows which elements a warp of your kernel loads at each step. The first
# table shows what an instruction and a byte are worth in your kernel, and the second what your
# rounding does to a product.

# %%
see("tensor-cores", matmul, since, tf32)
see("mixed-precision/tensor-work", matmul)
see("mixed-precision/tf32", matmul, since, tf32)

# %%
reveal("tensor-cores")
reveal("tensor-cores-bytes")

# %% [markdown]
# *Reflect.* An H200 peaks at 989 TFLOP/s in fp16, and the data path of an SM brings in 128 bytes
# per clock. With 132 SMs at 1.98 GHz that's 33.5 TB/s. How much of the peak can your kernel reach,
# given the FLOP it does for each byte that arrives? Compare with 3.8 x 33.5 = 127 TFLOP/s, or 13%.
# Because tensor cores made arithmetic cheap, data is now the expensive part. You're back to tiles:
# in shared memory for several warps, and more fragments for each warp.
#
# The rounding of TF32 costs about as much as that of fp16, but TF32 has the full range of float32.

# %% [markdown]
# **How the peak is reached.** Hopper's 989 TFLOP/s aren't within reach of `wmma`, which the
# compiler splits into small instructions. Reaching them takes `wgmma`, with which four warps
# together multiply much larger tiles straight out of shared memory, without waiting for the result.
# Meanwhile the **TMA**, a copy engine in each SM, brings in the next tiles: one thread asks for a
# whole tile, and no registers are spent on the way. CUTLASS and Triton write such kernels for you.

# %% [markdown]
# ## What you take with you
#
# - A format loses numbers in three ways: they're too small, too large, or have too many digits.
#   fp16 has 11 binary digits and runs out at 6e-8 and 65,504. bf16 has the range of float32, but
#   only 8 digits.
# - What you add up needs more bits than what you multiply, because a total is rounded again and
#   again. So tensor cores multiply 16-bit numbers and add up the products in 32.
# - Tensor cores made arithmetic cheap, which leaves data as the expensive part. Without tiles in
#   shared memory, a kernel reaches only a small share of their peak.
#
# **Your number:** the FLOP that your tensor-core kernel does for each byte that arrives, counted
# above, and the share of an H200's peak that this allows.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Formats: IEEE 754-2019, section 3.4 (fields) and 4.3.1 (ties to even); Open Compute Project,
#   *OCP 8-bit Floating Point Specification (OFP8)*, revision 1.0, 2023 (e4m3, e5m2, conversion with
#   and without saturation); NVIDIA, *A100 Tensor Core GPU Architecture*, 2020 (TF32: 8, 10 bits).
#   For all five formats the exercise rounds ties to even; a GPU's conversion to TF32 may do
#   otherwise (PTX ISA, `cvt.rna.tf32.f32`: ties away from zero).
# - PyTorch's conversion to e4m3: pull request 178817, merged in April 2026; before it, numbers that
#   are too large became NaN.
# - Sums: D. Goldberg, *What Every Computer Scientist Should Know About Floating-Point Arithmetic*,
#   ACM Computing Surveys 23(1), 1991; N. J. Higham, *The Accuracy of Floating Point Summation*,
#   SIAM J. Sci. Comput. 14(4), 1993; W. Kahan, *Further remarks on reducing truncation errors*,
#   CACM 8(1), 1965. Products in full and float32 sums: NVIDIA, *Tesla V100 GPU Architecture*, 2017.
# - Warp matrices, their shapes and types, alignment, and that the lanes' elements are unspecified:
#   *CUDA C++ Programming Guide* (12.9), "Warp Matrix Functions". Products and sums of tensor cores:
#   *PTX ISA* (8.8), "wmma.mma", which leaves the order and the rounding of a sum open; `wgmma` and
#   `cp.async.bulk.tensor` (TMA) are there, too. How the sums are rounded, measured: M. Fasi and
#   others, *Numerical behavior of NVIDIA tensor cores*, PeerJ Computer Science 7, 2021.
# - Formats by device, and the rates of the H200: `gpuedu/hardware/devices.toml`, with the data
#   sheet of each number. Which compute capability introduced each: PTX ISA, "mma".
# - The switch for TF32: PyTorch's documentation (2.13), "CUDA semantics", on TensorFloat-32.
