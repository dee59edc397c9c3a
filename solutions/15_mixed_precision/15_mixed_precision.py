# %% [markdown]
# # How do you train in 16 bits without losing accuracy?
#
# Below are training runs of the same small GPT on a GPU, recorded in several formats. Their losses
# come down about equally well. One run isn't drawn: it kept *everything* in fp16, and its loss was
# NaN from the first step. The fp16 run in the figure does only a few things differently. You will
# build each of them.
#
# **You will be able to** keep updates and gradients from vanishing; say which operations need
# float32; train in 16 bits to the accuracy of 32; choose between bf16 and fp16.
#
# **You need** to know what a format keeps of a number (*Formats and tensor cores*), and a training
# loop in PyTorch; for the stretch exercise, Adam.
# **Time** about 105 minutes.

# %% role="setup"
from gpuedu import check, hint, measure, predict, progress, reveal, see, setup, training

import math

import numpy as np
import torch

setup("mixed-precision")

# %%
see("mixed-precision/recorded-losses")

# %% [markdown]
# Don't read a ranking into this figure. Each line is the median of three seeds, and the seed alone
# can move the final loss by 0.25: on a CPU, the same training in float32 ends at 2.41, 2.42 or
# 2.17, depending on the seed, while in bf16 each seed ends within 0.03 of its float32 run. To rank
# formats you'd need many seeds. What three can show is whether a format fails.

# %% [markdown] exercise="master-weights"
# ## Updates that vanish
#
# **`master-weights` · 6 points · about 25 minutes**
#
# A training step is an addition, too: a large weight plus a small update. If the update is less
# than half a step of the weight's format, the weight stays as it is, no matter how often that
# happens.
#
# *Predict.* A bf16 weight of 1 gets 1,000 updates of -0.001. Where does it end up?

# %% role="predict"
predict("master-weights", 0)

# %% [markdown]
# There are two ways out. With **master weights**, the optimizer also keeps each weight in float32,
# and updates that copy. With **stochastic rounding** there's no copy. A value between two neighbors
# is rounded up or down at random, so that it's right *on average*: a value 30% of the way from the
# lower neighbor to the upper one goes up in 30% of the draws.
#
# *Implement.* Write both: the first takes 2 to 3 lines, the second 5 to 7. The 16-bit dtype is
# float16 or bfloat16.
#
# - `master_step(master, gradient, lr)` takes a float32 `master` and a 16-bit `gradient`. It returns
#   the new master, and the new weights in the gradient's dtype, which the forward and backward
#   passes will use.
# - `round_stochastically(values, dtype, uniform)` takes float32 `values`, and for each of them a
#   number in `uniform`, drawn evenly from 0 to 1: that's your source of randomness. Both stay as
#   they are. Every value is below the dtype's largest number.

# %% [markdown]
# Here's what helps with the second one. `torch.finfo(dtype)` has `eps`, the step from 1 to the next
# number, and `smallest_normal`. The step at a number is `eps` times the power of 2 at or just below
# the number's size; below `smallest_normal` it doesn't get any shorter. `torch.frexp` is
# `math.frexp` for every number of a tensor, and `2.0 ** n` works if n is a tensor. If you divide a
# number by its step, you get how many steps long it is.


# %% role="answer"
def master_step(master, gradient, lr):
    ### BEGIN SOLUTION
    master = master - lr * gradient.float()
    return master, master.to(gradient.dtype)
    ### END SOLUTION


def round_stochastically(values, dtype, uniform):
    info = torch.finfo(dtype)
    ### BEGIN SOLUTION
    _, exponent = torch.frexp(values.abs().clamp(min=info.smallest_normal))
    step = info.eps * 2.0 ** (exponent - 1)
    steps = values / step
    lower = steps.floor()
    return ((lower + (uniform < steps - lower)) * step).to(dtype)
    ### END SOLUTION


# %% role="check"
check("master-weights", master_step, round_stochastically)

# %% [markdown]
# *See.* Here is the weight from the prediction, on its way to 0 under your functions.

# %%
see("master-weights", master_step, round_stochastically)
reveal("master-weights")

# %% [markdown]
# *Reflect.* Near 0 the steps are short, so a weight that has shrunk can move again: what vanishes
# depends on the size of the weight. A rule of thumb is that every update below
# `weight / 2**(M + 2)` is lost, and none above `weight / 2**(M + 1)`. In bf16 that's 1/512 and
# 1/256 of the weight.
#
# A master costs 4 bytes a weight. Stochastic rounding costs none, so a weight takes 2 bytes instead
# of 6. But it adds noise of up to a step to every update. Over many updates the noise mostly
# averages out, though with 7 bits of mantissa you can see it. People choose it when memory is what
# runs out.

# %% [markdown] exercise="loss-scaler"
# ## A scale that finds itself
#
# **`loss-scaler` · 7 points · about 30 minutes**
#
# A gradient below `2**-25` is 0 in fp16, and a master weight can't bring it back. But the chain
# rule is linear. If you multiply the *loss* by a **scale** S before `backward()`, every gradient on
# the way comes out S times as large. So scale the loss, let the gradients go through fp16, and
# divide them by S where there's room, in float32.
#
# Which S? If it's too small, gradients become 0. If it's too large, one of them becomes infinite,
# and a step with it would ruin all the weights. You can't know the right S in advance, and the
# gradients change in size from batch to batch, and as the model learns. So a **dynamic** scaler
# experiments: it raises S now and then, until some gradient is infinite or NaN. That step is
# *skipped*, which means that no weight moves, and S is halved.

# %% [markdown]
# *Predict.* A scaler doubles S after 2,000 good steps in a row. The gradients keep their size, and
# the scaler found its S long ago. Out of 1,000,000 steps, about how many does it skip?

# %% role="predict"
predict("loss-scaler", 500)

# %% [markdown]
# *Implement.* First write the decisions of `torch.amp.GradScaler`, in 5 to 6 lines.
# `next_scale(scale, good_steps, found_inf, growth, backoff, interval)` returns two numbers, the
# scale for the next step and a count. `good_steps` is that count before the step just done.
#
# - If `found_inf`, the step had an infinite or NaN gradient: multiply the scale by `backoff`, even
#   if it goes below 1, and start the count again at 0.
# - If the step was good but doesn't complete the `interval`, add 1 to the count.
# - If the step was good and completes the `interval`, multiply the scale by `growth` and start the
#   count again at 0. PyTorch keeps the scale as a float32, so if it would grow beyond the largest
#   float32, it stays as it is. The count starts again all the same.

# %% [markdown]
# Then write a step, in 9 to 12 lines. `scaled_step(weights, loss, scale, lr, max_norm)` takes an
# SGD step, w - lr * g, by way of the scaled loss, or skips it. It returns `found_inf`, which is
# True for a skipped step.
#
# - `weights` are float32 and require gradients. `loss` is float32, too, but the computation in
#   between runs in fp16. You can change such a weight in place only inside `with torch.no_grad():`.
# - If there's a single inf or NaN among all the gradients, no weight moves.
# - Clip: laid end to end, the true gradients have a norm (a length). If it's above `max_norm`,
#   shorten all of them by one factor, down to that norm.
# - Leave nothing in `weight.grad` that could reach the next step, not even after a skipped one:
#   `backward()` adds to what's there.


# %% role="answer"
def next_scale(scale, good_steps, found_inf, growth, backoff, interval):
    ### BEGIN SOLUTION
    if found_inf:
        return scale * backoff, 0
    if good_steps + 1 < interval:
        return scale, good_steps + 1
    grown = scale * growth
    return (grown if grown <= torch.finfo(torch.float32).max else scale), 0
    ### END SOLUTION


def scaled_step(weights, loss, scale, lr, max_norm):
    ### BEGIN SOLUTION
    (loss * scale).backward()
    gradients = [weight.grad / scale for weight in weights]
    row = torch.cat([gradient.flatten() for gradient in gradients])
    found_inf = not row.isfinite().all()
    if not found_inf:
        factor = min(1.0, max_norm / row.norm())
        with torch.no_grad():
            for weight, gradient in zip(weights, gradients, strict=True):
                weight -= lr * factor * gradient
    for weight in weights:
        weight.grad = None
    return found_inf
    ### END SOLUTION


# %% role="check"
check("loss-scaler", next_scale, scaled_step)

# %% [markdown]
# *See.* Your scaler trains a small model on digits. It starts much too high, and tries a larger
# scale after every 25 good steps. A circle is a skipped step, and a dot is the largest scale that
# its batch allows.

# %%
see("loss-scaler", next_scale, scaled_step)
reveal("loss-scaler")

# %% [markdown]
# *Reflect.* Losing one step in 2,001 costs you nothing. But a model that overflows at *every* scale
# (its activations are infinite, say) drives S down, step by step, and learns nothing, so print the
# scale of a run now and then. bf16 has the range of float32, so it needs no scaler. And a
# checkpoint has to keep the scale and the count, as it keeps the optimizer's state.
#
# In PyTorch, all of this comes ready-made. An ordinary training loop has four calls to the scaler,
# in this order:

# %% [markdown]
# ```python
# scaler = torch.amp.GradScaler("cuda")
# for x, y in batches:
#     optimizer.zero_grad()
#     with torch.autocast("cuda", torch.float16):
#         loss = loss_of(model(x), y)
#     scaler.scale(loss).backward()
#     scaler.unscale_(optimizer)  # before you clip: now the gradients have their true size
#     torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
#     scaler.step(optimizer)  # skipped if a gradient is inf or NaN
#     scaler.update()  # the next scale
# ```

# %% [markdown]
# If you forget `unscale_`, you get no error: you clip gradients that are S times too large, so
# nearly every step is cut far too short. For bf16, put `torch.bfloat16` into `autocast` and drop
# the scaler: three plain calls, `loss.backward()`, the clipping, and `optimizer.step()`. What
# `autocast` does comes next.

# %% [markdown] exercise="autocast"
# ## Who needs float32?
#
# **`autocast` · 6 points · about 20 minutes**
#
# Keep the weights in float32, and leave the choice to PyTorch. Inside `with torch.autocast("cuda",
# torch.float16):` it converts the inputs of many operations. Products go to 16 bits, for the matrix
# units. Operations that easily overflow or lose digits go to float32. `backward()` belongs outside
# the block, because it runs in the dtypes of the forward pass anyway. With a `GradScaler` next to
# it, this is PyTorch's usual way to train in fp16.
#
# *Predict.* Inside the block, `h` is float16. Which is computed in float32: `"both"`, `"neither"`,
# `"only h * h"` or `"only h ** 2"`?

# %% role="predict"
predict("autocast", "only h ** 2")

# %%
see("mixed-precision/autocast-lists")

# %% [markdown]
# *Implement.* First fill in the table: which dtype does each expression end up with on CUDA? `x`
# and `w` are float32, `h` is float16, `y` holds classes, and `F` is `torch.nn.functional`. In a
# chain of operations, the last one counts. Choose from `"float16"`, `"float32"` and `"float64"`.

# %% role="answer"
### BEGIN SOLUTION
runs_in = {
    "x @ w": "float16",
    "torch.relu(x @ w)": "float16",
    "h + x": "float32",
    "h * h": "float16",
    "h ** 2": "float32",
    "h.sum()": "float32",
    "h.mean()": "float16",
    "torch.exp(h)": "float32",
    "torch.softmax(h, 1)": "float32",
    "F.layer_norm(h, (8,)) @ w": "float16",
    "F.cross_entropy(h, y)": "float32",
    "x.double() @ w.double()": "float64",
}
### END SOLUTION

# %% [markdown]
# Autocast's lists know only the names of operations, not how large the numbers are. Below is a
# model of two layers whose hidden numbers are divided by their size, and its loss for answers
# `yes`, which are 1 or 0. Under autocast, *two* of its operations can break it, on CUDA just as on
# a CPU. Sometimes the result is inf or NaN. Sometimes it's a fine-looking number, and wrong: 0.693
# is ln 2, the loss you get if you know nothing and always say 1/2.


# %% role="given"
def half_loss(x, w1, w2, yes):
    h = torch.relu(x @ w1)  # 1
    size = (h * h).mean(dim=1, keepdim=True).sqrt()  # 2
    z = (h / (size + 1e-5)) @ w2  # 3
    p = torch.sigmoid(z)  # 4: the probability of a yes
    each = yes * torch.log(p) + (1 - yes) * torch.log(1 - p)  # 5
    return -each.mean()  # 6


x, w1, w2, yes = torch.ones(4, 8), torch.ones(8, 8), torch.ones(8, 1) / 4, torch.ones(4, 1)
with torch.autocast("cpu", torch.float16):
    for more_x, more_w2 in ((1, 1), (10, 1), (100, 1), (1, 6)):
        loss = half_loss(more_x * x, w1, more_w2 * w2, yes)
        print(f"x times {more_x}, w2 times {more_w2}: loss {loss:.3f}")

# %% [markdown]
# *Implement.* Write `safe_loss`, the same loss, to be called inside autocast. Take `half_loss` and
# change 2 places.
#
# - It is right for large hidden numbers, too, and for a model that is nearly certain (scores z from
#   -20 to 20).
# - It leaves its arguments as they are, and both products stay in 16 bits.
#
# For one of the places `t.float()` is enough: it's `t` in float32, and what you compute from it is
# float32 as well, up to the next matrix product. For the other it isn't, because near 1 even
# float32 runs out of numbers. There, don't compute a probability at all: look in
# `torch.nn.functional` for this loss as a function of the scores ("logits"). The check calls
# `safe_loss` on a CPU, under the CPU's autocast.


# %% role="answer"
def safe_loss(x, w1, w2, yes):
    ### BEGIN SOLUTION
    hidden = torch.relu(x @ w1).float()
    hidden = hidden / ((hidden * hidden).mean(dim=1, keepdim=True).sqrt() + 1e-5)
    scores = (hidden @ w2).float()
    return torch.nn.functional.binary_cross_entropy_with_logits(scores, yes)
    ### END SOLUTION


# %% role="check"
check("autocast", runs_in, safe_loss)

# %% [markdown]
# *See.* The table shows what this machine's CPU makes of the same expressions: it has its own
# lists. The pictures show the two losses, for larger and larger inputs, and for scores farther and
# farther from 0. There, a third line has `.float()` in front of the sigmoid. It breaks later, but
# it breaks.

# %%
see("autocast", runs_in, safe_loss)
see("mixed-precision/large-inputs", half_loss, safe_loss)
see("mixed-precision/certain-scores", half_loss, safe_loss)
reveal("autocast")

# %% [markdown]
# *Reflect.* The second break shows only when a model is nearly certain: late in training, when
# everything has worked for days. And a recipe that was tested on one device may break on another,
# since the lists differ. So write down what you rely on.
#
# `.float()` helps where squares or sums grow too large. It doesn't save the logarithm of a
# probability: computed from a float32 probability, the loss of a right answer is 17% off at a score
# of 15, and NaN from 17 on. A loss that takes scores is right at any score. Use
# `binary_cross_entropy_with_logits` for two classes, and `cross_entropy` for more.

# %% [markdown] exercise="same-accuracy"
# ## In 16 bits, to the same accuracy
#
# **`same-accuracy` · 6 points · about 25 minutes**
#
# Now put it all together. The task is small, digits and two layers, but we've made it hard for fp16
# in the same three ways as large models are:
#
# - The images come from a scanner with gray levels up to 4,080, and each image is first divided by
#   the root of the mean of its squares.
# - The loss of a batch is divided by `n = 2**26`, as if the batch had 67 million tokens.
# - All weights start as 1 or -1, and nearly every update is below 0.0002. From 1 down, the next
#   fp16 number is 0.00049 away, and half of that is 0.00024.


# %% role="given"
def half_step(weights, images, labels, rate, n):
    inner, outer = [weight.detach().requires_grad_() for weight in weights]
    size = (images * images).mean(dim=1, keepdim=True).sqrt()
    scores = torch.relu((images / size) @ inner) @ outer
    loss = torch.nn.functional.cross_entropy(scores, labels, reduction="sum") / n
    gradients = torch.autograd.grad(loss, [inner, outer])
    return [weight.detach() - rate * g for weight, g in zip(weights, gradients, strict=True)]


n, batch = 2**26, training.load_digits().train.take(64)
images, labels = batch.inputs.flatten(1) * 4080, batch.targets
signs = 2.0 * torch.randint(2, (64, 74), generator=torch.Generator().manual_seed(10)) - 1
inner, outer = signs[:, :64], signs[:, 64:]
weights = [torch.cat([inner, inner], dim=1), torch.cat([outer, -outer])]  # all scores start at 0
rate = 7.5e-5 * n / 64
moved = half_step(weights, images, labels, rate, n)
updates = [(after - before).abs().max() for before, after in zip(weights, moved, strict=True)]
print(f"rate {rate:.1f}, in float32 the largest update is {max(updates):.6f}")

# %% [markdown]
# With float32 weights and images, as in this cell, that trains well. With `images.half()` and
# float16 weights, everything in `half_step` is computed in fp16, including `rate * g`.
#
# *Predict.* There are 9,472 weights. After 100 such steps in fp16, how many of them have changed?
#
# After your prediction, you'll see the gradients of the first step, as they are and times `2**16`.
# How many of them would fp16 keep?

# %% role="predict"
predict("same-accuracy", 0)

# %% [markdown]
# In the check, `n` is `2**10`, `2**26` or `2**30`. A constant scale of `2**16` fits them all. But
# in fp16 that number itself is infinite, so in which dtype must the loss be?

# %%
see("mixed-precision/before-and-after")

# %% [markdown]
# *Implement.* Train with fp16 weights, fp16 gradients and fp16 products, and end up where float32
# does. The first function takes 1 line, the second 10 to 14.
#
# - `begin(weights)` returns whatever you want to keep between steps; `weights` are the two float32
#   ones, and stay as they are.
# - `train_step(state, images, labels, rate, n)` takes an SGD step, keeps what it needs in `state`,
#   and returns the two new weights as float16. `images` are float16. Batches, the rate and `n` may
#   change from call to call, and two runs may take turns, each with its own `state`.
# - Every matrix product, forward and backward, gets float16: the check notes the dtypes of both
#   factors of each. Everything else may be float32 where it has to be.


# %% role="answer"
def begin(weights):
    ### BEGIN SOLUTION
    return {"masters": [weight.clone() for weight in weights]}
    ### END SOLUTION


def train_step(state, images, labels, rate, n):
    ### BEGIN SOLUTION
    scale = 2.0**16
    copies = [master.half().requires_grad_() for master in state["masters"]]
    wide = images.float()
    wide = wide / (wide * wide).mean(dim=1, keepdim=True).sqrt()
    outputs = (torch.relu(wide.half() @ copies[0]) @ copies[1]).float()
    total = torch.nn.functional.cross_entropy(outputs, labels, reduction="sum")
    scaled = torch.autograd.grad(total / n * scale, copies)
    pairs = zip(state["masters"], scaled, strict=True)
    state["masters"] = [master - rate * (g.float() / scale) for master, g in pairs]
    return [master.half() for master in state["masters"]]
    ### END SOLUTION


# %% role="check"
check("same-accuracy", begin, train_step)

# %% [markdown]
# *See.* Here is your run, next to one in float32 and one in fp16 alone, with the same batches.

# %%
see("same-accuracy", begin, train_step)
reveal("same-accuracy")

# %%
for name, share in measure("same-accuracy", begin, train_step).items():
    print(f"{name}: {share:.1%} of the held-out digits are right")

# %% [markdown]
# In the first steps your run may trail a little, because the masters move at once, but their fp16
# copies move only when the updates add up to half a step. What's left at the end is rounding: a
# little more loss or a little less, depending on the seed.
#
# **What about memory?** The figure shows a model with many samples in a batch, trained under
# autocast. Its bytes are counted at the step's peak, when it holds the most memory.

# %%
see("mixed-precision/step-memory")

# %% [markdown]
# *Reflect.* What is saved for the backward pass nearly halves, and so does what both passes move.
# Weights and optimizer state don't shrink. Autocast keeps them in float32: a weight (4 bytes), its
# gradient (4) and Adam's two numbers (8) are 16 bytes. Then there are 2 more for the 16-bit copy
# of each weight, which autocast makes at the first product and caches until the block ends, and
# which the backward pass needs as well.
#
# With 16-bit weights, as in your `train_step`, it's 2 for the copy, 2 for its gradient, 4 for the
# master and 8 for Adam: 16 again. So 16 bits save memory if batches are large or texts are long. A
# model whose weights and state don't fit won't fit now, either.

# %% [markdown] exercise="adam-in-half"
# ## Stretch: Adam in half
#
# **`adam-in-half` · 6 points · stretch · about 20 minutes**
#
# For each weight, Adam keeps two more numbers: m, a running mean of its gradients, and v, one of
# their squares. A step is the rate times m / (root of v + `eps`). Both start at 0, so they're too
# small at first: after one step, m is 0.1 of the gradient and v is 0.001 of its square. Dividing by
# `1 - beta ** step` puts that right. Below, all of it is in fp16. The formulas are right, and yet
# the result is useless.
#
# *Predict.* What does its `eps` become in fp16: `"0"`, `"the smallest number, 6e-8"` or `"about
# 1e-8"`?

# %% role="predict"
predict("adam-in-half", "0")


# %% role="given"
def second_moment(gradient, beta2):
    return (1 - beta2) * gradient * gradient


def adam_in_half(weight, gradient, state, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    state["step"] += 1
    state["m"] = beta1 * state["m"] + (1 - beta1) * gradient
    state["v"] = beta2 * state["v"] + second_moment(gradient, beta2)
    m = state["m"] / (1 - beta1 ** state["step"])
    v = state["v"] / (1 - beta2 ** state["step"])
    return weight - lr * m / (v.sqrt() + eps)


weight = torch.ones(4, dtype=torch.float16)
state = {"step": 0, "m": torch.zeros_like(weight), "v": torch.zeros_like(weight)}
gradient = torch.tensor([0.1, 0.001, 0.0, 300.0]).half()
print(adam_in_half(weight, gradient, state, lr=0.001))

# %% [markdown]
# Of the four gradients, only one gets the right update. Find out what went wrong with the other
# three.
#
# *Implement.* Write three functions of 2 to 3 lines each; `adam_step` needs 9 if you don't use
# `adam_in_half` in it.
#
# - `smallest_gradient(beta2)` returns the smallest fp16 gradient above 0 whose `second_moment`
#   isn't 0. There are only 31,743 positive fp16 numbers: their patterns are 1 to 31743.
# - `begin(weight)` returns the state, whatever you like to keep, for fp16 weights.
# - `adam_step(state, gradient, lr)` takes a step, keeps what it needs in `state`, and returns the
#   new fp16 weights, which should be those of Adam in float32, rounded. The check also passes other
#   values for `beta1`, `beta2` and `eps`, and keeps several states at once, one for each weight.


# %% role="answer"
def smallest_gradient(beta2):
    ### BEGIN SOLUTION
    every = torch.arange(1, 31744, dtype=torch.int16).view(torch.float16)
    return every[second_moment(every, beta2) > 0].min()
    ### END SOLUTION


def begin(weight):
    ### BEGIN SOLUTION
    zeros = torch.zeros_like(weight, dtype=torch.float32)
    return {"step": 0, "m": zeros, "v": zeros, "master": weight.float()}
    ### END SOLUTION


def adam_step(state, gradient, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    ### BEGIN SOLUTION
    state["master"] = adam_in_half(state["master"], gradient.float(), state, lr, beta1, beta2, eps)
    return state["master"].half()
    ### END SOLUTION


# %% role="check"
check("adam-in-half", smallest_gradient, begin, adam_step)

# %%
see("adam-in-half", adam_in_half, begin, adam_step)
reveal("adam-in-half")
print("the smallest gradient whose v is not 0:", smallest_gradient(0.999))

# %% [markdown]
# *Reflect.* Here is what went wrong. For 0.001, v should be 1e-9, but it's 0, so the update is m /
# 0, which is infinite. For 0, it's 0 / 0, because `eps` is 0, too. For 300, v is 90, but v / 0.001
# overflows, and m / infinity is 0.
#
# The repaired Adam keeps 2 bytes for each weight, 2 for its gradient, and 4 each for the master, m
# and v. That's 16, as many as in fp32. Mixed precision saves on activations, traffic and time, not
# on state.

# %% [markdown]
# ## What you take with you
#
# - To train in fp16, multiply in fp16, but keep float32 master weights, scale the loss, and skip
#   the steps that overflow. Totals, norms and losses stay in float32.
# - bf16 has float32's range, so it needs no scaler. Where your hardware has it, start with
#   autocast and bf16; take fp16 on older devices, or where digits matter more than range.
# - Sixteen bits halve activations and traffic. Weights, gradients and Adam's numbers still take 16
#   bytes for each weight.
#
# **And 8 bits?** A small model's gradients lose 7% of their numbers in e5m2, and half in e4m3.
# Matrix products work all the same, with weights and activations in e4m3, gradients in e5m2, and a
# scale for each tensor. Many models trained that way came out as accurate as in 16 bits. Some newer
# recipes use e4m3 alone, with a scale for each small block. Everything else stays in 16 or 32 bits.
#
# **Your number:** the accuracy of your training in 16 bits, measured above, next to float32's.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Master weights, gradients that vanish: P. Micikevicius et al., *Mixed Precision Training*, ICLR
#   2018 (arXiv 1710.03740). Stochastic rounding in training: S. Gupta et al., *Deep Learning with
#   Limited Numerical Precision*, ICML 2015 (arXiv 1502.02551).
# - 8 bits: P. Micikevicius et al., *FP8 Formats for Deep Learning*, 2022 (arXiv 2209.05433). A
#   scale for each block: DeepSeek-V3 (below), section 3.3.
# - The scaler: PyTorch, `torch.amp.GradScaler` and the kernel `_amp_update_scale_`; that it may go
#   below 1: documentation of `torch.amp`, "Gradient Scaling". The loop: PyTorch, "Automatic Mixed
#   Precision examples". Autocast's lists, and what is left as it is: documentation of `torch.amp`,
#   "Autocast Op Reference". The CPU's dtypes are computed when you look.
# - 16 bytes a weight: S. Rajbhandari et al., *ZeRO: Memory Optimizations Toward Training Trillion
#   Parameter Models*, SC 2020, section 3.1. Batches of 63 million tokens (15,360 sequences of 4K):
#   DeepSeek-AI, *DeepSeek-V3 Technical Report*, 2024 (arXiv 2412.19437), section 4.2.
# - Adam: D. P. Kingma and J. Ba, *Adam: A Method for Stochastic Optimization*, ICLR 2015.
