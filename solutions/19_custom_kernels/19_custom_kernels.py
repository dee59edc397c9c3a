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
# *Predict.* How many numbers must be kept from one block to the next?

# %% role="predict"
predict("online-softmax", 100_000)

# %% [markdown]
# The sum can be kept relative to the largest score *so far*. When a larger one comes, everything
# that has been added up is multiplied by one factor. This is called **online softmax**. First write
# it in NumPy, for one row of attention: each score has a value, a vector of `d` numbers, and the
# result is the sum of all values, weighted by the softmax of all scores.
#
# *Implement* three functions that pass a **state** on, a tuple `(largest, total, weighted)`:
#
# - `update(state, scores, values)` gives the state after one more block, with `scores` of shape
#   `(n,)` and `values` of shape `(n, d)`, both float64. Before the first block the state is
#   `(-math.inf, 0.0, np.zeros(d))`.
# - `merge(a, b)` gives the state of two parts of a row from the states of both.
# - `finish(state)` gives the result, of shape `(d,)`.

# %% [markdown]
# - The result is that of the whole row, for blocks of any sizes.
# - It's also right for scores of 1,500: `exp` of that is no float64.
# - A score of `-inf` takes no part. A block may have no others, also the first one, and so may one
#   of two parts. The row as a whole has some.
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
