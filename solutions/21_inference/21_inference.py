# %% [markdown]
# # How does a model answer, one token at a time?
#
# A trained model that answers does two very different things. It reads your question in one go,
# and keeps the GPU as busy as training does. Then it writes, token by token, and every token takes
# a pass through all of its weights. In this lesson you find out what limits each of the two, and
# build what makes writing fast: a cache, smaller weights, and a second model that guesses ahead.
#
# **You will be able to** say what limits reading and writing; write a cache that changes nothing
# but the time; store weights in 8 and 4 bits; and draw tokens, also ahead of the model, from
# exactly the distribution that you want.
#
# **You need** to know what a roofline is, and how attention works. **Time** about 120 minutes.

# %% role="setup"
import numpy as np
import torch

from gpuedu import check, hint, predict, progress, reveal, see, setup

setup("inference")

# %% [markdown] exercise="quantize"
# ## Weights in 8 and 4 bits
#
# **`quantize` · 8 points · about 30 minutes**
#
# Store a matrix of weights in 8 or in 4 bits each, and find out what makes that go wrong. A model
# that writes reads all of its weights for every token. They mostly have 16 bits, so with 4 bits
# there is a quarter of the bytes to read.
#
# To **quantize** weights is to cut their range into equal steps, and to keep only the number of a
# step for each weight: its **code**. With 8 bits there are 256 codes, with 4 bits there are 16.
# The size of a step is the **scale**, and the code that stands for 0 is the **zero point**. From
# the three you get the weight back, nearly: `scale * (code - zero)`.

# %% [markdown]
# *Predict.* The weights of a row lie between -0.08 and 0.08, except for one, which is 10.12. In 8
# bits, 256 codes cover this range in equal steps. How many different codes do all the other
# weights get?

# %% role="predict"
predict("quantize", 200)

# %% [markdown]
# So one large weight, an **outlier**, makes the steps too large for all the others. That's why the
# rows of a matrix are cut into **groups** of neighboring columns, and each group has its own scale
# and its own zero point. A row has the weights of one output, so one group for each row is called
# *per channel*.
#
# *Implement* `quantize(w, bits, group)`. It takes weights, float32 of shape (rows, columns), 8 or 4
# bits, and the columns of a group, which divide `columns`. It returns a tuple of three arrays:
#
# - `codes`, uint8 of shape (rows, columns), one code in each element, also with 4 bits;
# - `scale`, float32 of shape (rows, columns // group);
# - `zero`, uint8 of the same shape as `scale`.

# %% [markdown]
# `dequantize(codes, scale, zero)` gives the weights back, float32 of shape (rows, columns).
#
# - Codes and zero points are whole numbers from 0 to `2**bits - 1`.
# - Each weight comes back within half a step of its group, up to float32's rounding.
# - No step is larger than its group needs: the codes reach from the group's smallest weight to its
#   largest one, and include 0 if all of them have the same sign.
# - A weight of 0 comes back as exactly 0. A group of zeros has the scale 1.
# - `dequantize` gives `scale * (code - zero)`, also for codes that `quantize` didn't make.
# - The arrays that a function is given stay as they are.


# %% role="answer"
def quantize(w, bits, group):
    """Codes, scales and zero points of weights."""
    ### BEGIN SOLUTION
    rows, columns = w.shape
    parts = w.reshape(rows, columns // group, group)
    low = np.minimum(parts.min(axis=2), 0)
    high = np.maximum(parts.max(axis=2), 0)
    most = 2**bits - 1
    scale = (high - low) / most
    scale[scale == 0] = 1
    zero = np.round(-low / scale)
    codes = np.round(parts / scale[:, :, None]) + zero[:, :, None]
    codes = np.clip(codes, 0, most).astype(np.uint8)
    return codes.reshape(rows, columns), scale, zero.astype(np.uint8)
    ### END SOLUTION


# %% role="answer"
def dequantize(codes, scale, zero):
    """The weights that codes stand for."""
    ### BEGIN SOLUTION
    rows, groups = scale.shape
    parts = codes.reshape(rows, groups, -1).astype(np.float32)
    return (scale[:, :, None] * (parts - zero[:, :, None])).reshape(codes.shape)
    ### END SOLUTION


# %% [markdown]
# NumPy has no type of 4 bits, so two codes share a byte.
#
# *Implement.* `pack(codes)` takes codes from 0 to 15, uint8 of shape (rows, columns) with an even
# number of columns, and returns bytes, uint8 of shape (rows, columns // 2). `unpack(packed)` gives
# the codes back. Which codes share a byte, and which of the two has the upper bits, is up to you.


# %% role="answer"
def pack(codes):
    """Two codes in each byte."""
    ### BEGIN SOLUTION
    return codes[:, 0::2] | codes[:, 1::2] << 4
    ### END SOLUTION


def unpack(packed):
    """The codes in all bytes."""
    ### BEGIN SOLUTION
    codes = np.empty((packed.shape[0], 2 * packed.shape[1]), np.uint8)
    codes[:, 0::2] = packed & 15
    codes[:, 1::2] = packed >> 4
    return codes
    ### END SOLUTION


# %% role="check"
check("quantize", quantize, dequantize, pack, unpack)

# %% [markdown]
# *See* a row of 128 weights with one outlier, in 4 bits: by how much each weight is off, first with
# one group for the row, then with groups of 32.

# %%
see("quantize", quantize, dequantize)
reveal("quantize")

# %% [markdown]
# *See* what the bits buy. On the left is a made-up matrix, in which 1 of 256 weights was multiplied
# by 20. On the right is a small GPT of this course: it was trained to continue Python code,
# character by character, and its loss is taken with the weights that your functions give back.
# **fp8** (E4M3) is a floating-point number of 8 bits: its steps are small near 0, and large far
# away from it.

# %%
see("inference/formats", quantize, dequantize, pack)

# %% [markdown]
# *Reflect.* In groups of 32 with 4 bits, how many bits does a weight take in your arrays, with a
# scale of 32 bits and a zero point of 8? And if scales had 16 bits, and zero points 4, in groups
# of 128, as is common? (5.25, and 4.16.)
#
# A GPU that reads 3.35 TB/s writes for one person with a model of 7 billion parameters. How many
# tokens a second can it give at most in 16 bits, and in 4.16? (239, and 920. The kernel that
# multiplies turns codes into weights as they arrive, so only codes come from memory.) Why does this
# help less with 64 texts at a time? (All of them share each weight that is read.)
#
# To try a matrix of a model that you have, hand in `layer.weight.detach().float().numpy()`.

# %% [markdown]
# ## What you take with you
#
# - Reading a prompt is limited by arithmetic. Writing is limited by bytes: the weights and the
#   cache are read for every token.
# - A cache, fewer bits and guesses that are checked all save bytes for each token. The first and
#   the last leave the text as it would have been.
# - Whatever is faster has to give the same distribution. You can prove that by counting.
#
# **Your number:** how many tokens a second one text can get at most from your own GPU.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - None yet.
