# %% [markdown]
# # What if one layer does not fit?
#
# Sharding gives every rank a piece of the weights, but every rank still computes every layer. A
# model can also be cut so that each GPU computes only a part of it.
#
# **You will be able to** write the schedules of pipeline parallelism, and say what each of them
# costs in time and in memory.
#
# **You need** gradient accumulation, and what a backward pass needs of its forward pass.
# **Time** about 110 minutes.

# %% role="setup"
from gpuedu import check, hint, predict, progress, reveal, see, setup

setup("model-parallel")

# %% [markdown] exercise="gpipe"
# ## A pipeline of stages
#
# **`gpipe` · 7 points · about 30 minutes**
#
# A deep model can be cut between its layers. Each GPU keeps some consecutive layers, a **stage**,
# and sends its activations to the next stage. On the way back, gradients travel the other way. Only
# neighbors talk, and a message is as small as one layer's output. But then one stage computes while
# all the others wait. *See* four stages:

# %%
see("model-parallel/whole-batch")

# %% [markdown]
# So cut the batch into **micro-batches**. While stage 1 computes the first one, stage 0 is already
# at the second. Gradients add up over the micro-batches, as in gradient accumulation, so the step
# is the same as with the whole batch. What is left of the idle time is called the **bubble**.
#
# *Predict.* There are 4 stages that take equally long, and 4 micro-batches. How many percent of the
# time is each GPU idle?

# %% role="predict"
predict("gpipe", 42.9)

# %% [markdown]
# *Implement* `gpipe`: the list of what one stage does, in order. This is the schedule of GPipe: all
# micro-batches forward, then all of them backward.
#
# An entry is `("forward", m)` or `("backward", m)`; stages and micro-batches count from 0. The list
# only says in which *order* a stage works. A stage starts an entry as soon as it is free and its
# input has come: for a forward pass the activations of the stage before it, for a backward pass the
# gradient from the stage after it, and what its own forward pass has kept. It never skips an entry.
# Messages take no time here.

# %% [markdown]
# - We train a small model by your lists, in float64. Every stage ends with the gradients of one
#   process that has the whole batch, so each micro-batch goes forward and backward once.
# - No stage goes backward before it has gone forward with all micro-batches.
# - With p stages and m micro-batches the whole takes (m + p - 1)(f + b), where one stage takes f to
#   go forward with one micro-batch, and b to go backward.

# %% [markdown]
# *Implement* `bubble`, too: the share of that time in which a stage is idle, between 0 and 1. And
# `micro_batches_for`: the smallest number of micro-batches (at least 1) with which the bubble is at
# most `share`, a number between 0 and 1.


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
# *Reflect.* Does the bubble depend on how long forward and backward take? (No: a stage is idle for
# (p - 1)(f + b), whatever f and b are.) More micro-batches make it smaller. What do they cost?
# (Each kernel gets a smaller batch, which may not fill the GPU. And look at the bars on the right:
# each stage keeps something of *all* micro-batches until the first one comes back. That's why GPipe
# keeps only the inputs of a stage, and computes its activations again.) The GPipe paper draws the
# backward passes in reverse, from the last micro-batch to the first. Try it, and look at the time.
# (It is the same.)

# %% [markdown] exercise="one-f-one-b"
# ## One forward, one backward
#
# **`one-f-one-b` · 6 points · about 30 minutes**
#
# A micro-batch whose backward pass is done needs no activations any more. So why should the last
# stage wait until it has gone forward with all of them? In **1F1B**, every stage goes backward as
# early as it can, and then takes turns: one forward, one backward.
#
# *Predict.* With GPipe, 4 stages and 8 micro-batches, each GPU is idle for 27% of the time. How
# many percent is it with 1F1B?

# %% role="predict"
predict("one-f-one-b", 27.3)

# %% [markdown]
# Here is a draft that takes turns right from the start. *See* what comes of it: it keeps almost
# nothing, but it's as slow as having no micro-batches at all.


# %% role="given"
def draft(stage, stages, micro_batches):
    actions = []
    for m in range(micro_batches):
        actions += [("forward", m), ("backward", m)]
    return actions


# %%
see("one-f-one-b", draft)

# %% [markdown]
# *Implement* 1F1B. A stage first goes forward until the gradient of its first micro-batch can be
# back (the *warm-up*), then takes turns (the *steady state*), and then goes backward with those
# that are left (the *cool-down*). About 8 lines.
#
# - Entries are as in GPipe, and so is everything that a stage waits for.
# - Every stage ends with the gradients of one process, as before.
# - Stage s, of p stages, keeps the activations of at most p - s micro-batches at once: from the
#   start of its forward pass to the end of its backward pass.
# - The whole still takes (m + p - 1)(f + b), with any f and b.
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
# of them, however many there are. So you can afford many, and *that* makes the bubble small.)
# Stage 0 keeps p micro-batches and the last stage 1. Which of them runs out of memory first? (Stage
# 0, if all have equally large layers, and the embedding is often there, too.) In real programs,
# stage 0 sends an activation to stage 1 while stage 1 sends a gradient to stage 0. What happens if
# both call a send that only ends when it is received? (Both wait for ever. That's why frameworks
# post such a pair of sends and receives together.)

# %% [markdown]
# In PyTorch a schedule is an object. Each rank runs this, with its own layers as `part`; the order
# in which it works is the one that you have just written:
#
# ```python
# from torch.distributed.pipelining import PipelineStage, Schedule1F1B
#
# stage = PipelineStage(part, rank, stages, device)
# schedule = Schedule1F1B(stage, n_microbatches=8, loss_fn=loss_fn)
# schedule.step(*inputs, target=target)  # the first stage has inputs, and the last a target
# ```

# %% [markdown] exercise="interleaved"
# ## Several chunks on each stage
#
# **`interleaved` · 6 points · stretch · about 40 minutes**
#
# The bubble comes from filling and draining the pipeline: p - 1 steps, each as long as one stage
# takes. Shorter steps would make it smaller. So cut the model into p times v parts, and give each
# GPU v of them, its **chunks**. With 4 stages and 2 chunks, stage 0 has parts 0 and 4, stage 1 has
# parts 1 and 5, and so on: chunk c of stage s is part cp + s. A micro-batch goes through all
# stages in their chunk 0, returns to stage 0, and goes through all of them again in chunk 1.
#
# *Predict.* How many times as many messages do 4 stages with 2 chunks send as 4 stages with one?

# %% role="predict"
predict("interleaved", 2.33)

# %% [markdown]
# *Implement* the interleaved 1F1B of Megatron-LM. It's 1F1B again, with two changes. Micro-batches
# come in groups of p: a stage takes a group through chunk 0, then the same group through chunk 1,
# and so on, and then the next group. Backward it takes the chunks from the last one to the first.
# And the warm-up is longer, because the first gradient comes back later. In Megatron-LM it has
# 2(p - 1 - s) + (v - 1)p forward passes, or all of them if there are fewer.

# %% [markdown]
# - An entry is `("forward", m, c)` or `("backward", m, c)`, with the number of the chunk.
# - The number of micro-batches is a multiple of p. There may be one chunk only.
# - Every part of the model ends with the gradients of one process.
# - A chunk takes f / v forward and b / v backward. The whole takes m(f + b) + (p - 1)(f + b) / v.
# - Stage s keeps at most 2(p - 1 - s) + (v - 1)p + 1 pieces at once. A piece is what one chunk
#   keeps of one micro-batch.


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
# half as large as before: 5.5 micro-batches in place of 4.) In reality, messages take time. Draw it
# with messages of 0.5, where a forward pass takes 2: `see("interleaved", interleaved, 4, 8, 2,
# 0.5)`, and the same with 1 chunk and with 4. Which is best? (2 chunks: 25% idle, against 30% and
# 29%. The more chunks, the more messages a micro-batch waits for.) Halve the part 2(p - 1 - s) of
# the warm-up. When does that cost time? (Only with messages: then there is too little to do while
# they travel.)

# %% [markdown]
# A backward pass computes two things: the gradient for the stage before it, and the gradient of the
# stage's own weights. Which of them does another stage wait for? (Only the first. *Zero Bubble*
# schedules put off the second, and fill the bubble with it.)

# %% [markdown]
# ## What you take with you
#
# - A pipeline cuts a model between its layers. Only neighboring stages talk.
# - With m micro-batches and p stages, (p - 1) / (m + p - 1) of the time is idle, in GPipe and 1F1B.
# - 1F1B saves memory, so that m can be large; interleaving saves time, and sends more messages.
#
# **Your number:** how many micro-batches keep the bubble of your pipeline under 10%.

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
# - Backward in two halves: P. Qi et al., *Zero Bubble Pipeline Parallelism*, ICLR 2024,
#   arXiv:2401.10241.
# - `Schedule1F1B`: documentation of PyTorch, torch.distributed.pipelining.
