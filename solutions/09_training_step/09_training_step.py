# %% [markdown]
# # Where does the time and the memory go?
#
# The weights of a small GPT, one that reads characters, are 0.42 MiB. One training step of it, on
# 32 texts of 64 characters, needs 24.6 MiB: 58 times as much. The weights are all that you would
# keep. What is the rest, and could it be less?
#
# **You will be able to** write a backward pass by hand; count what a step computes and what it
# keeps; trade memory for arithmetic; find what makes the host wait.
#
# **You need** a training loop in PyTorch, the FLOP of a linear layer, an idea of asynchrony.
# **Time** about 170 minutes, in two sittings; a good place for a break is marked.

# %% role="setup"
import copy
import random

import torch

from gpuedu import check, hint, measure, predict, progress, reveal, see, setup, training

setup("training-step")

# %% [markdown]
# A step has three phases. **Forward** computes the loss. **Backward** computes the gradient of the
# loss with respect to every weight. The **update** moves the weights. Here is what lives in memory
# meanwhile, storage by storage, as this course counts it on any machine: each time something is
# made or let go is one step to the right.

# %%
see("training-step/step")

# %% [markdown] exercise="backward-by-hand"
# ## The way back, by hand
#
# **`backward-by-hand` · 7 points · about 25 minutes**
#
# What forward keeps, it keeps for backward. To see what is needed, and why, write one backward
# yourself: two layers, dropout between them, a softmax at the end. Here is the forward. A `mask` of
# 0 and 1 says which hidden numbers dropout leaves; what is left is divided by `keep`, their share,
# so that the sum stays about the same.


# %% role="given"
def forward(x, y, w1, b1, w2, b2, activation, mask, keep):
    z = x @ w1 + b1  # n samples, one in each row
    h = torch.relu(z) if activation == "relu" else torch.sigmoid(z)
    d = h * mask / keep
    s = d @ w2 + b2  # the scores
    loss = torch.nn.functional.cross_entropy(s, y)
    saved = {"x": x, "y": y, "h": h, "d": d, "s": s, "w2": w2}
    return loss, saved | {"mask": mask, "keep": keep, "activation": activation}


# %% [markdown]
# `z` is not saved. For ReLU and sigmoid alike `h` is enough, and backward tells you why.
#
# Go back line by line. For each line: the gradient of its result is known; what is the gradient of
# what went in? Three rules are all you need.
#
# - **Product.** For `s = d @ w`, `w` gets `d.T @ ds`, and `d` gets `ds @ w.T`. A bias that was
#   added to every row gets the sum of the rows.
# - **Element by element.** For `h = f(z)`, `z` gets `dh` times the slope of `f` there. A sigmoid's
#   slope is `h * (1 - h)`.
# - **Softmax with cross-entropy.** The loss is the mean over the batch of `-log(p[right class])`,
#   with `p` the softmax of the row of scores. One row's own gradient is `p`, less 1 at the right
#   class.

# %% [markdown]
# *Predict.* By what number, at most, does one sigmoid multiply a gradient on its way back?

# %% role="predict"
predict("backward-by-hand", 0.25)

# %% [markdown]
# *Implement.* Return a dict of seven gradients: `"s"`, `"w2"`, `"b2"`, `"h"`, `"z"`, `"w1"`,
# `"b1"`, each of the shape of its tensor. `x` is (n, i), `y` (n,) whole numbers, `h` and `d` are
# (n, k), `s` is (n, c); all else is float64, and `activation` is `"relu"` or `"sigmoid"`. Autograd
# is off. Scores may be in the thousands. About 14 lines.
#
# Each gradient is judged by those that you computed before it, so one slip is one slip.


# %% role="answer"
def backward(saved):
    x, y, h, d, s, w2 = (saved[name] for name in ("x", "y", "h", "d", "s", "w2"))
    mask, keep, activation = saved["mask"], saved["keep"], saved["activation"]
    ### BEGIN SOLUTION
    ds = s.softmax(dim=1)
    ds[torch.arange(len(y)), y] -= 1
    ds /= len(y)
    dh = ds @ w2.T * mask / keep
    dz = dh * (h > 0) if activation == "relu" else dh * h * (1 - h)
    return {
        "s": ds,
        "w2": d.T @ ds,
        "b2": ds.sum(0),
        "h": dh,
        "z": dz,
        "w1": x.T @ dz,
        "b1": dz.sum(0),
    }
    ### END SOLUTION


# %% role="check"
check("backward-by-hand", backward)

# %% [markdown]
# *See.* Your backward, on networks whose first weights are larger and larger. A unit that lets less
# than 1% of the gradient through is **saturated**: its weights hardly learn. Then ten layers one
# behind the other, each with random weights whose spread keeps `z` of the order of 1. (tanh, the
# third curve, is a sigmoid from -1 to 1; its slope is at most 1.)

# %%
see("backward-by-hand", backward)
reveal("backward-by-hand")
see("training-step/depth")

# %% [markdown]
# *Reflect.* About half of the ReLUs are closed, since here each `z` is as often below 0 as above,
# and the others let all of it through. What the closed ones take away, larger weights make up for:
# with a spread of sqrt(2 / inputs), named after He, a gradient keeps its size through ten layers.
# Sigmoids have no such way out: larger weights saturate them. Now look at your code: which of the
# saved tensors did it use? They are what fills the memory, and two exercises from now you count
# them.

# %% [markdown] exercise="count-the-step"
# ## What does a step compute?
#
# **`count-the-step` · 6 points · about 25 minutes**
#
# From *Why GPUs*: a product of an (m, k) and a (k, n) matrix is 2·m·k·n FLOP. A transformer is
# products of matrices and something between them. First the something. A **layer norm** does this
# with each row of `width` numbers, one row for each position of each sample:
#
# ```python
# mean = row.sum() / width
# centered = row - mean
# variance = (centered * centered).sum() / width
# out = centered * rsqrt(variance + eps) * gamma + beta      # gamma, beta: width numbers each
# ```

# %% [markdown]
# **Attention**, for `length` positions of `width` numbers: three products with weights
# (`width` x `width`) make a query, a key and a value of each position. The *score* of two positions
# is the dot product of one's query with the other's key, over all `width` numbers (several heads
# share these out among them; together it is as much). Then each position's *mix* is a sum of all
# values, weighted by the softmax of its scores. A last product with weights (`width` x `width`)
# follows. A mask hides the future, but all scores are computed.
#
# A transformer's **block** has attention, two layer norms, and a **network**: two products with
# weights, from `width` to `4 * width` numbers and back.

# %% [markdown]
# *Predict.* A block of width 512 reads texts of 512 characters. What share of its FLOP have the two
# norms, in percent?

# %% role="predict"
predict("count-the-step-norm", 5)

# %% [markdown]
# *Implement.* `norm_flop`, of one norm: count one FLOP for each number that is added (a sum's first
# one, too), subtracted or multiplied; leave out what is done once a row. `attention_flop`: the
# products alone, forward. Both for `samples` texts. A line or two each.


# %% role="answer"
def norm_flop(samples, length, width):
    ### BEGIN SOLUTION
    return 7 * samples * length * width
    ### END SOLUTION


def attention_flop(samples, length, width):
    ### BEGIN SOLUTION
    rows = samples * length
    return 4 * 2 * rows * width * width + 2 * 2 * rows * length * width
    ### END SOLUTION


# %% [markdown]
# From here on, products alone. **Backward** makes two of each product `y = x @ w`: `x.T @ dy` for
# the weights, `dy @ w.T` for the inputs. You have written both. Each is as large as the forward
# one, so a step is three times its forward. But look at your backward again: where is the gradient
# of `x`? Nobody needs the gradient of an image. (A GPT's first product reads an embedding, whose
# rows are weights: there it is needed.)
#
# *Predict.* A rule says that a step is 6·N·D: 6 FLOP for each of N weights and each of D
# characters. A GPT of 12 blocks of width 64 chooses from 97 characters and reads 1,024 at a time.
# How many times 6·N·D is its step?

# %% role="predict"
predict("count-the-step", 1.5)

# %% [markdown]
# *Implement.* FLOP of products. 1 to 4 lines each.
#
# - `gpt_flop`: forward. Each of the `layers` blocks has attention and a network. At the end, one
#   more product makes `vocabulary` scores for each position.
# - `gpt_step_flop`: forward and backward of the same.
# - `mlp_step_flop`: forward and backward of linear layers on `samples` images; `widths` is a list
#   such as `[64, 256, 10]`: two layers.


# %% role="answer"
def gpt_flop(samples, length, width, layers, vocabulary):
    ### BEGIN SOLUTION
    rows = samples * length
    network = 2 * 2 * rows * width * 4 * width
    scores = 2 * rows * width * vocabulary
    return layers * (attention_flop(samples, length, width) + network) + scores
    ### END SOLUTION


def gpt_step_flop(samples, length, width, layers, vocabulary):
    ### BEGIN SOLUTION
    return 3 * gpt_flop(samples, length, width, layers, vocabulary)
    ### END SOLUTION


def mlp_step_flop(samples, widths):
    ### BEGIN SOLUTION
    layers = [2 * samples * a * b for a, b in zip(widths[:-1], widths[1:])]
    return 3 * sum(layers) - layers[0]
    ### END SOLUTION


# %% role="check"
check("count-the-step", norm_flop, attention_flop, gpt_flop, gpt_step_flop, mlp_step_flop)

# %% [markdown]
# *See.* Your counts beside PyTorch's own, which looks at every operation of a real step; then your
# step of a GPT beside 6·N·D.

# %%
see("training-step/counted", mlp_step_flop, gpt_step_flop)
see("count-the-step", gpt_step_flop)
reveal("count-the-step-norm")
reveal("count-the-step")

# %% [markdown]
# *Reflect.* Few FLOP are not little time. A norm reads and writes 8 bytes for its 7 FLOP: under the
# roofline it is all memory. From which length on would you begin to worry about attention, for a
# width of 4,096?

# %% [markdown] exercise="memory-ledger"
# ## Where the bytes are
#
# **`memory-ledger` · 6 points · about 30 minutes**
#
# Some bytes are there for the whole run: weights, and what the optimizer keeps. Momentum keeps one
# number for each weight, a running sum of gradients; Adam two, a mean of gradients and one of their
# squares. Gradients live from backward to the next step. All are float32 here, 4 bytes each.
#
# The rest comes and goes. Each layer of the forward **saves** what its backward will need, and
# nothing else is kept. You know why from your own backward: ReLU and sigmoid need their *output*, a
# linear layer needs its *input* (and its weights, which are there anyway).

# %% [markdown]
# | layer `(kind, inputs, outputs)` | its result | what it saves |
# |---|---|---|
# | `("linear", i, o)` | new | its input |
# | `("relu", w, w)`, `("sigmoid", w, w)` | new | its output |
# | `("relu_", w, w)`: in place | written over its input | its output |
# | `("gelu", w, w)` | new | its input |
# | `("norm", w, w)` | new | its input, and 2 numbers for each row |
# | `("dropout", w, w)` | new | its mask, as many floats (on a GPU, bytes) |
# | `("flatten", w, w)` | a view of its input | nothing |
# | the loss, after the last layer | one number | log-softmax of the scores, a new tensor |
#
# What counts is the **storage**: the bytes that a tensor, its views, and who wrote over it share.

# %% [markdown]
# *Predict.* All ReLUs of an MLP work in place. By how much does what is saved shrink: `"nothing"`,
# `"a third"` or `"half"`? And for an MLP 64-512-512-10 with Adam: from which batch size on do saved
# activations weigh more than weights, gradients and Adam's state together?

# %% role="predict"
predict("memory-ledger", "half")
predict("memory-ledger-batch", 1000)

# %% [markdown]
# *Implement.* `layers` is a list of such triples, which stays as it is; the batch goes into the
# first one.
#
# - `held_bytes(layers, optimizer)`: a dict with `"weights"`, `"gradients"` and `"optimizer"`. A
#   linear layer also has a bias, a norm two weights for each of its `w` numbers; the optimizer is
#   `"sgd"` (keeps nothing), `"momentum"` or `"adam"`. About 4 lines.
# - `saved_bytes(samples, layers)`: a list, one number for each layer and last one for the loss.
#   A storage stands **once**, with the layer that saves it first; the batch does not stand in it.
#   About 15 lines.
#
# Single numbers, such as the count of steps that Adam keeps, may be left out.


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
    saved, counted = [], True  # whether the storage at hand stands in the list: the batch does not
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
# *See.* Your ledger of a network of seven layers, beside what lives in a step of it.

# %%
see("memory-ledger", held_bytes, saved_bytes)
reveal("memory-ledger")
reveal("memory-ledger-batch")

# %% [markdown]
# And the GPT of the beginning: what its first block saves, layer by layer. `attention` itself keeps
# the softmax of all scores, `length` squared numbers for each head and text. A **fused** attention,
# one kernel, keeps its inputs and its output, and computes the scores again in backward. Twice:
# for short texts, and for as many characters in longer ones.

# %%
see("training-step/saved")

# %% [markdown]
# *Reflect.* A ReLU in place changes what lives for a moment, not what is saved. Which moment?
# And at which batch size would you stop looking at the optimizer?

# %% [markdown] exercise="checkpointing"
# ## Compute it twice, keep less
#
# **`checkpointing` · 8 points · about 35 minutes**
#
# What forward saved it could also compute again. **Checkpointing** cuts a model into segments,
# keeps only what goes *into* each one, and when backward comes to a segment, runs its forward once
# more. Then one segment's inside lives at a time. Here is a deep model, blocks in a list, cut into
# k segments, and an ordinary step of it.


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
# And: 64 blocks, each saves as much as it hands on to the next. k segments need the inside of one,
# and the inputs of all but the first, whose input is the batch. With the best k, how many blocks'
# worth of memory is that, instead of 64?

# %% role="predict"
predict("checkpointing", 2)
predict("checkpointing-k", 16)

# %% [markdown]
# What you need of PyTorch:
#
# - under `with torch.no_grad():` nothing is recorded, so nothing is saved;
# - `t.detach().requires_grad_()` is `t` with its past forgotten: backward ends there, and leaves
#   the gradient in its `.grad`;
# - `out.backward(gradient)` begins in the middle: with the gradient of `out`, given;
# - dropout draws from a generator: on a CPU, as here, from the one whose state is
#   `torch.get_rng_state()`; `torch.set_rng_state(state)` puts it back there. On a GPU it draws from
#   that device's own, and you would save and restore `torch.cuda.get_rng_state()` as well.
#
# Dropout is a trap in two ways: the second forward must drop the same numbers, and after the step
# chance must go on as if nothing had been computed twice. Batch norm is a trap, too: each forward
# pass in training moves its running mean and variance, so a second one moves them twice. (No block
# here has one, and PyTorch's own `torch.utils.checkpoint` doesn't correct that either.)

# %% [markdown]
# *Implement.* `checkpointed_step` does what `ordinary_step` does: it leaves gradients in all
# weights and returns the loss, detached. `x` is the batch, and stays as it is: nobody asks for its
# gradient. `loss` takes what the last segment gives, and `y`. The last segment may run once or
# twice. Two loops of your own, about 19 lines: ready-made checkpointing is refused here.
#
# 6 of the 8 points are for the step. They are given only if less than nine tenths of what lives in
# an ordinary step live at its peak.


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
# *Implement.* How much is kept and saved when the largest segment has run again, while all inputs
# are still there; and which k is best. A line each.
#
# - `predicted_bytes(blocks, k, kept, inside)`: each segment's input is `kept` bytes (the first
#   one's is the batch and does not count), each block saves `inside` bytes; segments are as even as
#   can be.
# - `best_k(blocks, kept, inside)`: the k from 1 to `blocks` that needs least; the least k of
#   several.


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
# *See.* Your step of 36 blocks in six segments, moment by moment; then its peak for other k, beside
# your formula. It leaves out what comes on top: gradients on their way; gradients of weights, which
# grow in backward, so that the peak may come at a later segment; and what names such as `out` and
# `start` hold until they are bound anew. Try a `del` of those at the end of the second loop.

# %%
see("training-step/checkpointed", checkpointed_step)
see("checkpointing", checkpointed_step, predicted_bytes)
reveal("checkpointing")
reveal("checkpointing-k")

# %% [markdown]
# *Measure.* On this machine: a step of 16 blocks in 4 segments, yours beside an ordinary one. Times
# are for you to look at; they are not judged.

# %%
measure("checkpointing", checkpointed_step)

# %% [markdown]
# *Reflect.* An ordinary step of 16 blocks has 47 products: three a block, less one, as nobody asks
# for the gradient of the batch. 64 are 1.36 times as many. Which one of your first segment could
# go, and which of the last? Time may grow by more: ReLUs, which are no products, run twice, too.
#
# Where a block saves as much as it hands on, the best k is about the square root of the number of
# blocks, and so is the memory: 100 times as deep takes 10 times as much. In PyTorch all of it,
# chance included, is `torch.utils.checkpoint.checkpoint(segment, x, use_reentrant=False)`. When
# would you rather take a smaller batch?

# %% [markdown]
# ## Halfway
#
# A good place for a break. So far: what a step computes and what it holds. Next: who keeps the host
# waiting, and what it takes to stop a run and go on.
#
# The same step in other frameworks:
#
# | PyTorch | JAX | TensorFlow |
# |---|---|---|
# | `loss.backward()` | `jax.value_and_grad(f)(weights, batch)` | `tape.gradient(loss, weights)` |
# | `optimizer.step()` | `optax.apply_updates(...)` | `optimizer.apply_gradients(pairs)` |
# | `torch.utils.checkpoint` | `jax.checkpoint` | `tf.recompute_grad` |
# | a generator with a state | a key, split and handed on | `tf.random.Generator` |
#
# JAX differs most: no tensor remembers where it came from. A loss is a function, its gradient
# another one, and weights go in and come out.

# %% [markdown] exercise="hidden-syncs"
# ## Who keeps the host waiting?
#
# **`hidden-syncs` · 6 points · about 25 minutes**
#
# On a GPU the host only *issues* a step: a few hundred launches of some microseconds each. It runs
# ahead, the device works off its queue, and neither waits. Until a line needs a **value**. Then
# the host stands still until the device has done all that was queued, and after it the queue is
# empty: the device stands still until the host has issued more. No line says `synchronize`.
#
# Here is a correct loop. A sample of class -1 is one that nobody has labeled. Gradients are scaled
# down where their norm, over all weights, is above 1.


# %% role="given"
def norm_of(model):
    return torch.stack([p.grad.norm() for p in model.parameters()]).norm()


def train_waiting(model, optimizer, batches):
    losses, norms, wrong, best = [], [], 0, torch.inf
    for inputs, targets in batches:
        known = targets >= 0
        inputs, targets = inputs[known], targets[known]
        scores = model(inputs)
        loss = torch.nn.functional.cross_entropy(scores, targets)
        optimizer.zero_grad()
        loss.backward()
        norm = norm_of(model)
        if norm > 1:
            for p in model.parameters():
                p.grad /= norm + 1e-6
        optimizer.step()
        losses.append(loss.item())
        norms.append(float(norm.cpu().numpy()))
        wrong += len((scores.argmax(1) != targets).nonzero())
        if loss < best:
            best = loss.item()
        if len(losses) % 10 == 0:
            print(f"loss {loss:.3f}, best {best:.3f}")
    return {"losses": losses, "norms": norms, "wrong": wrong, "best": best}


# %% [markdown]
# *Predict.* In a step that prints nothing and finds no new best loss: how often does the host wait
# for the device? (A question about a *shape* that depends on values is a wait, too.)

# %% role="predict"
predict("hidden-syncs", 7)

# %% [markdown]
# *See.* The course runs the loop and listens: every call that would wait on a GPU is noted with its
# line, also where there is no GPU. Two steps beside a *simulated* device: every operation costs the
# host 5 µs to issue and the device 6 µs, and 10 µs more pass before a value is on the host.

# %%
see("hidden-syncs", train_waiting)
reveal("hidden-syncs")
see("training-step/waits", train_waiting)

# %% [markdown]
# *Implement.* The same run, the same log, the same weights; in the whole run the host waits **once
# at most**: when all steps are done, to fetch the log. 15 to 20 lines.
#
# - `batches` is a list of pairs `(inputs, targets)`; each batch has some labeled samples. `model`
#   may still have gradients from an earlier run.
# - `losses` and `norms` may be lists of numbers or one tensor each; `wrong` and `best` numbers, or
#   tensors of one. What is printed may come at the end, or not at all.
# - `torch.stack` makes one tensor of several; one `.tolist()` of that is one wait.
# - A tensor made without `device=` is on the host, and a GPU refuses to compute with one on each
#   side (a tensor of no dimension, one number, is allowed). `torch.tensor(number, device=...)` is
#   made on the host and copied, which is a wait. A Python number in a formula costs nothing.
# - Keep `loss.detach()`, the value alone: the log holds no graph. `backward()` frees the tensors
#   that a graph saved, but its nodes, one for each operation, live as long as a loss holds them.


# %% role="answer"
def train_ahead(model, optimizer, batches):
    ### BEGIN SOLUTION
    losses, norms, wrongs = [], [], []
    for inputs, targets in batches:
        scores = model(inputs)
        loss = torch.nn.functional.cross_entropy(scores, targets, ignore_index=-1)
        optimizer.zero_grad()
        loss.backward()
        norms.append(norm_of(model))
        factor = (1 / (norms[-1] + 1e-6)).clamp(max=1)
        for p in model.parameters():
            p.grad *= factor
        optimizer.step()
        losses.append(loss.detach())
        wrongs.append(((scores.argmax(1) != targets) & (targets >= 0)).sum())
    log = torch.stack([torch.stack(losses), torch.stack(norms), torch.stack(wrongs).to(loss)])
    losses, norms, wrongs = log.tolist()
    return {"losses": losses, "norms": norms, "wrong": sum(wrongs), "best": min(losses)}
    ### END SOLUTION


# %% role="check"
check("hidden-syncs", train_ahead)

# %%
see("hidden-syncs", train_waiting, train_ahead)

# %% [markdown]
# *Reflect.* The longer a kernel runs, the less a wait costs: the gap is as long as before, in a
# longer step. What do you expect for a small model, and what for a large one? And which of the
# seven would you have called a synchronization before? (One change is the same run only because
# here no sample looks at another: with batch norm, unlabeled ones would count in its means.)
#
# The loop `training.train` of this course keeps its losses on the device in just this way. On a GPU
# `torch.cuda.set_sync_debug_mode("warn")` makes PyTorch itself name most of these lines.

# %% [markdown] exercise="save-and-resume"
# ## A run that nobody can tell was broken
#
# **`save-and-resume` · 8 points · about 25 minutes**
#
# Runs end before they are done: the session's time is up, the machine is wanted back, a colleague
# pulls a plug. So a run is saved now and then, and taken up again. It is easy to save *something*,
# and to go on with losses that look about right. The test is stricter: the resumed run should equal
# the unbroken one, bit for bit. Then nothing was forgotten.
#
# Here is a run with all that runs usually have. The **scheduler** changes the learning rate with
# the steps. The **scaler** multiplies the loss, so that 16-bit gradients do not vanish; it searches
# for its factor while the run goes on, and skips a step whose gradients overflow.


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
# *Predict.* A model's weights take 1 GB in float32, and Adam trains it, on data that lie elsewhere.
# How many GB must be saved?

# %% role="predict"
predict("save-and-resume", 3)

# %% [markdown]
# *Implement.* Two functions, of 4 to 8 lines each.
#
# - `save(run)`: a dict with all that the next steps depend on; not the data. It is written by
#   `torch.save` and read by `torch.load(..., weights_only=True)`, which takes tensors, numbers,
#   texts, and lists, tuples and dicts of these. The run goes on after it, and what you returned
#   should not.
# - `resume(run, state)`: `run` was made anew, by another seed, and has taken some steps; bring it
#   to where the saved one was. Its data are the same. `state` was just read from the file, perhaps
#   in another process, and is yours to keep.
#
# Model, optimizer, scheduler and scaler have `state_dict()` and `load_state_dict(...)`. PyTorch's
# generator has `torch.get_rng_state()` and `torch.set_rng_state(...)`, Python's has
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
# *See.* An unbroken run of your notebook's kind, and one that was saved in the middle by your
# `save` and taken up by your `resume`.

# %%
see("save-and-resume", save, resume)
reveal("save-and-resume")

# %% [markdown]
# *Reflect.* The solution's dict has eight entries: four states, two generators, the order and the
# place. Leave one out and draw again: which would nobody have missed in a plot of the losses? On a
# GPU there is one more generator (`torch.cuda.get_rng_state_all()`), with many workers many more.
# How often to save is a question of its own: what does a save cost, what does a lost hour?

# %% [markdown] exercise="sgd-or-adam"
# ## Three ways to take a step
#
# **`sgd-or-adam` · 6 points · stretch · about 20 minutes**
#
# An optimizer is a rule from gradients to weights, with a memory. With gradient g in step t, which
# begins at 1:
#
# - **SGD** with momentum: `v = momentum * v + g`, from v = 0; then w moves by `-lr * v`.
# - **Adam** keeps two averages: m of g, by `m = beta1 * m + (1 - beta1) * g`, and v of its square,
#   with beta2. Both begin at 0, so at first they are too small: divide m by `1 - beta1 ** t`, v
#   likewise. Then w moves by `-lr` times m divided by the root of v, *that* plus eps.
# - **AdamW** first multiplies w by `1 - lr * decay`, and then takes Adam's step.

# %% [markdown]
# *Predict.* The first step of Adam. One weight has a gradient of 10, another one of 0.001. How many
# times as far as the second does the first one move?

# %% role="predict"
predict("sgd-or-adam", 1)

# %% [markdown]
# *Implement.* Each function changes the tensor `weights`, float32 or float64, in place and returns
# nothing. `gradient` is a tensor of the same shape and dtype, which the next backward pass
# overwrites. `lr` may change from step to step. `state` is a dict, empty before the first step:
# keep there what the next step needs, as tensors or numbers, and no more. (Without momentum:
# nothing.) 4 to 8 lines each.


# %% role="answer"
def sgd(weights, gradient, state, lr, momentum):
    ### BEGIN SOLUTION
    if momentum:
        kept = state.setdefault("v", torch.zeros_like(weights))
        gradient = kept.mul_(momentum).add_(gradient)
    weights -= lr * gradient
    ### END SOLUTION


def adam(weights, gradient, state, lr, beta1, beta2, eps):
    ### BEGIN SOLUTION
    t = state["t"] = state.get("t", 0) + 1
    m = state.setdefault("m", torch.zeros_like(weights))
    v = state.setdefault("v", torch.zeros_like(weights))
    m.mul_(beta1).add_((1 - beta1) * gradient)
    v.mul_(beta2).add_((1 - beta2) * gradient**2)
    weights -= lr * m / (1 - beta1**t) / ((v / (1 - beta2**t)).sqrt() + eps)
    ### END SOLUTION


def adamw(weights, gradient, state, lr, beta1, beta2, eps, decay):
    ### BEGIN SOLUTION
    weights *= 1 - lr * decay
    adam(weights, gradient, state, lr, beta1, beta2, eps)
    ### END SOLUTION


# %% role="check"
check("sgd-or-adam", sgd, adam, adamw)

# %% [markdown]
# *See.* Your rules train a small network on digits. Half of the pixels were made 30 times as faint,
# so that gradients of some weights are small, and of others large.

# %%
see("sgd-or-adam", sgd, adam, adamw)
reveal("sgd-or-adam")

# %% [markdown]
# Which rule is ahead depends on the rate that you chose for it. So here are eight rates for two of
# them, and all of it twice: with the mean loss of a batch, and with the sum, in which every
# gradient is 64 times as large.

# %%
see("training-step/rates", sgd, adam)

# %% [markdown]
# *Reflect.* Adam's rate has to be looked for, too: a tenth of the best one is much worse. But whose
# best rate moved with the sum, how far, and why did the other one stay? Another model or another
# loss changes the size of gradients; where did Adam put that size? It takes two more numbers a
# weight: in which runs of your own would that memory be better spent on a larger batch?

# %% [markdown] exercise="train-digits"
# ## Learn the digits, not the labels
#
# **`train-digits` · 5 points · stretch · about 25 minutes**
#
# Here are 480 digits, and about 3 in 10 of their labels were drawn at random. A network has more
# than enough weights to learn all of them by heart, the wrong ones, too. What counts is how it does
# on digits that it has never seen. Dropout is one remedy: where any hidden number may be missing,
# no single one can be relied on.
#
# *Predict.* A network with one hidden layer of 128, trained for 600 steps with nothing against it:
# what percentage of the held-out digits does it get right?

# %% role="predict"
predict("train-digits", 76)

# %%
see("training-step/overfitting")
reveal("train-digits")

# %% [markdown]
# The held-out loss falls, and then it rises, while the loss on what it was given falls on. Where
# would you have stopped? In the end this loss is not what you want to be small.
#
# *Implement.* `images` (480, 1, 8, 8) float32, `labels` (480,) int64. Return a model that gives ten
# scores for each image; it is put into `eval()` for you. Any model, any optimizer of `torch.optim`,
# 1 to 600 steps, those of several optimizers together. Three sets of digits are drawn, each turned,
# mirrored, with another contrast and other numbers for its classes; a set's held-out digits are
# changed like those you train on. The middle one of the three accuracies should be 85.7% at least.
# (60 runs of a network with dropout reached 87.3% to 93.9%; a quarter of that range below is
# allowed.) 10 to 15 lines.


# %% role="answer"
def train_model(images, labels):
    ### BEGIN SOLUTION
    normalize = torch.nn.BatchNorm2d(1, affine=False)
    model = torch.nn.Sequential(normalize, training.MLP(64, 10, dropout=0.5))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(150):
        chosen = torch.randint(len(images), (128,))
        scores = model(images[chosen])
        loss = torch.nn.functional.cross_entropy(scores, labels[chosen], label_smoothing=0.2)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model
    ### END SOLUTION


# %% role="check"
check("train-digits", train_model)

# %%
see("train-digits", train_model)

# %% [markdown]
# *Reflect.* The check's digits were others than yours, and you had no look at them. When you choose
# among twenty recipes by one held-out set, the best of them is a little lucky: that set is then no
# longer unseen. What would you keep apart, and until when?

# %% [markdown] exercise="read-the-profile"
# ## Where did the time go?
#
# **`read-the-profile` · 6 points · stretch · about 25 minutes**
#
# A profiler notes what each step did and when: on the host **operators** (PyTorch's functions, some
# inside others), on the device **kernels** by stream, and **copies**. Here are two steps each of
# three programs, from a *simulated* GPU. All three are slow, and none because of its kernels.

# %%
see("training-step/slow-step", "A")
see("training-step/slow-step", "B")
see("training-step/slow-step", "C")
see("training-step/slow-costs")

# %% [markdown]
# The table has a trap. In A and C the host spends long in `_local_scalar_dense`, which is what
# `.item()` calls. There it waits while the device computes: nobody loses time by that. What costs
# time is the device's idle time (orange). Each instant of a step goes to the first of these that
# holds:
#
# - `"kernels"`: a kernel runs;
# - `"copies"`: none does, and a copy runs;
# - `"launches"`: neither, and the host is in an operator. It issues too slowly, or starts anew;
# - `"python"`: nothing of all this. The host is in Python: prepares a batch, writes a log.
#
# Remedies differ: memory that is pinned, and copies beside the kernels; fewer and larger kernels;
# workers that prepare batches.

# %% [markdown]
# *Implement.* `worst`: a dict from `"A"`, `"B"` and `"C"` to the largest of the four, by name.
# `where_it_went(profile)`: a dict of seconds by all four names, also where they are 0; together
# they are `profile.end_s`.
#
# `profile.kernels`, `profile.copies` and `profile.operators` are tuples of spans with `start_s` and
# `end_s`; two kernels may overlap, on two streams. About 5 lines, if a timeline does the work:
# `line = clock.Timeline.of([interval("device", span), ...])` has *lanes*, rows with names that you
# choose. `line.busy_s("device")` counts what overlaps once. `line.waited_for("device", [first,
# second])` is a dict that shares out the lane's idle seconds: each instant goes to the first of
# these lanes that was busy, or to `""` if none was; until the last interval ends.


# %% role="given"
from gpuedu import clock, profiles


def interval(lane, span):
    return clock.Interval(lane, "work", span.start_s, span.end_s)


# %% role="answer"
### BEGIN SOLUTION
worst = {"A": "copies", "B": "launches", "C": "python"}
### END SOLUTION


def where_it_went(profile):
    ### BEGIN SOLUTION
    lanes = {"device": profile.kernels, "copies": profile.copies, "host": profile.operators}
    line = clock.Timeline.of(interval(lane, span) for lane in lanes for span in lanes[lane])
    idle = line.waited_for("device", ["copies", "host"])
    found = {"kernels": line.busy_s("device"), "copies": idle["copies"], "launches": idle["host"]}
    return found | {"python": profile.end_s - sum(found.values())}
    ### END SOLUTION


# %% role="check"
check("read-the-profile", worst, where_it_went)

# %%
see("training-step/shares", where_it_went)

# %% [markdown]
# Now a step of your own. `profiles.profile(step)` runs it a few times under PyTorch's profiler. On
# a machine without a GPU there is no device lane: the operators that compute are *counted* as the
# kernels that they would launch. (What the picture calls Python between operators includes pauses
# in which this machine did something else.)
#
# *Predict.* Adam updates 8 tensors of weights, one after another. For each, one operation counts
# the step, three keep the two averages, three make the divisor, and one moves the weights. How many
# kernels is that?

# %% role="predict"
predict("read-the-profile", 64)


# %% role="given"
def make_step(**how):
    torch.set_num_threads(1)  # for a model this small, two would only wait for each other
    device = "cuda" if torch.cuda.is_available() else "cpu"
    digits = training.load_digits().train.take(64)
    inputs, targets = digits.inputs.to(device), digits.targets.to(device)
    model = training.MLP(64, 10, hidden=(64, 64, 64)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), **how)

    def step():
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(inputs), targets).backward()
        optimizer.step()

    return step


# %%
for how in ({"foreach": False}, {"foreach": True}, {"fused": True}):
    recorded = profiles.profile(make_step(**how))
    print(how, f"{recorded.kernels_per_step:.0f} kernels a step")
reveal("read-the-profile")
see("read-the-profile", recorded)

# %% [markdown]
# On a CPU, forward and backward are 26 of these; the rest is the update. `foreach` hands all
# tensors over in one call for each operation: on a GPU that is one kernel for many tensors, on a
# CPU still a loop. `fused` does all operations in one kernel. (What is left of it here are 8 counts
# of steps, which stay on the host.) PyTorch chooses `foreach` by itself where the weights are on a
# GPU.
#
# `torch.compile` writes loops of its own, with many operations in one. It needs a compiler and half
# a minute or more, so this was counted once. Of 64 operations in the update 16 loops are left, two
# a tensor. In forward and backward 11 of the 26 are matrix products, which stay with the library,
# and the other 15 became 19 loops: nothing was won. Then what GPUs took, where it is recorded.

# %%
see("training-step/compiled")
see("training-step/recorded")

# %% [markdown]
# This writes PyTorch's own trace: open it on https://ui.perfetto.dev and look around.

# %%
print(recorded.export("step.json"))

# %% [markdown]
# *Reflect.* Which of the four do you expect to be largest for your own training at work or at home?
# On a GPU, record one step of it and ask `where_it_went`; without one, `recorded.costs()` names the
# operators that take longest.

# %% [markdown]
# ## What you take with you
#
# - A step's memory is what forward saves for backward; backward is about two forwards of
#   arithmetic. With few samples the optimizer's state weighs more, with many what is saved.
# - The host runs ahead of the device until a line needs a value, or a shape that depends on
#   values. Such lines look like any other, and one copy at the end can stand for all of them.
# - A run is its weights, its optimizer, its schedules, its random states and its place in the
#   data. Two runs that are equal to the bit have forgotten nothing.
#
# **Your number:** how often does a loop of your own make the host wait in one step? Go through its
# lines as you did here. On a GPU, `torch.cuda.set_sync_debug_mode("warn")` finds most of them.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - X. Glorot and Y. Bengio, *Understanding the difficulty of training deep feedforward neural
#   networks*, AISTATS 2010 (saturation); K. He et al., *Delving Deep into Rectifiers*, 2015 (the
#   spread of weights that keeps a ReLU's numbers at the same size).
# - N. Srivastava et al., *Dropout*, JMLR 15, 2014; J. Ba et al., *Layer Normalization*, 2016;
#   A. Vaswani et al., *Attention Is All You Need*, 2017, section 3.2.
# - J. Kaplan et al., *Scaling Laws for Neural Language Models*, 2020, section 2.1 (6 N D, and what
#   it leaves out).
# - D. Kingma and J. Ba, *Adam*, 2014 (its two averages).
# - T. Chen et al., *Training Deep Nets with Sublinear Memory Cost*, 2016 (checkpointing, the square
#   root); T. Dao et al., *FlashAttention*, 2022, section 3.1 (scores computed again in backward).
# - PyTorch's documentation: "Autograd mechanics", `torch.utils.checkpoint`,
#   `torch.autograd.graph.saved_tensors_hooks`; that a ReLU saves its output, GELU its input and so
#   on is what this course counts in PyTorch 2.13 on a CPU.
# - The documentation of JAX (`jax.checkpoint`), Optax (`apply_updates`) and TensorFlow
#   (`tf.GradientTape`, `tf.recompute_grad`).
# - PyTorch's documentation: "CUDA semantics" (asynchronous execution),
#   `torch.cuda.set_sync_debug_mode`, "Reproducibility", "Saving and loading a general checkpoint",
#   `torch.load` (`weights_only`), `torch.optim` (the rules; `foreach`, `fused`), `torch.profiler`.
# - I. Loshchilov and F. Hutter, *Decoupled Weight Decay Regularization*, ICLR 2019 (AdamW).
# - C. Zhang et al., *Understanding deep learning requires rethinking generalization*, ICLR 2017
#   (networks that learn random labels by heart).
# - Digits: scikit-learn's copy of E. Alpaydin and C. Kaynak, *Optical Recognition of Handwritten
#   Digits*, UCI Machine Learning Repository, 1998.
