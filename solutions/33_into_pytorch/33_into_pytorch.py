# %% [markdown]
# # How does your kernel become part of PyTorch?
#
# On an H200, one token of a small GPT takes 2.6 ms if PyTorch launches its kernels one by one. The
# same kernels take 0.63 ms if a single graph launches them all. A fast kernel, then, is only half
# the work. PyTorch has to know about it, or no model can train through it and no compiled graph can
# contain it. And something has to launch it without wasting the time that it saved.
#
# **You will be able to** turn your kernel into an operator that trains and compiles. You will also
# be able to find out what keeps `torch.compile` from fusing your model, and to say when a CUDA
# graph helps and what it freezes.
#
# **You need** *The training step* and *Custom kernels*. **Time** about 95 minutes.

# %% role="setup"
from gpuedu import check, hint, measure, predict, progress, reveal, see, setup

import contextlib
import logging
import sys

import torch

setup("into-pytorch")

# %% [markdown] exercise="autograd-function"
# ## Make your kernel a part of PyTorch
#
# **`autograd-function` · 8 points · about 30 minutes**
#
# Wrap a kernel so that a model can train through it, and so that `torch.compile` can put it into a
# graph. The kernel is given. It computes x · sigmoid(beta · x) · y, a gate that language models
# have in their MLPs (with beta = 1 it's the one in SwiGLU). NumPy does the work here, but in every
# way that matters this is a kernel like one of yours in CUDA or Triton: it gets memory, goes
# through the elements in the order in which they are stored, and knows nothing of shapes and
# strides.

# %% role="given"
import numpy as np


def gate_kernel(x, y, beta, out):
    """Writes x * sigmoid(beta * x) * y to `out`, element by element as they lie in memory."""
    x, y, out = (one.detach().as_strided((one.numel(),), (1,)).numpy() for one in (x, y, out))
    out[:] = x / (1 + np.exp(-beta * x)) * y


# %% [markdown]
# *Predict.* The tensors `w`, `x` and `y` require gradients. The kernel fills `out`, and then `(w *
# out).sum().backward()` runs. What is `x.grad` after that: `"right"`, `"zeros"`, `"None"`, or is
# there `"an error"`?

# %% role="predict"
predict("autograd-function", "None")

# %%
w, x, y = (torch.randn(4, requires_grad=True) for _ in range(3))
out = torch.empty(4)
gate_kernel(x, y, 1.0, out)
(w * out).sum().backward()
print(f"w.grad: {w.grad}\nx.grad: {x.grad}")

# %% [markdown]
# You get no warning, and nothing before the kernel ever trains. Autograd records PyTorch's
# operations, and writing to memory isn't one. So make the kernel an **operator**, which takes four
# functions:
#
# ```python
# gate = torch.library.custom_op(
#     "mine::gate", forward, mutates_args=(), schema="(Tensor x, Tensor y, float beta) -> Tensor"
# )
# gate.register_fake(fake)
# gate.register_autograd(backward, setup_context=setup_context)
# ```
#
# From then on `gate(x, y, 1.0)` is an operation like any other.

# %% [markdown]
# *Implement* the first two, about 5 lines and 1. `forward(x, y, beta)` launches the kernel. `fake`
# takes the same arguments. A compiler calls it while it builds a graph, to learn what the result
# will look like.
#
# - `forward` returns a new contiguous tensor, with the dtype of x. x and y may have any strides,
#   such as those of a transposed tensor, and they stay as they are.
# - It raises a `ValueError` if x and y differ in shape or in dtype. The kernel wouldn't notice.
# - `fake` gets tensors that have a shape, a dtype, strides and a device, but no values to read. (In
#   the check their device is "meta"; under `torch.compile` it's the real one.) It returns a tensor
#   of this kind. Its shape, dtype, strides and device are those that the result of `forward` has
#   for such an x.


# %% role="answer"
def forward(x, y, beta):
    ### BEGIN SOLUTION
    if x.shape != y.shape or x.dtype != y.dtype:
        raise ValueError(f"x is {x.dtype} {tuple(x.shape)}, y is {y.dtype} {tuple(y.shape)}")
    out = torch.empty_like(x, memory_format=torch.contiguous_format)
    gate_kernel(x.contiguous(), y.contiguous(), beta, out)
    return out
    ### END SOLUTION


def fake(x, y, beta):
    ### BEGIN SOLUTION
    return torch.empty_like(x, memory_format=torch.contiguous_format)
    ### END SOLUTION


# %% [markdown]
# *Implement* the other two, about 3 and 6 lines. `setup_context(ctx, inputs, output)` is called
# after `forward`, with `inputs = (x, y, beta)`, and keeps what the backward pass needs.
# `backward(ctx, grad)` gets `grad`, the gradient of the loss with respect to the result, and
# returns three things: the gradients with respect to x, y and beta.
#
# - Keep tensors with `ctx.save_for_backward(...)`; they come back as the tuple `ctx.saved_tensors`.
#   Keep numbers as attributes (`ctx.beta`). Nothing is kept outside of `ctx`, because there may be
#   many forward passes before the first backward pass.
# - A gradient has the shape and dtype of its tensor. That of beta, which is a number, is `None`.
# - `ctx.needs_input_grad` has three flags, one for each input. Where it's `False`, nobody needs the
#   gradient: return `None` there, too.

# %% [markdown]
# - `grad` may have any values and strides. No tensor that these functions get is changed.
# - Both functions use PyTorch's operations only, and read no values: the backward pass is put into
#   graphs as well, and then its tensors have none.
#
# You need one derivative: that of s = sigmoid(beta · x) with respect to x is beta · s · (1 − s).
# `torch.sigmoid` is one of PyTorch's operations.


# %% role="answer"
def setup_context(ctx, inputs, output):
    ### BEGIN SOLUTION
    x, y, beta = inputs
    ctx.save_for_backward(x, y)
    ctx.beta = beta
    ### END SOLUTION


def backward(ctx, grad):
    ### BEGIN SOLUTION
    x, y = ctx.saved_tensors
    s = torch.sigmoid(ctx.beta * x)
    grad_x = grad_y = None
    if ctx.needs_input_grad[0]:
        grad_x = grad * y * (s + x * ctx.beta * s * (1 - s))
    if ctx.needs_input_grad[1]:
        grad_y = grad * x * s
    return grad_x, grad_y, None
    ### END SOLUTION


# %% role="check"
check("autograd-function", forward, fake, setup_context, backward)

# %% [markdown]
# *See* a small model train with the kernel alone, and with your operator. Then see what PyTorch's
# own tools say about it, and use them for every operator that you write. `opcheck` calls it the way
# autograd and the compiler do, and compares the real result with what `fake` promised, strides
# included. `gradcheck` compares its gradients with finite differences.

# %%
see("autograd-function", forward, fake, setup_context, backward)
see("into-pytorch/operator-checks", forward, fake, setup_context, backward)
reveal("autograd-function")

# %% [markdown]
# *Reflect.* Your `backward` is a chain of operations, and each goes through memory. What would you
# do about that on a GPU? And who would notice if `fake` kept the strides of a transposed x?
#
# (Write a kernel that reads x, y and grad once, make it another operator, and call that in
# `backward`. As for `fake`, nobody would notice as long as x is contiguous. With a transposed x,
# the graph is compiled for strides that the result doesn't have: at best you get an error, at worst
# wrong numbers.)

# %% [markdown]
# Two relatives of what you used are worth knowing. If the kernel is in Triton, use
# `torch.library.triton_op`, and launch it through `wrap_triton`. Then the compiler sees the kernel
# itself, not only an operator around it. **`torch.autograd.Function`** is the older way to give a
# function a gradient. It takes the same `forward`, `setup_context` and `backward`, but no `fake`,
# so a compiler has to look inside. It can follow NumPy, but the graph ends at a kernel in C++ or
# CUDA. One warning: if an operator writes into an argument, name that argument in `mutates_args`,
# or a compiler will assume that it hasn't changed.

# %% [markdown] exercise="compile-it"
# ## One graph, compiled once
#
# **`compile-it` · 7 points · about 30 minutes**
#
# Rewrite a layer so that `torch.compile` makes one graph of it, and compiles it once. First, look
# at what happens to the layer below. TorchDynamo, the first half of `torch.compile`, runs your
# Python with stand-ins for the tensors and writes down their operations, which gives a *graph*.
# Inductor, the second half, turns a graph into kernels. It can only fuse what is in the same graph.
#
# - At a *graph break*, a line needs something that no graph can give. The graph ends there, Python
#   runs the line, and another graph starts after it.
# - A *guard* checks what the graph takes for granted, such as a shape or the value of a Python
#   number. If one fails in a call, the function is compiled again. After 8 versions of one function
#   (the default) TorchDynamo gives up, and a call that fits none of them runs uncompiled.

# %% role="given"
LIMIT, WARMUP = 4.0, 4
history = []


def layer_as_given(w, v, x, gain, step):
    h = x @ w
    peak = h.abs().max()
    history.append(peak.item())  # 1
    if peak > LIMIT:  # 2
        h = h * (LIMIT / peak)
    h = torch.stack([row / (1 + row.norm()) for row in h])  # 3
    if step < WARMUP:  # 4
        gain = gain * (step + 1) / WARMUP
    return torch.tanh(gain * h) @ v


# %% [markdown]
# *Predict.* `gain` is a Python float and `step` an int; everything else is a tensor. Which of the
# numbered lines end a graph: `"only 1"`, `"1 and 2"`, `"1, 2 and 3"` or `"all four"`?

# %% role="predict"
predict("compile-it", "1 and 2")

# %% [markdown]
# `torch._dynamo.explain` calls the function once and tells you where graphs ended, and why. (It
# calls an `if` a `generic_jump`.)

# %%
torch._logging.set_logs(dynamo=logging.ERROR)  # don't print the warnings, `explain` lists them
w, v, x = torch.randn(16, 32), torch.randn(32, 8), torch.randn(6, 16)
told = torch._dynamo.explain(layer_as_given)(w, v, x, 0.5, 0)
print(f"{told.graph_count} graphs")
for one in told.break_reasons:
    print(f"line `{one.user_stack[-1].line}`: {one.reason.splitlines()[0]}")

# %% [markdown]
# A log says what is compiled again, and why: `torch._logging.set_logs(recompiles=True)`, or
# `TORCH_LOGS=recompiles` in front of a command. A Python float starts out as a constant of the
# graph. When it changes, TorchDynamo compiles again, and this time makes it an input of the graph.

# %%
scaled = torch.compile(lambda x, gain: gain * x, backend="eager")
with contextlib.redirect_stderr(sys.stdout):  # that's where logs go
    torch._logging.set_logs(recompiles=True)
    for gain in (0.5, 0.7, 0.9):
        scaled(x, gain)
torch._logging.set_logs()

# %% [markdown]
# *See* six calls of the given layer, with a square for each graph. A filled square is a graph that
# was compiled for this call. Which guard fails in the second call, although nothing has changed? (A
# guard finds your globals in `G`. Only the first guard that fails is named: in calls 3 and 6 the
# gain and the batch have changed, too.)

# %%
see("compile-it", layer_as_given)

# %% [markdown]
# *Implement* two functions, about 2 and 5 lines. `arguments(x, gain, step)` is plain Python that
# runs before every call of your layer. It returns two things: `x`, and whatever you want your layer
# to get as `scale`. `layer(w, v, x, scale)` is what the check compiles, so hand it in undecorated.
# It returns `out`, the output of `layer_as_given`, and `peak`, which the caller can then keep.
#
# - The values are those of `layer_as_given`, for any batch (the rows of `x`), gain and step.
# - `layer` is one graph, without a graph break. A second call like the first compiles nothing.
# - A call with another batch size (2 or more) compiles nothing, and neither does a call with
#   another gain or step.
#
# `torch._dynamo.mark_dynamic(tensor, dim)` tells TorchDynamo to let that size vary. Call it on `x`
# before each call, in `arguments`.


# %% role="answer"
def arguments(x, gain, step):
    ### BEGIN SOLUTION
    torch._dynamo.mark_dynamic(x, 0)
    return x, torch.tensor(gain * min(1.0, (step + 1) / WARMUP))
    ### END SOLUTION


def layer(w, v, x, scale):
    ### BEGIN SOLUTION
    h = x @ w
    peak = h.abs().max()
    h = h * (LIMIT / peak).clamp(max=1)
    h = h / (1 + h.norm(dim=1, keepdim=True))
    return torch.tanh(scale * h) @ v, peak
    ### END SOLUTION


# %% role="check"
check("compile-it", arguments, layer)

# %%
see("compile-it", arguments, layer)
reveal("compile-it")

# %% [markdown]
# *See* what one graph is good for. Between the two products, PyTorch launches 11 operations one by
# one, and each reads its tensors from memory and writes its result back. Inductor sees all of them
# at once. Guess first: how many kernels are left? (These were written for an H100, but you don't
# need a GPU to read them.)

# %%
see("into-pytorch/fused-layer")

# %% [markdown]
# Three. The maximum over all of `h` takes two, one for parts of `h` and one for the parts' results,
# and everything else is in the third. Operations on single numbers, such as `LIMIT / peak`, cost
# next to no bytes, but each of them was a launch. In the code of the third kernel, find the two
# loops over a row. Why does it load `h` twice?

# %%
see("into-pytorch/fused-code")

# %% [markdown]
# *Reflect.* Where would you put a `print` in this layer if you had to: before the peak is known, or
# after the rows are divided? And why does `peak` split the layer into kernels, graph break or not?
#
# (Before the peak, because there `h` goes through memory anyway. A break after the division costs
# one more trip of `h` to memory and back, as in the middle bar of the figure above. And no row can
# be scaled until every row has been looked at, which takes a pass over all of `h`. The third kernel
# loads `h` twice for the same reason: it needs a row's norm before it can divide the row.)

# %% [markdown] exercise="cuda-graphs"
# ## Launch once, replay many times
#
# **`cuda-graphs` · 6 points · about 30 minutes**
#
# Capture a training step once, replay it for every input, and work out when that is faster.
#
# *Predict.* A step launches 200 kernels of 3 µs each, and each launch takes the CPU 5 µs. In a long
# loop of such steps, what share of the time is the GPU idle, in percent?

# %% role="predict"
predict("cuda-graphs", 40)

# %% [markdown]
# A **CUDA graph** replaces all of those launches with one. You **capture** a step once: its kernels
# don't run, but are recorded, each with the memory that it reads and writes. Then one call, a
# **replay**, runs all of them on that same memory. None of your Python is in it, and that has
# consequences:
#
# - The CPU can't wait for the GPU during a capture, so it can't look at a value: no `item()`, no
#   `if x.sum() > 0:`, no `synchronize()`. And `torch.tensor(0.5, device="cuda")` waits for a copy.
# - Python runs once, during the capture. A number or a branch that it picks there is *frozen*.
# - The memory stays the same. New data has to be copied into the captured inputs, and each replay
#   overwrites the result of the one before. Shapes can't change, either.
# - The first call of a kernel may set something up, and wait for it. So you **warm up** first.

# %% [markdown]
# Here are four steps for the simulated device of this course. Which will be refused, and which go
# wrong without a warning?

# %% role="given"
import itertools


def doubles(device, x):
    return x * 2 + 1


def looks(device, x):
    return x * 2 if x.sum() > 0 else x * 3


def chooses_on_the_gpu(device, x):
    return device.where(x.sum() > 0, x * 2, x * 3)


numbers = itertools.count(1)


def counts(device, x):
    return x * next(numbers)


see("into-pytorch/captured", doubles, looks, chooses_on_the_gpu, counts)

# %% [markdown]
# *Implement* `run_captured`, which runs `step(x, lr)` for each pair in `inputs` by replaying one
# graph, and returns a list with the results, in order. All x have the same shape and are on the
# device. `lr` is a Python number that changes from pair to pair; `step` also takes a tensor in its
# place.
#
# - There is one capture in all, and one replay for each input. To warm up, you may call `step` up
#   to three times before the capture.
# - The capture contains nothing that a capture refuses.
# - Each replay works on its own x and its own lr.
# - Each result is a separate tensor, which the next replay leaves alone.
# - `inputs` and its tensors stay as they are.

# %% [markdown]
# The device has PyTorch's names, so what you write here runs there.
#
# | here | PyTorch | does |
# |---|---|---|
# | `device.CUDAGraph()` | `torch.cuda.CUDAGraph()` | makes an empty graph |
# | `with device.graph(graph):` | `with torch.cuda.graph(graph):` | captures the block |
# | `graph.replay()` | the same | launches the graph |
# | `device.tensor(0.5)` | `torch.tensor(0.5, device="cuda")` | copies numbers to the device |
# | `x.clone()`, `x.copy_(y)`, `x.fill_(0.5)` | the same | copies, or writes into `x` |


# %% role="answer"
def run_captured(device, step, inputs):
    """The results of `step` for each (x, lr) in `inputs`, by a graph that is captured once."""
    ### BEGIN SOLUTION
    x, lr = inputs[0]
    static_x, static_lr = x.clone(), device.tensor(lr)
    step(static_x, static_lr)
    graph = device.CUDAGraph()
    with device.graph(graph):
        static_y = step(static_x, static_lr)
    results = []
    for x, lr in inputs:
        static_x.copy_(x)
        static_lr.fill_(lr)
        graph.replay()
        results.append(static_y.clone())
    return results
    ### END SOLUTION


# %% [markdown]
# *Implement* two formulas that say when a graph is worth it. In a long loop the CPU runs ahead, so
# a step takes as long as the busier of the two: the CPU, which launches, or the GPU, which
# computes. A launch takes the CPU `launch_us`, a replay `replay_us`. A kernel takes the GPU
# `kernel_us`, and `node_us` more in a graph. Leave out the copies of inputs and result.
#
# - `step_times` returns the time of a step in µs, without a graph and with one.
# - `no_gain_from` returns the shortest `kernel_us` (0 or more) for which the graph isn't faster.


# %% role="answer"
def step_times(kernels, kernel_us, launch_us, replay_us, node_us):
    """A step's time without a graph, and with one, in µs."""
    ### BEGIN SOLUTION
    eager_us = max(kernels * launch_us, kernels * kernel_us)
    graph_us = max(replay_us, kernels * (kernel_us + node_us))
    return eager_us, graph_us
    ### END SOLUTION


# %% role="answer"
def no_gain_from(kernels, launch_us, replay_us, node_us):
    """The shortest kernel, in µs, for which the graph is not faster."""
    ### BEGIN SOLUTION
    if replay_us >= kernels * launch_us:
        return 0
    return max(0, launch_us - node_us)
    ### END SOLUTION


# %% role="check"
check("cuda-graphs", run_captured, step_times, no_gain_from)

# %% [markdown]
# *See* three steps, launched one by one and by your replays. Where are the gaps on the GPU, and
# what is the CPU doing meanwhile? The second figure plots your formulas: the time of a step against
# the time of one kernel.

# %%
see("cuda-graphs", run_captured, step_times, no_gain_from)
see("into-pytorch/gain", step_times, no_gain_from)
reveal("cuda-graphs")

# %% [markdown]
# *Measure.* The same function runs on a GPU, with PyTorch behind the names, and its results are
# compared with those of the step without a graph. One thing differs there: with gradients, you warm
# up on another stream (`with torch.cuda.stream(s):`). For a module you need none of this by hand.
# `torch.cuda.make_graphed_callables(model, (x,))` warms up, and captures its forward and backward
# pass; `torch.compile(model, mode="reduce-overhead")` uses graphs by itself.

# %%
see("into-pytorch/graphed-model")
measure("cuda-graphs", run_captured, step_times, no_gain_from)

# %% [markdown]
# Here is a recorded measurement: a language model makes one token for each text, with and without a
# graph. With more texts at a time, the same kernels take longer.

# %%
see("into-pytorch/recorded-graphs")

# %% [markdown]
# *Reflect.* Why is the GPU still idle for a moment in your replays? (At the start it waits for the
# first copies and the first replay, and a little time passes before each kernel of a graph.) The
# last batch of an epoch is smaller: what are your choices? And which number in a training loop
# changes from step to step, and would be frozen?
#
# (You can drop the batch, pad it, run it without a graph, or keep a graph for each shape, as
# servers of language models do. The number is the learning rate of a schedule, so optimizers take
# `lr` as a tensor; with `capturable=True`, they also keep Adam's step count on the GPU.)

# %% [markdown] exercise="inductor-or-you"
# ## Inductor, or you?
#
# **`inductor-or-you` · 3 points · stretch · about 15 minutes**
#
# Count the bytes that a plan of kernels moves, so that you can say what fusing them saves.
#
# *Predict.* Between the products of your layer, each of the 11 operations reads and writes memory.
# Compare that with two kernels, one for the peak and one for the rest, which load each tensor once.
# (Inductor loads `h` twice; here it's loaded once.) How many times as many bytes do the 11
# operations move?

# %% role="predict"
predict("inductor-or-you", 4)

# %% [markdown]
# *Implement* `moved(kernels, sizes, results)`, about 8 lines, which returns the number of bytes
# that a plan moves.
#
# - `kernels` is a list of kernels, in the order of their launches. A kernel is a list of its
#   operations. An operation is a list of two: the names of the tensors that it reads, and the name
#   of the one that it makes. Each name is made at most once.
# - `sizes` has each tensor's bytes by name. `results` lists the tensors that are needed afterwards.
# - A kernel reads a tensor from memory once, however many of its operations use it. It doesn't read
#   what it made itself.
# - Of the tensors that it makes, it writes to memory only those that a later kernel reads or that
#   are in `results`.


# %% role="answer"
def moved(kernels, sizes, results):
    ### BEGIN SOLUTION
    total = 0
    for at, kernel in enumerate(kernels):
        made = {name for _, name in kernel}
        read = {name for names, _ in kernel for name in names}
        later = {name for one in kernels[at + 1 :] for names, _ in one for name in names}
        total += sum(sizes[name] for name in read - made)
        total += sum(sizes[name] for name in made & (later | set(results)))
    return total
    ### END SOLUTION


# %% role="check"
check("inductor-or-you", moved)

# %% [markdown]
# *See* your function on plans for the layer, next to the loads and stores in the code that Inductor
# wrote.

# %%
see("inductor-or-you", moved)
reveal("inductor-or-you")

# %% [markdown]
# *Reflect.* Inductor wrote the kernels of the third plan. Why does its code move more than that
# plan has to, and how would a kernel of yours get by with less?
#
# (It loads each row twice: for the norm, and to divide by it. 4,096 numbers are a long row, so
# Inductor reads it in parts. If one program holds a whole row, as in a fused softmax, one load is
# enough. With rows of 1,024 numbers Inductor does that by itself. The second load may find the row
# in a cache, though, so measure before you write your own.)

# %% [markdown] exercise="read-an-extension"
# ## Stretch: read an extension
#
# **`read-an-extension` · 3 points · stretch · about 20 minutes**
#
# Find the faults in an operator that somebody wrote in C++ and CUDA. You'll meet such code in
# packages, and most of it looks like this: a kernel, and a function that checks its tensors, makes
# the result and launches. (Where there is a CUDA compiler, `torch.utils.cpp_extension.load_inline`
# compiles such source code and gives you a Python function.)

# %%
see("into-pytorch/extension")

# %% [markdown]
# *Answer* with three dicts. In `lines`, give the number of the line that does it:
#
# - `"refuses the CPU"`: raises an error for tensors that are not on a GPU.
# - `"puts x in order"`: makes sure that the elements of x lie one after the other, row by row.
# - `"takes y as it lies"`: hands y's memory to the kernel, though nothing made sure of y's order.
# - `"leaves elements out"`: decides how many threads there are, and can make them too few.
# - `"picks the stream"`: decides on which stream the kernel runs.

# %% role="answer"
### BEGIN SOLUTION
lines = {
    "refuses the CPU": 11,
    "puts x in order": 13,
    "takes y as it lies": 21,
    "leaves elements out": 17,
    "picks the stream": 18,
}
### END SOLUTION

# %% [markdown]
# In `calls`, say what `scaled_add(2.0, x, y)` gives: `"right"`, `"error"`, or `"wrong"` where it
# returns and the result is wrong, or may be. Unless it says otherwise, x and y are contiguous
# float32 tensors of 4096 elements on the only GPU.
#
# - `"4096 elements"`, `"1000 elements"`: of that size.
# - `"on the CPU"`, `"float64"`: both tensors are.
# - `"x transposed"`, `"y transposed"`: that one is `z.T` of a contiguous z of 512 x 512, and the
#   other one is contiguous.
# - `"another stream"`: inside `with torch.cuda.stream(s):`, where x has just been computed.
# - `"gradient"`: the gradient of w after `(scaled_add(2.0, w, y) + w).sum().backward()`.

# %% role="answer"
### BEGIN SOLUTION
calls = {
    "4096 elements": "right",
    "1000 elements": "wrong",
    "on the CPU": "error",
    "float64": "error",
    "x transposed": "right",
    "y transposed": "wrong",
    "another stream": "wrong",
    "gradient": "wrong",
}
### END SOLUTION

# %% [markdown]
# In `repairs`, name what fixes each case below: `"contiguous"`, `"round up"`,
# `"getCurrentCUDAStream"`, `"CUDAGuard"` (it makes a tensor's device the current one),
# `"C10_CUDA_KERNEL_LAUNCH_CHECK"`, `"register_autograd"`, `"no_grad"` or `"empty_cache"`. Two of
# them fix nothing here.
#
# - `"y transposed"`, `"1000 elements"`, `"another stream"`, `"gradient"`: as above.
# - `"second GPU"`: x and y are on `cuda:1`, and the current device is `cuda:0`.
# - `"failed launch"`: the launch itself fails, and the function returns as if nothing were wrong.

# %% role="answer"
### BEGIN SOLUTION
repairs = {
    "y transposed": "contiguous",
    "1000 elements": "round up",
    "another stream": "getCurrentCUDAStream",
    "gradient": "register_autograd",
    "second GPU": "CUDAGuard",
    "failed launch": "C10_CUDA_KERNEL_LAUNCH_CHECK",
}
### END SOLUTION

# %% role="check"
check("read-an-extension", lines, calls, repairs)

# %% [markdown]
# *Reflect.* With 100 elements, `blocks` is 0, and such a launch fails. Nothing checks whether it
# did. Where will the error show up? And what does a CUDA graph make of this operator?
#
# (It shows up at the next place that asks CUDA for an error, which is likely to be somebody else's
# code. And the kernel isn't in the graph, because it was launched on a stream that isn't the one
# being captured.)

# %% [markdown]
# ## What you take with you
#
# - PyTorch knows only what you register about your kernel: what its result looks like, and its
#   gradient. What PyTorch checks elsewhere, your code has to check: device, dtype, layout, and
#   stream.
# - A compiler fuses what it sees as one graph. A value that Python has to know ends the graph, and
#   a number or a size that Python knows is compiled in.
# - A CUDA graph replays its launches at the cost of one, on the same memory and with the numbers of
#   its capture. It pays off as long as a kernel is shorter than its launch.
#
# **Your number:** how many kernels your own training step launches.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - 2.6 ms and 0.63 ms: recorded with PyTorch on an H200 (`gpuedu/recorded/nvidia-h200`), for a GPT
#   with 470 million parameters, one text, 512 tokens before the new one.
# - What an operator registers, and what its functions may do: PyTorch, *torch.library*, the pages
#   of `custom_op`, `register_fake`, `register_autograd`, `triton_op` and `opcheck`;
#   `torch.autograd.gradcheck`. The gate: N. Shazeer, GLU Variants Improve Transformer,
#   arXiv:2002.05202, section 2.
# - Graphs, graph breaks and guards: PyTorch, *torch.compile Programming Model*, "Dynamo Core
#   Concepts" and "Dealing with Recompilations"; the limit of 8: the page of `torch.compile`. Sizes
#   that are kept open, and why 0 and 1 never are: PyTorch, *Dynamic Shapes*.
# - What Inductor writes for an H100: `gpuedu/experiments/fused_layer.py`, with PyTorch 2.13.
# - Graphs, and what a capture refuses: PyTorch, *CUDA semantics*, "CUDA Graphs", and the pages of
#   `torch.cuda.graph` and `torch.cuda.make_graphed_callables`; NVIDIA, *CUDA Graph Best Practice
#   for PyTorch*, "Constraints" and "Quick Checklist". The message is that of error 900,
#   `cudaErrorStreamCaptureUnsupported`, in NVIDIA's *CUDA Runtime API*. Kernels that are loaded at
#   their first call: NVIDIA, *CUDA Programming Guide*, "Lazy Loading".
# - A launch of 5 µs is a round number near the 5.7 µs recorded for PyTorch on an H100
#   (`gpuedu/recorded`). The costs of a replay and of a kernel in a graph are made up for this
#   lesson.
# - Streams, devices and errors in an extension: PyTorch, *C++ documentation*, "Tensor CUDA Stream
#   API" and "CUDA Guards"; `C10_CUDA_KERNEL_LAUNCH_CHECK` in its header `c10/cuda/CUDAException.h`;
#   `torch.library.register_autograd`. Whatever can be tried on a CPU was tried with the same code.
