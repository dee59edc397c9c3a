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
# **You need** to know what a roofline is, and how attention works. **Time** about 145 minutes.

# %% role="setup"
import math

import numpy as np
import torch

from gpuedu import check, hint, predict, progress, reveal, see, setup

setup("inference")

# %% [markdown] exercise="prefill-or-decode"
# ## What limits reading, and what limits writing?
#
# **`prefill-or-decode` · 6 points · about 20 minutes**
#
# Work out what a model waits for when it reads, and when it writes. It reads your prompt in one
# **pass** through its layers, with all tokens at once: that's **prefill**. Then it writes, and each
# new token takes a pass of its own: that's **decode**. All weights come from memory once a pass,
# and so does the **KV cache**: the keys and values of all tokens so far, which each layer keeps,
# because the next token looks at them.

# %% [markdown]
# *Predict.* Llama 3 8B writes on an H100, which does 295 FLOP in the time that it takes to read one
# byte. Its 8 billion weights have 2 bytes each, and take 2 FLOP each for every token that is
# written. Each text has 1,000 tokens in its cache, of 131 KB each, and a pass writes one token for
# each text. From about how many texts on is arithmetic the limit? Predict `"30"`, `"300"`,
# `"3,000"` or `"never"`, written exactly so.

# %% role="predict"
predict("prefill-or-decode", "never")

# %% [markdown]
# *Implement.* `pass_flop` returns the FLOP of a pass, and `pass_bytes` the bytes that it reads and
# writes. Each of `texts` texts has `cached` tokens in its cache (0 in prefill), and the pass goes
# over `new` more tokens of each (1 in decode). `model` is a dict of whole numbers: `"parameters"`,
# `"layers"`, `"width"`, `"heads"` and `"kv_heads"`.
#
# - The weights take 2 FLOP for each parameter and new token. They are read once.
# - In attention, each new token looks at itself and at all tokens before it in its text. Each token
#   that is looked at takes `4 * width` FLOP in each layer: half for the score, half for the value.
# - In each layer, the cache has `kv_heads` keys and as many values for each token, of `width /
#   heads` numbers each; heads may share them. A pass reads those of each cached token once, and
#   writes those of each new token once.
# - Weights, keys and values have 2 bytes each number.


# %% role="answer"
def pass_flop(model, texts, cached, new):
    """The FLOP of a pass."""
    ### BEGIN SOLUTION
    pairs = new * cached + new * (new + 1) // 2
    attention = 4 * model["layers"] * model["width"] * pairs
    return texts * (2 * model["parameters"] * new + attention)
    ### END SOLUTION


def pass_bytes(model, texts, cached, new):
    """The bytes that a pass reads and writes."""
    ### BEGIN SOLUTION
    head_width = model["width"] // model["heads"]
    token_bytes = 2 * 2 * model["layers"] * model["kv_heads"] * head_width
    return 2 * model["parameters"] + texts * (cached + new) * token_bytes
    ### END SOLUTION


# %% [markdown]
# *Implement.* Which of the two is the limit? A device computes and moves bytes at the same time, so
# a pass takes as long as the slower of both. `device` is a dict with `"flop_per_s"` and
# `"bytes_per_s"`.
#
# - `limit` returns `"arithmetic"` if the arithmetic takes as long as the bytes or longer, and
#   `"memory"` otherwise.
# - `enough_texts` returns the smallest number of texts for which `"arithmetic"` is the limit. For
#   each text, a pass needs `flop` and moves `text_bytes`, without the weights. Those take
#   `weight_bytes`, whatever the number of texts. If no number is enough, return `math.inf`.


# %% role="answer"
def limit(flop, moved_bytes, device):
    """What a pass waits for."""
    ### BEGIN SOLUTION
    is_slower = flop / device["flop_per_s"] >= moved_bytes / device["bytes_per_s"]
    return "arithmetic" if is_slower else "memory"
    ### END SOLUTION


def enough_texts(flop, text_bytes, weight_bytes, device):
    """From how many texts on arithmetic is the limit."""
    ### BEGIN SOLUTION
    ahead_s = flop / device["flop_per_s"] - text_bytes / device["bytes_per_s"]
    if ahead_s <= 0:
        return math.inf
    return math.ceil(weight_bytes / device["bytes_per_s"] / ahead_s)
    ### END SOLUTION


# %% role="check"
check("prefill-or-decode", pass_flop, pass_bytes, limit, enough_texts)

# %% [markdown]
# *See* both under the roofs of an H100, by your functions. Then decode alone: how much arithmetic
# is there for each byte, with more and more texts in a pass?

# %%
see("prefill-or-decode", pass_flop, pass_bytes, limit)
see("inference/more-texts", pass_flop, pass_bytes, enough_texts)
reveal("prefill-or-decode")

# %% [markdown]
# *Reflect.* Why do the curves level off? (All texts share the weights, so more texts mean more FLOP
# for each byte of them. But every text brings its own cache, and nobody else uses that.) What would
# lift a curve? (Fewer `kv_heads`, fewer bits for each number of the cache, or shorter texts.) And
# what would speed up a single text that is being written? (A device with more bandwidth, or fewer
# bytes: the rest of this lesson is about that.)
#
# Your formulas leave out what layers hand to each other, softmax and norms, and that the table of
# token embeddings, a part of the parameters, is looked up and not multiplied.

# %% [markdown] exercise="kv-cache"
# ## A cache that changes nothing but the time
#
# **`kv-cache` · 10 points · about 35 minutes**
#
# Write attention with a KV cache, so that only new tokens go through the model, and the result is
# still that of the whole text. It works because of the causal mask: a token never looks ahead, so
# what comes later changes neither its key nor its value. Both can be kept for the tokens to come.
#
# *Predict.* A text starts with one token, and the model writes 1,000 more, one by one. Without a
# cache, each of them takes a pass over the whole text so far. How many times as many tokens go
# through the model as with a cache?

# %% role="predict"
predict("kv-cache", 500.5)

# %% [markdown]
# N texts are written at the same time. In each cache, every text has `capacity` places, of which
# the first `lengths[n]` are in use. What comes after them is whatever was there before. Here the
# caches have 8 places, and T = 2 new tokens of each text go to the places marked `n`:
#
# ```text
# lengths[0] = 5    text 0   t  t  t  t  t  n  n  .
# lengths[1] = 2    text 1   t  t  n  n  .  .  .  .
# ```

# %% [markdown]
# *Implement* `positions(lengths, T)`, which returns the place of each new token in its text: an
# int64 tensor of shape (N, T), with rows 5, 6 and 2, 3 in the example. `lengths` is an int64 tensor
# of shape (N,), and stays as it is. Our GPT learns a vector for each place and adds it to the
# token's, so it has to know the place.


# %% role="answer"
def positions(lengths, T):
    """The place of each new token in its text, (N, T)."""
    ### BEGIN SOLUTION
    return lengths[:, None] + torch.arange(T, device=lengths.device)
    ### END SOLUTION


# %% [markdown]
# *Implement* `attend`, for one layer of H heads with D numbers each. They are in G groups of H / G
# heads that share keys and values: head h is in group `h // (H // G)`. `query` has the shape
# (N, H, T, D) and `key` and `value` (N, G, T, D), for the new tokens; `cache_k` and `cache_v` have
# (N, G, capacity, D). It returns (N, H, T, D). All but `lengths` are float32. (About 15 lines.)
#
# - New keys and values are written into their places of the caches. Nothing else changes there, nor
#   in the other arguments: the caller adds T to `lengths`. (Use `reshape`: `view` fails on these.)
# - A new token looks at itself and at all tokens before it in its own text, and at nothing else.
#   The weights are the softmax of its scores, which are products of query and key over $\sqrt{D}$.
# - What is in the rest of a cache takes no part. It may be NaN, and 0 times NaN is NaN.
# - If the new tokens of some text don't fit, `attend` raises a `ValueError`, and writes nothing.


# %% role="answer"
def attend(query, key, value, cache_k, cache_v, lengths):
    """What each new token takes from its text, (N, H, T, D); its key and value are kept."""
    ### BEGIN SOLUTION
    N, H, T, D = query.shape
    G, capacity = cache_k.shape[1:3]
    used = int(lengths.max()) + T
    if used > capacity:
        raise ValueError(f"{T} new tokens after {lengths.tolist()} don't fit in {capacity} places")
    places = positions(lengths, T)
    texts = torch.arange(N, device=lengths.device)[:, None]
    cache_k[texts, :, places] = key.transpose(1, 2)
    cache_v[texts, :, places] = value.transpose(1, 2)
    keys = cache_k[:, :, :used].repeat_interleave(H // G, dim=1)
    values = cache_v[:, :, :used].repeat_interleave(H // G, dim=1)
    unseen = torch.arange(used, device=lengths.device) > places[:, :, None]  # (N, T, used)
    scores = query @ keys.transpose(2, 3) / math.sqrt(D)
    weights = scores.masked_fill(unseen[:, None], -math.inf).softmax(dim=-1)
    return weights @ values.masked_fill(unseen[:, None, -1, :, None], 0)
    ### END SOLUTION


# %% [markdown]
# *Implement* `cache_bytes`, which returns two numbers, for all layers together: the bytes that the
# caches take, and how many of these hold tokens. `lengths` is a list of whole numbers here, and
# stays as it is. A layer has `kv_heads` keys and values for each token, of `head_width` numbers
# with `number_bytes` each.


# %% role="answer"
def cache_bytes(lengths, capacity, layers, kv_heads, head_width, number_bytes):
    """Bytes that are reserved, and bytes that are in use."""
    ### BEGIN SOLUTION
    token_bytes = 2 * layers * kv_heads * head_width * number_bytes
    return len(lengths) * capacity * token_bytes, sum(lengths) * token_bytes
    ### END SOLUTION


# %% role="check"
check("kv-cache", positions, attend, cache_bytes)

# %% [markdown]
# *See* your functions in the course's character GPT. It writes three texts at once with them, and
# one by one without a cache. (It isn't trained, so the texts mean nothing. But they should be the
# same.)

# %%
see("kv-cache", positions, attend, cache_bytes)
reveal("kv-cache")

# %% [markdown]
# *Reflect.* Why does your first step take more than the one without a cache? (All three prompts are
# read at once, and the shorter ones are padded to the longest.) What happens to the padding's keys?
# (They are in the rest of the cache, and the next tokens overwrite them.)
#
# `scaled_dot_product_attention(query, keys, values, is_causal=True)` lets new token t look at the
# places 0 to t, so the first one looks at place 0 alone. When is that wrong? (Whenever there are
# tokens in the cache.) What does it cost on a GPU to find out that a text doesn't fit? (`lengths`
# is on the device, so the CPU has to wait for it. Programs that serve models keep the lengths on
# the host as well.) And how much of the cache does your picture leave unused? (*Serving* is about
# that, too.)

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
# - No step is larger than its group needs. A group's range is from its smallest weight to its
#   largest, extended to 0 if 0 is outside, and `2**bits - 1` steps cover it.
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
# A GPU reads 3.35 TB/s, and writes one text with a model of 7 billion parameters. How many tokens a
# second can it give at most in 16 bits, and in 4.16? (239, and 920. The kernel that
# multiplies turns codes into weights as they arrive, so only codes come from memory.) Why does this
# help less with 64 texts at a time? (All of them share each weight that is read.)
#
# To try a matrix of a model that you have, call `quantize` with
# `layer.weight.detach().float().numpy()`.

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

# %% [markdown] exercise="speculative"
# ## Guess ahead, and keep the distribution
#
# **`speculative` · 8 points · about 30 minutes**
#
# Decide which guesses of a small model a large one keeps, so that the text comes out faster and
# still has exactly the large model's distribution. While a pass of the large model waits for its
# weights, a few more tokens in it cost next to nothing. So the small model, the **draft**, writes k
# guesses one after another, and the large one, the **target**, takes all of them in one pass. It
# returns k + 1 distributions: one for the place of each guess, and one for the token after the last
# guess. All of this together is a **round**.

# %% [markdown]
# *Predict.* Each guess is accepted with probability 0.8, and the first one that isn't ends the
# round, with another token in its place. If all are accepted, the target adds one token, too. With
# k = 4, how many tokens does a round give on average?

# %% role="predict"
predict("speculative", 3.36)

# %% [markdown]
# In one place of the text, let `q` be the draft's distribution and `p` the target's, each with a
# probability for every token. A guess x was drawn from `q`. So tokens with q > p are guessed too
# often, and those with q < p not often enough. Two rules mend that:
#
# - x is accepted with probability min(1, p[x] / q[x]). Then the next guess has its turn.
# - If it is rejected, one token is drawn in its place from the **residual**, which is the positive
#   part of p - q divided by its sum. Later guesses are dropped, as they were made for another text.
#
# If all guesses are accepted, one token more is drawn from the last of the target's distributions,
# which is there anyway.


# %% role="given"
def pick(p, uniform):
    """The token of a distribution for which a number from [0, 1) stands."""
    sums = np.cumsum(p)  # the last of them may be a little below 1
    return int(np.searchsorted(sums, uniform * sums[-1], side="right"))


# %% [markdown]
# *Implement* two functions, about 2 and 8 lines. `residual(p, q)` takes two different distributions
# and returns a third; all are float64 arrays with an element for each token. `verify` returns the
# list of tokens that a round gives. `tokens` is a list of k guesses, `q` has the shape (k, V) with
# a row for each of them, `p` has one row more, and `uniforms` has k + 1 numbers from [0, 1).
#
# - Guess i is accepted if `uniforms[i]` is less than p / q of its token. The guesses before the
#   first rejected one come out, then one token more.
# - That token is drawn by `uniforms[k]`, with `pick`: from the residual in the place of the
#   rejected guess, or from the last row of `p`. Rows may be equal, and have zeros.
# - The arguments stay as they are.
#
# Then the text has the target's distribution, over all guesses and uniforms. It's checked, too.


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
# `acceptance` (from 0 to 1, both included), whatever became of the others.
#
# - `expected_tokens` returns how many tokens a round of k guesses gives on average, for k from 0.
# - `speedup` returns how many times as fast as the target alone that is, which takes a pass for
#   each token. A round takes k passes of the draft and one of the target. A pass of the draft takes
#   `draft_cost` times as long as one of the target; a pass of the target takes the same time for
#   k + 1 tokens as for one.
# - `best_k` returns the k with the largest speedup, from 0 (no guesses) to `most`; if it's the same
#   for several, the smallest of these.


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
# *See.* The first token of a text, over all guesses and uniforms: how often it comes as a guess
# that is kept, and how often in place of one. Below, what a round is worth; rings are your best k.

# %%
see("speculative", residual, verify)
see("inference/guesses", expected_tokens, speedup, best_k)
reveal("speculative")

# %% [markdown]
# *Reflect.* What is the probability that a guess is accepted? (The token x comes as an accepted
# guess with probability q · min(1, p / q), which is the smaller of p and q. Add that up over all
# tokens.) Why is the distribution exactly the target's? (A rejection is as likely as the sum of the
# positive parts of p - q, and the residual is divided by that sum. So x comes in place of a guess
# with probability p - min(p, q), and both together are p.)
#
# When is it better not to guess at all? (If the acceptance is no larger than `draft_cost`. And
# where many texts keep the GPU busy with arithmetic: then k + 1 tokens take longer than one.)

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
# - J. Kaplan et al., Scaling Laws for Neural Language Models, arXiv:2001.08361, section 2.1: 2 FLOP
#   for each parameter and token in a forward pass. J. Austin et al., How to Scale Your Model, "All
#   About Transformer Inference": what limits prefill and generation, with the cache counted.
# - Llama Team, The Llama 3 Herd of Models, arXiv:2407.21783, table 3: the shape of Llama 3 8B.
#   NVIDIA, H100 Tensor Core GPU, specifications: 989 TFLOP/s in 16 bits, dense, and 3.35 TB/s.
# - N. Shazeer, Fast Transformer Decoding: One Write-Head is All You Need, arXiv:1911.02150: heads
#   that share keys and values, because reading them is what takes long.
# - PyTorch 2.13, `scaled_dot_product_attention`: where `is_causal` has the corner of its mask.
# - Rounds, what is accepted, and the residual: Y. Leviathan, M. Kalman, Y. Matias, Fast Inference
#   from Transformers via Speculative Decoding, arXiv:2211.17192, section 2.3 and algorithm 1; that
#   it is exact: appendix A.1; tokens of a round: equation 1; the acceptance as a sum: corollary
#   3.6; the speedup: theorem 3.8; that it takes an acceptance above the draft's cost: corollary
#   3.9. C. Chen et al., Accelerating Large Language Model Decoding with Speculative Sampling,
#   arXiv:2302.01318, theorem 1, has the same rules, with q for the target and p for the draft.
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
