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
import torch

from gpuedu import check, hint, predict, progress, reveal, see, setup

setup("into-pytorch")

# %% [markdown] exercise="compile-it"
# ## One graph, compiled once
#
# **`compile-it` · 7 points · about 30 minutes**
#
# Rewrite a layer so that `torch.compile` makes one graph of it, once. First, look at what it makes
# of the layer below. TorchDynamo, its first half, runs your Python with stand-ins for tensors and
# writes down their operations: that is a *graph*. Inductor, its second half, makes kernels from a
# graph, and fuses only what is in the same one.
#
# - A *graph break*: a line needs something that no graph can give. The graph ends there, Python runs
#   the line, and the next graph starts after it.
# - A *guard*: what the graph takes for granted, such as a shape or the value of a Python number.
#   Each call checks all guards. If one fails, the function is compiled again; after 8 times
#   TorchDynamo gives up, and from then on your layer runs uncompiled.

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
# *Predict.* `gain` is a float, `step` an int, all else are tensors. Which of the numbered lines end
# a graph: `"only 1"`, `"1 and 2"`, `"1, 2 and 3"` or `"all four"`?

# %% role="predict"
predict("compile-it", "1 and 2")

# %% [markdown]
# `torch._dynamo.explain` calls the function once and says where graphs ended, and why.

# %%
w, v, x = torch.randn(16, 32), torch.randn(32, 8), torch.randn(6, 16)
told = torch._dynamo.explain(layer_as_given)(w, v, x, 0.5, 0)
print(f"{told.graph_count} graphs")
for one in told.break_reasons:
    print(f"line `{one.user_stack[-1].line}`: {one.reason.splitlines()[0]}")

# %% [markdown]
# *Implement.* Two functions, about 2 and 5 lines. `arguments(x, gain, step)` is plain Python, called
# before every call of your layer. It returns two things, `x` and `scale`. `layer(w, v, x, scale)`
# is compiled. It returns `out`, the output of `layer_as_given`, and `peak`.
#
# - The values are those of `layer_as_given`, for any batch (the rows of `x`), gain and step.
# - `layer` is one graph, without a graph break, and a second call like the first compiles nothing.
# - No call with another batch size (two rows or more), gain or step compiles anything again.
#
# `torch._dynamo.mark_dynamic(tensor, dim)` tells TorchDynamo to keep a size of that tensor open.


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
reveal("compile-it")

# %% [markdown]
# ## What you take with you
#
# - An operator needs more than a kernel.
# - A compiler fuses what it sees as one graph.
# - A graph of launches is replayed at the cost of one.
#
# **Your number:** how many kernels your own training step launches.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - None yet.
