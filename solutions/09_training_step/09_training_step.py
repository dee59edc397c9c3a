# %% [markdown]
# # Where does the time go?
#
# A GPT with 124 million weights takes one training step on four texts of 1,024 tokens. The matrix
# products in that step are 3.5 TFLOP, and at its bfloat16 peak an H200 does those in 3.5 ms. The
# step took 21.4 ms. With 16 texts it took 50.0 ms: four times the work, but only 2.3 times the
# time. So what is a GPU doing when it isn't multiplying matrices?
#
# **You will be able to** write a backward pass by hand; count what a step computes; find the lines
# that make the host wait; read a profile.
#
# **You need** a training loop in PyTorch; the FLOP of a matrix product, from *Why GPUs*; and what
# an asynchronous launch is, from *Welcome*. **Time** about 80 minutes.

# %% role="setup"
from gpuedu import check, hint, predict, progress, reveal, see, setup, training

import torch

setup("training-step")

# %%
see("training-step/large")

# %% [markdown]
# A training step has three phases. The **forward pass** computes the loss. The **backward pass**
# computes the gradient of the loss with respect to every weight. The **update** then moves the
# weights. We start with what the middle phase computes, because that is where most of the
# arithmetic is.

# %% [markdown] exercise="backward-by-hand"
# ## The backward pass, by hand
#
# **`backward-by-hand` · 7 points · about 25 minutes**
#
# Write the backward pass of a small network yourself, once: two layers, dropout between them and a
# softmax at the end. After that you'll know what a backward pass costs and what it needs from the
# forward pass. Here is the forward pass. `mask` has a 1 for each hidden number that dropout keeps
# and a 0 for each that it drops. What is kept is divided by `keep`, the share that dropout keeps on
# average, so that sums stay about the same size.


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
# `z` isn't saved. For ReLU and for sigmoid, `h` is enough, and the backward pass shows you why.
#
# Work backward line by line. For each line you know the gradient of its result; what is the
# gradient of each of its inputs? Three rules are all you need.
#
# - **Products.** For `s = d @ w`, the gradient of `w` is `d.T @ ds`, and that of `d` is `ds @ w.T`.
#   For a bias that was added to every row, the gradient is the sum of `ds` over the rows.
# - **Elementwise functions.** For `h = f(z)`, the gradient of `z` is `dh` times the slope of `f` at
#   `z`. The slope of a sigmoid is `h * (1 - h)`.
# - **Softmax with cross-entropy.** The loss is the mean over the batch of `-log(p[right class])`,
#   where `p` is the softmax of a row of scores. For a single row, the gradient of the scores is
#   `p`, minus 1 at the right class.

# %% [markdown]
# *Predict.* What is the largest factor by which one sigmoid can multiply a gradient on its way
# back?

# %% role="predict"
predict("backward-by-hand", 0.25)

# %% [markdown]
# *Implement.* Return a dict of seven gradients: `"s"`, `"w2"`, `"b2"`, `"h"`, `"z"`, `"w1"` and
# `"b1"`, each with the shape of its tensor. About 14 lines.
#
# - `x` is (n, i), `h` and `d` are (n, k), `s` is (n, c), and `y` holds n class numbers. All tensors
#   but `y` are float64; `activation` is `"relu"` or `"sigmoid"`.
# - Scores may be in the thousands, and the gradients must be right there, too.
# - Autograd is switched off.
#
# Each gradient is judged given the ones you computed before it, so one slip costs you only once.


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
# *See.* First, your backward pass on networks whose first weights get larger and larger. A unit
# that lets less than 1% of the gradient through is **saturated**, so its weights hardly learn. Then
# ten layers stacked, each with random weights whose spread keeps `z` around size 1. (The third
# curve, tanh, is a sigmoid stretched to run from -1 to 1; its slope is at most 1.)

# %%
see("backward-by-hand", backward)
reveal("backward-by-hand")
see("training-step/depth")

# %% [markdown]
# *Reflect.* About half of the ReLUs are closed here, because each `z` is below 0 as often as above.
# The open ones let the whole gradient through. Larger weights make up for the closed ones: with a
# spread of sqrt(2 / inputs), named after He, a gradient keeps its size through ten layers. Sigmoids
# don't have that way out, because larger weights saturate them.
#
# Now look at your code again. The product with `w2` became two products, and they used tensors that
# the forward pass had saved. The first is why a step takes time, and you count it next. The second
# is why it takes memory, which is what *Training memory* is about.

# %% [markdown] exercise="count-the-step"
# ## What does a step compute?
#
# **`count-the-step` · 6 points · about 25 minutes**
#
# Count the FLOP of a transformer's training step. From *Why GPUs* you know that the product of an
# (m, k) and a (k, n) matrix takes 2·m·k·n FLOP. A transformer is mostly matrix products, with a few
# other things between them. One of those is **layer norm**, which does this to each row of `width`
# numbers, with one row for each position of each text:
#
# ```python
# mean = row.sum() / width
# centered = row - mean
# variance = (centered * centered).sum() / width
# out = centered * rsqrt(variance + eps) * gamma + beta      # gamma, beta: width numbers each
# ```

# %% [markdown]
# **Attention** works on `length` positions of `width` numbers each. Three products with (`width` x
# `width`) weights make a query, a key and a value for every position. The *score* of two positions
# is the dot product of one's query with the other's key over all `width` numbers. (Several heads
# divide these numbers among them; the total is the same.) Each position's *mix* is then the sum of
# all values, weighted by the softmax of its scores. One last product with (`width` x `width`)
# weights follows. A mask hides the future, but here all scores are computed anyway.
#
# A transformer **block** is attention, two layer norms and a **network** (in full, a feed-forward
# network) of two products with weights, from `width` to `4 * width` numbers and back.

# %% [markdown]
# *Predict.* A block of width 512 reads texts of 512 characters. What percentage of its forward FLOP
# is in the two norms?

# %% role="predict"
predict("count-the-step-norm", 5)

# %% [markdown]
# *Implement.* Write two counts for the forward pass of `samples` texts, a line or two each.
#
# - `norm_flop` counts one layer norm: 1 FLOP for each number that is added, subtracted or
#   multiplied. The first term of a sum counts as added, too. Leave out what is done only once per
#   row.
# - `attention_flop` counts only the matrix products of one attention.


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
# From here on we count only matrix products. For each product `y = x @ w`, the backward pass does
# two: `x.T @ dy` for the weights and `dy @ w.T` for the inputs. You have written both. Each is as
# large as the forward product, so a step costs three times its forward pass. But look at your code
# again: where is the gradient of `x`? Nobody needs the gradient of an image, so the first layer
# needs only one product. (The first product of a GPT reads an embedding, whose rows are weights, so
# it needs both.)
#
# *Predict.* A rule of thumb says that a step takes 6·N·D FLOP: 6 for each of the N weights used in
# products and each of the D characters. A GPT with 12 blocks of width 64 chooses from 97 characters
# and reads 1,024 at a time. How many times 6·N·D does its step take?

# %% role="predict"
predict("count-the-step", 1.5)

# %% [markdown]
# *Implement.* Count the FLOP of the matrix products in three more cases, 1 to 4 lines each.
#
# - `gpt_flop`: the forward pass of a GPT. Each of its `layers` blocks has attention and a network.
#   At the end, one more product makes `vocabulary` scores for each position.
# - `gpt_step_flop`: forward and backward passes of the same GPT.
# - `mlp_step_flop`: forward and backward passes of linear layers on `samples` images. `widths` is a
#   list such as `[64, 256, 10]`, which means two layers.


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
# *See.* Your counts next to PyTorch's own counter, which watches every operation of a real step.
# Then your GPT step compared with 6·N·D.

# %%
see("training-step/counted", mlp_step_flop, gpt_step_flop)
see("count-the-step", gpt_step_flop)
reveal("count-the-step-norm")
reveal("count-the-step")

# %% [markdown]
# *Reflect.* Few FLOP doesn't mean little time. Even if a norm reads and writes each number just
# once, it moves 8 bytes for 7 FLOP, so by the roofline it is limited by memory. Such work takes
# some of the time that the products alone leave unexplained. For a width of 4,096, from what length
# on would you start to worry about attention?

# %% [markdown] exercise="hidden-syncs"
# ## Who keeps the host waiting?
#
# **`hidden-syncs` · 6 points · about 25 minutes**
#
# Rewrite a training loop so that the host stops waiting for the GPU. With a GPU, the host only
# *issues* a step: a few hundred launches of a few microseconds each. It runs ahead while the
# device works through its queue, and neither waits for the other, until a line needs a **value**.
# Then the host stops until the device has finished what was queued. By that time the queue is
# empty, so the device stops until the host has issued more. And no line says `synchronize`.
#
# Here is a correct loop. A sample of class -1 has no label. If the norm of the gradients, over all
# weights, is above 1, they are scaled down.


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
# *Predict.* In a step that prints nothing and finds no new best loss, how often does the host wait
# for the device? (Asking for a *shape* that depends on values is a wait, too.)

# %% role="predict"
predict("hidden-syncs", 7)

# %% [markdown]
# *See.* The course runs the loop and listens: each call that would wait on a GPU is recorded with
# its line, even on a machine without one. First, two steps on a *simulated* device: each operation
# takes the host 5 µs to issue and the device 6 µs to run, and a value takes 10 µs more to reach the
# host.

# %%
see("hidden-syncs", train_waiting)
reveal("hidden-syncs")
see("training-step/waits", train_waiting)

# %% [markdown]
# *Implement.* Write `train_ahead`: the same run with the same log and the same final weights, in
# which the host waits **at most once**, after the last step, to fetch the log. 15 to 20 lines.
#
# - `batches` is a list of pairs `(inputs, targets)`, and each batch has at least one labeled
#   sample. `model` may still have gradients from an earlier run.
# - `losses` and `norms` may be lists of numbers or one tensor each; `wrong` and `best` may be
#   numbers or tensors with one element. You may print at the end, or not at all.
# - The log must not keep graphs alive. `backward()` frees the tensors that a graph saved, but its
#   nodes, one for each operation, live as long as a loss refers to them. `loss.detach()` is the
#   value alone.
# - No operation may mix tensors from host and device; only a host tensor with no dimensions (one
#   number) is allowed.

# %% [markdown]
# Some things that help:
#
# - `torch.stack` makes one tensor out of many, and one `.tolist()` on the result is one wait.
# - A tensor made without `device=` is on the host. `torch.tensor(number, device=...)` is made on
#   the host and copied, which is a wait. A plain Python number in a formula costs nothing.


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
# *Reflect.* A wait leaves a gap of the same length however long the kernels run, so it's a smaller
# share of a longer step. What does that mean for small models, and for large ones? Which of the
# seven would you have called a synchronization before? (Leaving unlabeled samples in gives the same
# run only because no sample here affects another. With batch norm, unlabeled samples would count in
# the batch's mean and variance.)
#
# This course's own `training.train` keeps its losses on the device in the same way. On a GPU,
# `torch.cuda.set_sync_debug_mode("warn")` makes PyTorch warn about such lines. It is an
# experimental feature that doesn't catch every one.

# %% [markdown] exercise="read-the-profile"
# ## Stretch: read a profile
#
# **`read-the-profile` · 6 points · stretch · about 25 minutes**
#
# Use a profile to find out where the time went in three slow programs. A profiler records what
# happened and when: **operators** on the host (PyTorch's functions, some inside others),
# **kernels** on the device by stream, and **copies**. Below are two steps of each program on a
# *simulated* GPU. All three are slow, and none of them because of its kernels.

# %%
see("training-step/slow-step", "A")
see("training-step/slow-step", "B")
see("training-step/slow-step", "C")
see("training-step/slow-costs")

# %% [markdown]
# The table has a trap. In A and C, the host spends a long time in `_local_scalar_dense`, which is
# what `.item()` calls. It waits there while the device computes, and that costs nothing. What costs
# time is the device's idle time, shown in orange. So give each instant of a step to the first of
# these that applies:
#
# - `"kernels"`: a kernel is running;
# - `"copies"`: no kernel is running, but a copy is;
# - `"launches"`: neither is, and the host is in an operator. It issues work too slowly, or the
#   device has run out of it;
# - `"python"`: none of these. The host is in Python, preparing a batch or writing a log.
#
# Each of the last three has its own remedy: pinned memory, and copies that run beside the kernels;
# fewer and larger kernels; workers that prepare batches.

# %% [markdown]
# *Implement.* Write two things, about 5 lines in all if a timeline does the work:
#
# - `worst`: a dict from `"A"`, `"B"` and `"C"` to the name of the largest of the four.
# - `where_it_went(profile)`: a dict of seconds with all four names, even where a value is 0.
#   Together they add up to `profile.end_s`.
#
# `profile.kernels`, `profile.copies` and `profile.operators` are tuples of spans with `start_s` and
# `end_s`. Two kernels may overlap, on two streams. `line = clock.Timeline.of([interval("device",
# span), ...])` has *lanes*, which are rows with names of your choice. `line.busy_s("device")`
# counts overlapping time once. `line.waited_for("device", [first, second])` is a dict that divides
# up the lane's idle seconds until the last interval ends: each instant goes to the first of these
# lanes that was busy, or to `""` if none was.

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
# Now profile a step of your own. `profiles.profile(step)` runs it a few times under PyTorch's
# profiler. Without a GPU there is no device lane, so the operators that compute are *counted* as
# the kernels they would launch. (What the picture calls Python between operators includes pauses in
# which this machine did something else.)
#
# *Predict.* Adam updates 8 weight tensors one after another. For each of them, one operation counts
# the step, three update the two averages, three make the divisor and one moves the weights. How
# many kernels is that?

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
# On a CPU, the forward and backward passes are 26 of these, and the rest is the update. `foreach`
# hands over all tensors in one call per operation. On a GPU that is one kernel for many tensors; on
# a CPU it is still a loop. `fused` does all the operations in one kernel. (Besides it, the only
# kernels of the update left here are the 8 that count steps. On a GPU the counts are on the device,
# too, and one kernel updates them all.) If you choose neither, PyTorch uses `foreach` when the
# weights are on a GPU.
#
# `torch.compile` writes its own loops, with many operations in each. It needs a compiler and half a
# minute or more, so we counted once: the 64 operations of the update became 16 loops, two per
# tensor. In the forward and backward passes, 11 of the 26 are matrix products, which stay with the
# library, and the other 15 became 19 loops, so nothing was gained there. The last figure has times
# from GPUs.

# %%
see("training-step/compiled")
see("training-step/recorded")

# %% [markdown]
# The next cell writes PyTorch's own trace. Open it at https://ui.perfetto.dev and look around.

# %%
print(recorded.export("step.json"))

# %% [markdown]
# *Reflect.* Which of the four do you expect to be the largest in your own training? On a GPU,
# record one step and ask `where_it_went`. Without one, `recorded.costs()` lists the operators that
# take the longest.

# %% [markdown]
# ## What you take with you
#
# - The backward pass does two products for each one in the forward pass, so a step costs about
#   three forward passes. Norms and other elementwise work add few FLOP, but they move bytes, and
#   that takes time.
# - The host runs ahead of the device until a line needs a value, or a shape that depends on values.
#   Such lines look like any other, and one copy at the end can replace them all.
# - Judge a step by the device's idle time. A host that waits while the device computes costs
#   nothing; a device that waits for the host costs time.
#
# **Your number:** how often does a loop of your own make the host wait in one step? Go through its
# lines as you did here. On a GPU, `torch.cuda.set_sync_debug_mode("warn")` finds most of them.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - The opening's times: recorded on an H200 with PyTorch 2.11 (bfloat16 by autocast, fused
#   attention, AdamW). Its peak, 989 TFLOP/s dense in bfloat16: NVIDIA, *H200 Tensor Core GPU*.
# - X. Glorot and Y. Bengio, *Understanding the difficulty of training deep feedforward neural
#   networks*, AISTATS 2010 (saturation); K. He et al., *Delving Deep into Rectifiers*, 2015 (the
#   spread of weights that keeps a ReLU's numbers the same size).
# - N. Srivastava et al., *Dropout*, JMLR 15, 2014; J. Ba et al., *Layer Normalization*, 2016; A.
#   Vaswani et al., *Attention Is All You Need*, 2017, section 3.2.
# - J. Kaplan et al., *Scaling Laws for Neural Language Models*, 2020, section 2.1 (6 N D, and what
#   it leaves out).
# - D. Kingma and J. Ba, *Adam*, 2014 (its two averages).
# - PyTorch's documentation: "CUDA semantics" (asynchronous execution),
#   `torch.cuda.set_sync_debug_mode`, `torch.optim` (`foreach`, `fused`), `torch.profiler`.
# - Digits: scikit-learn's copy of E. Alpaydin and C. Kaynak, *Optical Recognition of Handwritten
#   Digits*, UCI Machine Learning Repository, 1998.
