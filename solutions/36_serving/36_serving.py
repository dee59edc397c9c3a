# %% [markdown]
# # How do you serve many users, and what does a token cost?
#
# Take an H100 that costs 3 an hour, in any currency, and a model with 8 billion weights. If one
# user is served, a million tokens cost about 4.80. If 200 are served at once, they cost about 0.10,
# because all of them share each reading of the weights. But users come when they like, ask short
# and long questions, and don't want to wait. In this lesson you decide who is served when, and
# where each text's cache is kept, and then you put a price on a token.
#
# **You will be able to** batch requests as they come, and say what that does to waiting times; keep
# caches without wasting memory; and work out what a model is best served on, and at what price.
#
# **You need** *Inference*, and *Choose hardware*. **Time** about 100 minutes.

# %% role="setup"
from gpuedu import check, hint, predict, progress, reveal, see, setup

import math

setup("serving")

# %% [markdown] exercise="batching"
# ## Who runs when?
#
# **`batching` · 10 points · about 35 minutes**
#
# Decide which texts a server starts before each step, and measure what its users notice.
#
# A text here is one user's prompt and the answer to it. A step makes one token for each text that
# **runs**, and reads the weights once for all of them. The simplest way to share them is **static
# batching**: the server takes a few texts, runs until the last of them is done, and takes the next
# few.
#
# *Predict.* Four texts make up a static batch, and their answers have 10, 20, 30 and 100 tokens. In
# each step the batch has a **place** for each of the four, and the place of a text that is done
# stays idle. What percentage of its places is idle, on average over its steps?

# %% role="predict"
predict("batching", 45)

# %% [markdown]
# Nobody knows how long an answer will be, only how long it may get: each prompt comes with a
# **limit** on the tokens of its *answer*. Here's static batching for a simulated server. A step
# takes 20 ms, and 0.5 ms more for each text that runs. A text's first step also reads its prompt
# (**prefill**), at 0.1 ms per prompt token, and makes the first token of its answer.


# %% role="given"
def admit_static(waiting, running, free_tokens):
    """Start four texts as soon as the last four are all done."""
    return [] if running else [text["id"] for text in waiting[:4]]


see("serving/static", admit_static)

# %% [markdown]
# With **continuous batching**, texts join and leave at every step. *Implement* `admit`: before each
# step, as long as somebody is waiting, the server calls it to learn which of the waiting texts to
# start. It returns a list of their ids.
#
# - `waiting` is a list of dicts, in order of arrival: `"id"`, and two counts of tokens, `"prompt"`
#   (how long the prompt is) and `"limit"` (the most that its answer may have).
# - `running` has the same for the texts that run, and `"made"`, how many tokens of the answer there
#   are so far.
# - `free_tokens` is how many more tokens the cache has room for *now*. A text that runs takes room
#   for its prompt and for what it has made, and gives it back when it's done.

# %% [markdown]
# - Every text is served. (None needs more than the whole cache.)
# - A text that was started can always go on: there's room for all texts that run, even if they all
#   reach their limits.
# - First come, first served: no text is started before one that came earlier.
# - Nobody waits while there's room: if the first of those that still wait fits, it's started before
#   this step.
# - `admit` doesn't change what it's given.


# %% role="answer"
def admit(waiting, running, free_tokens):
    """The ids of the texts to start before this step."""
    ### BEGIN SOLUTION
    room = free_tokens - sum(text["limit"] - text["made"] for text in running)
    started = []
    for text in waiting:
        room -= text["prompt"] + text["limit"]
        if room < 0:
            break
        started.append(text["id"])
    return started
    ### END SOLUTION


# %% [markdown]
# Is it any better? A user notices two things: how long it takes until the answer begins (**TTFT**,
# the time to first token), and how fast it goes on (**TPOT**, the time per output token). Means
# hide the unlucky ones, so both are given as percentiles.
#
# *Implement* `percentile(values, percent)`, which returns the smallest of the values such that at
# least `percent`% of them are less than or equal to it. So the result is always one of the values.
# `percent` is a whole number from 1 to 100, and the list `values` stays as it is.


# %% role="answer"
def percentile(values, percent):
    ### BEGIN SOLUTION
    return sorted(values)[math.ceil(percent * len(values) / 100) - 1]
    ### END SOLUTION


# %% [markdown]
# *Implement* `metrics(log)`. The log is a list of dicts, one for each text and in no particular
# order: `"arrival"`, and `"tokens"`, the times at which the tokens of its answer were made, in
# ascending order, all in ms. It stays as it is. The result is a dict, with times in ms:
#
# - `"tokens_per_s"`, the **throughput**: all tokens, divided by the seconds from the first arrival
#   to the last token of all.
# - `"ttft_p50"` and `"ttft_p99"`: percentiles of the time from arrival to first token.
# - `"tpot_p50"` and `"tpot_p99"`: percentiles of a text's mean time between one token and the next.
#   Texts with a single token have none, and are left out. (At least one text has more.)
# - `"in_server"`: how many texts are in the server, waiting or running, on average from the first
#   arrival to the last token of all. A text is there from its arrival to its last token. (No need
#   to step through time: add up how long each text was there.)


# %% role="answer"
def metrics(log):
    ### BEGIN SOLUTION
    first = min(text["arrival"] for text in log)
    span = max(text["tokens"][-1] for text in log) - first
    ttft = [text["tokens"][0] - text["arrival"] for text in log]
    tokens = [text["tokens"] for text in log]
    tpot = [(one[-1] - one[0]) / (len(one) - 1) for one in tokens if len(one) > 1]
    return {
        "tokens_per_s": 1000 * sum(map(len, tokens)) / span,
        "ttft_p50": percentile(ttft, 50),
        "ttft_p99": percentile(ttft, 99),
        "tpot_p50": percentile(tpot, 50),
        "tpot_p99": percentile(tpot, 99),
        "in_server": sum(text["tokens"][-1] - text["arrival"] for text in log) / span,
    }
    ### END SOLUTION


# %% role="check"
check("batching", admit, percentile, metrics)

# %% [markdown]
# *See* twelve texts under both policies. Then see both under load: texts come at random, more and
# more of them each second, and your metrics say how long 99 out of 100 have to wait, at most, for
# their first token.

# %%
see("batching", admit_static, admit)
see("serving/load", admit_static, admit, metrics)
reveal("batching")

# %% [markdown]
# *Reflect.* `in_server` is the rate at which texts arrive, times the mean time that a text is
# there. This is **Little's law**, and it holds no matter how they arrive. If 4 texts come each
# second, and a text runs for 3 s, how many have to run at once? (12.) So what happens if the memory
# has room for 8? (The queue grows as long as that load lasts.)
#
# What do the running texts notice when one with a long prompt is started? (That step takes longer
# for all of them. So servers read a long prompt in chunks, over several steps.) And why might a
# server start more texts than yours does? (Most answers end before their limits. But then it has to
# evict a text when the memory is full, and read it again later.)

# %% [markdown] exercise="paged-cache"
# ## Where is the cache kept?
#
# **`paged-cache` · 8 points · about 30 minutes**
#
# Manage a server's memory: keep the keys and values of all texts in blocks, and let texts share
# them.
#
# If a text's cache has to be in one piece, the server must reserve room for the longest answer that
# might come. In the systems that Kwon et al. measured, only 20% to 38% of that memory held tokens.
# So split the memory into **blocks**, each with room for the same small number of tokens, as an
# operating system does with pages. A text takes another block when its last one is full, and a
# **table** lists its blocks.
#
# *Predict.* A server reserves 2,048 tokens for each text, but its texts only get about 200 tokens
# long. With blocks of 16 tokens instead, about how many times as many texts fit?

# %% role="predict"
predict("paged-cache", 4)

# %% [markdown]
# Everything that your functions know is in `state`, a dict. Token i of a text is in block
# `table[i // size]`, at offset `i % size`.

# %% role="given"
state = {
    "size": 4,  # tokens that fit into a block
    "free": [2, 3, 4, 5],  # the blocks that nobody holds, in any order
    "tables": {"A": [0, 1], "B": [0, 1]},  # the blocks of each text
    "lengths": {"A": 6, "B": 6},  # how many tokens each text has
    "holders": [2, 2, 0, 0, 0, 0],  # for each block, how many tables it's in
}

# %% [markdown]
# Here B has just **forked** from A: it's a second answer to the same prompt, and it can share all
# of A's blocks until somebody writes there. The next token of A would go into block 1, right after
# the last token that A shares with B, and that's where B's next token belongs, too. So A gets its
# own copy of block 1, and writes there: **copy on write**.
#
# *Implement* three functions that change `state`. Texts are named by strings.
#
# - `append(state, text)` makes room for one more token. It returns where the token's keys and
#   values go, as a tuple `(block, offset, copied)`: the server first copies the block `copied` to
#   `block`, unless that's `None`, and then writes. A text without a table starts with this token.
# - `fork(state, old, new)` makes `new`, a name that isn't in use, a text with the tokens of `old`.
# - `release(state, text)` removes a text that has ended.

# %% [markdown]
# - Following its table, each text always finds its own tokens, and `lengths` says how many it has.
# - `holders` counts the tables that each block is in.
# - `free` has each block that nobody holds, once. A text that ended is in neither `tables` nor
#   `lengths`.
# - No more blocks are in use than needed: `fork` takes none, and `append` takes one only if the
#   text has no room in its last block, or another text has that block, too.
# - If a block is needed and none is free, `append` returns `None`, and nothing has changed.


# %% role="answer"
def append(state, text):
    """Where the next token of a text goes: (block, offset, copied), or None."""
    ### BEGIN SOLUTION
    table, length = state["tables"].get(text, []), state["lengths"].get(text, 0)
    offset, copied = length % state["size"], None
    is_shared = offset > 0 and state["holders"][table[-1]] > 1
    if offset == 0 or is_shared:
        if not state["free"]:
            return None
        if is_shared:
            copied = table.pop()
            state["holders"][copied] -= 1
        table.append(state["free"].pop())
        state["holders"][table[-1]] = 1
    state["tables"][text], state["lengths"][text] = table, length + 1
    return table[-1], offset, copied
    ### END SOLUTION


# %% role="answer"
def fork(state, old, new):
    """Let a new text share all blocks of an old one."""
    ### BEGIN SOLUTION
    state["tables"][new] = list(state["tables"][old])
    state["lengths"][new] = state["lengths"][old]
    for block in state["tables"][old]:
        state["holders"][block] += 1
    ### END SOLUTION


def release(state, text):
    """Remove a text that has ended."""
    ### BEGIN SOLUTION
    del state["lengths"][text]
    for block in state["tables"].pop(text):
        state["holders"][block] -= 1
        if state["holders"][block] == 0:
            state["free"].append(block)
    ### END SOLUTION


# %% [markdown]
# *Implement* `wasted_share(lengths, size, longest)`, for texts that share nothing. It returns what
# share of the places that are reserved for tokens holds none. Add up over all texts first, then
# divide.
#
# Return two shares, numbers from 0 to 1: the first if each text reserves `longest` places, the
# second if each takes whole blocks of `size`. `lengths` is a list of how many tokens the texts
# have, each at least 1.


# %% role="answer"
def wasted_share(lengths, size, longest):
    ### BEGIN SOLUTION
    contiguous = longest * len(lengths)
    in_blocks = sum(math.ceil(length / size) * size for length in lengths)
    return 1 - sum(lengths) / contiguous, 1 - sum(lengths) / in_blocks
    ### END SOLUTION


# %% role="check"
check("paged-cache", append, fork, release, wasted_share)

# %% [markdown]
# *See* the memory while three texts share it, and what larger blocks waste:

# %%
see("paged-cache", append, fork, release)
see("serving/waste", wasted_share)
reveal("paged-cache")

# %% [markdown]
# *Reflect.* A block of one token wastes nothing. Why are blocks larger? (Tables get long, and a
# kernel that looks up a place for every token reads small pieces. On NVIDIA's GPUs, vLLM's blocks
# have 16 tokens by default.) Four answers share a prompt of 1,000 tokens, in blocks of 16. How many
# blocks hold the prompt without sharing, and how many with it, when each has written a token? (4
# times 63, or 62 and one for each answer: 66.)
#
# What does a table cost? (Attention looks up each block: its kernel took 20 to 26% longer in Kwon
# et al. The rest of a step took no longer, and more texts fit into memory.)

# %% [markdown] exercise="what-to-serve-on"
# ## What should it run on?
#
# **`what-to-serve-on` · 8 points · about 30 minutes**
#
# Work out what a million tokens cost on a device, and pick the cheapest one that is still fast
# enough for each user. A step of decoding makes one token for every text in the batch. With more
# texts, each token gets cheaper. But the step takes longer, and all those caches have to fit.
#
# *Predict.* A device reads 4,000 GB/s and costs 3.60 an hour, in any currency. A model with 8
# billion weights of 16 bits writes one text on it. Leave out the cache: what do a million tokens
# cost?

# %% role="predict"
predict("what-to-serve-on", 4)

# %% [markdown]
# A `model` and a `device` are dicts. The device's numbers are those that a program can really use,
# which is less than the data sheet says: we take 90% of the memory, 85% of the bandwidth and 70% of
# the peak.
#
# | entry | what it is |
# |---|---|
# | `model["parameters"]` | how many weights there are |
# | `model["weight_bits"]` | bits for each: 16, 8, or 4.25 (4, and 16 for the scale of every 64) |
# | `model["token_bytes"]` | the cache of one token: its keys and values in all layers |
# | `device["memory_bytes"]`, `["bytes_per_s"]`, `["flop_per_s"]` | what it holds, reads, computes |
# | `device["name"]`, `["price_per_hour"]` | used by `cheapest` only |

# %% [markdown]
# *Implement* what one device does. All texts have `length` tokens.
#
# - `texts_that_fit` returns how many texts a device holds in addition to the weights: a whole
#   number (an `int`), and 0 where there is no room for even one.
# - `step_s` returns the seconds of a step for `batch` texts. All weights are read once, and the
#   caches of all texts, too. Meanwhile the device does 2 FLOP for each weight and text, and the
#   slower of the two decides. (Weights are turned into 16-bit numbers first, so fewer bits save no
#   FLOP.)
# - `speeds` returns two numbers: the tokens per second of all texts together, and of one text.
#   `seconds` is how long a step takes.
# - `per_million` returns the price of a million tokens. At night there are few users, and an hour
#   costs the same: on average only the share `used` of the `tokens_per_s` is made (0 < used <= 1).


# %% role="answer"
def texts_that_fit(model, length, device):
    ### BEGIN SOLUTION
    weights = model["parameters"] * model["weight_bits"] / 8
    free = device["memory_bytes"] - weights
    return max(0, int(free // (length * model["token_bytes"])))
    ### END SOLUTION


def step_s(model, batch, length, device):
    ### BEGIN SOLUTION
    read = model["parameters"] * model["weight_bits"] / 8 + batch * length * model["token_bytes"]
    flop = 2 * batch * model["parameters"]
    return max(read / device["bytes_per_s"], flop / device["flop_per_s"])
    ### END SOLUTION


def speeds(batch, seconds):
    ### BEGIN SOLUTION
    return batch / seconds, 1 / seconds
    ### END SOLUTION


def per_million(tokens_per_s, price_per_hour, used):
    ### BEGIN SOLUTION
    return price_per_hour / 3600 / (tokens_per_s * used) * 1e6
    ### END SOLUTION


# %% [markdown]
# *Implement* the choice. `cheapest` returns a device's name and a batch, such as `("L4", 12)`, for
# which a million tokens cost least. `devices` is a list of dicts in no particular order; no two of
# them have the same name.
#
# - Everything that your five functions are given stays as it is.
# - A batch is 1 or more, and not more than fit on the device.
# - Each user gets `least_per_s` tokens per second, or more.
# - Compare prices with `used` = 1. Two are the same if they are equal when rounded to six digits
#   after the decimal point.
# - Of choices that cost the same, take the one with the smaller batch, then the one whose device is
#   listed first.
# - Return `None` if there is no choice at all.


# %% role="answer"
def cheapest(model, length, devices, least_per_s):
    ### BEGIN SOLUTION
    found = []
    for place, device in enumerate(devices):
        for batch in range(1, texts_that_fit(model, length, device) + 1):
            everyone, one_user = speeds(batch, step_s(model, batch, length, device))
            if one_user >= least_per_s:
                price = per_million(everyone, device["price_per_hour"], 1)
                found.append((round(price, 6), batch, place))
    if not found:
        return None
    _, batch, place = min(found)
    return devices[place]["name"], batch
    ### END SOLUTION


# %% role="check"
check("what-to-serve-on", texts_that_fit, step_s, speeds, per_million, cheapest)

# %% [markdown]
# *See* what your functions say about Llama 3 8B on five devices. Each curve goes from one text at a
# time, at the top right, to as many as fit. A ring marks your pick for at least 50 tokens per
# second. The second figure has the same model on one device, with fewer bits for each weight.
# Before you look: what do 4 bits change for one text, and for a full batch? (Try `"h100-sxm"` or
# `"l40s"`, and other speeds.)

# %%
SERVING = (texts_that_fit, step_s, speeds, per_million, cheapest)
see("what-to-serve-on", *SERVING)
see("what-to-serve-on", *SERVING, "a100-80gb", 50)
reveal("what-to-serve-on")

# %% [markdown]
# *Reflect.* In the first figure, the device with the most expensive hour makes the cheapest tokens.
# Why? If 10 tokens per second are enough for a user, when would the L4 be the better choice? And
# why do 4-bit weights help a full batch so little?
#
# (A faster device takes a larger batch at the same speed for each user, so more texts share the
# reading of the weights. That only holds if there are enough users: an L4 that is busy beats a
# large GPU that isn't, and `used` is what tells them apart. In a full batch, most of the bytes are
# caches. Fewer bits for those, or fewer key-value heads, would help there. What we have left out is
# reading the questions, which is arithmetic, and that's why price lists have one price for input
# and another for output.)

# %% [markdown]
# ## What real servers add
#
# You won't write a server yourself: **vLLM**, **SGLang** and **TensorRT-LLM** have what you built
# here, and the next two exercises are about what else they do. Two decisions remain yours. The
# first is what to promise. A promise such as "99% of first tokens within 500 ms, and 20 tokens per
# second after that" limits the batch, and so sets the price. What counts then isn't the throughput
# but the **goodput**, the requests per second that keep the promise.
#
# The second is what to run where. Reading is limited by arithmetic and writing by bytes, and on one
# GPU each disturbs the other. **Disaggregated** servers read on some GPUs and write on others, and
# send the cache across. Before you cut one model into pieces, though, remember the simplest way to
# use more GPUs: more copies of the whole, each with its own users.

# %% [markdown] exercise="prefix-cache"
# ## Stretch: a beginning that was read before
#
# **`prefix-cache` · 4 points · stretch · about 20 minutes**
#
# Find out how much of a new prompt's cache is still there from earlier texts. Many requests begin
# alike: with the same instructions, or with all of a conversation so far. So when a text ends, its
# blocks stay in memory until somebody needs the room.
#
# *Predict.* Each request begins with the same 1,000 tokens of instructions, and goes on with a
# question of 50. Blocks have 16 tokens, and only whole blocks are found again. How many tokens does
# the server have to read for the second question?

# %% role="predict"
predict("prefix-cache", 50)

# %% [markdown]
# A token's keys and values depend on all tokens before it. So a block is found by a **key** that
# stands for its tokens *and* for everything before them. *Implement* three functions:
#
# - `keys(tokens, size)` returns a list with a key for each whole block of a text, in order: whole
#   numbers, such as `hash` gives for a tuple of numbers. Two blocks, of one text or of two, have
#   equal keys if and only if the texts are equal from their starts to the ends of these blocks.
# - `match(known, tokens, size)` returns how many tokens of a prompt need not be read. `known` is a
#   `frozenset` of keys. Only whole blocks count, from the start up to the first one that isn't
#   known. At least one token must be left to be read, since its step makes the first token of the
#   answer.

# %% [markdown]
# - `victim(cached)` returns the key of the block to evict next, or `None` if there is none.
#   `cached` maps each key to a dict. In it, `"before"` is the key of the block before it in its
#   text (`None` for a first block), `"used"` is when it was last used, and `"holders"` how many
#   running texts have it. A block that somebody holds can't go. Neither can a block that another
#   cached block comes after, because the later one would become worthless. Of the others, the least
#   recently used one goes (there are no ties).
#
# What the functions are given stays as it is. (About 4 lines for each function.)


# %% role="answer"
def keys(tokens, size):
    ### BEGIN SOLUTION
    found, before = [], 0
    for start in range(0, len(tokens) - size + 1, size):
        before = hash((before, *tokens[start : start + size]))
        found.append(before)
    return found
    ### END SOLUTION


def match(known, tokens, size):
    ### BEGIN SOLUTION
    count = 0
    for key in keys(tokens, size):
        if key not in known:
            break
        count += size
    return min(count, (len(tokens) - 1) // size * size)
    ### END SOLUTION


# %% role="answer"
def victim(cached):
    ### BEGIN SOLUTION
    needed = {one["before"] for one in cached.values()}
    free = [key for key, one in cached.items() if not one["holders"] and key not in needed]
    return min(free, key=lambda key: cached[key]["used"], default=None)
    ### END SOLUTION


# %% role="check"
check("prefix-cache", keys, match, victim)

# %% [markdown]
# *See* two conversations, and how much of each prompt your functions find:

# %%
see("prefix-cache", keys, match)
reveal("prefix-cache")

# %% [markdown]
# *Reflect.* Where should a prompt say today's date, at its start or at its end? (At its end: once a
# block differs, all blocks after it are lost.) What if two different blocks had the same key? (A
# user's answer would go on from somebody else's text, and nobody would notice. So servers use a
# long hash, such as SHA-256.) What can users find out about each other if they share a cache?
# (Whether somebody has sent the same beginning, because the first token then comes sooner. A secret
# number in the first key keeps users apart.)

# %% [markdown] exercise="tensor-parallel-decode"
# ## Many GPUs for one token
#
# **`tensor-parallel-decode` · 4 points · stretch · about 20 minutes**
#
# Work out how long a step takes if several GPUs share every layer, and how many GPUs are best.
# That's tensor parallelism: a layer's matrices are cut, its heads are divided among the GPUs, and
# two all-reduces per layer add up what they computed. In decoding, each GPU then reads less. But
# the messages are tiny, so they cost little more than their latency, and that doesn't shrink.
#
# *Predict.* The weights take 16 GB, and a GPU reads 3,200 GB/s. There are 32 layers, and one
# all-reduce takes 10 µs. How many times as fast as one GPU are 8 of them? (Leave out the cache.)

# %% role="predict"
predict("tensor-parallel-decode", 3.95)

# %% [markdown]
# *Implement* two functions. `model` is a dict with `"parameters"`, `"layers"`, `"width"`, `"heads"`
# and `"kv_heads"`. Weights, caches and messages have 16 bits for each number. `gpus` divides
# `"heads"`, and either `gpus` or `"kv_heads"` is a multiple of the other.
#
# - `shares` returns the bytes of one GPU: its weights and its caches. The weights are cut evenly. A
#   text has, in each layer and for each of its `length` tokens, a key and a value for each
#   key-value head, of `width / heads` numbers each. With more GPUs than key-value heads, a head
#   isn't cut: each GPU has a copy of the one that it needs.
# - `all_reduce_s` returns the time of the faster way: a ring of 2 (g - 1) messages one after
#   another, each with 1 / g of the bytes; or a tree of 2 ceil(log2 g), each with all of them. A
#   message takes `alpha_s`, and then its bytes pass at `bytes_per_s`. On 1 GPU it takes no time.


# %% role="answer"
def shares(model, batch, length, gpus):
    ### BEGIN SOLUTION
    kv_heads = max(1, model["kv_heads"] // gpus)
    numbers = 2 * kv_heads * model["width"] // model["heads"]
    return 2 * model["parameters"] / gpus, 2 * batch * length * model["layers"] * numbers
    ### END SOLUTION


def all_reduce_s(gpus, size_bytes, alpha_s, bytes_per_s):
    ### BEGIN SOLUTION
    ring = 2 * (gpus - 1) * (alpha_s + size_bytes / gpus / bytes_per_s)
    tree = 2 * (gpus - 1).bit_length() * (alpha_s + size_bytes / bytes_per_s)
    return min(ring, tree)
    ### END SOLUTION


# %% [markdown]
# *Implement* two more. `device` is a dict with `"memory_bytes"` and `"bytes_per_s"`, those that a
# program can use, and `"alpha_s"` and `"link_bytes_per_s"` of a message between two GPUs.
#
# - `decode_s` returns the time of a step for `batch` texts. A GPU reads its share, and waits for
#   two all-reduces in each layer: of `width` numbers for each text. Nothing overlaps, because the
#   next product needs the sum. (There are few texts here, so leave out the arithmetic.)
# - `best_gpus` takes a list `counts` of numbers of GPUs, and returns the one with the shortest
#   step, among those where a GPU's share fits into its memory. It returns 0 if there are none. No
#   two steps take equally long.


# %% role="answer"
def decode_s(model, batch, length, gpus, device):
    ### BEGIN SOLUTION
    read_s = sum(shares(model, batch, length, gpus)) / device["bytes_per_s"]
    message = 2 * batch * model["width"]
    each_s = all_reduce_s(gpus, message, device["alpha_s"], device["link_bytes_per_s"])
    return read_s + 2 * model["layers"] * each_s
    ### END SOLUTION


def best_gpus(model, batch, length, counts, device):
    ### BEGIN SOLUTION
    fitting = []
    for gpus in counts:
        if sum(shares(model, batch, length, gpus)) <= device["memory_bytes"]:
            fitting.append(gpus)
    return min(fitting, key=lambda gpus: decode_s(model, batch, length, gpus, device), default=0)
    ### END SOLUTION


# %% role="check"
check("tensor-parallel-decode", shares, all_reduce_s, decode_s, best_gpus)

# %% [markdown]
# *See* a step of Llama 3 70B by the number of GPUs, for one text and for 64. Which part shrinks
# with every GPU, which stops shrinking, and which grows? And when is one GPU not an option at all?

# %%
see("tensor-parallel-decode", shares, all_reduce_s, decode_s, best_gpus)
see("tensor-parallel-decode", shares, all_reduce_s, decode_s, best_gpus, 64)
reveal("tensor-parallel-decode")

# %% [markdown]
# *Reflect.* From 8 GPUs to 16, one text gains almost nothing. What does its token cost then? And
# what would you do about the all-reduces?
#
# (Nearly twice as much: you rent 16 GPUs, and most of the time they wait. Tensor parallelism is for
# a model that doesn't fit, or for a user in a hurry. For small messages, programs that serve models
# have their own all-reduce, in which every GPU reads the messages of all others at once. That is
# one latency instead of six. On 8 H100s, 16 kB took 6 to 9 µs that way.)

# %% [markdown] exercise="export-and-run"
# ## Out of Python
#
# **`export-and-run` · 3 points · stretch · about 25 minutes**
#
# Say what can be exported, and what the exported program gives. A server should not need your
# Python code, nor spend time running it. So `torch.export` runs `forward` once with stand-ins for
# the tensors, which have a size and a type but no values, and writes down all operations. You get
# one graph of the whole `forward`, or an error. Here is a module around this course's GPT, which
# reads up to 64 characters.

# %% role="given"
import io

import torch
from torch.export import Dim, export

from gpuedu import training


class Scorer(torch.nn.Module):
    """Scores of the next character, for each text."""

    def __init__(self, model):
        super().__init__()
        self.model, self.temperature = model, 0.8

    def forward(self, characters, sharpen):
        scores = self.model(characters)[:, -1] / self.temperature
        return scores * sharpen


# %% [markdown]
# `export` takes the module, example arguments, and for each argument the dimensions that stay open,
# each with a name and a range, or `None` if there are none. All other sizes are those of the
# example. *See* which sizes the program takes if nothing is open, and then if the number of texts
# and their length are.

# %%
scorer = Scorer(training.CharacterGPT(97, width=32, fused=True).eval())
example = torch.ones(2, 16, dtype=torch.long)
fixed = export(scorer, (example, 1.5)).module()
see("export-and-run", scorer, fixed)

# %%
open_sizes = ({0: Dim("batch"), 1: Dim("length", max=64)}, None)
exported = export(scorer, (example, 1.5), dynamic_shapes=open_sizes)
program = exported.module()
see("export-and-run", scorer, program)

# %% [markdown]
# What you save is the graph and the tensors. To load it, you don't need `Scorer`. (Here it goes to
# memory in place of a file, such as `"scorer.pt2"`.)

# %%
file = io.BytesIO()
torch.export.save(exported, file)
file.seek(0)
loaded = torch.export.load(file).module()
is_equal = torch.equal(loaded(example, 1.5), program(example, 1.5))
print(f"{file.getbuffer().nbytes / 1000:.0f} kB, the same numbers: {is_equal}")

# %% [markdown]
# *Predict.* You add a line to `forward`: `if scores.max() > 10:`, and below it
# `scores = scores / 2`. What does `export` make of it: `"both branches"`,
# `"the branch of the example"` or `"an error"`?

# %% role="predict"
predict("export-and-run", "an error")


# %%
class Halving(Scorer):
    def forward(self, characters, sharpen):
        scores = super().forward(characters, sharpen)
        if scores.max() > 10:
            scores = scores / 2
        return scores


see("export-and-run", Halving(scorer.model))

# %% [markdown]
# *Answer* with three dicts. (You may try everything first; the check only reads the dicts.) In
# `exports`, say what `export` makes of `Scorer` with the same open sizes, if this line comes after
# the first line of `forward`: `"works"` or `"error"`.
#
# | name | line |
# |---|---|
# | `"where on scores"` | `scores = torch.where(scores.max() > 10, scores / 2, scores)` |
# | `"number of scores"` | `scores = scores / scores.abs().max().item()` |
# | `"if on length"` | `if characters.shape[1] > 32: scores = scores / 2` |
# | `"loop over length"` | `for i in range(characters.shape[1]): scores = scores + i` |
# | `"loop over blocks"` | `for block in self.model.blocks: scores = scores * 0.9` |
# | `"one text"` | none, but the example is one text of 16 characters |

# %% role="answer"
### BEGIN SOLUTION
exports = {
    "where on scores": "works",
    "number of scores": "works",
    "if on length": "error",
    "loop over length": "error",
    "loop over blocks": "works",
    "one text": "error",
}
### END SOLUTION

# %% [markdown]
# In `calls`, compare what `program` gives with what `scorer` gives at that time, for the same
# arguments: `"right"` if the numbers are the same, `"frozen"` if they differ, or `"error"`. Each
# entry starts afresh. `other` is a `Scorer` that was trained: all of its weights differ.
#
# - `"5 texts of 40"`, `"1 text of 64"`, `"1 text of 65"`: `program(characters, 1.5)`, with
#   characters of that size.
# - `"sharpen 2"`: `program(characters, 2.0)`.
# - `"temperature"`: after `scorer.temperature = 0.5`.
# - `"loaded weights"`: after `scorer.load_state_dict(other.state_dict())`.
# - `"another norm"`: after `scorer.model.norm = other.model.norm`.

# %% role="answer"
### BEGIN SOLUTION
calls = {
    "5 texts of 40": "right",
    "1 text of 64": "right",
    "1 text of 65": "error",
    "sharpen 2": "error",
    "temperature": "frozen",
    "loaded weights": "right",
    "another norm": "frozen",
}
### END SOLUTION

# %% [markdown]
# In `mends`, name what to do instead: `"torch.where"`, `"two exports"`, `"tensor argument"`,
# `"buffer"` (a tensor that belongs to the module), `"load_state_dict"`, `"contiguous"` or
# `"no_grad"`. Five of them fix one thing each.
#
# - `"if on scores"`: the `if` of your prediction.
# - `"if on length"`: as above.
# - `"sharpen 2"`: so that each call can have its own number.
# - `"temperature"`: it stays with the module, and a later `scorer.temperature.fill_(0.5)` is seen.
# - `"another norm"`: so that the program computes with the other norm's weights.

# %% role="answer"
### BEGIN SOLUTION
mends = {
    "if on scores": "torch.where",
    "if on length": "two exports",
    "sharpen 2": "tensor argument",
    "temperature": "buffer",
    "another norm": "load_state_dict",
}
### END SOLUTION

# %% role="check"
check("export-and-run", exports, calls, mends)

# %%
reveal("export-and-run")

# %% [markdown]
# *Reflect.* Export the GPT without `fused=True`: it's refused, because not all lengths satisfy
# `length != 64`. Which line of its attention is the reason? And what would ONNX Runtime, a program
# that runs such graphs without PyTorch, make of `sharpen`?
#
# (`self.future[:length, :length]`: 64 of 64 rows are the whole mask, so there's nothing to slice,
# and the graph would be a different one. `max=63` passes. With the package onnxscript, one command
# writes the file for ONNX Runtime: `torch.onnx.export(exported, f="scorer.onnx")`. Arguments that
# aren't tensors are hard-coded into it, as they were into your program.)

# %% [markdown]
# ## What you take with you
#
# - A batch shares the reading of the weights. Requests join and leave it at every token.
# - A cache that is kept in blocks wastes less memory than one that is reserved in one piece for
#   each text, and texts can share blocks.
# - The price of a token is the device's price for the time that a step takes, divided by the texts
#   in the batch.
#
# **Your number:** the price of a million tokens of a model that you use, on a device that you know.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Batches that change at every step, in order of arrival, with room reserved for all that a text
#   may become: G. Yu et al., *Orca: A Distributed Serving System for Transformer-Based Generative
#   Models*, OSDI 2022, sections 3 and 4.2. Long prompts in chunks: A. Agrawal et al., *Taming
#   Throughput-Latency Tradeoff in LLM Inference with Sarathi-Serve*, OSDI 2024.
# - Blocks, tables, sharing and copy on write: W. Kwon et al., *Efficient Memory Management for
#   Large Language Model Serving with PagedAttention*, SOSP 2023, arXiv:2309.06180, sections 4.1 to
#   4.4. How much memory held tokens before: section 1, figure 2. Times of the kernel, and sizes of
#   blocks: sections 7.1 and 7.2.
# - Little's law: J. Little, *A Proof for the Queuing Formula: L = λW*, Operations Research 9, 1961.
# - A step's time from its bytes, price against speed as the batch grows, and what 8-bit weights do
#   to it: J. Austin et al., How to Scale Your Model, "All About Transformer Inference", sections
#   "Theoretical estimates for LLM latency and throughput" and "What about memory?" (its general
#   formula adds the caches' time to the longer of the other two; here the longer of all bytes and
#   the arithmetic decides). R. Pope et al., Efficiently Scaling Transformer Inference,
#   arXiv:2211.05102: the same trade-off, measured.
# - Devices: `devices.toml` in the course's package. Prices: `prices_example.toml`, round numbers of
#   2026-11-26 that are an example, not an offer. Shape of Llama 3 8B: Llama Team, The Llama 3 Herd
#   of Models, arXiv:2407.21783, table 3. The two prices at the start: your functions, with texts of
#   2,048 tokens.
# - Goodput, and reading and writing on different GPUs: Y. Zhong et al., *DistServe: Disaggregating
#   Prefill and Decoding for Goodput-optimized Large Language Model Serving*, OSDI 2024,
#   arXiv:2401.09670.
# - Keys of blocks, whole blocks only, the end of a text that is evicted first, and users that are
#   kept apart: vLLM's documentation, "Automatic Prefix Caching" (design). One token that is always
#   read: vLLM's source, `KVCacheManager.get_computed_blocks`.
# - Tensor parallelism in decoding, and copies of key-value heads: the same chapter of How to Scale
#   Your Model, "Distributing Inference Over Multiple Accelerators". Ring and tree: the lesson on
#   collectives. What a message costs: `gpuedu/multi/network/links.py`, with documents. Up to 72
#   GPUs in one NVLink domain: NVIDIA, GB200 NVL72. Small all-reduces on H100s, 5.7 µs and 9.3 µs
#   for 4,096 float32 numbers: sgl-project/sglang, pull request 2904 (its sizes count numbers, by
#   `test_trt_reduce.py`).
# - Stand-ins, what is static and what is dynamic, and control flow on each: PyTorch, *torch.export
#   Programming Model*, "Basics of Tracing", "Values: Static vs. Dynamic" and "Control Flow: Static
#   vs. Dynamic". Arguments that aren't tensors, in ONNX: the page of `torch.onnx.export`.
#   Everything that the check asks for was tried with PyTorch 2.13.
