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

from gpuedu import check, hint, measure, predict, progress, reveal, see, setup

setup("into-pytorch")

# %% [markdown] exercise="cuda-graphs"
# ## Launch once, replay many times
#
# **`cuda-graphs` · 6 points · about 25 minutes**
#
# Capture a training step once, replay it for every input, and work out when that is faster.
#
# *Predict.* A step launches 200 kernels of 3 µs each, and each launch takes the CPU 5 µs. In a long
# loop of such steps, what share of the time is the GPU idle, in percent?

# %% role="predict"
predict("cuda-graphs", 40)

# %% [markdown]
# A **CUDA graph** takes those launches away. You **capture** a step once: its kernels don't run,
# they are recorded, each with the memory that it reads and writes. Then one call, a **replay**,
# runs all of them on that same memory. None of your Python is in it, and that has consequences:
#
# - The CPU can't wait for the GPU in a capture, so it can't look at a value: no `item()`, no
#   `if x.sum() > 0:`, no `synchronize()`, and no tensor made from Python's numbers.
# - Python runs once, in the capture. A number or a branch that it picks there is *frozen*.
# - The memory stays the same. New data has to be copied into the captured inputs, and each replay
#   overwrites the result of the one before. Shapes can't change, either.
# - The first call of a kernel may set something up, and wait for it. So you **warm up** first.
#
# Here are four steps, for the simulated device of this course. Which will be refused, and which go
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
# *Implement* `run_captured`: run `step(x, lr)` for each pair in `inputs`, by replaying one graph,
# and return a list with the results, in order. All x have the same shape and are on the device.
# `lr` is a Python number that changes from pair to pair; `step` also takes a tensor in its place.
#
# - There is one capture in all, and one replay for each input. To warm up, you may call `step` up
#   to three times before the capture.
# - Nothing is captured that may not be.
# - Each replay works on its own x and its own lr.
# - Each result is a tensor of its own, which the next replay leaves alone.
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
# *Implement* when it is worth it, too. In a long loop, the CPU runs ahead, so a step takes as long
# as the busier of the two: the CPU, which launches, or the GPU, which computes. A launch takes the
# CPU `launch_us`, a replay `replay_us`. A kernel takes the GPU `kernel_us`, and `node_us` more in a
# graph. What copies the inputs and the result is left out.
#
# - `step_times` gives the time of a step in µs, without a graph and with one.
# - `no_gain_from` gives the shortest `kernel_us`, 0 or more, from which on the graph isn't faster.


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
# *See.* Three steps, launched one by one and by your replays. Where are the gaps on the GPU, and
# what is the CPU doing in them? Then, by your formulas, the time of a step by that of its kernels.

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
measure("cuda-graphs", run_captured, step_times, no_gain_from)
see("into-pytorch/graphed-model")

# %% [markdown]
# Here is a recorded one: a language model that makes one token for each text. With more texts at a
# time, the same kernels take longer.

# %%
see("into-pytorch/recorded-graphs")

# %% [markdown]
# *Reflect.* The last batch of an epoch is smaller. What are your choices? And which number in a
# training loop changes from step to step, and would be frozen?
#
# (Drop it, pad it, run it without a graph, or keep a graph for each shape, as servers of language
# models do. The learning rate of a schedule: that's why optimizers have `capturable=True`, and take
# `lr` as a tensor.)

# %% [markdown] exercise="read-an-extension"
# ## Stretch: read an extension
#
# **`read-an-extension` · 3 points · stretch · about 15 minutes**
#
# Find the faults in an operator that somebody wrote in C++ and CUDA. You will meet such code in
# packages, and most of it is like this: a kernel, and a function that checks its tensors, makes the
# result and launches. (`torch.utils.cpp_extension.load_inline` compiles such text, where there is a
# CUDA compiler, and makes it a function of Python.)

# %%
see("into-pytorch/extension")

# %% [markdown]
# *Answer* by three dicts. In `lines`, give the number of the line that does it:
#
# - `"refuses the CPU"`: raises an error for tensors that are not on a GPU.
# - `"puts x in order"`: makes sure that the elements of x lie one after the other, row by row.
# - `"takes y as it lies"`: hands y's memory to the kernel, and nothing made sure of the same.
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
# returns and the result is wrong, or may be. If nothing else is said, x and y are contiguous
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
# In `repairs`, name what mends it: `"contiguous"`, `"round up"`, `"getCurrentCUDAStream"`,
# `"CUDAGuard"` (it makes a tensor's device the current one), `"C10_CUDA_KERNEL_LAUNCH_CHECK"`,
# `"register_autograd"`, `"no_grad"` or `"empty_cache"`. Two of them mend nothing here.
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
# *Reflect.* With 100 elements, `blocks` is 0, and such a launch fails. Nobody asks whether it did.
# Where will the error show up? And what does a CUDA graph make of this operator?
#
# (At the next place that asks CUDA for an error, in code of somebody else. And the kernel isn't in
# the graph: it was launched on a stream that isn't the one being captured.)

# %% [markdown]
# ## What you take with you
#
# - An operator needs more than a kernel.
# - A compiler fuses what it sees as one graph.
# - A graph replays many launches at the cost of one, on the same memory and with the numbers of its
#   capture. It gains while a kernel is shorter than its launch.
#
# **Your number:** how many kernels your own training step launches.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Graphs, and what a capture refuses: PyTorch, *CUDA semantics*, "CUDA Graphs", and the pages of
#   `torch.cuda.graph` and `torch.cuda.make_graphed_callables`; NVIDIA, *CUDA Graph Best Practice
#   for PyTorch*, "Constraints" and "Quick Checklist". The message is that of error 900,
#   `cudaErrorStreamCaptureUnsupported`, in NVIDIA's *CUDA Runtime API*. Kernels that are loaded at
#   their first call: NVIDIA, *CUDA Programming Guide*, "Lazy Loading".
# - A launch of 5 µs is a round number near the 5.7 µs recorded for PyTorch on an H100
#   (`gpuedu/recorded`). What a replay costs, and a kernel in a graph, is made up for this lesson.
# - Streams, devices and errors in an extension: PyTorch, *C++ documentation*, "Tensor CUDA Stream
#   API" and "CUDA Guards"; `C10_CUDA_KERNEL_LAUNCH_CHECK` in its header `c10/cuda/CUDAException.h`;
#   `torch.library.register_autograd`. What calls on the CPU can show was tried with the same code.
