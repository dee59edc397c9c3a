# %% [markdown]
# # How do you place a model on a cluster?
#
# Ranks that share a layer talk in every pass through it, so they should be in one node. A model
# that needs more GPUs than that is cut between its layers, too: in **pipeline parallelism** each
# rank has some of the layers. That sends little, but the ranks have to wait for each other.
#
# **You will be able to** write the schedules of a pipeline, tell how much of the time it waits, and
# choose the fastest plan for a model and a cluster.
#
# **You need** *Tensor parallelism*, *Sharding*, and gradient accumulation from *Data parallelism*.
# **Time** about 110 minutes, without the stretch exercises.

# %% role="setup"
from gpuedu import check, hint, predict, progress, reveal, see, setup

import itertools
import math

import torch
import torch.distributed as dist

setup("pipelines")

# %% [markdown] exercise="gpipe"
# ## A pipeline of stages
#
# **`gpipe` · 7 points · about 30 minutes**
#
# A deep model can be cut between its layers. Each GPU gets some consecutive layers, a **stage**,
# and sends its activations to the next stage. On the way back, gradients travel in the other
# direction. Only neighbors talk, and a message is only as large as one layer's output. But while
# one stage computes, all the others wait. *See* four stages:

# %%
see("pipelines/whole-batch")

# %% [markdown]
# So cut the batch into **micro-batches**. While stage 1 computes the first one, stage 0 is already
# working on the second. Gradients add up over the micro-batches, as in gradient accumulation, so
# the result of the step is the same as with the whole batch. The idle time that is left is called
# the **bubble**.
#
# *Predict.* There are 4 stages, which all take the same time, and 4 micro-batches. What percentage
# of the time is each GPU idle?

# %% role="predict"
predict("gpipe", 42.9)

# %% [markdown]
# *Implement* `gpipe`, which returns the list of what one stage does, in order. It's the schedule of
# the GPipe paper: all micro-batches forward, then all of them backward.
#
# An entry is `("forward", m)` or `("backward", m)`; stages and micro-batches are counted from 0.
# The list only says in which *order* a stage works. A stage starts an entry as soon as it is free
# and has its input: for a forward pass, the activations from the stage before it; for a backward
# pass, the gradient from the stage after it, and what its own forward pass has kept. It never skips
# an entry. Messages take no time here.

# %% [markdown]
# - We train a small model with your lists, in float64. Every stage ends up with the gradients of a
#   single process that has the whole batch, so each micro-batch goes forward once and backward
#   once.
# - No stage starts a backward pass before it has gone forward with all micro-batches.
# - With p stages and m micro-batches, the whole step takes (m + p - 1)(f + b), where a stage takes
#   f to go forward with one micro-batch, and b to go backward.

# %% [markdown]
# *Implement* `bubble` and `micro_batches_for`, too.
#
# - `bubble` returns the share of that time in which a stage is idle.
# - `micro_batches_for` returns the smallest number of micro-batches, at least 1, for which the
#   bubble is at most `share`, a number greater than 0 and less than 1. A bubble of exactly `share`
#   is small enough, as computed by `bubble` in float64. With 4 stages and 0.2, for example, the
#   answer is 12, because 3 / 15 is 0.2.


# %% role="answer"
def gpipe(stage, stages, micro_batches):
    """What one stage does, in order."""
    ### BEGIN SOLUTION
    forward = [("forward", m) for m in range(micro_batches)]
    backward = [("backward", m) for m in range(micro_batches)]
    return forward + backward
    ### END SOLUTION


def bubble(stages, micro_batches):
    """The share of the time in which a stage is idle."""
    ### BEGIN SOLUTION
    return (stages - 1) / (micro_batches + stages - 1)
    ### END SOLUTION


def micro_batches_for(stages, share):
    """The smallest number of micro-batches whose bubble is at most this share."""
    ### BEGIN SOLUTION
    micro_batches = 1
    while bubble(stages, micro_batches) > share:
        micro_batches += 1
    return micro_batches
    ### END SOLUTION


# %% role="check"
check("gpipe", gpipe, bubble, micro_batches_for)

# %% [markdown]
# *See* 4 stages and 8 micro-batches. For other numbers write `see("gpipe", gpipe, 8, 16)`.

# %%
see("gpipe", gpipe)
reveal("gpipe")

# %% [markdown]
# *Reflect.* Does the bubble depend on how long forward and backward passes take? (No: a stage is
# idle for (p - 1)(f + b) out of (m + p - 1)(f + b), whatever f and b are.) More micro-batches make
# it smaller. What do they cost? (Each kernel gets a smaller batch, which may not fill the GPU. And
# look at the bars on the right: each stage keeps something of *all* micro-batches until the first
# one comes back. That's why GPipe keeps only the inputs of a stage, and computes its activations
# again.) The GPipe paper draws the backward passes in reverse, from the last micro-batch to the
# first. Try it, and look at the time. (It's the same.)

# %% [markdown] exercise="one-f-one-b"
# ## One forward, one backward
#
# **`one-f-one-b` · 6 points · about 30 minutes**
#
# Once a micro-batch has gone backward, its activations are no longer needed. So why should the last
# stage wait until it has gone forward with all of them? In **1F1B**, every stage goes backward as
# early as it can, and then takes turns: one forward, one backward.
#
# *Predict.* With GPipe, 4 stages and 8 micro-batches, each GPU is idle for 27% of the time. Is it
# `"less"`, `"the same"` or `"more"` with 1F1B?

# %% role="predict"
predict("one-f-one-b", "the same")

# %% [markdown]
# Here is a draft that takes turns right from the start. *See* what comes of it: it keeps almost
# nothing, but it's as slow as a pipeline without micro-batches.


# %% role="given"
def draft(stage, stages, micro_batches):
    actions = []
    for m in range(micro_batches):
        actions += [("forward", m), ("backward", m)]
    return actions


# %%
see("one-f-one-b", draft)

# %% [markdown]
# *Implement* 1F1B in three parts. In the *warm-up*, a stage only goes forward. In the *steady
# state*, it takes turns: one forward, then one backward. In the *cool-down*, it goes backward with
# whatever is left. The first backward pass comes as soon as the gradient of the first micro-batch
# can arrive. About 7 lines.
#
# - Entries are as in GPipe, and a stage waits for the same things.
# - Every stage ends up with the gradients of a single process, as before.
# - Stage s of p stages keeps the activations of at most p - s micro-batches at once, where keeping
#   lasts from the start of the forward pass to the end of the backward pass.
# - The whole step still takes (m + p - 1)(f + b), for any f and b.
#
# There may be fewer micro-batches than stages.


# %% role="answer"
def one_f_one_b(stage, stages, micro_batches):
    """What one stage does, in order."""
    ### BEGIN SOLUTION
    warm_up = min(micro_batches, stages - 1 - stage)
    steady = micro_batches - warm_up
    actions = [("forward", m) for m in range(warm_up)]
    for m in range(steady):
        actions += [("forward", warm_up + m), ("backward", m)]
    actions += [("backward", m) for m in range(steady, micro_batches)]
    return actions
    ### END SOLUTION


# %% role="check"
check("one-f-one-b", one_f_one_b)

# %%
see("one-f-one-b", one_f_one_b)
reveal("one-f-one-b")

# %% [markdown]
# *Reflect.* What do 16 or 64 micro-batches cost in memory now? (Nothing more: a stage keeps p - s
# of them, however many there are. So you can afford many, and *that* makes the bubble small.) Stage
# 0 keeps p micro-batches, and the last stage keeps 1. Which of them runs out of memory first?
# (Stage 0, if all have equally large layers, and often it has the embedding as well.) In a real
# program, stage 0 sends an activation to stage 1 while stage 1 sends a gradient to stage 0. What
# happens if both call a send that ends only when it is received? (Both wait forever. That's why
# frameworks post such a pair of sends and receives together.)

# %% [markdown]
# In PyTorch a schedule is an object. Each rank runs this, with its own layers as `part`. The order
# in which it works is the one that you have just written:
#
# ```python
# from torch.distributed.pipelining import PipelineStage, Schedule1F1B
#
# stage = PipelineStage(part, rank, stages, device)
# schedule = Schedule1F1B(stage, n_microbatches=8, loss_fn=loss_fn)
# schedule.step(x)  # on the first stage; the last calls step(target=target), the others step()
# ```

# %% [markdown] exercise="plan"
# ## The plan for a cluster
#
# **`plan` · 9 points · about 45 minutes**
#
# Each way to share a model has its price. ZeRO sends weights and gradients, tensor parallelism
# sends activations in every layer, and a pipeline waits. A large model needs several of these ways
# at once. So how many ranks should share the batch, how many should share a layer, and how many
# stages should there be?
#
# *Predict.* With ZeRO 3, all ranks could just share the batch. Suppose GPT-3 trains that way on
# 1,536 A100s, and memory is no problem. Divide the time of a step by that of the fastest plan that
# fits. What do you get?

# %% role="predict"
predict("plan", 3.34)

# %% [markdown]
# A **plan** is a dict: `{"data": 2, "tensor": 4, "pipeline": 3, "micro_batches": 5, "zero": 1}`.
# Here 4 ranks share a layer, there are 3 stages, and 2 such groups of 12 ranks share the batch. A
# group cuts its part of the batch into 5 micro-batches; `zero` is a stage of ZeRO, from 0 to 3.
#
# `model` is a dict, too: `parameters` (all in equal `layers`), `heads`, `width`, and a step's
# `batch` of sequences with `length` tokens each. `cluster` has `ranks`, `per_node`, `memory_bytes`
# and `flop_per_s` of a GPU, and the links' bytes per second: `within` a node, and `across` nodes.
#
# Here is a draft of a choice: all ranks share the batch. *See* it among all possible plans. Its
# parameters take only 2 GB on each rank, so why doesn't it fit? The numbers will tell you.


# %% role="given"
def draft_plan(model, cluster):
    ranks = cluster["ranks"]
    return {"data": ranks, "tensor": 1, "pipeline": 1, "micro_batches": 1, "zero": 3}


# %%
see("plan", draft_plan)

# %% [markdown]
# First *implement* what a plan needs. `memory_bytes(model, plan)` returns two numbers for a rank in
# the first stage, where the most is kept:
#
# - the bytes of parameters: 2 for each weight, 2 for its gradient and 12 of states. A rank computes
#   with 1 / (tensor x pipeline) of the parameters. Data-parallel ranks shard the states with ZeRO
#   1, 2 and 3, the gradients with ZeRO 2 and 3, and the weights with ZeRO 3.
# - the bytes of activations: a layer keeps 34 x width bytes for each token of a micro-batch, and
#   its tensor-parallel ranks share them. With 1F1B, the first stage keeps as many micro-batches as
#   there are stages, or all of them if there are fewer.

# %% [markdown]
# Next come the times. In this model nothing that is sent hides behind computing. Which link do the
# ranks of a group use? Consecutive ranks share a layer, data-parallel ranks are `tensor` apart, and
# stages are `data * tensor` apart. So each kind of group lies within a `span` of consecutive ranks:
# `tensor` of them, `data * tensor`, or all. The rest is in `rate`:


# %% role="given"
def rate(cluster, span):
    """Bytes per second between ranks of a group that lies within `span` consecutive ranks."""
    return cluster["across"] if cluster["per_node"] % span else cluster["within"]


def divisors(n):
    return [k for k in range(1, n + 1) if n % k == 0]


# %% [markdown]
# *Implement* `times_s(model, cluster, plan)`, which returns the seconds of a step in these five
# parts:
#
# - Computing takes 6 operations for each parameter and token of the batch, shared by all ranks.
# - Tensor parallelism takes 4 all-reduces for each layer of the stage and each micro-batch, of 2 x
#   width bytes for each token. An all-reduce over n ranks sends 2 (n - 1) / n times its bytes.
# - If there are several stages, a rank sends two messages for each micro-batch, one forward and one
#   backward, each with 1 / tensor of a micro-batch's 2 x width bytes for each token.
# - A stage works for as long as all of the above together, and waits for (pipeline - 1) /
#   micro_batches times as long. That's the bubble again, now compared with the work and not with
#   the whole time.

# %% [markdown]
# - Gradients and weights go between the n data-parallel ranks, 2 bytes for each parameter that the
#   rank computes with. A reduce-scatter or an all-gather sends (n - 1) / n of these bytes. ZeRO 0
#   and 1 take one of each in a step. ZeRO 2 takes a reduce-scatter for every micro-batch, and one
#   all-gather. ZeRO 3 takes a reduce-scatter and two all-gathers for every micro-batch.

# %% [markdown]
# Last, *implement* `best_plan(model, cluster)`. It returns the fastest plan whose memory fits, or
# None if none does. If several are equally fast, as ZeRO 0 and 1 are, any of them is right.
#
# - data x tensor x pipeline is the number of ranks.
# - `tensor` divides the heads, `pipeline` the layers, and data x micro_batches the batch.
# - All bytes of a rank in the first stage, added up, are at most `memory_bytes`.
#
# The three functions take about 35 lines. Leave the arguments as they are.


# %% role="answer"
def memory_bytes(model, plan):
    ### BEGIN SOLUTION
    data, tensor, pipeline = plan["data"], plan["tensor"], plan["pipeline"]
    own = model["parameters"] / (tensor * pipeline)
    parameters = 0
    for size, shared_from in ((12, 1), (2, 2), (2, 3)):
        parameters += size * own / (data if plan["zero"] >= shared_from else 1)
    tokens = model["batch"] * model["length"] / (data * plan["micro_batches"])
    layer = 34 * model["width"] * tokens / tensor
    in_flight = min(pipeline, plan["micro_batches"])
    return parameters, layer * model["layers"] / pipeline * in_flight
    ### END SOLUTION


# %% role="answer"
def times_s(model, cluster, plan):
    ### BEGIN SOLUTION
    data, tensor, pipeline = plan["data"], plan["tensor"], plan["pipeline"]
    micro_batches, ranks = plan["micro_batches"], cluster["ranks"]
    tokens = model["batch"] * model["length"]
    computing = 6 * model["parameters"] * tokens / (ranks * cluster["flop_per_s"])
    sent = 2 * model["width"] * tokens / data
    each = 2 * (tensor - 1) / tensor * sent / rate(cluster, tensor)
    reduces = 4 * model["layers"] / pipeline * each
    between = 2 * sent / tensor / rate(cluster, ranks) if pipeline > 1 else 0
    bubble = (pipeline - 1) / micro_batches * (computing + reduces + between)
    own = 2 * model["parameters"] / (tensor * pipeline)
    half = (data - 1) / data * own / rate(cluster, data * tensor)
    halves = (2, 2, 1 + micro_batches, 3 * micro_batches)[plan["zero"]]
    return computing, reduces, between, bubble, halves * half
    ### END SOLUTION


# %% role="answer"
def best_plan(model, cluster):
    ### BEGIN SOLUTION
    best, best_s = None, math.inf
    for tensor, pipeline in itertools.product(divisors(model["heads"]), divisors(model["layers"])):
        data, rest = divmod(cluster["ranks"], tensor * pipeline)
        if rest or model["batch"] % data:
            continue
        for micro_batches, zero in itertools.product(divisors(model["batch"] // data), range(4)):
            plan = {"data": data, "tensor": tensor, "pipeline": pipeline}
            plan |= {"micro_batches": micro_batches, "zero": zero}
            took_s = sum(times_s(model, cluster, plan))
            if sum(memory_bytes(model, plan)) <= cluster["memory_bytes"] and took_s < best_s:
                best, best_s = plan, took_s
    return best
    ### END SOLUTION


# %% role="check"
check("plan", memory_bytes, times_s, best_plan)

# %%
see("plan", best_plan)
reveal("plan")

# %% [markdown]
# *See* where the time goes if more or fewer ranks share a layer.

# %%
see("pipelines/plan-times")

# %% [markdown]
# *Reflect.* Why is 8 the best number of ranks for a layer here, although 2 would send less? (There
# are as many sequences as ranks, so p stages get at most tensor x p micro-batches. The bubble is
# about 1 / tensor of the work, whatever p is. With 16, the all-reduces leave the node.) Why does
# nothing fit with tensor 1? (Then there are at most p micro-batches. The first stage has 1 / p of
# the layers and keeps all micro-batches: 82 GB of activations, whatever p is.) Why is ZeRO 1 free,
# and ZeRO 3 so expensive? (ZeRO 1 sends what an all-reduce sends, once per step. ZeRO 3 gathers the
# weights for every micro-batch, and a pipeline needs many.)

# %% [markdown]
# Megatron-LM's authors cut this model over 96 ranks: with 8 to a layer, that's 12 stages. By the
# formulas, that takes 0.1% longer than the fastest plan. Meta trained Llama 3 405B on 8,192 H100s
# with tensor 8, pipeline 16 and data 64. *See* how far that is from the best.

# %%
see("plan", best_plan, "llama-3")

# %% [markdown]
# *Reflect.* The formulas would use twice as many stages as Meta did. Why? (Meta's plan would be
# 0.7% faster, but by our count it needs 86 GB.) So how could it fit? (Meta frees activations as
# soon as nobody needs them. We count them until the end.) By the formulas, each GPU does 297
# TFLOP/s; Meta measured 430. Where does the difference come from? (We assume half of the peak for
# matrix products, and theirs are faster. Their messages hide behind computing. And a third of our
# step is bubble, which interleaving makes smaller, as the next exercise shows.)

# %% [markdown] exercise="interleaved"
# ## Several chunks on each stage
#
# **`interleaved` · 6 points · stretch · about 35 minutes**
#
# The bubble comes from filling and draining the pipeline: p - 1 steps, each as long as one stage
# takes. Shorter steps would make it smaller. So cut the model into p times v parts, and give each
# GPU v of them, its **chunks**. With 4 stages and 2 chunks, stage 0 has parts 0 and 4, stage 1 has
# parts 1 and 5, and so on: chunk c of stage s is part cp + s. A micro-batch goes through all stages
# in their chunk 0, returns to stage 0, and goes through all of them again in chunk 1.
#
# *Predict.* You give each of 4 stages 2 chunks instead of one. How many messages does a micro-batch
# take on its way forward, instead of 3?

# %% role="predict"
predict("interleaved", 7)

# %% [markdown]
# *Implement* `interleaved`, the interleaved 1F1B of Megatron-LM. It's 1F1B again, with two changes.
# First, micro-batches come in groups of p: a stage takes a group through chunk 0, then the same
# group through chunk 1, and so on, and then the next group. Going backward, it takes the chunks
# from the last to the first. Second, the warm-up is longer, because the first gradient comes back
# later. In Megatron-LM it has 2(p - 1 - s) + (v - 1)p forward passes, or all of them if there are
# fewer.

# %% [markdown]
# - An entry is `("forward", m, c)` or `("backward", m, c)`, with the number of the chunk.
# - The number of micro-batches is a multiple of p. There may be only one chunk.
# - Every part of the model ends up with the gradients of a single process.
# - A chunk takes f / v forward and b / v backward. The whole step takes m(f + b) + (p - 1)(f + b) /
#   v.
# - Stage s keeps at most 2(p - 1 - s) + (v - 1)p + 1 pieces at once, as in Megatron-LM. A piece is
#   what one chunk keeps of one micro-batch.


# %% role="answer"
def interleaved(stage, stages, micro_batches, chunks):
    """What one stage does, in order."""
    ### BEGIN SOLUTION
    count = micro_batches * chunks
    order = []
    for k in range(count):
        group, place = divmod(k, stages * chunks)
        order.append((group * stages + place % stages, place // stages))
    warm_up = min(count, 2 * (stages - 1 - stage) + (chunks - 1) * stages)
    forward = [("forward", m, c) for m, c in order]
    backward = [("backward", m, chunks - 1 - c) for m, c in order]
    actions = forward[:warm_up]
    for k in range(count - warm_up):
        actions += [forward[warm_up + k], backward[k]]
    return actions + backward[count - warm_up :]
    ### END SOLUTION


# %% role="check"
check("interleaved", interleaved)

# %%
see("interleaved", interleaved)
reveal("interleaved")

# %% [markdown]
# *Reflect.* The bubble shrinks from 27% to 16%. How much more does stage 0 keep? (11 pieces, each
# half as large as before: 5.5 micro-batches instead of 4.) In reality, messages take time. Draw it
# with messages of 0.25, where a forward pass takes 1: `see("interleaved", interleaved, 4, 8, 2,
# 0.25)`, and the same with 1 chunk and with 4. Which is best? (2 chunks: 25% idle, compared with
# 30% and 29%. The more chunks, the more messages a micro-batch waits for.) Halve the term 2(p - 1 -
# s) of the warm-up. When does that cost time? (Only if messages take time: then there is too little
# to do while they travel.)

# %% [markdown]
# A backward pass computes two things: the gradient for the stage before it, and the gradient of the
# stage's own weights. Which of the two does another stage wait for? (Only the first. *Zero Bubble*
# schedules postpone the second, and fill the bubble with it.)

# %% [markdown] exercise="experts"
# ## Experts on other ranks
#
# **`experts` · 7 points · stretch · about 40 minutes**
#
# There is one more way to share a model. A **mixture of experts** has many MLPs in one layer, the
# **experts**, and each token goes through only one of them, or a few. So a model can have many
# times the parameters with hardly any more arithmetic per token. In **expert parallelism** each
# rank keeps some of the experts. A token travels to the rank that has its expert, and its result
# comes back: two **all-to-alls**.
#
# A **router** gives each token a logit for every expert. Tokens choose the likeliest one, and
# nothing makes them spread evenly. So each expert has a **capacity**: a rank sends it at most that
# many of its own tokens. The others are **dropped**, which means that they skip the layer.

# %% [markdown]
# *Predict.* A rank has 256 tokens, and each chooses one of 64 experts, all equally likely. The
# capacity is 4, as many as there are on average. What percentage of the tokens is dropped?

# %% role="predict"
predict("experts", 19.4)

# %% [markdown]
# Here is a draft that needs no all-to-all: all ranks gather all tokens, compute those of their own
# experts, and add up the results. It also forgets to drop anything. *See* what it sends.


# %% role="given"
def draft_route(logits, capacity):
    expert = logits.argmax(dim=1)
    return expert, logits.softmax(dim=1).amax(dim=1), torch.ones_like(expert, dtype=torch.bool)


def draft_layer(x, logits, capacity, w1, w2):
    rank, each = dist.get_rank(), len(w1)
    both = torch.cat([x, logits], dim=1)
    parts = [torch.empty_like(both) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, both)
    tokens, scores = torch.cat(parts).split([x.shape[1], logits.shape[1]], dim=1)
    expert, gate, _ = draft_route(scores, capacity)
    y = torch.zeros_like(tokens)
    for number, (first, second) in enumerate(zip(w1, w2, strict=True)):
        asked = expert == rank * each + number
        y[asked] = gate[asked, None] * (torch.relu(tokens[asked] @ first) @ second)
    dist.all_reduce(y)
    return x + y.split(len(x))[rank]


# %%
see("experts", draft_route, draft_layer)

# %% [markdown]
# *Implement* the layer with `dist.all_to_all_single(output, input, output_split_sizes,
# input_split_sizes)`. It sends the first rows of `input` to rank 0, the next ones to rank 1, and so
# on; the list `input_split_sizes` says how many go to each. The other list, which comes first, says
# how many come from each rank. Without the lists, all parts are equal. About 30 lines.
#
# - `route(logits, capacity)` gets the logits (N, E) of a rank's tokens. For each token it returns
#   its expert (the one with the largest logit), the **gate** (that expert's probability by
#   softmax), and whether it is kept, a bool: of the tokens that choose the same expert, the first
#   `capacity` are.

# %% [markdown]
# - `moe_forward(x, logits, capacity, w1, w2)` returns y, (N, D) like x. Expert e computes `relu(x @
#   w1[e]) @ w2[e]`, and `y` is x plus the gate times that. For a dropped token `y` is x.
# - All ranks have the same number of experts: rank 0 the first ones, and so on. A rank's own are in
#   `w1` (experts, D, H) and `w2` (experts, H, D). Ranks may have different numbers of tokens, or
#   none.
# - Only kept tokens travel, and only to the rank that has their expert; only their results travel
#   back. In addition, a rank may send E numbers to each other rank. Rows that it sends to itself
#   cost nothing.
# - `balance_loss(logits)` returns the same on all ranks: E times a sum over all experts. Its terms
#   are products: the fraction of *all* ranks' tokens that choose the expert (dropped or not), times
#   its mean probability over all ranks' tokens.
# - Leave the arguments as they are.


# %% role="answer"
def route(logits, capacity):
    ### BEGIN SOLUTION
    gate, expert = torch.softmax(logits, dim=1).max(dim=1)
    chosen = torch.nn.functional.one_hot(expert, logits.shape[1])
    place = (chosen.cumsum(dim=0) * chosen).sum(dim=1)
    return expert, gate, place <= capacity
    ### END SOLUTION


# %% role="answer"
def moe_forward(x, logits, capacity, w1, w2):
    ### BEGIN SOLUTION
    ranks, each = dist.get_world_size(), len(w1)
    expert, gate, kept = route(logits, capacity)
    order = kept.nonzero()[:, 0]
    order = order[expert[order].argsort()]
    counts = torch.bincount(expert[order], minlength=ranks * each)
    arriving = torch.empty_like(counts)
    dist.all_to_all_single(arriving, counts)
    gives = counts.view(ranks, each).sum(dim=1).tolist()
    takes = arriving.view(ranks, each).sum(dim=1).tolist()
    tokens = x.new_empty(sum(takes), x.shape[1])
    dist.all_to_all_single(tokens, x[order], takes, gives)
    asked = torch.arange(each).repeat(ranks).repeat_interleave(arriving)
    for e in range(each):
        mine = asked == e
        tokens[mine] = torch.relu(tokens[mine] @ w1[e]) @ w2[e]
    back = torch.empty_like(x[order])
    dist.all_to_all_single(back, tokens, gives, takes)
    y = x.clone()
    y[order] += gate[order, None] * back
    return y
    ### END SOLUTION


# %% role="answer"
def balance_loss(logits):
    ### BEGIN SOLUTION
    experts = logits.shape[1]
    chances = torch.softmax(logits, dim=1)
    chosen = torch.nn.functional.one_hot(chances.argmax(dim=1), experts)
    tokens = chances.new_tensor([len(logits)])
    sums = torch.cat([chosen.sum(dim=0), chances.sum(dim=0), tokens])
    dist.all_reduce(sums)
    fractions, means = (sums[:-1] / sums[-1]).split(experts)
    return experts * (fractions * means).sum()
    ### END SOLUTION


# %% role="check"
check("experts", route, moe_forward, balance_loss)

# %%
see("experts", route, moe_forward)
reveal("experts")

# %% [markdown]
# *Reflect.* The loss is 1 if all experts get the same number of tokens, with equal probabilities.
# What is it if all tokens go to one expert, with certainty? (E.) Why is it multiplied by E at all?
# (So that it stays 1 for any number of experts.) Which of its two factors has a gradient? (The
# probability: choosing the largest has none.) How many all-to-alls of tokens does the layer need in
# a training step? (Four: the gradient of an all-to-all is another one, in the other direction.)
#
# With equal parts, each rank would send `capacity` rows to every expert, whether it has that many
# tokens or not. What does that cost, and what does it save? (It sends more bytes, which are
# padding. But the sizes are known in advance, so no numbers are exchanged, and the host doesn't
# have to wait for them.)

# %% [markdown]
# ## What you take with you
#
# - In a pipeline only neighboring stages talk, so stages can be in different nodes.
# - With m micro-batches and p stages, (p - 1) / (m + p - 1) of the time is idle, in GPipe and in
#   1F1B. 1F1B saves memory, so that m can be large; interleaving saves time, but sends more
#   messages.
# - Ranks that share a layer belong in one node, and the more of them there are, the more
#   micro-batches each pipeline gets. ZeRO 3 gathers the weights again for each of these; with
#   enough stages, ZeRO 0 or 1 fits, and sends gradients only once.
#
# **Your number:** `micro_batches_for(stages, 0.1)` for a pipeline that you might build.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Micro-batches, and the share (K - 1) / (M + K - 1) of a pipeline with K stages: Y. Huang et al.,
#   *GPipe: Efficient Training of Giant Neural Networks using Pipeline Parallelism*, NeurIPS 2019,
#   arXiv:1811.06965, section 2.
# - 1F1B: D. Narayanan et al., *PipeDream: Generalized Pipeline Parallelism for DNN Training*, SOSP
#   2019; with a flush after each batch, as here: *Memory-Efficient Pipeline-Parallel DNN Training*,
#   ICML 2021, arXiv:2006.09503 (PipeDream-Flush).
# - Interleaved 1F1B, and its bubble and messages: D. Narayanan et al., *Efficient Large-Scale
#   Language Model Training on GPU Clusters Using Megatron-LM*, SC 2021, arXiv:2104.04473, section
#   2.2. There the bubble is compared with the time in which a stage works: (p - 1) / m.
# - Activations of a layer, 34 x width bytes for each token with sequence parallelism, and without
#   attention's scores: V. Korthikanti et al., arXiv:2205.05198, section 4. Ranks in the order
#   tensor, data, pipeline: Megatron-LM, `initialize_model_parallel`.
# - GPT-3 with ZeRO stage 3, and with tensor and pipeline parallelism over 96 ranks: D. Narayanan et
#   al., arXiv:2104.04473, section 5.2 and table 2. Llama 3 405B on 8,192 H100s, what is freed
#   early, and two layers fewer for embedding and output: arXiv:2407.21783, section 3.3.2, table 4.
# - Experts, capacity, tokens that skip the layer, and the load-balance loss: W. Fedus, B. Zoph,
#   N. Shazeer, *Switch Transformers*, JMLR 2022, arXiv:2101.03961, section 2.2, equations 3 to 6.
#   There, the loss has another factor, of 0.01. Experts on devices, and two all-to-alls:
#   D. Lepikhin et al., *GShard*, ICLR 2021, arXiv:2006.16668, section 3.
# - Backward in two halves: P. Qi et al., *Zero Bubble Pipeline Parallelism*, ICLR 2024,
#   arXiv:2401.10241.
# - `Schedule1F1B`: documentation of PyTorch, torch.distributed.pipelining.
# - Memory, peak and links of the figures: NVIDIA, data sheets of the H100 and of Quantum-2
#   InfiniBand. All-reduces across nodes as in *hierarchical*, with a card for each GPU.
