# %% [markdown]
# # Does it fit, how fast is it, and does it run at all?
#
# Next week you have to buy a GPU, rent one, or join the queue for one. Which? Data sheets answer
# with a hundred numbers, and most of them don't matter for your job. Three questions do: does it
# fit, how long does a step take, and will your program run there? You can answer all three with a
# pencil, to within a factor of two, before you have touched the device.
#
# **You will be able to** say what a model needs in memory and which devices hold it; predict a
# step's time and name what limits it; tell from an architecture which programs run.
#
# **You need** to know what a training step keeps in memory (*Training memory*), and what a roofline
# is (*Tiling*).
# **Time** about 90 minutes.

# %% role="setup"
from gpuedu import check, hint, predict, progress, reveal, see, setup

import math

setup("choose-hardware")

# %% [markdown]
# Here are the course's devices, by memory bandwidth and by the dense 16-bit peak of their matrix
# units. On a dotted line, all devices have the same ratio of the two, in FLOP per byte. Most points
# lie near a few such lines, so a device that computes faster usually also reads faster. What
# differs a lot is how much memory a device has, what it costs, and whether you can get one.

# %%
see("choose-hardware/catalog")

# %% [markdown] exercise="does-it-fit"
# ## Does it fit?
#
# **`does-it-fit` · 7 points · about 30 minutes**
#
# Work out how many bytes a model needs, for training and for inference, and how many devices that
# takes. Training keeps two kinds of things. The **states** (weights, gradients and the optimizer's
# numbers) take the same memory whatever the batch. The **activations**, which the forward pass
# saves for the backward pass, grow with every token of the batch.
#
# *Predict.* A model has 7 billion parameters. In mixed precision with Adam, how many GB do its
# states take? (Weights, gradients and Adam's two numbers are float32; while a step runs there is
# also a 16-bit copy of the weights.)

# %% role="predict"
predict("does-it-fit", 126)

# %% [markdown]
# *Implement.* `state_bytes` returns the bytes of the states. `precision` is `"fp32"`, `"mixed"` (as
# above) or `"bf16"`, where all of these numbers have 16 bits and nothing is copied. `optimizer` is
# `"sgd"`, `"momentum"` or `"adam"`, with 0, 1 or 2 numbers for each parameter.


# %% role="answer"
def state_bytes(parameters, precision, optimizer):
    ### BEGIN SOLUTION
    kept = {"sgd": 0, "momentum": 1, "adam": 2}[optimizer]
    size = 2 if precision == "bf16" else 4
    copy = 2 if precision == "mixed" else 0
    return parameters * ((2 + kept) * size + copy)
    ### END SOLUTION


# %% [markdown]
# Activations of a transformer in mixed precision, in bytes. Each line is for one token of the
# batch:
#
# | part | bytes for each token |
# |---|---|
# | a layer | 36 for each number of its `width` |
# | its attention scores, if not fused | 6 for each head and each token of the text (`length`) |
# | the last layer and the loss | 10 for each token of the vocabulary, 6 for each of the width |
#
# Fused attention (FlashAttention, `scaled_dot_product_attention`) never stores the scores of all
# pairs of tokens. With **recomputation** a layer saves only its input, 4 bytes for each number of
# the width. The backward pass computes the layer once more, so the layer's own lines of the table
# are needed for *one* layer at a time, in addition to all the inputs.

# %% [markdown]
# *Implement.* `activation_bytes` returns the activations of a batch. `model` is a dict of whole
# numbers: `"parameters"`, `"layers"`, `"width"`, `"heads"`, `"kv_heads"` and `"vocabulary"`. GPT-2
# has 12 layers of width 768 with 12 heads. `fused` and `recompute` are `True` or `False`.


# %% role="answer"
def activation_bytes(model, batch, length, fused, recompute):
    ### BEGIN SOLUTION
    layer = 36 * model["width"]
    if not fused:
        layer += 6 * model["heads"] * length
    layers = model["layers"] * layer
    if recompute:
        layers = model["layers"] * 4 * model["width"] + layer
    last = 10 * model["vocabulary"] + 6 * model["width"]
    return batch * length * (layers + last)
    ### END SOLUTION


# %% [markdown]
# Inference saves nothing for a backward pass. But to write the next token, attention needs the keys
# and values of all tokens before it, so they are kept: the **KV cache**. In each layer, a token has
# a key and a value for each of `kv_heads` heads, each of `width / heads` numbers of 16 bits. (With
# *grouped-query attention* several heads share one key and value, so `kv_heads` is smaller than
# `heads`.)
#
# *Implement.* `cache_bytes` returns the cache of a batch of texts. `convolution_bytes` is for a
# convnet in mixed precision: `shapes` is a list of tuples `(channels, height, width)`, the output
# shape of each convolution for one picture. With batch norm and ReLU after it, 4 bytes are saved
# for each number of that output.


# %% [markdown]
# *Implement.* `devices_needed` returns the smallest number of devices, from 1 on. Several devices
# divide the `shared_bytes` (the states) evenly, and each needs `own_bytes` (its activations, or its
# cache) for itself. Tensors can take up 90% of a device's memory; the rest is for the context, the
# libraries' workspaces and free memory in pieces too small to use. Where `own_bytes` alone takes
# all of that 90% or more, return `math.inf`, even if `shared_bytes` is 0.


# %% role="answer"
def cache_bytes(model, batch, length):
    ### BEGIN SOLUTION
    head_width = model["width"] // model["heads"]
    return batch * length * model["layers"] * 2 * model["kv_heads"] * head_width * 2
    ### END SOLUTION


def convolution_bytes(shapes, batch):
    ### BEGIN SOLUTION
    return batch * sum(4 * channels * height * width for channels, height, width in shapes)
    ### END SOLUTION


def devices_needed(shared_bytes, own_bytes, memory_bytes):
    ### BEGIN SOLUTION
    free = 0.9 * memory_bytes - own_bytes
    if free <= 0:
        return math.inf
    return max(1, math.ceil(shared_bytes / free))
    ### END SOLUTION


# %% role="check"
check(
    "does-it-fit",
    state_bytes,
    activation_bytes,
    cache_bytes,
    convolution_bytes,
    devices_needed,
)

# %% [markdown]
# *See.* Your functions at work. First GPT-2 in training: what takes the memory, and which devices
# hold it. Then your numbers next to what PyTorch's allocator reported for a small GPT and a small
# ResNet on a recorded GPU.

# %%
see("does-it-fit", state_bytes, activation_bytes, devices_needed)
see("choose-hardware/recorded-memory", state_bytes, activation_bytes, convolution_bytes)
reveal("does-it-fit")

# %% [markdown]
# *Reflect.* Which of these helps most when a model doesn't fit: a smaller batch, recomputation, a
# leaner optimizer, or a second device? That depends on what fills the memory. For a large model
# with a small batch it is the states, and only the last two touch them. For long texts it is the
# activations, which the first two reduce. In float32, the same ResNet took up to three quarters
# more than such a count: cuDNN's workspaces come on top of it, and no count of tensors knows about
# them. Keep your reserve.

# %% [markdown] exercise="step-time"
# ## How long does a step take?
#
# **`step-time` · 7 points · about 30 minutes**
#
# Predict the time of a training step, and of a decode step, from a device's rates, and name what
# limits it. Four things take time. **Arithmetic**: the matrix products. **Memory**: the bytes that
# all other kernels read and write. The **link**: with several devices, the gradients have to be
# summed. And **launches**: the host needs a few microseconds for each kernel.
#
# *Predict.* A model with 6.74 billion parameters, 2 bytes each, writes one text on an A100 (the SXM
# one with 80 GB), which reads memory at 2,039 GB/s. Each token needs all the weights. At most how
# many tokens per second can this give?

# %% role="predict"
predict("step-time", 151)

# %% [markdown]
# *Implement.* `training_flop`: a step takes 6 FLOP for each parameter and token (2 in the forward
# pass, 4 in the backward pass). Attention adds 12 for each layer, each number of the width, each
# token, and each token of the text that it may look at (`length` of them).
#
# `terms` returns a tuple of four times in seconds: compute, memory, link, launch. All amounts are
# those of one device. `device` is a dict of rates that a program can reach: `"flop_per_s"`,
# `"bytes_per_s"`, `"link_bytes_per_s"` (one direction) and `"launch_s"`, seconds for each launch.
# Gradients go around in a ring of `devices` devices, so each sends `2 * (devices - 1) / devices`
# times the `gradient_bytes`.


# %% role="answer"
def training_flop(model, batch, length):
    ### BEGIN SOLUTION
    attention = 12 * model["layers"] * model["width"] * length
    return batch * length * (6 * model["parameters"] + attention)
    ### END SOLUTION


def terms(flop, moved_bytes, gradient_bytes, launches, device, devices):
    ### BEGIN SOLUTION
    sent_bytes = 2 * (devices - 1) / devices * gradient_bytes
    compute = flop / device["flop_per_s"]
    memory = moved_bytes / device["bytes_per_s"]
    return compute, memory, sent_bytes / device["link_bytes_per_s"], launches * device["launch_s"]
    ### END SOLUTION


# %% [markdown]
# How do the four become one step? The kernels run one after another. A matrix product waits for
# arithmetic and the others wait for memory, so the two times add up to the device's **work**. The
# host launches ahead while the device works, so work and launches happen at the same time and the
# slower one sets the pace. The exchange starts as soon as the first gradients are there, so it can
# hide behind the backward pass, which is two thirds of the work (of the two times that add up).
# What doesn't fit there adds to the time.
#
# *Implement.* `step_s` returns the time of a step. `limit` returns the name of the largest term (no
# two are equal): `"compute"`, `"memory"`, `"link"` or `"launch"`.


# %% [markdown]
# In decoding, a step makes one token for each text of the batch. That takes 2 FLOP for each
# parameter and text. All weights are read once, however many texts there are, and so is the whole
# KV cache; both have 2 bytes for each number. Here every product reads its own weights while it
# computes, so arithmetic and memory overlap. Leave launches out: serving programs replay them as
# one graph.
#
# *Implement.* `decode_s` returns the time of a step for `batch` texts that have `length` tokens so
# far. (Repeat the arithmetic of `cache_bytes` here, so that this exercise stands alone.)


# %% role="answer"
def step_s(compute, memory, link, launch):
    ### BEGIN SOLUTION
    work = compute + memory
    return max(work, launch) + max(0, link - 2 / 3 * work)
    ### END SOLUTION


def limit(compute, memory, link, launch):
    ### BEGIN SOLUTION
    times = {"compute": compute, "memory": memory, "link": link, "launch": launch}
    return max(times, key=times.get)
    ### END SOLUTION


def decode_s(model, batch, length, device):
    ### BEGIN SOLUTION
    head_width = model["width"] // model["heads"]
    cache = 4 * batch * length * model["layers"] * model["kv_heads"] * head_width
    compute = 2 * batch * model["parameters"] / device["flop_per_s"]
    return max(compute, (2 * model["parameters"] + cache) / device["bytes_per_s"])
    ### END SOLUTION


# %% role="check"
check("step-time", training_flop, terms, step_s, limit, decode_s)

# %% [markdown]
# *See.* Your prediction for GPT-2 on a few devices. Without `torch.compile`, PyTorch launches about
# 160 kernels for a layer and moves about 12 bytes for each byte saved: its own writes and reads,
# those of its gradient, and those of numbers never saved. Both numbers were taken from a recording.
# Next, how far off you are: recorded steps of a small GPT and published speeds. The last picture is
# decoding: tokens per second against the batch.

# %%
see("step-time", training_flop, terms, step_s, limit)
see("choose-hardware/recorded-steps", training_flop, terms, step_s, decode_s)
see("choose-hardware/decoding", decode_s)
reveal("step-time")

# %% [markdown]
# *Reflect.* A model of four terms is within a factor of two for transformers, which is enough to
# rule out most devices. It isn't good for everything: for the small recorded ResNet, in bf16, it
# predicts less than half of the measured time. That network's convolutions have few channels, and
# its pictures are copied from one memory layout to another. And a small model decodes in kernels so
# short that starting them counts even in a graph: for one text, a GPT of 470 million parameters
# took 2.6 times as long as predicted on an H200 (recorded). What would you buy for GPT-2, where
# memory is the largest term: more FLOP/s, more bandwidth, or fewer bytes through `torch.compile`?
# And for decoding with a batch of 1?

# %% [markdown] exercise="feature-gate"
# ## Does it run at all?
#
# **`feature-gate` · 6 points · about 25 minutes**
#
# Tell from a device's architecture which programs run on it, which fail, and with what message. Two
# things decide that. A program brings **compiled kernels** for some compute capabilities and not
# for others. And a number **format** (bf16, fp8) needs matrix units that know it.
#
# *Predict.* A PyTorch wheel has kernels for `sm_75`, `sm_80`, `sm_86`, `sm_90`, `sm_100` and
# `sm_120`. An L4 has compute capability 8.9. Does this wheel run on it: `"yes"`, `"no"` or `"only
# through PTX"`?

# %% role="predict"
predict("feature-gate", "yes")

# %% [markdown]
# A binary such as `sm_86` is machine code for compute capability 8.6. It runs on 8.6 and on every
# later minor version of the same major one (8.9), never on another major version. (NVIDIA
# promises that for desktops and servers, not for its Tegra chips.) `compute_90` is **PTX**, code
# that the driver compiles when the program starts, for 9.0 and everything later. A name that
# ends with `a` (`sm_90a`, `compute_90a`) uses what only this one architecture has, so it runs on
# exactly that capability. The last digit is the minor version: `sm_120` is 12.0.
#
# *Implement.* `running` returns the names in the list `built` that run on a device, as a list in
# the same order. `capability` is a tuple such as `(8, 9)`.


# %% role="answer"
def running(capability, built):
    ### BEGIN SOLUTION
    found = []
    for name in built:
        kind, number = name.split("_")
        is_exact = number.endswith("a")
        number = number.removesuffix("a")
        own = int(number[:-1]), int(number[-1])
        if is_exact:
            runs = own == capability
        elif kind == "compute":
            runs = own <= capability
        else:
            runs = own[0] == capability[0] and own[1] <= capability[1]
        if runs:
            found.append(name)
    return found
    ### END SOLUTION


# %% [markdown]
# Without a kernel you get `CUDA error: no kernel image is available for execution on the device`,
# at the first kernel and not when you import. PyTorch's wheels differ by CUDA version: newer ones
# drop old devices, and older ones don't know new ones.
#
# *Implement.* `wheel_for` returns the name of the first wheel in the dict `wheels` (name to list)
# that has a kernel, and `""` if none has.

# %% [markdown]
# `outcome` says what a job does on a device, with one of four answers. `device` has a
# `"capability"` and `"formats"`, those that its matrix units know. `job` has `"built"`, its
# program's list, and a `"format"`.
#
# - `"no kernel"`: the program has no kernel for the device.
# - `"runs"`: the matrix units know the format, or the format is fp32.
# - `"refused"`: fp8 or fp4 without such units. PyTorch raises an error, for fp8 this one:
#   `torch._scaled_mm is only supported on CUDA devices with compute capability >= 9.0 or 8.9`.
# - `"falls back"`: bf16, fp16 or tf32 without such units. It computes the right thing on other
#   units, silently, and is usually as slow as fp32 or slower.


# %% role="answer"
def wheel_for(capability, wheels):
    ### BEGIN SOLUTION
    for name, built in wheels.items():
        if running(capability, built):
            return name
    return ""
    ### END SOLUTION


def outcome(device, job):
    ### BEGIN SOLUTION
    if not running(device["capability"], job["built"]):
        return "no kernel"
    if job["format"] == "fp32" or job["format"] in device["formats"]:
        return "runs"
    return "refused" if job["format"] in ("fp8", "fp4") else "falls back"
    ### END SOLUTION


# %% role="check"
check("feature-gate", running, wheel_for, outcome)

# %% [markdown]
# *See.* The course's devices: which of PyTorch's wheels runs on each, and what the formats do
# there, according to your functions.

# %%
see("feature-gate", wheel_for, outcome)
reveal("feature-gate")

# %% [markdown]
# *Reflect.* `torch.cuda.is_bf16_supported()` says `True` on a T4. With `including_emulation=False`
# it says `False`: the first answer means "it computes", the second "it is fast". Which of the four
# outcomes is the most expensive one? The one that says nothing. AMD's GPUs run PyTorch through
# ROCm's wheels, TPUs through TorchTPU or torch_xla, Apple's through MPS, which has no float64:
# there the question is the same, but the tables are different.

# %% [markdown]
# ## Your own model
#
# Put in a model of your own. The picture shows what it keeps in training, according to your
# functions, and how much each of three devices can hold.

# %%
MINE = {
    "layers": 24,
    "width": 1024,
    "heads": 16,
    "vocabulary": 50_257,
    "batch": 8,  # texts on each device
    "length": 1024,  # tokens of a text
    "tokens": 10e9,  # in all
}
see("choose-hardware/your-memory", state_bytes, activation_bytes, MINE)

# %% [markdown] exercise="throttle"
# ## What does a lower power limit cost?
#
# **`throttle` · 4 points · stretch · about 15 minutes**
#
# Most GPUs can be given a power limit below their default: to save electricity, to make less noise,
# or because the rack has no more to give. Work out what that costs in time. At a share `x` of its
# full clock a device draws `static_w + dynamic_w * x**3` watts: each switch of a transistor takes
# energy in proportion to the square of the voltage, and within its working range the voltage
# follows the clock. Memory has a clock of its own, and keeps its speed.
#
# *Predict.* At full clock, a device draws 100 W of static and 600 W of dynamic power. You limit it
# to 400 W, 57% of its power. What share of its clock is left, as a number from 0 to 1?

# %% role="predict"
predict("throttle", 0.794)

# %% [markdown]
# *Implement.* `clock_share` returns the share of the full clock under a limit of `cap_w`: at most
# 1, and 0 if the limit is not above `static_w`. `capped_s` returns the time of a kernel that at
# full clock needs `compute_s` of arithmetic and `memory_s` of memory, both at once, so the longer
# time counts. At share 0 a kernel with arithmetic never ends (`math.inf`). `best_cap` returns the
# limit in `caps_w` at which the kernel takes the least energy: what the device draws at that clock,
# times the time. If several take the same energy, return the lowest of them. All limits in the list
# are above `static_w`.


# %% role="answer"
def clock_share(cap_w, static_w, dynamic_w):
    ### BEGIN SOLUTION
    return min(1.0, (max(0.0, cap_w - static_w) / dynamic_w) ** (1 / 3))
    ### END SOLUTION


def capped_s(share, compute_s, memory_s):
    ### BEGIN SOLUTION
    if share == 0:
        return math.inf if compute_s else memory_s
    return max(compute_s / share, memory_s)
    ### END SOLUTION


def best_cap(caps_w, static_w, dynamic_w, compute_s, memory_s):
    ### BEGIN SOLUTION
    def energy(cap_w):
        share = clock_share(cap_w, static_w, dynamic_w)
        return (static_w + dynamic_w * share**3) * capped_s(share, compute_s, memory_s)

    return min(sorted(caps_w), key=energy)
    ### END SOLUTION


# %% role="check"
check("throttle", clock_share, capped_s, best_cap)

# %% [markdown]
# *See.* Time and energy of two kernels under power limits: one waits for arithmetic, the other for
# memory. A dotted line marks where each takes the least energy.

# %%
see("throttle", clock_share, capped_s)
reveal("throttle")

# %% [markdown]
# *Reflect.* A kernel that waits for memory loses no time until its arithmetic becomes the longer
# part, and saves energy down to that limit. Below some limit, energy rises again, because the
# device draws `static_w` for longer and longer. A step of training has kernels of both kinds. What
# would you expect of it at 80% of the power?

# %% [markdown] exercise="mig-or-whole"
# ## One GPU for many small jobs
#
# **`mig-or-whole` · 4 points · stretch · about 15 minutes**
#
# Data-center GPUs can be cut into **instances** (MIG), each with its own SMs and memory. An H100
# with 80 GB has seven slices of compute. Work out which cut finishes a batch of equal small jobs
# first. On the whole GPU, a job needs `host_s` on its CPU, where no GPU helps, and then `work_s` on
# the device. It cannot use more than `width` of the seven slices: with fewer of them its work takes
# longer, in proportion, and with more it does not get shorter.
#
# *Predict.* A job takes 2 s on its host and 1 s on the device, of which it can use one slice. You
# have 70 of them, and each instance runs one after another. How many times as fast are seven
# instances as one whole GPU?

# %% role="predict"
predict("mig-or-whole", 7)

# %% [markdown]
# *Implement.* `job_s` returns the time of one job on an instance of `slices` slices. `batch_s`
# returns the time until all `jobs` are done, when each of `instances` instances runs one job after
# another. `best_profile` returns the name of the profile that finishes first, among those with at
# least `memory_gb` of memory. Return the first in the list if several finish at the same time, and
# `""` if none has the memory. `profiles` is a list of tuples such as `("2g.20gb", 2, 20, 3)`: three
# instances, each with two slices and 20 GB.


# %% role="answer"
def job_s(host_s, work_s, width, slices):
    ### BEGIN SOLUTION
    return host_s + work_s * width / min(width, slices)
    ### END SOLUTION


def batch_s(jobs, host_s, work_s, width, slices, instances):
    ### BEGIN SOLUTION
    return math.ceil(jobs / instances) * job_s(host_s, work_s, width, slices)
    ### END SOLUTION


def best_profile(jobs, host_s, work_s, width, memory_gb, profiles):
    ### BEGIN SOLUTION
    fitting = [one for one in profiles if one[2] >= memory_gb]
    if not fitting:
        return ""
    times = [batch_s(jobs, host_s, work_s, width, one[1], one[3]) for one in fitting]
    return fitting[times.index(min(times))][0]
    ### END SOLUTION


# %% role="check"
check("mig-or-whole", job_s, batch_s, best_profile)

# %% [markdown]
# *See.* The time until 70 jobs are done on each cut of an H100: narrow jobs, which can use one
# slice, and wide ones, which can use all seven.

# %%
see("mig-or-whole", batch_s)
reveal("mig-or-whole")

# %% [markdown]
# *Reflect.* Slices pay when jobs are small: too narrow for the whole GPU, or busy on the host. Wide
# jobs gain little: seven of them wait for their hosts at the same time, but each takes longer and
# has less memory. And what happens on a whole GPU when two processes share it without slices? They
# take turns, unless NVIDIA's MPS lets their kernels run at the same time. And a process that fills
# the memory leaves none for the other.


# %% [markdown]
# ## What you take with you
#
# - With Adam, training keeps 16 bytes for each parameter in float32, and 18 in mixed precision; the
#   rest grows with the tokens of the batch. Inference keeps the weights, and a key and a value for
#   each token.
# - A step is its arithmetic, its bytes, its link and its launches. The largest of them tells you
#   what to buy, and what not to pay for.
# - A program runs where it has a kernel for the device's compute capability. The expensive outcome
#   is the silent one: a format that falls back to slower units.
#
# **Your number:** the gigabytes that your own model keeps, according to your functions. In a
# terminal, `gpuedu choose --layers 24 --width 1024 --why h100-sxm` shows every formula with its
# numbers.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Devices: `devices.toml` and `architectures.toml` in the course's package, with a document for
#   each number. Dense peaks only.
# - V. Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models,
#   arXiv:2205.05198, section 4.1: what a layer saves, 32 and 2 bytes without dropout. Autocast
#   keeps the residual and the softmax in float32: 36 and 6. S. Rajbhandari et al., ZeRO,
#   arXiv:1910.02054, section 3: 16 bytes for each parameter.
# - W. Kwon et al., Efficient Memory Management for Large Language Model Serving with
#   PagedAttention, arXiv:2309.06180, section 3: the KV cache of OPT-13B.
# - J. Kaplan et al., Scaling Laws for Neural Language Models, arXiv:2001.08361, section 2.1: 6 FLOP
#   for each parameter and token.
# - A. Karpathy, nanoGPT, README, "efficiency notes": 250 ms for a step of GPT-2 on an A100, 135 ms
#   with torch.compile. PyTorch team, gpt-fast, README, "Benchmarks": decoding on A100 and MI250X.
# - NVIDIA, CUDA C++ Programming Guide (12.9), "Binary Compatibility" and "PTX Compatibility".
#   PyTorch 2.13, `torch/cuda/__init__.py`: the wheels' targets, and what it says where they don't
#   match.
# - NVIDIA, Multi-Instance GPU User Guide, "Supported MIG Profiles": those of an H100 with 80 GB.
#   NVIDIA, Multi-Process Service: kernels of several processes at once.
# - J. Rabaey, A. Chandrakasan, B. Nikolic, Digital Integrated Circuits, 2003, chapter 5: dynamic
#   power is capacitance times voltage squared times frequency.
