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
# *Implement* `quantize(w, bits, group)`. `w` has the weights, float32 of shape (rows, columns),
# `bits` is 8 or 4, and `group` is how many columns are in a group, which divides `columns`. It
# returns a tuple of three arrays:
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

# %% [markdown] exercise="sampling"
# ## From scores to the next token
#
# **`sampling` · 8 points · about 25 minutes**
#
# Turn a model's scores into the probabilities that the next token is drawn from, and draw it. The
# softmax of the scores is what the model has learned. Three settings change it before the draw:
#
# - The **temperature** divides all scores. Below 1 it makes likely tokens likelier still, above 1
#   it makes all of them more alike.
# - **Top-k** keeps the k most likely tokens. The others can't be drawn.
# - **Top-p** keeps the most likely tokens, too: as few as it takes for their probabilities to add
#   up to p or more.

# %% [markdown]
# *Predict.* At temperature 1, one token is 8 times as likely as another. How many times as likely
# is it at temperature 0.5?

# %% role="predict"
predict("sampling", 16)

# %% [markdown]
# *Implement* `probabilities(scores, temperature, top_k, top_p)`. It takes the scores of all tokens,
# float32 of shape (vocabulary,), and returns their probabilities, float64 of the same shape.
#
# - The settings apply in this order: temperature, top-k, top-p. After each cut, the tokens that are
#   left are scaled to add up to 1, and the next setting goes by that. All others have exactly 0.
# - `top_k` is at least 1, and may be larger than the vocabulary. `top_p` is above 0 and below 1.
#   Either may be `None`, which leaves it out. At least one token is kept.
# - Of equally likely tokens, those with smaller numbers are kept first.
# - At temperature 0 the token with the largest score has probability 1, the first one of several.
# - It's right for scores of 1,000 and of -1,000, too. A score of `-inf` forbids its token: it has
#   probability 0. (One token at least is allowed.) `scores` stays as it is.


# %% role="answer"
def probabilities(scores, temperature, top_k, top_p):
    """The probability of each token."""
    ### BEGIN SOLUTION
    order = np.argsort(-scores, kind="stable")
    if temperature == 0:
        temperature, top_k = 1, 1
    x = scores[order].astype(np.float64) / temperature
    p = np.exp(x - x[0])
    if top_k is not None:
        p[top_k:] = 0
    p /= p.sum()
    if top_p is not None:
        p[np.cumsum(p) - p >= top_p] = 0
        p /= p.sum()
    result = np.zeros_like(p)
    result[order] = p
    return result
    ### END SOLUTION


# %% [markdown]
# *Implement* `draw(p, u)`. It takes probabilities, float64 of shape (vocabulary,), and a number `u`
# from 0 up to but not including 1, and returns the number of a token.
#
# - It's the first token at which the running sum of `p` is larger than `u`. So if `u` is drawn
#   evenly, each token comes with its probability.
# - A token of probability 0 is never drawn. Rounding may leave the whole sum a little below 1, so
#   that it isn't larger than `u`: then it's the last token that has any probability.
# - `p` stays as it is.


# %% role="answer"
def draw(p, u):
    """The token that u draws."""
    ### BEGIN SOLUTION
    token = np.searchsorted(np.cumsum(p), u, side="right")
    return int(min(token, np.flatnonzero(p)[-1]))
    ### END SOLUTION


# %% role="check"
check("sampling", probabilities, draw)

# %% [markdown]
# *See* your distributions for the next character, of the small GPT that has read Python code: first
# after `if x is No`, then after `if x is not`.

# %%
see("sampling", probabilities)
reveal("sampling")

# %% [markdown]
# *See* what it writes after `def read(` when your functions choose every character.

# %%
see("inference/texts", probabilities, draw)

# %% [markdown]
# *Reflect.* Where does a fixed k keep too many tokens, and where too few? (After `if x is No` two
# characters make sense, and after `if x is not` many do.) Why does the text run in a loop at
# temperature 0? (The same 64 characters always lead to the same next one. Once they come again, so
# does everything after them.) At temperature 1 the draws follow what the model has learned. Why do
# people still cut the tail? (It's many tokens that are each unlikely, and mostly wrong. In a long
# text one of them comes up sooner or later, and the model goes on from there.)

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
# - Codes, scales, and zero points that make 0 exact: B. Jacob et al., *Quantization and Training of
#   Neural Networks for Efficient Integer-Arithmetic-Only Inference*, 2017, arXiv:1712.05877.
# - Groups, and kernels that turn codes into weights as they arrive: E. Frantar et al., *GPTQ:
#   Accurate Post-Training Quantization for Generative Pre-trained Transformers*, 2022,
#   arXiv:2210.17323. Scales of 16 bits and zero points of 4: the layout of AutoGPTQ's files.
# - E4M3: P. Micikevicius et al., *FP8 Formats for Deep Learning*, 2022, arXiv:2209.05433.
#   3.35 TB/s: NVIDIA, data sheet of the H100 SXM.
# - Top-k: A. Fan et al., *Hierarchical Neural Story Generation*, 2018, arXiv:1805.04833. Top-p,
#   loops, and the unreliable tail: A. Holtzman et al., *The Curious Case of Neural Text
#   Degeneration*, 2019, arXiv:1904.09751.
# - The small GPT: trained once, on the sources of Python's standard library, by
#   `python -m gpuedu.experiments small-gpt`.
