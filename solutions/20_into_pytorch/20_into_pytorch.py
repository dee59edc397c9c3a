# %% [markdown]
# # How does your kernel become part of PyTorch?
#
# A kernel of your own is only worth something if a model can train with it. And for many chains of
# operations you don't have to write one at all: a compiler does, if your Python lets it. Then what
# is left of the time is often the launches themselves, and a graph takes those away, too.
#
# **You will be able to** make a kernel an operator of PyTorch that trains and compiles, find what
# keeps `torch.compile` from fusing your model, and say when a CUDA graph helps.
#
# **You need** the training step, and *Custom kernels*. **Time** about 90 minutes.

# %% role="setup"
import contextlib
import logging
import sys

import torch

from gpuedu import check, hint, predict, progress, reveal, see, setup

setup("into-pytorch")

# %% [markdown] exercise="compile-it"
# ## One graph, compiled once
#
# **`compile-it` · 7 points · about 30 minutes**
#
# Rewrite a layer so that `torch.compile` makes one graph of it, and compiles it once. First, look
# at what becomes of the layer below. TorchDynamo, the first half of `torch.compile`, runs your
# Python with stand-ins for the tensors and writes down their operations: that is a *graph*.
# Inductor, the second half, turns a graph into kernels, and fuses only what is in the same graph.
#
# - At a *graph break*, a line needs something that no graph can give. The graph ends there, Python
#   runs the line, and another graph starts after it.
# - A *guard* checks what the graph takes for granted, such as a shape or the value of a Python
#   number. If one fails in a call, the function is compiled again. At 8 versions TorchDynamo stops,
#   and a call that fits none of them runs uncompiled.

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
# `torch._dynamo.explain` calls the function once and tells you where graphs ended, and why.
# (`generic_jump` is what an `if` is called in there.)

# %%
torch._logging.set_logs(dynamo=logging.ERROR)  # `explain` says what its warning would say
w, v, x = torch.randn(16, 32), torch.randn(32, 8), torch.randn(6, 16)
told = torch._dynamo.explain(layer_as_given)(w, v, x, 0.5, 0)
print(f"{told.graph_count} graphs")
for one in told.break_reasons:
    print(f"line `{one.user_stack[-1].line}`: {one.reason.splitlines()[0]}")

# %% [markdown]
# What is compiled again, and why, is in a log: `torch._logging.set_logs(recompiles=True)`, or
# `TORCH_LOGS=recompiles` in front of a command. A Python float starts as a constant of the graph.
# When it changes, TorchDynamo compiles again, and this time keeps it open.

# %%
scaled = torch.compile(lambda x, gain: gain * x, backend="eager")
with contextlib.redirect_stderr(sys.stdout):  # that's where logs go
    torch._logging.set_logs(recompiles=True)
    for gain in (0.5, 0.7, 0.9):
        scaled(x, gain)
torch._logging.set_logs()

# %% [markdown]
# *See.* Six calls of the given layer, with a square for each graph. One that is filled was compiled
# for this call. Which guard fails in the second call, although nothing has changed?

# %%
see("compile-it", layer_as_given)

# %% [markdown]
# *Implement.* Two functions, about 2 and 5 lines. `arguments(x, gain, step)` is plain Python that
# runs before every call of your layer. It returns two things: `x`, and whatever you want your layer
# to get as `scale`. `layer(w, v, x, scale)` is what the check compiles, so hand it in undecorated.
# It returns `out`, the output of `layer_as_given`, and `peak`, which the caller can then keep.
#
# - The values are those of `layer_as_given`, for any batch (the rows of `x`), gain and step.
# - `layer` is one graph, without a graph break. A second call like the first compiles nothing.
# - A call with another batch size (2 or more) compiles nothing, and neither does a call with
#   another gain or step.
#
# `torch._dynamo.mark_dynamic(tensor, dim)` tells TorchDynamo to keep that size of a tensor open.


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
# *See.* What is one graph good for? Between the two products, PyTorch launches 11 operations one by
# one, and each reads its tensors from memory and writes its result back. Inductor sees all of them
# at once. Guess first: how many kernels are left? (These were written for an H100; nobody needs a
# GPU to read them.)

# %%
see("into-pytorch/fused-layer")

# %% [markdown]
# Three: the largest of all numbers takes two, one for parts of `h` and one for the parts' results,
# and everything else is in the third. Operations on single numbers, such as `LIMIT / peak`, cost
# next to no bytes, but each was a launch. In the code of the third kernel, find the two loops over
# a row. Why does it load `h` twice?

# %%
see("into-pytorch/fused-code")

# %% [markdown]
# *Reflect.* Where would you put a `print` in this layer if you had to: before the peak is known, or
# after the rows are divided? And why does `peak` split the layer into kernels, graph break or not?
#
# (Next to a place where `h` goes through memory anyway, so around the peak: a break after the
# division costs one more trip of `h` to memory and back, as in the middle bar. And no row can be
# scaled until every row has been looked at: that takes a pass over all of `h`. The third kernel
# loads `h` twice for the same reason: it needs a row's norm before it can divide the row.)

# %% [markdown] exercise="inductor-or-you"
# ## Inductor, or you?
#
# **`inductor-or-you` · 3 points · stretch · about 15 minutes**
#
# Count the bytes that a plan of kernels moves, so that you can say what fusing them saves.
#
# *Predict.* Between the products of your layer, each of the 11 operations reads and writes memory.
# With two kernels, one for the peak and one for the rest, and each tensor loaded once by a kernel:
# by which factor do fewer bytes move?

# %% role="predict"
predict("inductor-or-you", 4)

# %% [markdown]
# *Implement.* `moved(kernels, sizes, results)`, about 8 lines, returns a plan's bytes as a whole
# number.
#
# - `kernels` is a list of kernels, in the order of their launches. A kernel is a list of its
#   operations. An operation is a list of two: the names of the tensors that it reads, and the name
#   of the one that it makes. Each name is made once at most.
# - `sizes` has each tensor's bytes by name. `results` lists the tensors that are needed afterwards.
# - A kernel reads a tensor from memory once, however many of its operations use it. What it made
#   itself, it doesn't read.
# - Of what it makes, it writes to memory what a later kernel reads, and what is in `results`.


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
# *See.* Your function on plans for the layer, and the loads and stores in the code that Inductor
# wrote.

# %%
see("inductor-or-you", moved)
reveal("inductor-or-you")

# %% [markdown]
# *Reflect.* Inductor wrote the kernels of the third plan. Why does its code move more than that
# plan has to, and how would a kernel of yours get there?
#
# (It loads each row twice: for the norm, and to divide by it. 4,096 numbers are a long row, and
# Inductor reads it in parts. If one program holds a whole row, as in a softmax that is fused, one
# load is enough. With rows of 1,024 numbers Inductor does the same by itself. The second load may
# find the row in a cache, so measure before you write it.)

# %% [markdown]
# ## What you take with you
#
# - An operator needs more than a kernel.
# - A compiler fuses what it sees as one graph. A value that Python has to know ends the graph, and
#   a number or a size that Python knows is compiled in.
# - A graph of launches is replayed at the cost of one.
#
# **Your number:** how many kernels your own training step launches.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Graphs, graph breaks and guards: PyTorch, *torch.compile Programming Model*, "Dynamo Core
#   Concepts" and "Dealing with Recompilations"; the limit of 8: the page of `torch.compile`. Sizes
#   that are kept open, and why 0 and 1 never are: PyTorch, *Dynamic Shapes*.
# - What Inductor writes for an H100: `gpuedu/experiments/fused_layer.py`, with PyTorch 2.13.
