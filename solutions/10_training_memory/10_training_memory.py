# %% [markdown]
# # Where does the memory go, and what can you do about it?
#
# The weights of a small GPT that reads characters take 0.42 MiB. One training step on 32 texts of
# 64 characters takes 24.6 MiB, 58 times as much. The weights are all you want to keep in the end.
# So what is the rest, and could there be less of it?
#
# **You will be able to** predict what a step keeps in memory; trade memory for arithmetic; save a
# run and resume it exactly.
#
# **You need** a training loop in PyTorch, and from *The training step* what a backward pass does.
# **Time** about 100 minutes.

# %% role="setup"
from gpuedu import check, measure, predict, progress, reveal, see, setup

import copy
import random

import torch

setup("training-memory")

# %% [markdown]
# Here is that step, counted in a way that works on any machine: by **storage**, the piece of memory
# behind a tensor. Each time a storage is made or freed, the figure goes one step to the right. The
# forward pass piles up tensors that the backward pass will need, and the backward pass frees them
# one by one.

# %%
see("training-step/step")

# %% [markdown] exercise="memory-ledger"
# ## Where the bytes are
#
# **`memory-ledger` · 6 points · about 30 minutes**
#
# Work out how many bytes a training step holds, layer by layer. Some bytes are there for the whole
# run: the weights, and what the optimizer remembers. Momentum keeps one number per weight, a
# running sum of gradients. Adam keeps two, one average of gradients and one of their squares.
# Gradients live from the backward pass to the next step. Everything here is float32, 4 bytes each.
#
# The rest comes and goes. Each layer of the forward pass **saves** what its backward pass will
# need, and nothing else. ReLU and sigmoid need their *output*. A linear layer needs its *input*
# (and its weights, which are there anyway).

# %% [markdown]
# | layer `(kind, inputs, outputs)` | its result | what it saves |
# |---|---|---|
# | `("linear", i, o)` | new | its input |
# | `("relu", w, w)`, `("sigmoid", w, w)` | new | its output |
# | `("relu_", w, w)`: in place | written over its input | its output |
# | `("gelu", w, w)` | new | its input |
# | `("norm", w, w)` | new | its input, and 2 numbers per row |
# | `("dropout", w, w)` | new | its mask, a float for each number (on a GPU, a byte) |
# | `("flatten", w, w)` | a view of its input | nothing |
# | the loss, after the last layer | one number | log-softmax of the scores, a new tensor |
#
# What counts is the **storage**: the bytes shared by a tensor, its views and whatever was written
# over it in place.

# %% [markdown]
# *Predict.* All ReLUs of an MLP work in place. How much less is saved: `"nothing"`, `"a third"` or
# `"half"`? And for an MLP 64-512-512-10 trained with Adam, at what batch size do the saved
# activations start to take more memory than weights, gradients and Adam's state together?

# %% role="predict"
predict("memory-ledger", "nothing")
predict("memory-ledger-batch", 1000)

# %% [markdown]
# *Implement.* Write two functions. `layers` is a list of triples like those in the table; leave it
# as it is. The batch goes into the first layer.
#
# - `held_bytes(layers, optimizer)`, about 4 lines, returns a dict with `"weights"`, `"gradients"`
#   and `"optimizer"`. A linear layer also has a bias, and a norm has two weights for each of its
#   `w` numbers. The optimizer is `"sgd"` (which keeps nothing), `"momentum"` or `"adam"`.
# - `saved_bytes(samples, layers)`, about 15 lines, returns a list with one number for each layer,
#   and one more at the end for the loss. Count each storage **once**, with the first layer that
#   saves it, and don't count the batch.
#
# You may leave out single numbers, such as Adam's step count.


# %% role="answer"
def held_bytes(layers, optimizer):
    ### BEGIN SOLUTION
    weights = sum(4 * (i * o + o) for kind, i, o in layers if kind == "linear")
    weights += sum(4 * 2 * i for kind, i, o in layers if kind == "norm")
    state = {"sgd": 0, "momentum": 1, "adam": 2}[optimizer] * weights
    return {"weights": weights, "gradients": weights, "optimizer": state}
    ### END SOLUTION


def saved_bytes(samples, layers):
    ### BEGIN SOLUTION
    saved, counted = [], True  # whether the current storage is in the list; the batch isn't
    for kind, inputs, outputs in layers:
        size = 0
        if kind in ("linear", "gelu", "norm") and not counted:
            size, counted = 4 * samples * inputs, True
        if kind == "norm":
            size += 4 * samples * 2
        if kind == "dropout":
            size += 4 * samples * outputs
        if kind not in ("flatten", "relu_"):
            counted = False
        if kind in ("relu", "relu_", "sigmoid") and not counted:
            size, counted = size + 4 * samples * outputs, True
        saved.append(size)
    return [*saved, 4 * samples * layers[-1][2]]
    ### END SOLUTION


# %% role="check"
check("memory-ledger", held_bytes, saved_bytes)

# %% [markdown]
# *See.* Your ledger of a network with seven layers, next to what is really alive during a step.

# %%
see("memory-ledger", held_bytes, saved_bytes)
reveal("memory-ledger")
reveal("memory-ledger-batch")

# %% [markdown]
# Now the GPT from the beginning: what its first block saves, layer by layer. `attention` itself
# keeps the softmax of all scores, which is `length` squared numbers for each head and text. A
# **fused** attention does everything in one kernel. It keeps its inputs and output (and a few
# numbers per row), and computes the scores again in the backward pass. The table shows both for
# short texts, and for the same number of characters in longer texts.

# %%
see("training-step/saved")

# %% [markdown]
# *Reflect.* An in-place ReLU changes what is alive for a moment, not what is saved. Which moment?
# And at what batch size would you stop worrying about the optimizer?

# %% [markdown]
# ## What a GPU says it uses
#
# On a GPU, PyTorch doesn't ask the driver for each tensor. Its **caching allocator** asks for large
# segments, cuts blocks out of them, and keeps freed blocks for later. That's why PyTorch counts
# both what is allocated and what is reserved, and why `nvidia-smi` shows neither exactly.

# %% [markdown]
# | call | what it counts |
# |---|---|
# | `torch.cuda.memory_allocated()` | bytes in blocks that tensors use now |
# | `torch.cuda.max_memory_allocated()` | the most of that, so far |
# | `torch.cuda.memory_reserved()` | bytes in all segments, used or not |
# | `nvidia-smi`, per process | all of that, plus the CUDA context and what libraries allocate |
#
# Your ledger predicts the growth of the first two. (The allocator rounds sizes up, to a multiple
# of 512 bytes by default. `torch.cuda.reset_peak_memory_stats()` resets the second one.) Whether a
# step fits depends on the third.

# %%
see("training-step/fragments")

# %% [markdown]
# **Fragmentation** is when enough bytes are free, but not in one piece. Sizes that change from step
# to step cause it, such as texts of different lengths. You see it when a step fails although
# `memory_reserved` is far above `memory_allocated`. The error message itself then suggests a
# remedy: start Python with `PYTORCH_ALLOC_CONF=expandable_segments:True` (older releases call it
# `PYTORCH_CUDA_ALLOC_CONF`). Segments can then grow, so fewer pieces are left over between them.
# `torch.cuda.empty_cache()` gives unused segments back to the driver. That helps other programs,
# and rarely yours: memory that your tensors use stays where it is, and PyTorch does the same by
# itself before an allocation fails. For the whole story,
# `torch.cuda.memory._record_memory_history()` and `_dump_snapshot("file.pickle")` write a history
# to open at https://pytorch.org/memory_viz.

# %% [markdown] exercise="checkpointing"
# ## Compute it twice, keep less
#
# **`checkpointing` · 8 points · about 35 minutes**
#
# Write a training step that keeps less and computes more. Anything the forward pass saved, it could
# also compute again. **Checkpointing** cuts a model into segments and keeps only what goes *into*
# each segment. When the backward pass reaches a segment, it runs that segment's forward pass once
# more, so only one segment's inside is alive at a time. Here is a deep model as a list of blocks,
# cut into k segments, and an ordinary step.


# %% role="given"
def segments_of(blocks, k):
    ends = [len(blocks) * i // k for i in range(k + 1)]
    return [torch.nn.Sequential(*blocks[a:b]) for a, b in zip(ends[:-1], ends[1:])]


def ordinary_step(segments, x, y, loss):
    for segment in segments:
        x = segment(x)
    value = loss(x, y)
    value.backward()
    return value.detach()


# %% [markdown]
# *Predict.* Every block runs forward twice. How many times the FLOP of an ordinary step is that?
# Then take 64 blocks, each of which saves as much as it passes on to the next. With k segments you
# need the inside of one segment, and the inputs of all but the first, whose input is the batch.
# With the best k, how many blocks' worth of memory is that, instead of 64?

# %% role="predict"
predict("checkpointing", 2)
predict("checkpointing-k", 16)

# %% [markdown]
# What you need from PyTorch:
#
# - under `with torch.no_grad():` nothing is recorded, so nothing is saved;
# - `t.detach().requires_grad_()` is `t` without its history: the backward pass stops there and
#   leaves the gradient in its `.grad`;
# - `out.backward(gradient)` starts in the middle, given the gradient of `out`;
# - dropout draws from a generator. On a CPU, as here, `torch.get_rng_state()` returns its state and
#   `torch.set_rng_state(state)` puts it back.
#
# Dropout sets two traps. The second forward pass must drop the same numbers, and after the step,
# random numbers must continue as if nothing had been computed twice.

# %% [markdown]
# *Implement.* Write `checkpointed_step`, which does what `ordinary_step` does, with less memory.
# Use two loops of your own, about 19 lines; ready-made checkpointing is refused here.
#
# - It leaves the same gradients in all weights, added to any that were there, and returns the same
#   loss, detached. `x` is the batch and stays unchanged, and nobody asks for its gradient.
# - With dropout, the gradients are the same too, and the generator ends in the same state.
# - At the peak, only the kept inputs and the inside of one segment are alive.
# - No block runs forward more than twice. The last segment may run once or twice.
#
# `loss` takes the last segment's output, and `y`. These rules are worth 6 of the 8 points, and they
# count only if your peak is less than nine tenths of an ordinary step's.


# %% role="answer"
def checkpointed_step(segments, x, y, loss):
    ### BEGIN SOLUTION
    inputs, states, gradient = [], [], None
    with torch.no_grad():
        for segment in segments:
            inputs.append(x)
            states.append(torch.get_rng_state())
            x = segment(x)
    end = torch.get_rng_state()
    for segment in reversed(segments):
        start = inputs.pop().detach().requires_grad_()
        torch.set_rng_state(states.pop())
        out = segment(start)
        if gradient is None:
            value = loss(out, y)
            value.backward()
        else:
            out.backward(gradient)
        gradient = start.grad
    torch.set_rng_state(end)
    return value.detach()
    ### END SOLUTION


# %% [markdown]
# *Implement.* Now predict the memory: how much is kept and saved when the largest segment has run
# again and all inputs are still there? And which k is best? One line each.
#
# - `predicted_bytes(blocks, k, kept, inside)`: each segment's input is `kept` bytes (the first
#   one's is the batch and doesn't count), and each block saves `inside` bytes. Segments are as even
#   as possible.
# - `best_k(blocks, kept, inside)`: the k from 1 to `blocks` that needs the least, and the smallest
#   such k if there is a tie.


# %% role="answer"
def predicted_bytes(blocks, k, kept, inside):
    ### BEGIN SOLUTION
    return (k - 1) * kept + -(-blocks // k) * inside
    ### END SOLUTION


def best_k(blocks, kept, inside):
    ### BEGIN SOLUTION
    return min(range(1, blocks + 1), key=lambda k: predicted_bytes(blocks, k, kept, inside))
    ### END SOLUTION


# %% role="check"
check("checkpointing", checkpointed_step, predicted_bytes, best_k)

# %% [markdown]
# *See.* Your step of 36 blocks in six segments, moment by moment. Then its peak for other k, next
# to your formula. The formula leaves some things out: gradients on their way; gradients of weights,
# which pile up during the backward pass and may move the peak to a later segment; and whatever
# names such as `out` and `start` refer to until you assign them again. Try a `del` of those at the
# end of your second loop.

# %%
see("training-step/checkpointed", checkpointed_step)
see("checkpointing", checkpointed_step, predicted_bytes)
reveal("checkpointing")
reveal("checkpointing-k")

# %% [markdown]
# *Measure.* A step of 16 blocks in 4 segments on this machine, yours next to an ordinary one. The
# times are for you to look at; they aren't judged.

# %%
measure("checkpointing", checkpointed_step)

# %% [markdown]
# *Reflect.* An ordinary step of 16 blocks does 47 products: three per block, minus one because
# nobody asks for the gradient of the batch. A checkpointed step does 64, which is 1.36 times as
# many. Which product of your first segment could go, and which of your last? The time may grow by
# more than that, since ReLUs run twice too.
#
# Where a block saves as much as it passes on, the best k is about the square root of the number of
# blocks, and the memory grows with that root: a network 100 times as deep needs 10 times as much.
# When would you rather use a smaller batch?

# %% [markdown]
# In PyTorch, all of this is `torch.utils.checkpoint.checkpoint(segment, x, use_reentrant=False)`.
# Two things change on a real model:
#
# - **Dropout on a GPU** draws from that device's own generator, so a step like yours would have to
#   save and restore `torch.cuda.get_rng_state()` too. PyTorch's function does that by default
#   (`preserve_rng_state=True`).
# - **Batch norm** updates its running mean and variance in every forward pass in training mode. The
#   second pass updates them again, and `checkpoint` doesn't undo that. The gradients are right, but
#   the running statistics move twice per step.

# %% [markdown]
# The same step in other frameworks:
#
# | PyTorch | JAX | TensorFlow |
# |---|---|---|
# | `loss.backward()` | `jax.value_and_grad(f)(weights, batch)` | `tape.gradient(loss, weights)` |
# | `optimizer.step()` | `optax.apply_updates(...)` | `optimizer.apply_gradients(pairs)` |
# | `torch.utils.checkpoint` | `jax.checkpoint` | `tf.recompute_grad` |

# %% [markdown] exercise="save-and-resume"
# ## Resume as if nothing had happened
#
# **`save-and-resume` · 8 points · about 25 minutes**
#
# Save a training run so that it can continue exactly where it stopped. Runs end early: the
# session's time is up, the machine is needed elsewhere, a colleague pulls a plug. It's easy to save
# *something* and go on with losses that look about right. The test here is stricter: the resumed
# run must equal the unbroken one bit for bit. Then you know that nothing was forgotten.
#
# Here is a run with all the usual parts. The **scheduler** changes the learning rate as steps go
# by. The **scaler** multiplies the loss so that 16-bit gradients don't vanish. It searches for its
# factor as it goes, and skips a step whose gradients overflow.


# %% role="given"
class Run:
    def __init__(self, inputs, targets):
        self.inputs, self.targets = inputs, targets
        layers = [torch.nn.Linear(12, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU()]
        self.model = torch.nn.Sequential(*layers, torch.nn.Dropout(0.2), torch.nn.Linear(16, 4))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.02)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, 30)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12, growth_interval=3)
        self.order, self.place = torch.randperm(len(inputs)), 0

    def step(self):
        if self.place + 8 > len(self.order):
            self.order, self.place = torch.randperm(len(self.inputs)), 0
        chosen = self.order[self.place : self.place + 8]
        self.place += 8
        inputs = self.inputs[chosen].flip(1) if random.random() < 0.5 else self.inputs[chosen]
        with torch.autocast("cpu", torch.float16):
            scores = self.model(inputs)
        loss = torch.nn.functional.cross_entropy(scores.float(), self.targets[chosen])
        self.optimizer.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.scheduler.step()


# %% [markdown]
# *Predict.* A model's weights take 1 GB in float32, Adam trains it, and the data are stored
# elsewhere. How many GB do you have to save?

# %% role="predict"
predict("save-and-resume", 3)

# %% [markdown]
# *Implement.* Write two functions of 4 to 8 lines each.
#
# - `save(run)` returns a dict with everything the next steps depend on, but not the data.
#   `torch.save` writes it and `torch.load(..., weights_only=True)` reads it back, so it may hold
#   tensors, numbers, strings, and lists, tuples and dicts of these. Saving must not change the run,
#   and what it saved must not change when the run goes on.
# - `resume(run, state)` brings a new run to where the saved one was. `run` was made with another
#   seed, has taken some steps and has the same data. `state` has just been read from the file,
#   perhaps in another process, and the run may keep the tensors in it.
#
# Model, optimizer, scheduler and scaler have `state_dict()` and `load_state_dict(...)`. PyTorch's
# generator has `torch.get_rng_state()` and `torch.set_rng_state(...)`; Python's has
# `random.getstate()` and `random.setstate(...)`.


# %% role="answer"
def save(run):
    ### BEGIN SOLUTION
    parts = ("model", "optimizer", "scheduler", "scaler")
    state = {part: getattr(run, part).state_dict() for part in parts}
    state |= {"torch": torch.get_rng_state(), "python": random.getstate()}
    return copy.deepcopy(state | {"order": run.order, "place": run.place})
    ### END SOLUTION


def resume(run, state):
    ### BEGIN SOLUTION
    for part in ("model", "optimizer", "scheduler", "scaler"):
        getattr(run, part).load_state_dict(state[part])
    run.order, run.place = state["order"], state["place"]
    torch.set_rng_state(state["torch"])
    random.setstate(state["python"])
    ### END SOLUTION


# %% role="check"
check("save-and-resume", save, resume)

# %% [markdown]
# *See.* An unbroken run like the one in your notebook, and one that your `save` saved halfway and
# your `resume` continued.

# %%
see("save-and-resume", save, resume)
reveal("save-and-resume")

# %% [markdown]
# *Reflect.* The solution's dict has eight entries: four states, two generators, the order and the
# place in it. Leave one out and draw again. Which ones would nobody have missed in a plot of the
# losses? How often to save is a separate question: what does a save cost, and what does an hour of
# lost work cost?

# %% [markdown]
# **On a GPU** two more things matter.
#
# - **Generators.** Dropout and `torch.randn(..., device="cuda")` draw from a generator of that GPU.
#   Save `torch.cuda.get_rng_state_all()` and restore it with `torch.cuda.set_rng_state_all(...)`.
#   The workers of a data loader have their own.
# - **Where tensors are loaded.** A tensor is loaded onto the device it was saved from. On a machine
#   with fewer GPUs that fails, and if eight processes load a file written from GPU 0, each puts a
#   copy on GPU 0. So load with `torch.load(path, map_location="cpu", weights_only=True)`:
#   `load_state_dict` then copies into tensors on the right device. Generator states have to stay on
#   the CPU anyway.
#
# Even with all of this, runs match bit for bit only on the same kind of device, with the same
# versions and deterministic kernels.

# %% [markdown]
# ## What you take with you
#
# - A step's memory is weights, gradients and optimizer state, plus what the forward pass saves. The
#   first three depend on the model; what is saved grows with the batch.
# - What was saved can be computed again. One more forward pass, a third more FLOP, brings the
#   memory of n equal blocks down to that of about twice the root of n.
# - A run is its weights, its optimizer, its schedules, its random states and its place in the data.
#   If two runs are equal bit for bit, nothing was forgotten.
#
# **Your number:** take a model of your own. At what batch size do the saved activations outweigh
# weights, gradients and optimizer state? On a GPU, compare with
# `torch.cuda.max_memory_allocated()`.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - T. Chen et al., *Training Deep Nets with Sublinear Memory Cost*, 2016 (checkpointing, the square
#   root); T. Dao et al., *FlashAttention*, 2022, section 3.1 (scores computed again in the backward
#   pass).
# - D. Kingma and J. Ba, *Adam*, 2014 (its two averages).
# - PyTorch's documentation: "Autograd mechanics", `torch.autograd.graph.saved_tensors_hooks`. That
#   a ReLU saves its output, GELU its input and so on is what this course counts in PyTorch 2.13 on
#   a CPU.
# - PyTorch's documentation: `torch.utils.checkpoint` (`preserve_rng_state`; batch norm's statistics
#   are not restored, by its source), "CUDA semantics" (memory management, `PYTORCH_ALLOC_CONF`,
#   `expandable_segments`), "Understanding CUDA Memory Usage" (snapshots).
# - PyTorch's documentation: "Reproducibility", "Saving and loading a general checkpoint",
#   `torch.load` (`weights_only`, `map_location`), `torch.cuda.get_rng_state_all`.
# - The documentation of JAX (`jax.checkpoint`), Optax (`apply_updates`) and TensorFlow
#   (`tf.GradientTape`, `tf.recompute_grad`).
