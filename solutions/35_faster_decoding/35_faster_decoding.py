# %% [markdown]
# # How do you get more tokens from the same bytes?
#
# While a model writes a single text, the GPU hardly computes. It reads: all of the weights, for
# every token. That leaves two ways to make a text come faster. You can store the weights in fewer
# bits, so that there is less to read. Or you can get more than one token out of each pass over the
# weights, by guessing ahead. The first changes the model a little, and you'll measure how much. The
# second changes nothing at all, and you'll prove it.
#
# **You will be able to** store weights in 8 and 4 bits, and say what that costs; and guess ahead of
# a model so that the text still has exactly its distribution.
#
# **You need** *Inference*. **Time** about 65 minutes.

# %% role="setup"
from gpuedu import check, hint, predict, progress, reveal, see, setup

import numpy as np

setup("faster-decoding")

# %% [markdown]
# *See* what one token waits for. How much would half the bits save, and how much time does the
# arithmetic leave for a few tokens more?

# %%
see("inference/one-token")

# %% [markdown] exercise="quantize"
# ## Weights in 8 and 4 bits
#
# **`quantize` · 8 points · about 30 minutes**
#
# Store a matrix of weights in 8 bits or in 4 bits each, and find out what can go wrong. Weights
# usually have 16 bits, so with 4 bits there are only a quarter as many bytes to read for every
# token.
#
# To **quantize** weights is to cut their range into equal steps, and to keep for each weight only
# the number of its step: its **code**. With 8 bits there are 256 codes, with 4 bits there are 16.
# The size of a step is the **scale**, and the code that stands for 0 is the **zero point**. From
# these three you get the weight back, nearly: `scale * (code - zero)`.

# %% [markdown]
# *Predict.* The weights of a row lie between -0.08 and 0.08, except for one, which is 10.12. In 8
# bits, 256 codes cover this range in equal steps. How many different codes do all the other weights
# get?

# %% role="predict"
predict("quantize", 200)

# %% [markdown]
# So one large weight, an **outlier**, makes the steps too large for all the others. That's why the
# rows of a matrix are cut into **groups** of neighboring columns, and each group gets its own scale
# and its own zero point. A row holds the weights of one output, so one group per row is called *per
# channel*.
#
# *Implement* `quantize(w, bits, group)`. `w` has the weights, float32 of shape (rows, columns),
# `bits` is 8 or 4, and `group` is the number of columns in a group, which divides `columns`. It
# returns a tuple of three arrays:
#
# - `codes`, uint8 of shape (rows, columns), one code in each element, even with 4 bits;
# - `scale`, float32 of shape (rows, columns // group);
# - `zero`, uint8 of the same shape as `scale`.

# %% [markdown]
# *Implement* `dequantize(codes, scale, zero)`, which gives the weights back, float32 of shape
# (rows, columns).
#
# - Codes and zero points are whole numbers from 0 to `2**bits - 1`.
# - Each weight comes back within half a step of its group, up to float32's rounding.
# - No step is larger than its group needs. A group's range is from its smallest weight to its
#   largest, extended to 0 if 0 is outside, and `2**bits - 1` steps cover it.
# - A weight of 0 comes back as exactly 0. A group of zeros has the scale 1.
# - `dequantize` gives `scale * (code - zero)`, even for codes that `quantize` didn't make.
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
# NumPy has no 4-bit type, so two codes have to share a byte.
#
# *Implement* `pack(codes)`, which takes codes from 0 to 15, uint8 of shape (rows, columns) with an
# even number of columns, and returns bytes, uint8 of shape (rows, columns // 2); and
# `unpack(packed)`, which gives the codes back. Which codes share a byte, and which of the two gets
# the upper bits, is up to you.


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
# *See* by how much each weight is off, in a row of 128 weights with one outlier, in 4 bits: first
# with one group for the whole row, then with groups of 32.

# %%
see("quantize", quantize, dequantize)
reveal("quantize")

# %% [markdown]
# *See* what the bits buy. On the left is a made-up matrix, in which 1 in 256 weights was multiplied
# by 20. On the right is a small GPT of this course. It was trained to continue Python code,
# character by character, and its loss is measured with the weights that your functions give back.
# **fp8** (E4M3) is a floating-point number of 8 bits: its steps are small near 0, and get larger
# away from it.

# %%
see("inference/formats", quantize, dequantize, pack)

# %% [markdown]
# *Reflect.* In groups of 32 with 4 bits, how many bits does a weight take once its codes are
# packed, with a scale of 32 bits and a zero point of 8? And if scales had 16 bits, and zero points
# 4, in groups of 128, as is common? (5.25, and 4.16.)
#
# A GPU reads 3.35 TB/s, and writes one text with a model of 7 billion parameters. Leave out the
# cache: how many tokens per second can it give at most with 16 bits, and with 4.16? (239, and 920.
# The kernel that multiplies turns codes into weights as they arrive, so only codes come from
# memory.) Why does this help less with 64 texts at a time? (They share the reading of the weights,
# so the weights are a smaller part of the time.)
#
# To try a matrix of a model that you have, call `quantize` with
# `layer.weight.detach().float().numpy()`.

# %% [markdown]
# Your codes are the nearest ones, weight by weight. Many methods look at what the matrix is
# multiplied by, on a few hundred texts, and so do better with the same bits. **GPTQ** rounds one
# column after another, and lets the columns that are left make up for each error. **AWQ** scales up
# the few columns that meet the largest inputs, so that rounding hurts them less.
#
# Weights aren't all there is to quantize. If the **activations** have 8 bits, too (fp8, mostly),
# tensor cores that support the format compute the products themselves faster, and that's what helps
# prefill and large batches. And where the cache is most of what is read, 8 bits or fewer for its
# keys and values help most.

# %% [markdown] exercise="speculative"
# ## Guess ahead, and keep the distribution
#
# **`speculative` · 8 points · about 30 minutes**
#
# Decide which guesses of a small model a large one keeps, so that the text comes faster and still
# has exactly the large model's distribution. While a pass of the large model waits for its weights,
# a few more tokens in it cost next to nothing. So the small model, the **draft**, writes k guesses
# one after another, and the large one, the **target**, takes all of them in one pass. It returns
# k + 1 distributions: one for the place of each guess, and one for the token after the last guess.
# All of this together is a **round**.

# %% [markdown]
# *Predict.* Each guess is accepted with probability 0.8, and the first one that isn't ends the
# round, with another token in its place. If all are accepted, the target adds one token, too. With
# k = 4, how many tokens does a round give on average?

# %% role="predict"
predict("speculative", 3.36)

# %% [markdown]
# At one place in the text, let `q` be the draft's distribution and `p` the target's, each with a
# probability for every token. A guess x was drawn from `q`. So tokens with q > p are guessed too
# often, and those with q < p not often enough. Two rules correct that:
#
# - x is accepted with probability min(1, p[x] / q[x]). Then it's the next guess's turn.
# - If x is rejected, one token is drawn in its place from the **residual**, which is the positive
#   part of p - q divided by its sum. Later guesses are dropped, because they were made for a
#   different text.
#
# If all guesses are accepted, one more token is drawn from the last of the target's distributions,
# which is there anyway.


# %% role="given"
def pick(p, uniform):
    """The token that a number from [0, 1) picks from a distribution."""
    sums = np.cumsum(p)  # the last of them may be a little below 1
    return int(np.searchsorted(sums, uniform * sums[-1], side="right"))


# %% [markdown]
# *Implement* two functions, about 2 and 8 lines. `residual(p, q)` takes two different distributions
# and returns a third; all are float64 arrays with an element for each token. `verify` returns the
# list of tokens that a round gives. `tokens` is a list of k guesses, `q` has the shape (k, V) with
# a row for each of them, `p` has one row more, and `uniforms` has k + 1 numbers from [0, 1).
#
# - Guess i is accepted if `uniforms[i]` is less than p / q of its token. The result has the guesses
#   before the first rejected one, and then one token more.
# - That token is drawn with `uniforms[k]`, by `pick`: from the residual at the place of the
#   rejected guess, or from the last row of `p`. A row of `p` may equal its row of `q`, and both may
#   contain zeros.
# - The arguments stay as they are.
#
# Then the text has the target's distribution, over all guesses and uniforms. This is checked, too.


# %% role="answer"
def residual(p, q):
    ### BEGIN SOLUTION
    missing = np.maximum(p - q, 0)
    return missing / missing.sum()
    ### END SOLUTION


def verify(tokens, q, p, uniforms):
    ### BEGIN SOLUTION
    came = []
    for i, token in enumerate(tokens):
        if uniforms[i] >= p[i, token] / q[i, token]:
            came.append(pick(residual(p[i], q[i]), uniforms[-1]))
            return came
        came.append(token)
    came.append(pick(p[-1], uniforms[-1]))
    return came
    ### END SOLUTION


# %% [markdown]
# *Implement* what a round is worth, in one line each. Every guess is accepted with probability
# `acceptance` (from 0 to 1, both included), independently of the others.
#
# - `expected_tokens` returns how many tokens a round of k guesses gives on average, for k from 0.
# - `speedup` returns how many times as fast a round is as the target alone, which takes a pass for
#   each token. A round takes k passes of the draft and one of the target. A pass of the draft takes
#   `draft_cost` times as long as one of the target; a pass of the target takes the same time for
#   k + 1 tokens as for one.
# - `best_k` returns the k with the largest speedup, from 0 (no guesses) to `most`; if several are
#   equally good, the smallest of these.


# %% role="answer"
def expected_tokens(acceptance, k):
    ### BEGIN SOLUTION
    return sum(acceptance**i for i in range(k + 1))
    ### END SOLUTION


def speedup(acceptance, k, draft_cost):
    ### BEGIN SOLUTION
    return expected_tokens(acceptance, k) / (1 + k * draft_cost)
    ### END SOLUTION


def best_k(acceptance, draft_cost, most):
    ### BEGIN SOLUTION
    return max(range(most + 1), key=lambda k: speedup(acceptance, k, draft_cost))
    ### END SOLUTION


# %% role="check"
check("speculative", residual, verify, expected_tokens, speedup, best_k)

# %% [markdown]
# *See* the first token of a text, over all guesses and uniforms: how often it comes from a guess
# that is kept, and how often it replaces one. Then see what a round is worth; the rings mark your
# best k.

# %%
see("speculative", residual, verify)
see("inference/guesses", expected_tokens, speedup, best_k)
reveal("speculative")

# %% [markdown]
# *Reflect.* What is the probability that a guess is accepted? (The token x comes as an accepted
# guess with probability q · min(1, p / q), which is the smaller of p and q. Add that up over all
# tokens.) Why is the distribution exactly the target's? (The probability of a rejection is the sum
# of the positive parts of p - q, and the residual is divided by that sum. So x replaces a guess
# with probability p - min(p, q), and both together are p.)
#
# When is it better not to guess at all? (If the acceptance is no larger than `draft_cost`. And if
# many texts keep the GPU busy with arithmetic, because then k + 1 tokens take longer than one.)

# %% [markdown]
# The draft doesn't have to be a second model. It can be a lookup of the last few tokens in the
# prompt, which costs next to nothing and works well where an answer repeats what it was given, as
# in edited code. Or the target guesses for itself: **Medusa** and **EAGLE** add a small head that
# predicts the next few tokens from the target's own last layer, and some models are trained with
# such a head. Your `verify` works for all of these, as long as there's one guess for each place,
# with the distribution that it was drawn from. (A looked-up guess has probability 1.)

# %% [markdown]
# ## What you take with you
#
# - In a single text, each token takes as long as reading the weights, so every bit that you don't
#   store saves time.
# - One large weight sets the step of its group. Small groups cost bits, and give accuracy back.
# - Guesses that are verified leave the distribution exactly as it was, and you can prove that by
#   counting.
#
# **Your number:** how many tokens per second one text could get from your own GPU with 4.16 bits
# per weight.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Llama 3 8B: Llama Team, The Llama 3 Herd of Models, arXiv:2407.21783, table 3. NVIDIA, H100
#   Tensor Core GPU, specifications: 989 TFLOP/s in 16 bits, dense, and 3.35 TB/s.
# - Codes, scales, and zero points that make 0 exact: B. Jacob et al., *Quantization and Training of
#   Neural Networks for Efficient Integer-Arithmetic-Only Inference*, 2017, arXiv:1712.05877.
# - Groups, and kernels that turn codes into weights as they arrive: E. Frantar et al., *GPTQ:
#   Accurate Post-Training Quantization for Generative Pre-trained Transformers*, 2022,
#   arXiv:2210.17323. Scales of 16 bits and zero points of 4: the layout of AutoGPTQ's files.
#   Columns that are scaled up: J. Lin et al., *AWQ*, 2023, arXiv:2306.00978. Keys and values in few
#   bits: Z. Liu et al., *KIVI*, 2024, arXiv:2402.02750.
# - E4M3: P. Micikevicius et al., *FP8 Formats for Deep Learning*, 2022, arXiv:2209.05433.
# - Rounds, what is accepted, and the residual: Y. Leviathan, M. Kalman, Y. Matias, Fast Inference
#   from Transformers via Speculative Decoding, arXiv:2211.17192, section 2.3 and algorithm 1; that
#   it is exact: appendix A.1; tokens of a round: equation 1; the acceptance as a sum: corollary
#   3.6; the speedup: theorem 3.8; that it takes an acceptance above the draft's cost: corollary
#   3.9. C. Chen et al., Accelerating Large Language Model Decoding with Speculative Sampling,
#   arXiv:2302.01318, theorem 1, has the same rules, with q for the target and p for the draft.
# - Other drafts: vLLM's documentation, "Speculative Decoding" (n-grams in the prompt); T. Cai et
#   al., *Medusa*, 2024, arXiv:2401.10774; Y. Li et al., *EAGLE*, 2024, arXiv:2401.15077. A model
#   trained with such a head: DeepSeek-AI, *DeepSeek-V3*, arXiv:2412.19437, section 2.2.
# - The small GPT: trained once, on the sources of Python's standard library, by
#   `python -m gpuedu.experiments small-gpt`.
