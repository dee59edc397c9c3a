# %% [markdown]
# # How does a model answer, one token at a time?
#
# A trained model does two very different things when it answers. First it reads your question, all
# of it at once, and keeps the GPU as busy as training does. Then it writes, and every single token
# takes a pass through all of its weights. In this lesson you find out what limits each of the two.
# You write the cache without which writing would be hopeless, and the last step of every pass: how
# a token is chosen.
#
# **You will be able to** say what limits reading and what limits writing; write a KV cache that
# changes nothing but the time; and draw tokens from exactly the distribution that you want.
#
# **You need** *Attention*, and the roofline from *Tiling*. **Time** about 90 minutes.

# %% role="setup"
from gpuedu import check, hint, predict, progress, reveal, see, setup

import math

import numpy as np
import torch

setup("inference")

# %% [markdown]
# *See* how long it takes to read a thousand tokens, and to write a thousand. Each token goes
# through the same weights in both rows, and takes the same arithmetic. So why does writing take so
# much longer?

# %%
see("inference/read-and-write")

# %% [markdown] exercise="prefill-or-decode"
# ## What limits reading, and what limits writing?
#
# **`prefill-or-decode` · 6 points · about 25 minutes**
#
# Work out what a model waits for when it reads, and when it writes. It reads your prompt in one
# **pass** through its layers, with all tokens at once, which is called **prefill**. Then it writes,
# and each new token takes another pass, which is called **decode**. Every pass loads all weights
# from memory once. It also loads the **KV cache**: the keys and values of all tokens so far, which
# each layer keeps because the next token looks at them.

# %% [markdown]
# *Predict.* Llama 3 8B writes on an H100, which can do 295 FLOP in the time it takes to read one
# byte. Each of its 8 billion weights has 2 bytes, and takes 2 FLOP for every token that is written.
# Each text has 1,000 tokens in its cache, of 131 KB each, and a pass writes one token for each
# text. At about how many texts does arithmetic become the limit? Predict `"30"`, `"300"`, `"3,000"`
# or `"never"`, written exactly like that.

# %% role="predict"
predict("prefill-or-decode", "never")

# %% [markdown]
# *Implement* `pass_flop`, which returns the FLOP of a pass, and `pass_bytes`, which returns the
# bytes that it reads and writes. Each of `texts` texts has `cached` tokens in its cache (0 in
# prefill), and the pass processes `new` more tokens of each (1 in decode). `model` is a dict of
# whole numbers: `"parameters"`, `"layers"`, `"width"`, `"heads"` and `"kv_heads"`.
#
# - The weights take 2 FLOP for each parameter and new token. They are read once.
# - In attention, each new token looks at itself and at all tokens before it in its text. Each token
#   that is looked at takes `4 * width` FLOP in each layer: half for the score, half for the value.
# - In each layer, the cache has `kv_heads` keys and as many values for each token, of
#   `width / heads` numbers each; heads may share them. A pass reads those of each cached token
#   once, and writes those of each new token once.
# - Weights, keys and values have 2 bytes for each number.


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
# *Implement* two more functions, which say whether arithmetic or memory is the limit. A device
# computes and moves bytes at the same time, so a pass takes as long as the slower of the two.
# `device` is a dict with `"flop_per_s"` and `"bytes_per_s"`.
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
    """How many texts it takes until arithmetic is the limit."""
    ### BEGIN SOLUTION
    ahead_s = flop / device["flop_per_s"] - text_bytes / device["bytes_per_s"]
    if ahead_s <= 0:
        return math.inf
    return math.ceil(weight_bytes / device["bytes_per_s"] / ahead_s)
    ### END SOLUTION


# %% role="check"
check("prefill-or-decode", pass_flop, pass_bytes, limit, enough_texts)

# %% [markdown]
# *See* where your functions put prefill and decode under the roofs of an H100. The second figure is
# about decode only: how much arithmetic is there for each byte, with more and more texts in a pass?

# %%
see("prefill-or-decode", pass_flop, pass_bytes, limit)
see("inference/more-texts", pass_flop, pass_bytes, enough_texts)
reveal("prefill-or-decode")

# %% [markdown]
# *Reflect.* Why do the curves level off? (All texts share the weights, so more texts mean more FLOP
# for each byte of them. But every text brings its own cache, which nobody else uses.) What would
# lift a curve? (Fewer `kv_heads`, fewer bits for each number in the cache, or shorter texts.) And
# what would speed up a single text that is being written? (Only more bandwidth, or fewer bytes, or
# more tokens for the same bytes: *Faster decoding* is about the last two.)
#
# Your formulas leave out what layers pass to each other, softmax and norms. They also count the
# table of token embeddings as if it were multiplied, though it's only looked up. And in a mixture
# of experts, a token goes through only some of the weights.

# %% [markdown] exercise="kv-cache"
# ## A cache that changes nothing but the time
#
# **`kv-cache` · 10 points · about 35 minutes**
#
# Write attention with a KV cache, so that only new tokens go through the model, and the result is
# still that of the whole text. This works because of the causal mask: a token never looks ahead, so
# nothing that comes later changes its key or its value. Both can be kept for the tokens to come.
#
# *Predict.* A text starts with one token, and the model writes 1,000 more, one by one. Without a
# cache, each of them takes a pass over the whole text so far. How many times as many tokens go
# through the model as with a cache?

# %% role="predict"
predict("kv-cache", 500.5)

# %% [markdown]
# N texts are written at the same time. In each cache, every text has `capacity` places, of which
# the first `lengths[n]` are in use. The rest holds whatever was there before. Here the caches have
# 8 places, and T = 2 new tokens of each text go to the places marked `n`:
#
# ```text
# lengths[0] = 5    text 0   t  t  t  t  t  n  n  .
# lengths[1] = 2    text 1   t  t  n  n  .  .  .  .
# ```

# %% [markdown]
# *Implement* `positions(lengths, T)`, which returns the place of each new token in its text: an
# int64 tensor of shape (N, T), with rows 5, 6 and 2, 3 in the example. `lengths` is an int64 tensor
# of shape (N,), and stays as it is. The model needs the place because our GPT learns a vector for
# each place and adds it to the token's.


# %% role="answer"
def positions(lengths, T):
    """The place of each new token in its text, (N, T)."""
    ### BEGIN SOLUTION
    return lengths[:, None] + torch.arange(T, device=lengths.device)
    ### END SOLUTION


# %% [markdown]
# *Implement* `attend`, for one layer of H heads with D numbers each. They form G groups of H / G
# heads that share keys and values: head h is in group `h // (H // G)`. `query` has shape (N, H, T,
# D) and `key` and `value` (N, G, T, D), for the new tokens; `cache_k` and `cache_v` have (N, G,
# capacity, D). It returns (N, H, T, D). All but `lengths` are float32. (About 15 lines.)
#
# - New keys and values are written to their places in the caches. Nothing else changes there, nor
#   in the other arguments: the caller adds T to `lengths`. (Use `reshape`: `view` fails on these.)
# - A new token looks at itself and at all tokens before it in its own text, and at nothing else.
#   The weights are the softmax of its scores, which are products of query and key over $\sqrt{D}$.
#   Scores may be several hundred, above or below 0.
# - Whatever is in the rest of a cache takes no part. It may be NaN, and 0 times NaN is NaN.
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
# *Implement* `cache_bytes`, which returns two numbers, for all layers together: how many bytes the
# caches take, and how many of these hold tokens. Here `lengths` is a list of whole numbers, and
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
# *See* your functions at work in the course's character GPT. It writes three texts at once with
# them, and one by one without a cache. (It isn't trained, so the texts mean nothing. But they
# should be the same.)

# %%
see("kv-cache", positions, attend, cache_bytes)
reveal("kv-cache")

# %% [markdown]
# *Reflect.* Why does your first step compute more than the one without a cache? (All three prompts
# are read at once, and the shorter ones are padded to the longest.) What happens to the padding's
# keys? (They land in the rest of the cache, where the next tokens overwrite them.)
#
# `scaled_dot_product_attention(query, keys, values, is_causal=True)` lets new token t look at the
# places 0 to t, so the first one sees place 0 only. When is that wrong? (Whenever there are tokens
# in the cache.) What does it cost on a GPU to find out that a text doesn't fit? (`lengths` is on
# the device, so the CPU has to wait for it. Programs that serve models keep the lengths on the host
# as well.) And how much of the cache is unused in your picture? (*Serving* starts from there.)

# %% [markdown]
# A cache is also why today's models share keys and values among heads. With **grouped-query
# attention** (your G groups), Llama 3 8B keeps 8 keys per token in each layer instead of 32, so its
# cache is a quarter as large. Other models go further: **multi-head latent attention** keeps one
# short vector per token, from which every head's key and value are computed, and a **sliding
# window** keeps only the last few thousand tokens, in some layers or in all.

# %% [markdown] exercise="sampling"
# ## From scores to the next token
#
# **`sampling` · 8 points · about 25 minutes**
#
# Turn a model's scores into the probabilities from which the next token is drawn, and draw it. The
# softmax of the scores is what the model has learned. Three settings change it before the draw:
#
# - The **temperature** divides all scores. Below 1 it makes likely tokens even likelier, above 1 it
#   makes all of them more alike.
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
# - The settings apply in this order: temperature, top-k, top-p. After each cut, the probabilities
#   that are left are scaled to add up to 1, and the next setting goes by those. All other tokens
#   have exactly 0.
# - `top_k` is at least 1, and may be larger than the vocabulary. `top_p` is above 0 and below 1.
#   Either may be `None`, which leaves it out. At least one token is kept.
# - Of equally likely tokens, those with smaller numbers are kept first.
# - At temperature 0 the token with the largest score has probability 1 (the first, if several tie).
# - The result is also right for scores of 1,000 and of -1,000. A score of `-inf` forbids its token:
#   it has probability 0. (At least one token is allowed.) `scores` stays as it is.


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
# - It's the first token at which the running sum of `p` is larger than `u`. So if `u` is uniform,
#   each token comes up with its probability.
# - A token of probability 0 is never drawn. Rounding may leave the whole sum a little below 1, so
#   that it isn't larger than `u`. Then the result is the last token that has any probability.
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
# *See* your distributions for the next character of a small GPT that has read Python code: first
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
# characters make sense, and after `if x is not` many do.) Why does the text go around in circles at
# temperature 0? (The same 64 characters always lead to the same next one. Once they come up again,
# so does everything after them.) At temperature 1 the draws follow what the model has learned. Why
# do people still cut the tail? (It has many tokens, each of them unlikely, and most of them wrong.
# In a long text one of them comes up sooner or later, and the model goes on from there.)
#
# Don't count on temperature 0 to give the same answer twice on a server, though. The kernels add
# numbers up in an order that can depend on how many texts share the pass, and if two scores are
# nearly equal, the last digit decides.

# %% [markdown]
# ## What you take with you
#
# - Reading a long prompt is limited by arithmetic. Writing is limited by bytes: every pass reads
#   the weights and the caches again.
# - A KV cache doesn't change the text. With it, only the new token goes through the model, not the
#   whole text again.
# - More texts in a pass share the weights, but each brings its own cache.
#
# **Your number:** how many tokens per second one text can get at most from your own GPU.

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
#   that share keys and values, because reading them is what takes long. In groups: J. Ainslie et
#   al., GQA, arXiv:2305.13245. Latent attention: DeepSeek-AI, DeepSeek-V2, arXiv:2405.04434,
#   section 2.1; experts: section 2.2. Sliding windows: A. Jiang et al., Mistral 7B,
#   arXiv:2310.06825.
# - PyTorch 2.13, `scaled_dot_product_attention`: where `is_causal` has the corner of its mask.
# - Top-k: A. Fan et al., *Hierarchical Neural Story Generation*, 2018, arXiv:1805.04833. Top-p,
#   loops, and the unreliable tail: A. Holtzman et al., *The Curious Case of Neural Text
#   Degeneration*, 2019, arXiv:1904.09751.
# - Answers that differ at temperature 0: H. He, Thinking Machines Lab, *Defeating Nondeterminism in
#   LLM Inference*, 2025.
# - The small GPT: trained once, on the sources of Python's standard library, by
#   `python -m gpuedu.experiments small-gpt`.
