# %% [markdown]
# # How few bits can you train with?
#
# Numbers of 16 bits take half the memory and half the traffic of those with 32, and on an H200
# the matrix units compute 15 times as many of them in a second as the units for fp32 do (data
# sheet, dense). Below are the gradients of a small model. How many are still there in 16 bits,
# how many in 8?
#
# **You will be able to** say what a format keeps of a number and what it loses; add in 16 bits
# without losing the sum; train in 16 bits to the accuracy of 32; say which operations need more.
#
# **You need** a training loop in PyTorch, sums in rounds (*Cooperation*); for one of the stretch
# exercises, Adam.
# **Time** about 165 minutes, two sittings: the first ends with `master-weights`.

# %% role="setup"
import math

import numpy as np
import torch

from gpuedu import check, cp, hint, measure, predict, progress, reveal, see, setup, training

setup("mixed-precision")

# %%
see("mixed-precision/gradients")

# %% [markdown]
# A bar begins at a format's smallest number. What is at most half of that (one power of 2 further
# left) becomes 0. In the striped stretch a number loses digits, one by one. To the right of the bar
# it becomes infinite, or the largest number there is. And in between, every format has its own
# number of digits. So there are three ways to lose: too small, too large, too few digits. All three
# happen to training runs.

# %% [markdown] exercise="float-anatomy"
# ## What the bits of a number say
#
# **`float-anatomy` · 8 points · about 35 minutes**
#
# From left to right: one bit for the **sign** (1 is minus), E bits for the **exponent field**, M
# bits for the **mantissa**. More E is more range, more M is more digits.

# %%
see("mixed-precision/formats")

# %% [markdown]
# One by hand: the pattern 0x3c01 in fp16 is `0 01111 0000000001` in bits. The sign is plus, the
# field is 15, the mantissa 1. The field counts from a **bias**, 15 in fp16: the exponent is
# 15 - 15 = 0. The mantissa counts steps of 1/1024 above 1. So it is (1 + 1/1024) * 2**0, the next
# number after 1. And 0xc400 is `1 10001 0000000000`: -(1 + 0/1024) * 2**(17 - 15) = -4.

# %% [markdown]
# With the field f and the mantissa m as whole numbers, and `bias = 2 ** (E - 1) - 1`:
#
# - **normal**, f from 1 to the last but one: the size is `(1 + m / 2**M) * 2.0 ** (f - bias)`. The
#   1 takes no bit, it is *hidden*. So there are 2**M steps from 1 to 2, and as many, twice as long,
#   from 2 to 4.
# - **subnormal**, f = 0: `m / 2**M * 2.0 ** (1 - bias)`. No hidden 1: the steps stay as long as
#   those of f = 1, down to 0. There is a 0 and a -0.
# - **the last f**, all ones: infinity if m is 0, else NaN. e4m3 has no infinity: there this f
#   holds normal numbers, too, up to 448, and only m of all ones is NaN.
#
# *Predict.* fp16 has M = 10. Which is the next fp16 number above 2048?

# %% role="predict"
predict("float-anatomy", 2049)

# %% [markdown]
# *Implement.* Both functions, once for all formats; 7 to 9 lines each.
#
# - `decode(bits, E, M, has_infinity)`: the number (a float) that a pattern (an int) stands for.
# - `encode(value, E, M, has_infinity)`: the pattern for a float. (Each `value` is a number of
#   float32.)
#
# | `value` | becomes |
# |---|---|
# | between two numbers | the nearer; half way, the one whose pattern is even |
# | infinite, or half a step past the largest | infinity; e4m3 has none and *saturates*: 448 |
# | NaN | NaN, any pattern of it |
# | 0.0, -0.0, and what rounds to 0 | 0, with the sign of `value` |

# %% [markdown]
# So round first, then ask whether it is too large. PyTorch 2.13 saturates in e4m3; the standard
# allows NaN as well.
#
# `math.frexp(x)` is `(m, e)` with x = m * 2**e and m from 0.5 to below 1; for 0.0 it is `(0.0, 0)`.
# `math.copysign(1, x)` is -1.0 for -0.0, too. Python's `round` takes a tie to the even number.


# %% role="given"
formats = {"fp16": (5, 10, True), "bf16": (8, 7, True), "tf32": (8, 10, True)}
formats |= {"e5m2": (5, 2, True), "e4m3": (4, 3, False)}


# %% role="answer"
def decode(bits, E, M, has_infinity):
    bias, last = 2 ** (E - 1) - 1, 2**E - 1
    ### BEGIN SOLUTION
    sign = -1.0 if bits >> (E + M) else 1.0
    field, mantissa = bits >> M & last, bits & (2**M - 1)
    if field == last and has_infinity:
        return sign * math.inf if mantissa == 0 else math.nan
    if field == last and mantissa == 2**M - 1:
        return math.nan
    steps = mantissa + 2**M if field else mantissa
    return sign * steps * 2.0 ** (max(field, 1) - bias - M)
    ### END SOLUTION


def encode(value, E, M, has_infinity):
    bias, last = 2 ** (E - 1) - 1, 2**E - 1
    ### BEGIN SOLUTION
    sign = (math.copysign(1, value) < 0) << (E + M)
    too_large = last << M if has_infinity else (last << M) + 2**M - 2
    if math.isnan(value):
        return 2 ** (E + M) - 1
    if value == 0 or math.isinf(value):
        return sign | (too_large if value else 0)
    exponent = max(math.frexp(abs(value))[1] - 1, 1 - bias)
    steps = round(abs(value) * 2.0 ** (M - exponent))
    return sign | min(steps + ((exponent + bias - 1) << M), too_large)
    ### END SOLUTION


# %% role="check"
check("float-anatomy", decode, encode)

# %% [markdown]
# *See.* Numbers of many sizes, encoded and decoded again by your functions: the worst relative
# error of each octave. Where is a curve flat, where does it rise, where does it end, and why?

# %%
see("float-anatomy", decode, encode)
reveal("float-anatomy")

# %% [markdown]
# *Reflect.* Flat: normal numbers, as many digits in every octave. Rising to the left: subnormal,
# the steps stay and the numbers shrink. Ending: infinity; e4m3 saturates instead, and rises. bf16
# is the left half of a float32: its range, few digits. fp16 has eight times as many steps.
#
# Patterns count up as their numbers do: the one after the last of an octave is the first of the
# next, that after the last subnormal the first normal. So a carry out of the mantissa is right by
# itself. PyTorch's own conversions, for four numbers:

# %%
x = torch.tensor([2049.0, 0.1, 1e-8, 70_000.0])
for dtype in (torch.float16, torch.bfloat16, torch.float8_e5m2, torch.float8_e4m3fn):
    print(f"{dtype!s:22}", x.to(dtype).tolist())

# %% [markdown]
# Column by column: 2049 lies half way in fp16 and goes to the even pattern; nobody has 0.1, and the
# fewer bits, the further off; 1e-8 is left in bf16 alone; 70,000 is infinite in fp16 and e5m2, and
# 448 in e4m3.

# %% [markdown] exercise="accumulate"
# ## What a sum loses
#
# **`accumulate` · 7 points · about 25 minutes**
#
# A number is rounded once when it is stored. In a sum the *total* is rounded, again and again, and
# it is large while what is added is small. Every dot product of a layer is such a sum.
#
# *Predict.* Beginning with 0, you add 0.01 in fp16, thousands of times. Beyond which value does the
# total never get?

# %% role="predict"
predict("accumulate", 64)

# %% [markdown]
# *Implement.* `values`, `a` and `b` are float16 arrays of NumPy, which rounds each `+`, `-` and `*`
# of float16 to float16 (inside of `np.sum` and `np.dot` it does not). They stay as they are, and
# the sum of no numbers is 0.
# 1 to 7 lines each.
#
# - `running_sum(values)`: from the first to the last.
# - `pairwise_sum(values)`: in rounds. Each leaves half as many numbers, until there is one: add
#   neighbors, or the first half and the second, as you like. Their number is a power of 2, or 0.
# - `dot(a, b)`: what a GPU's matrix units do with float16: products that are not rounded (two
#   mantissas of 11 bits make one of 22: float32 has room), added up in float32, or in float64.

# %% [markdown]
# - `kahan_sum(values)`: a running sum with a memory, `lost`, 0 at first. Of each value, `value +
#   lost` is what the total should grow by. Add that. By how much did the total really grow? The
#   difference is the new `lost`. All of it in float16. (W. Kahan, 1965)


# %% role="answer"
def running_sum(values):
    ### BEGIN SOLUTION
    total = np.float16(0)
    for value in values:
        total = total + value
    return total
    ### END SOLUTION


def pairwise_sum(values):
    ### BEGIN SOLUTION
    while len(values) > 1:
        values = values[0::2] + values[1::2]
    return values.sum()
    ### END SOLUTION


# %% role="answer"
def kahan_sum(values):
    ### BEGIN SOLUTION
    total = lost = np.float16(0)
    for value in values:
        wanted = value + lost
        new = total + wanted
        lost = wanted - (new - total)
        total = new
    return total
    ### END SOLUTION


def dot(a, b):
    ### BEGIN SOLUTION
    return np.dot(a.astype(np.float32), b.astype(np.float32))
    ### END SOLUTION


# %% role="check"
check("accumulate", running_sum, pairwise_sum, kahan_sum, dot)

# %%
see("accumulate", running_sum, pairwise_sum, kahan_sum, dot)
reveal("accumulate")

# %% [markdown]
# *Reflect.* The running sum is wrong long before it stops: it grows too slowly, then too fast. In
# the pairwise one, both numbers of an addition are of about the same size, and each number goes
# through only log2 n roundings; the sum of a block of threads is of that kind by itself. Kahan's is
# as good in any order, for four operations a number and no more bits: where nothing wider exists,
# or where float64 is slow. A GPU seldom needs it: fp32 for the total costs a few registers, while
# what lies in memory keeps its 16 bits.

# %% [markdown] exercise="master-weights"
# ## Updates that vanish
#
# **`master-weights` · 6 points · about 25 minutes**
#
# A step of training is an addition, too: a large weight, a small update. If the update is less
# than half a step of the weight's format, the weight stays as it is, however often that happens.
#
# *Predict.* A bf16 weight of 1 gets 1,000 updates of -0.001. Where does it end?

# %% role="predict"
predict("master-weights", 0)

# %% [markdown]
# There are two ways out. **Master weights**: the optimizer keeps each weight in float32 too, and
# updates that. **Stochastic rounding**: no copy, but what lies between two neighbors is rounded
# up or down by chance, so that it is right *on average*: if it lies 30% of the way from the lower
# neighbor to the upper one, it goes up in 30% of the draws.
#
# *Implement.* The 16-bit dtype is float16 or bfloat16. 2 to 3 lines and 5 to 7.
#
# - `master_step(master, gradient, lr)`: `master` is float32, `gradient` has 16 bits. Return the new
#   master and the new weights in the gradient's dtype, which forward and backward will use.
# - `round_stochastically(values, dtype, uniform)`: `values` is float32; `uniform` has a number for
#   each, drawn evenly from 0 to 1: your chance. Both stay as they are. Every value is below the
#   dtype's largest number.

# %% [markdown]
# Helpful for the second: `torch.finfo(dtype)` has `eps`, the step from 1 to the next number, and
# `smallest_normal`; the step is `eps` times the power of 2 at or below a number's size, and below
# `smallest_normal` it gets no shorter. `torch.frexp` is `math.frexp` for every number of a tensor,
# and `2.0 ** n` works where n is a tensor. Divided by its step, a number is so many steps long.


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
# *See.* The weight of the prediction, on its way to 0 by your functions.

# %%
see("master-weights", master_step, round_stochastically)
reveal("master-weights")

# %% [markdown]
# *Reflect.* Near 0 the steps are short, so a weight that has shrunk can move again: what vanishes
# depends on the size of the weight. A rule of thumb: below weight / 2**(M + 2) every update is
# lost, above weight / 2**(M + 1) none. In bf16 that is 1/512 and 1/256 of the weight.
#
# A master costs 4 bytes a weight. Chance costs none: a weight takes 2 bytes instead of 6. It adds
# noise of up to a step to every update, which over many updates mostly averages out; with 7 bits of
# mantissa it is seen. It is chosen where memory is what runs out.

# %% [markdown] exercise="loss-scaler"
# ## A scale that finds itself
#
# **`loss-scaler` · 7 points · about 30 minutes**
#
# A gradient below 2**-25 is 0 in fp16, and a master weight cannot bring it back. But the chain rule
# is linear: if the *loss* is multiplied by a **scale** S before `backward()`, every gradient on the
# way comes out S times as large. So scale the loss, let the gradients go through fp16, and divide
# them by S where there is room: in float32.
#
# Which S? Too small, and gradients become 0. Too large, and one becomes infinite, and a step with
# it would ruin all weights. Nobody knows S beforehand, and from batch to batch and while a model
# learns, the size of its gradients changes. So a **dynamic** scaler tries: S goes up now and then,
# until a gradient is infinite or NaN. That step is *skipped*: no weight moves, and S is halved.

# %% [markdown]
# *Predict.* A scaler doubles S after 2,000 good steps in a row. The gradients keep their size, and
# it has long found its S. Of 1,000,000 steps, about how many does it skip?

# %% role="predict"
predict("loss-scaler", 500)

# %% [markdown]
# *Implement.* First the decisions of `torch.amp.GradScaler`, in 5 to 6 lines.
# `next_scale(scale, good_steps, found_inf, growth, backoff, interval)` returns two numbers, the
# scale of the next step and a count; `good_steps` is that count before the step just done.
#
# - `found_inf`, that step had an infinite or NaN gradient: the scale is multiplied by `backoff`,
#   and may go below 1. The count begins again at 0.
# - The step was good, and the `interval` is not full with it: one more is counted.
# - The step was good and fills the `interval`: the scale is multiplied by `growth`, and the count
#   begins again. PyTorch keeps the scale as a float32: where it would grow beyond the largest one,
#   it stays as it is. The count begins again all the same.

# %% [markdown]
# Then a step, in 9 to 12 lines. `scaled_step(weights, loss, scale, lr, max_norm)` takes a step of
# SGD, w - lr * g, by way of the scaled loss, or skips it; it returns `found_inf`, True for a
# skipped one.
#
# - `weights` are float32 and ask for gradients; their way to `loss` leads through fp16. Such a
#   weight can be changed in place only inside of `with torch.no_grad():`.
# - One inf or NaN among all gradients, and no weight moves.
# - Clipping: as one long row, the true gradients have a norm (a length). Above `max_norm`, all of
#   them are shortened by one factor, down to that norm.
# - Nothing that is left in `weight.grad` may reach the next step, after a skipped one either:
#   `backward()` adds to what is there.


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
# *See.* Your scaler trains a small model on digits. It begins much too high and tries again after
# 25 good steps. A circle is a skipped step; a dot is the largest scale that this batch allows.

# %%
see("loss-scaler", next_scale, scaled_step)
reveal("loss-scaler")

# %% [markdown]
# *Reflect.* Losing one step in 2,001 costs nothing. But a model that overflows at *every* scale
# (its activations are infinite, say) drives S down, step by step, and learns nothing: print the
# scale of a run now and then. bf16 has the range of float32, so it needs no scaler. And a
# checkpoint keeps the scale and the count, as it keeps the optimizer's state.

# %% [markdown] exercise="autocast"
# ## Who needs float32?
#
# **`autocast` · 6 points · about 20 minutes**
#
# Weights stay float32, and inside of `with torch.autocast("cuda", torch.float16):` PyTorch converts
# what goes into an operation, one by one: products to 16 bits, where the matrix units are; what
# easily overflows or loses digits to float32. `backward()` stands outside: it runs in the dtypes of
# forward. With a `GradScaler` beside it, this is PyTorch's usual way to train in fp16.
#
# *Predict.* In that block, `h` is float16. Which is computed in float32: `"both"`, `"neither"`,
# `"only h * h"` or `"only h ** 2"`?

# %% role="predict"
predict("autocast", "only h ** 2")

# %%
see("mixed-precision/autocast-lists")

# %% [markdown]
# *Implement.* First the table: in which dtype does each expression end on CUDA? `x` and `w` are
# float32, `h` is float16, `y` holds classes, `F` is `torch.nn.functional`. For a chain of
# operations it is the last one that counts. Choose from `"float16"`, `"float32"` and `"float64"`.

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
# Lists know names, not sizes of numbers. Here is a model of two layers whose hidden numbers are
# divided by their size, with its loss for answers `yes`, 1 or 0. Under autocast, *two* of its
# operations can break it, on CUDA as on a CPU. Sometimes the result is inf or NaN; sometimes it is
# a fine number, and wrong: 0.693 is ln 2, the loss of somebody who knows nothing and says 1/2.


# %% role="given"
def half_loss(x, w1, w2, yes):
    h = torch.relu(x @ w1)  # 1
    size = (h * h).mean(dim=1, keepdim=True).sqrt()  # 2
    z = (h / (size + 1e-5)) @ w2  # 3
    p = torch.sigmoid(z)  # 4: the chance that the answer is yes
    each = yes * torch.log(p) + (1 - yes) * torch.log(1 - p)  # 5
    return -each.mean()  # 6


x, w1, w2, yes = torch.ones(4, 8), torch.ones(8, 8), torch.ones(8, 1) / 4, torch.ones(4, 1)
with torch.autocast("cpu", torch.float16):
    for more_x, more_w2 in ((1, 1), (10, 1), (100, 1), (1, 6)):
        loss = half_loss(more_x * x, w1, more_w2 * w2, yes)
        print(f"x times {more_x}, w2 times {more_w2}: loss {loss}")

# %% [markdown]
# *Implement.* `safe_loss`: the same loss, to be called inside of autocast, but right for large
# hidden numbers, too, and for a model that is nearly certain (scores z from -20 to 20). It leaves
# its arguments as they are, and both products stay in 16 bits. Take `half_loss` and change 2
# places. For one of them `t.float()` is enough: that is `t` in float32, and what is computed from
# it is float32 as well, up to the next product. For the other it isn't, because near 1 float32
# runs out of numbers, too. There, don't compute a chance at all: look in `torch.nn.functional` for
# this loss as a function of the scores ("logits"). The check calls `safe_loss` on a CPU, under the
# CPU's autocast.


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
# *See.* What the CPU of this machine makes of the same expressions: it has lists of its own. And
# the two losses: for ever larger inputs, and for scores ever farther from 0. There, a third line
# has `.float()` in front of the sigmoid: it breaks later, but it breaks.

# %%
see("autocast", runs_in, safe_loss)
see("mixed-precision/large-inputs", half_loss, safe_loss)
see("mixed-precision/certain-scores", half_loss, safe_loss)
reveal("autocast")

# %% [markdown]
# *Reflect.* The second break shows only where a model is nearly certain: late in training, when
# everything has worked for days. And a recipe that was tested on one device may break on another,
# since the lists differ. So say what you rely on. `.float()` helps where squares or sums grow too
# large. It doesn't save the logarithm of a chance: with a chance in float32, the loss of a right
# answer is 17% off at a score of 15, and NaN from 17 on. A loss that takes scores is right at any
# score: `binary_cross_entropy_with_logits` for two classes, `cross_entropy` for more.

# %% [markdown] exercise="same-accuracy"
# ## In 16 bits, to the same accuracy
#
# **`same-accuracy` · 6 points · about 25 minutes**
#
# Now all of it together. The task is small, digits and two layers, but it is made hard for fp16 in
# the three ways that large models are:
#
# - the images come from a scanner with gray levels up to 4,080, and first each is divided by the
#   root of the mean of its squares;
# - the loss of a batch is divided by n = 2**26, as where a batch has 67 million tokens;
# - all weights begin as 1 or -1, and nearly every update is below 0.0002. From 1 down, the next
#   number of fp16 is 0.00049 away: half of that is 0.00024.


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
weights = [torch.cat([inner, inner], dim=1), torch.cat([outer, -outer])]  # all scores begin at 0
rate = 7.5e-5 * n / 64
moved = half_step(weights, images, labels, rate, n)
updates = [(after - before).abs().max() for before, after in zip(weights, moved, strict=True)]
print(f"rate {rate:.1f}, in float32 the largest update is {max(updates):.6f}")

# %% [markdown]
# With float32 weights and images, as just now, that trains well. With `images.half()` and float16
# weights everything in `half_step` is computed in fp16; then `rate * g`, too.
#
# *Predict.* There are 9,472 weights. After 100 such steps in fp16, how many of them are changed?
#
# Behind your prediction come the gradients of the first step, as they are and times 2**16. What
# of them would fp16 keep?

# %% role="predict"
predict("same-accuracy", 0)

# %%
see("mixed-precision/before-and-after")

# %% [markdown]
# *Implement.* Training with fp16 weights, fp16 gradients and products of fp16, that ends where
# float32 ends. 1 line and 10 to 14.
#
# - `begin(weights)`: whatever you want to keep between steps; `weights` are the two float32 ones,
#   and stay as they are.
# - `train_step(state, images, labels, rate, n)`: takes a step of SGD, keeps what it needs in
#   `state`, and returns the two new weights as float16. `images` are float16. Batches, the rate
#   and `n` may change from call to call, and two runs may take turns, each with its own `state`.
#
# Every product of matrices must get float16, forward and backward: the check notes the dtypes of
# the two factors of each. All else may be float32 where it must. In the check, `n` is 2**10, 2**26
# or 2**30. A constant scale of 2**16 fits them all; but in fp16 that number itself is infinite, so
# in which dtype must the loss be?


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
# *See.* Your run, beside one in float32 and one in fp16 alone, with the same batches.

# %%
see("same-accuracy", begin, train_step)
reveal("same-accuracy")

# %%
for name, share in measure("same-accuracy", begin, train_step).items():
    print(f"{name}: {share:.1%} of the held-out digits are right")

# %% [markdown]
# In its first steps your run is a little behind: the masters move at once, their fp16 copies only
# when half a step has come together. What is left at the end is rounding, a little more loss or a
# little less, by the seed.
#
# **What of the memory?** A model with many samples in a batch, trained by autocast, its bytes
# counted where the most of them live at once. Below that, a longer run of a small GPT on a GPU:

# %%
see("mixed-precision/step-memory")
see("mixed-precision/recorded-losses")

# %% [markdown]
# Which of these lines is lowest says nothing about the formats. Each is the median of three seeds,
# and on a CPU the same training in float32 ends at 2.41, 2.42 or 2.17, by the seed; in bf16, each
# seed ends within 0.03 of that. To rank formats takes many seeds. What can be seen with three: none
# of them fails, and weights in fp16 without a master and a scaler do, at once.
#
# *Reflect.* What is saved for backward is nearly halved, and so is what forward and backward move.
# Weights and state are not. Autocast keeps them in float32: a weight (4 bytes), its gradient (4)
# and Adam's two numbers (8) are 16 bytes, and for the length of a step 2 more for the 16-bit copy
# that it makes of the weight. With 16-bit copies, as in your `train_step`, it is 2 for the copy, 2
# for its gradient, 4 for the master and 8 for Adam: 16 again. So 16 bits save memory where batches
# are large or texts are long. A model whose weights and state do not fit will not fit now.

# %% [markdown] exercise="adam-in-half"
# ## Stretch: Adam in half
#
# **`adam-in-half` · 6 points · stretch · about 20 minutes**
#
# Adam keeps two more numbers for each weight: m, a running mean of its gradients, and v, one of
# their squares; a step is m / (root of v + `eps`) times the rate. Both begin at 0, so that at first
# they are too small: m after one step is 0.1 of the gradient, v 0.001 of its square. Divided by
# `1 - beta ** step`, they are right. Below, all of it is fp16. The formulas are right, and it
# cannot be used.
#
# *Predict.* What becomes of its `eps` in fp16: `"0"`, `"the smallest number, 6e-8"` or
# `"about 1e-8"`?

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
# Four gradients, and only one update is right. Find out what went wrong in the other three.
#
# *Implement.* 2 to 3 lines each; `adam_step` needs 9 if you do not use `adam_in_half` in it.
#
# - `smallest_gradient(beta2)`: the smallest fp16 gradient above 0 whose `second_moment` is not 0.
#   There are only 31,743 positive fp16 numbers: their patterns are 1 to 31743.
# - `begin(weight)`: the state, whatever you like to keep, for fp16 weights.
# - `adam_step(state, gradient, lr)`: takes a step, keeps what it needs in `state`, and returns the
#   new fp16 weights. They should be those of Adam in float32, rounded. The check also passes other
#   numbers for `beta1`, `beta2` and `eps`, and keeps several states at once, one for each weight.


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
# *Reflect.* The three. With 0.001, v would be 1e-9: it is 0, and m / 0 infinite. With 0 it is 0 / 0
# (`eps` is 0, too). With 300, v is 90, but v / 0.001 overflows, and m / infinity is 0.
#
# For each weight the mended one has 2 bytes, 2 for its gradient, and 4 each for the master, m and
# v: 16, as many as in fp32. Mixed precision saves on activations, traffic and time, not on state.

# %% [markdown] exercise="tensor-cores"
# ## A matrix in one instruction
#
# **`tensor-cores` · 6 points · stretch · about 35 minutes**
#
# Where do 15 times as many operations in 16 bits come from? From compute capability 7.0 on, an SM
# has **tensor cores**. With one call to them, a *warp* multiplies two matrices of 16 x 16 numbers
# in half and adds the product to a third: products as in your `dot`, sums in float32 (but rounded
# in the hardware's own way). The compiler makes a few instructions of that call, and a Hopper GPU
# reaches its peak only with larger ones, for four warps together (`wgmma`).
#
# *Predict.* How many multiply-add instructions of a warp, each one for each lane, does that
# replace? And if both factors come from memory each time, how many FLOP is that for each byte of
# them?

# %% role="predict"
predict("tensor-cores", 16)
predict("tensor-cores-bytes", 2)

# %% [markdown]
# In CUDA C, a number in fp16 has the type `half` (of `cuda_fp16.h`), and a warp's matrix is a
# `wmma::fragment<use, M, N, K, type, layout>` (of `mma.h`): 32 lanes hold it together, and which of
# them holds which element, nobody says.
#
# - *use*: `wmma::matrix_a` and `wmma::matrix_b` are the factors, `wmma::accumulator` is the sums;
# - *M, N, K*: a product of M x K by K x N, here 16, 16, 16;
# - *type*: of its elements, `half` or, for sums, also `float`;
# - *layout*: of a factor only, whether rows (`wmma::row_major`) or columns (`wmma::col_major`) lie
#   in one piece in memory.

# %% [markdown]
# These functions take a fragment as a whole:
#
# - `wmma::fill_fragment(f, 0.0f)` sets all its elements;
# - `wmma::load_matrix_sync(f, pointer, leading)` loads 16 x 16 elements that begin at `pointer`;
#   `leading` is the **leading dimension**, how many elements it is from one row to the next;
# - `wmma::mma_sync(d, a, b, c)` does d = a @ b + c; c and d may be the same;
# - `wmma::store_matrix_sync(pointer, f, leading, wmma::mem_row_major)` stores it.
#
# All 32 lanes must call them together, with the same arguments. A matrix begins at a multiple of
# 32 bytes (16 numbers of half), and a leading dimension is a multiple of 16 bytes.

# %% [markdown]
# *Implement.* `c = a @ b` for multiples of 16; `a` is M x K and `b` K x N in half, `c` is float32.
# A block is one warp and makes one tile of `c`. 7 to 9 lines; the fragment for the sums, which has
# no layout, is still to be declared.

# %% role="answer"
code = r"""
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void matmul(const half* a, const half* b, float* c, int M, int N, int K) {
    int row = 16 * blockIdx.y, column = 16 * blockIdx.x;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> of_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> of_b;
    // ### BEGIN SOLUTION
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    for (int k = 0; k < K; k += 16) {
        wmma::load_matrix_sync(of_a, a + row * K + k, K);
        wmma::load_matrix_sync(of_b, b + k * N + column, N);
        wmma::mma_sync(sums, of_a, of_b, sums);
    }
    wmma::store_matrix_sync(c + row * N + column, sums, N, wmma::mem_row_major);
    // ### END SOLUTION
}"""
matmul = cp.RawKernel(code, "matmul")

# %% [markdown]
# Not every device has every format:

# %%
see("mixed-precision/tensor-formats")

# %% [markdown]
# And **TF32** is not a format to store: numbers stay float32, and tensor cores take 10 of their 23
# bits behind the point. PyTorch has a switch for products of matrices, off at first:
# `torch.backends.cuda.matmul.fp32_precision = "tf32"` (before 2.9, `allow_tf32 = True`; for
# convolutions it is *on*). On a CPU it does nothing, so round the factors yourself.
#
# *Implement.* Two things, 2 to 4 lines:
#
# - in `since`, for each format the smallest compute capability in the table that has it;
# - `tf32(x)`: a float32 tensor, each number rounded to the nearest with 10 bits behind the point
#   (which of two that are as near does not matter). `x.view(torch.int32)` are its bits as whole
#   numbers, which can be added to and combined with `&`; a view back makes them float32. A view is
#   the same memory, and `x` itself must stay as it is.


# %% role="answer"
### BEGIN SOLUTION
since = {"tf32": 8.0, "bf16": 8.0, "fp8": 8.9}
### END SOLUTION


def tf32(x):
    ### BEGIN SOLUTION
    bits = x.view(torch.int32) + 2**12  # half a step of the 13 bits that go
    return (bits & -(2**13)).view(torch.float32)
    ### END SOLUTION


# %% role="check"
check("tensor-cores", matmul, since, tf32)

# %% [markdown]
# *See.* Which elements one warp of your kernel loads in which step; what an instruction and a byte
# are worth in it; and what your rounding does to a product.

# %%
see("tensor-cores", matmul, since, tf32)
see("mixed-precision/tensor-work", matmul)
see("mixed-precision/tf32", matmul, since, tf32)

# %%
reveal("tensor-cores")
reveal("tensor-cores-bytes")

# %% [markdown]
# *Reflect.* An H200 does 989 TFLOP/s in half, and an SM's data path brings 128 bytes a clock: with
# 132 SMs at 1.98 GHz, 33.4 TB/s in all. What share of that peak can your kernel reach, with the
# FLOP that it does for each byte? Compare with 3.8 x 33.4 = 127 TFLOP/s, 13%. Tensor cores made
# arithmetic cheap, so data is what is dear now: tiles in shared memory for several warps, more
# fragments a warp. All that you know about tiles begins again.
#
# The rounding of TF32 costs about as much as that of fp16, but it has all of float32's range.

# %% [markdown]
# ## What you take with you
#
# - A format loses numbers in three ways: too small, too large, too few digits. fp16 has 11
#   binary digits and runs out at 6e-8 and 65,504; bf16 has float32's range and 8 digits.
# - What is added up needs more bits than what is multiplied: totals, norms, losses, and weights
#   over many updates. Products can have 16.
# - The recipe for fp16: fp16 products, float32 masters, a scaled loss, steps skipped that overflow.
#   It halves activations and traffic, not the optimizer's state.
#
# **How few bits, then?** 16 are enough, as you have seen. With 8, the first figure lost 7% of the
# gradients in e5m2 and half of them in e4m3. It is done all the same: for products only, with
# weights and activations in e4m3, gradients in e5m2, and a scale of its own for each tensor; the
# rest stays in 16 or 32 bits. Tried on many models, that ended where 16 bits end.
#
# **Your number:** the accuracy of your training in 16 bits, measured above, beside float32's.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Formats: IEEE 754-2019, section 3.4 (fields) and 4.3.1 (ties to even); Open Compute Project,
#   *OCP 8-bit Floating Point Specification (OFP8)*, revision 1.0, 2023 (e4m3, e5m2, conversion with
#   and without saturation); NVIDIA, *A100 Tensor Core GPU Architecture*, 2020 (TF32: 8, 10 bits).
#   For all five formats the exercise rounds ties to even; a GPU's conversion to TF32 may do
#   otherwise (PTX ISA, `cvt.rna.tf32.f32`: ties away from zero).
# - PyTorch's conversion to e4m3: pull request 178817, merged in April 2026; before, too large was
#   NaN.
# - Sums: D. Goldberg, *What Every Computer Scientist Should Know About Floating-Point Arithmetic*,
#   ACM Computing Surveys 23(1), 1991; N. J. Higham, *The Accuracy of Floating Point Summation*,
#   SIAM J. Sci. Comput. 14(4), 1993; W. Kahan, *Further remarks on reducing truncation errors*,
#   CACM 8(1), 1965. Products in full and float32 sums: NVIDIA, *Tesla V100 GPU Architecture*, 2017.
# - Master weights, gradients that vanish: P. Micikevicius et al., *Mixed Precision Training*, ICLR
#   2018 (arXiv 1710.03740). Stochastic rounding in training: S. Gupta et al., *Deep Learning with
#   Limited Numerical Precision*, ICML 2015 (arXiv 1502.02551).
# - 8 bits: P. Micikevicius et al., *FP8 Formats for Deep Learning*, 2022 (arXiv 2209.05433).
# - The scaler: PyTorch, `torch.amp.GradScaler` and the kernel `_amp_update_scale_`; that it may go
#   below 1: documentation of `torch.amp`, "Gradient Scaling". Autocast's lists, and what is left
#   as it is: there, "Autocast Op Reference". The CPU's dtypes are computed when you look.
# - 16 bytes a weight: S. Rajbhandari et al., *ZeRO: Memory Optimizations Toward Training Trillion
#   Parameter Models*, SC 2020, section 3.1. Batches of 63 million tokens (15,360 sequences of 4K):
#   DeepSeek-AI, *DeepSeek-V3 Technical Report*, 2024 (arXiv 2412.19437), section 4.2.
# - Adam: D. P. Kingma and J. Ba, *Adam: A Method for Stochastic Optimization*, ICLR 2015.
# - Rates of the H200: `gpuedu/hardware/devices.toml`, with the source of each number.
# - Warp matrices, their shapes and types, alignment, and that nobody says which lane holds what:
#   *CUDA C++ Programming Guide* (12.9), "Warp Matrix Functions"; products and sums of tensor cores:
#   *PTX ISA* (8.8), "wmma.mma", where the order of a sum is left open. Formats by device: data
#   sheets named in `gpuedu/hardware/devices.toml`; since which compute capability: PTX ISA, "mma".
# - The switch for TF32: PyTorch's documentation (2.13), "CUDA semantics", on TensorFloat-32.
