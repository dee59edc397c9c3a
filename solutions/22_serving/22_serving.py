# %% [markdown]
# # How do you serve many users, and what does a token cost?
#
# A model that writes for one user leaves most of the GPU idle: it reads all of its weights to make
# a single token. With many users at once the same bytes make many tokens. But users come when they
# like, ask short and long questions, and don't want to wait. In this lesson you decide who is
# served when, and where each text's cache is kept, and then you put a price on a token.
#
# **You will be able to** batch requests as they come and say what that does to waiting times; keep
# caches without wasting memory; and work out what serves a model best, and what a token costs.
#
# **You need** *Inference*, and to know what a device costs. **Time** about 100 minutes.

# %% role="setup"
import math

from gpuedu import check, hint, predict, progress, reveal, see, setup

setup("serving")

# %% [markdown] exercise="batching"
# ## Who runs when?
#
# **`batching` · 10 points · about 35 minutes**
#
# Decide which texts a server starts before each step, and measure what its users see of that.
#
# A step makes one token for each text that **runs**, and reads the weights once for all of them.
# The simplest way to share them is **static batching**: the server takes a few texts, runs until
# the last of them is done, and takes the next few.
#
# *Predict.* Four texts make up a static batch, and their answers have 10, 20, 30 and 100 tokens.
# What percentage of the batch's places is idle, on average over its steps?

# %% role="predict"
predict("batching", 45)

# %% [markdown]
# Nobody knows how long an answer will be, only how long it may get: each request comes with a
# **limit** on its tokens. Here's static batching for a simulated server. Its step takes 20 ms, and
# 0.5 ms more for each text that runs. Before the first step of a text, its prompt is read
# (**prefill**): 0.1 ms more for each of its tokens, and then that step makes the first token of the
# answer.


# %% role="given"
def admit_static(waiting, running, free_tokens):
    """Start four texts as soon as the last four are all done."""
    return [] if running else [text["id"] for text in waiting[:4]]


see("serving/static", admit_static)

# %% [markdown]
# With **continuous batching** texts join and leave at every step. *Implement* `admit`: before each
# step the server asks it which of the waiting texts to start, and it returns a list of their ids.
#
# - `waiting` is a list of dicts, in order of arrival, with `"id"`, and in tokens `"prompt"` and
#   `"limit"`.
# - `running` has the same for the texts that run, and `"made"`, the tokens that they have made.
# - `free_tokens` is how many more tokens the memory has room for *now*. A text that runs holds
#   memory for its prompt and what it has made, and gives it back when it's done.
#
# (About 7 lines.)

# %% [markdown]
# - Every text is served. (None needs more than the whole memory.)
# - A text that was started can always go on: all texts that run have room, even if they all reach
#   their limits.
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
# Is it any better? A user sees two things: how long it takes until the answer begins (**TTFT**, the
# time to first token), and how fast it goes on (**TPOT**, the time per output token). Means hide
# the unlucky ones, so both are given as percentiles.
#
# *Implement* `percentile(values, percent)`: the smallest of the values that at least `percent`% of
# them don't exceed. So it's one of the values. `percent` is a whole number from 1 to 100, and the
# list `values` stays as it is.


# %% role="answer"
def percentile(values, percent):
    ### BEGIN SOLUTION
    return sorted(values)[math.ceil(percent * len(values) / 100) - 1]
    ### END SOLUTION


# %% [markdown]
# *Implement* `metrics(log)`. The log is a list of dicts, one for each text and in no particular
# order: `"arrival"`, and `"tokens"`, a list of when each of its tokens was there, all in ms. The
# result is a dict, with times in ms:
#
# - `"tokens_per_s"`, the **throughput**: all tokens, divided by the seconds from the first arrival
#   to the last token of all.
# - `"ttft_p50"` and `"ttft_p99"`: percentiles of the time from arrival to first token.
# - `"tpot_p50"` and `"tpot_p99"`: percentiles of a text's mean time between one token and the next.
#   Texts with a single token have none, and are left out. (Not all texts are like that.)
# - `"in_server"`: how many texts are in the server, waiting or running, on average over that same
#   time. A text is there from its arrival to its last token. You can do this without a clock.


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
# *See* twelve texts with both policies. Then both under load: texts come at random, more and more
# of them each second, and your metrics say how long 99 of 100 of them wait at most.

# %%
see("batching", admit_static, admit)
see("serving/load", admit_static, admit, metrics)
reveal("batching")

# %% [markdown]
# *Reflect.* `in_server` is the rate at which texts arrive, times the mean time that a text is
# there. This is **Little's law**, and it holds however they come. If 4 texts come each second, and
# a text runs for 3 s, how many have to run at once? (12.) So what happens if the memory has room
# for 8? (The queue grows as long as that load lasts.)
#
# What do the running texts notice when one with a long prompt is started? (That step takes longer
# for all of them. So servers read a long prompt in chunks, over several steps.) And why might a
# server start more texts than yours does? (Most answers end before their limits. But it has to take
# a text back when the memory is full, and read it again later.)

# %% [markdown]
# ## What you take with you
#
# - A batch shares the reading of the weights. Requests join and leave it at every token.
# - A cache in blocks wastes less than a block for each text, and texts can share blocks.
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
# - Little's law: J. Little, *A Proof for the Queuing Formula: L = λW*, Operations Research 9, 1961.
