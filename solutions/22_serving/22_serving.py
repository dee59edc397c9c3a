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
import numpy as np

from gpuedu import check, hint, predict, progress, reveal, see, setup

setup("serving")

# %% [markdown] exercise="what-to-serve-on"
# ## What should it run on?
#
# **`what-to-serve-on` · 8 points · about 30 minutes**
#
# Work out what a million tokens cost on a device, and pick the cheapest one that is still fast
# enough for each user. A step of decoding makes one token for every text in the batch. With more
# texts, each token gets cheaper; but the step takes longer, and all those caches have to fit.
#
# *Predict.* A device reads 4,000 GB/s and costs 3.60 an hour. A model with 8 billion weights of
# 16 bits writes one text on it. Leave out the cache: what do a million tokens cost?

# %% role="predict"
predict("what-to-serve-on", 4)

# %% [markdown]
# A `model` and a `device` are dicts. The device's numbers are those that a program can use, which
# is less than the data sheet says: about 90% of the memory, 85% of the bandwidth, 70% of the peak.
#
# | entry | what it is |
# |---|---|
# | `model["parameters"]` | how many weights there are |
# | `model["weight_bits"]` | bits for each: 16, 8, or 4.25 (4, and 16 for the scale of every 64) |
# | `model["token_bytes"]` | the cache of one token: its keys and values in all layers |
# | `device["memory_bytes"]`, `["bytes_per_s"]`, `["flop_per_s"]` | what it holds, reads, computes |
# | `device["name"]`, `["price_per_hour"]` | used by `cheapest` only |

# %% [markdown]
# *Implement* what one device does. All texts have `length` tokens. About 3, 3, 1 and 1 lines.
#
# - `texts_that_fit` returns how many texts a device holds beside the weights: a whole number, and 0
#   where there is no room for even one.
# - `step_s` returns the seconds of a step for `batch` texts. All weights are read once, and the
#   caches of all texts, too. Meanwhile it does 2 FLOP for each weight and text, and the longer of
#   the two decides. (Weights are turned into 16-bit numbers first, so fewer bits save no FLOP.)
# - `speeds` returns two numbers: the tokens per second of all texts together, and of one text.
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


def speeds(batch, step_s):
    ### BEGIN SOLUTION
    return batch / step_s, 1 / step_s
    ### END SOLUTION


def per_million(tokens_per_s, price_per_hour, used):
    ### BEGIN SOLUTION
    return price_per_hour / 3600 / (tokens_per_s * used) * 1e6
    ### END SOLUTION


# %% [markdown]
# *Implement* the choice. `cheapest` returns a device's name and a batch, such as `("L4", 12)`, for
# which a million tokens cost least. `devices` is a list of dicts in no particular order; leave it
# as it is. About 10 lines.
#
# - A batch is 1 or more, and not more than fit on the device.
# - Each user gets `least_per_s` tokens per second, or more.
# - Compare prices with `used` = 1. Two are the same if they are equal when rounded to six digits
#   after the point.
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
# *See.* Llama 3 8B on five devices, by your functions: each curve goes from one text at a time, at
# the top right, to as many as fit. Your pick has a ring. Then the same model on one device, with
# fewer bits for each weight. Before you look: what do 4 bits change for one text, and for a full
# batch? (Try `"h100-sxm"` or `"l40s"`, and other speeds than 50 tokens per second.)

# %%
SERVING = (texts_that_fit, step_s, speeds, per_million, cheapest)
see("what-to-serve-on", *SERVING)
see("what-to-serve-on", *SERVING, "a100-80gb", 50)
reveal("what-to-serve-on")

# %% [markdown]
# *Reflect.* The dearest hour makes the cheapest tokens here: why? When would the L4 still be the
# better choice? And why do 4-bit weights help a full batch so little?
#
# (A faster device takes a larger batch at the same speed for each user, so more texts share the
# reading of the weights. That holds if there are enough users: an L4 that is busy beats a large GPU
# that is not, and `used` is what tells. In a full batch, most of the bytes are caches: fewer bits
# for those, or fewer key-value heads, would help there. And what has been left out: reading the
# questions, which is arithmetic. That's why price lists have one price for input and one for
# output.)

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
# *Implement.* `model` is a dict with `"parameters"`, `"layers"`, `"width"`, `"heads"` and
# `"kv_heads"`. Weights, caches and messages have 16 bits for each number. `gpus` divides `"heads"`,
# and either `gpus` or `"kv_heads"` is a multiple of the other.
#
# - `shares` returns the bytes of one GPU: its weights and its caches. The weights are cut evenly.
#   A text has, in each layer and for each of its `length` tokens, a key and a value for each
#   key-value head, of `width / heads` numbers each. With more GPUs than key-value heads, a head is
#   not cut: each GPU has a copy of the one that it needs.
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
# `device` is a dict with `"memory_bytes"` and `"bytes_per_s"`, those that a program can use, and
# `"alpha_s"` and `"link_bytes_per_s"` of a message between two GPUs.
#
# - `decode_s` returns the time of a step for `batch` texts. A GPU reads its share, and waits for
#   two all-reduces in each layer: of `width` numbers for each text. Nothing overlaps, because the
#   next product needs the sum. (There are few texts here, so leave out the arithmetic.)
# - `best_gpus` returns the number of the list `counts` with the shortest step, of those where a
#   GPU's share fits into its memory, and 0 if there are none. No two steps take equally long.


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
# *See.* A step of Llama 3 70B by the number of GPUs, for one text and for 64. Which part shrinks
# with every GPU, which stops shrinking, and which grows? And when is one GPU no choice at all?

# %%
see("tensor-parallel-decode", shares, all_reduce_s, decode_s, best_gpus)
see("tensor-parallel-decode", shares, all_reduce_s, decode_s, best_gpus, 64)
reveal("tensor-parallel-decode")

# %% [markdown]
# *Reflect.* From 8 GPUs to 16, one text gains almost nothing. What does its token cost then? And
# what would you do about the all-reduces?
#
# (Nearly twice as much: 16 GPUs are rented, and most of the time they wait. Tensor parallelism is
# for a model that doesn't fit, or for a user in a hurry. For small messages, programs that serve
# models have their own all-reduce: every GPU reads the messages of all others at once, which is one
# latency in place of six. On 8 H100s, 32 kB took 8 to 12 µs that way.)

# %% [markdown] exercise="export-and-run"
# ## Out of Python
#
# **`export-and-run` · 3 points · stretch · about 20 minutes**
#
# Say what can be exported, and what the exported program gives. A server should not need your
# Python: neither the class nor the time it takes. So `torch.export` runs `forward` once with
# stand-ins for the tensors, which have a size and a type but no values, and writes down all
# operations. You get one graph of the whole `forward`, or an error. Here is a module around this
# course's GPT, which reads up to 64 characters.


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
# each with a name and a range; `None` if there are none. All other sizes are those of the example.
# *See* which sizes the program takes if nothing is open, and if the number of texts and their
# length are.

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
# What you save is the graph and the tensors. Whoever loads it needs no `Scorer`. (This goes to
# memory in place of a file, such as `"scorer.pt2"`.)

# %%
file = io.BytesIO()
torch.export.save(exported, file)
file.seek(0)
loaded = torch.export.load(file).module()
is_equal = torch.equal(loaded(example, 1.5), program(example, 1.5))
print(f"{file.getbuffer().nbytes / 1000:.0f} kB, the same numbers: {is_equal}")

# %% [markdown]
# *Predict.* You add a line to `forward`: `if scores.max() > 10:`, and below it `scores = scores /
# 2`. What does `export` make of it: `"both branches"`, `"the branch of the example"` or `"an
# error"`?

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
# *Answer* by three dicts. (You may try everything first; the check only reads the dicts.) In
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
# entry starts anew. `other` is a `Scorer` that was trained: all of its weights differ.
#
# - `"5 texts of 40"`, `"1 text of 64"`, `"1 text of 65"`: `program(characters, 1.5)`, of that size.
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
# `"no_grad"`. Five of them mend one thing each.
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
# `length != 64`. Which line of its attention asked? And what would ONNX Runtime, a program that
# runs such graphs without PyTorch, make of `sharpen`?
#
# (`self.future[:length, :length]`: 64 of 64 rows are the whole mask, so there's nothing to slice,
# and the graph would be another one. `max=63` passes. With the package onnxscript, one command
# writes the file for ONNX Runtime: `torch.onnx.export(exported, f="scorer.onnx")`. Arguments that
# are no tensors are hard-coded into it, as they were into your program.)

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
# - A step's time from its bytes, price against speed as the batch grows, and what 8-bit weights do
#   to it: J. Austin et al., How to Scale Your Model, "All About Transformer Inference", sections
#   "Theoretical estimates for LLM latency and throughput" and "What about memory?" (its general
#   formula adds the caches' time to the longer of the other two; here the longer of all bytes and
#   the arithmetic decides). R. Pope et al., Efficiently Scaling Transformer Inference,
#   arXiv:2211.05102: the same trade-off, measured.
# - Tensor parallelism in decoding, and copies of key-value heads: the same chapter of How to Scale
#   Your Model, "Distributing Inference Over Multiple Accelerators". Ring and tree: the lesson on
#   collectives. What a message costs: `gpuedu/multi/network/links.py`, with documents.
#   Up to 72 GPUs in one NVLink domain: NVIDIA, GB200 NVL72. Small all-reduces on H100s, 7.8 µs and
#   11.8 µs: sgl-project/sglang, pull request 2904.
# - Stand-ins, what is static and what is dynamic, and control flow on each: PyTorch, *torch.export
#   Programming Model*, "Basics of Tracing", "Values: Static vs. Dynamic" and "Control Flow: Static
#   vs. Dynamic". Arguments that are no tensors, in ONNX: the page of `torch.onnx.export`. All that
#   the check asks for was tried with PyTorch 2.13.
# - Devices: `devices.toml` in the course's package. Prices: `prices_example.toml`, round numbers of
#   2026-11-26 that are an example, not an offer. Shape of Llama 3 8B: Llama Team, The Llama 3 Herd
#   of Models, arXiv:2407.21783, table 3.
