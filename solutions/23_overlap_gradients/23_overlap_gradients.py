# %% [markdown]
# # How do you hide the exchange behind the backward pass?
#
# The gradients of the last layer are ready when the backward pass has barely started. Yet a simple
# training step sends nothing until the first layer's are there as well. In the figure, the network
# is idle while the GPU computes, and the GPU is idle while the network sends. Most of that waiting
# can be avoided.
#
# **You will be able to** pack gradients into a few large messages, send each one as soon as it is
# complete, and say how much of the exchange that hides.
#
# **You need** the lessons *Data parallelism* (averaging gradients by all-reduce) and *Networks*
# (what a message costs). **Time** about 90 minutes.

# %% role="setup"
from gpuedu import check, hint, measure, predict, progress, reveal, see, setup

import torch
import torch.distributed as dist

setup("overlap-gradients")

# %%
see("ddp/sent-late")

# %% [markdown] exercise="buckets"
# ## Few large messages
#
# **`buckets` · 7 points · about 40 minutes**
#
# ResNet-50 has 161 parameter tensors: weights, biases, scales. One all-reduce for each of them is
# correct, but slow. A ring on n ranks takes 2(n - 1) (alpha + beta · S / n) for S bytes. So each
# all-reduce costs 2(n - 1) · alpha, however few bytes it has, and most of the 161 are small.
#
# *Predict.* 8 GPUs are connected by NVLink: alpha is 3.4 µs, and 1 / beta is 450 GB/s. All
# gradients together take 102.2 MB. How many times as long do 161 all-reduces take as one with all
# the bytes?

# %% role="predict"
predict("buckets", 18)

# %% [markdown]
# A single message isn't best either, because its first byte could leave only once the last
# gradient is ready. So gradients are collected in **buckets** of a limited size, and each bucket is
# flattened, reduced, and copied back. The backward pass goes from the last layer to the first, and
# so do the buckets.
#
# *Implement* `make_buckets`. `params` are a model's parameters in their order, which is the same on
# every rank. Return a list of lists of parameters, in the order in which the buckets were started,
# and leave `params` as it is. About 14 lines.

# %% [markdown]
# The rules:
#
# - Go through the parameters **from the last to the first**, and leave out those that are frozen.
# - A parameter joins the **newest bucket of its type** (`p.dtype`) if it fits; otherwise it starts
#   a new one.
# - A bucket holds at most `max_bytes`, and the very first one at most `first_bytes`. A parameter
#   that is larger than its bucket's limit gets that bucket to itself.
#
# (A tensor has `p.numel() * p.element_size()` bytes.)

# %% [markdown]
# An example: five parameters of one type have 30, 5, 50, 10, and 15 bytes; `first_bytes` is 20, and
# `max_bytes` is 40. The last one, 15, starts the first bucket. 10 would bring it to 25, so it
# starts a second. 50 doesn't fit, so it starts a third, alone, and that's the newest bucket now. 5
# doesn't fit in there, so it starts a fourth, which 30 joins: 15 | 10 | 50 | 5, 30. If the last one
# had 25 bytes, it would still be the first bucket, alone.


# %% role="answer"
def make_buckets(params, first_bytes, max_bytes):
    """Lists of parameters whose gradients travel together."""
    ### BEGIN SOLUTION
    buckets, used, newest = [], [], {}
    for p in reversed(params):
        if not p.requires_grad:
            continue
        size = p.numel() * p.element_size()
        at = newest.get(p.dtype)
        limit = first_bytes if at == 0 else max_bytes
        if at is None or used[at] + size > limit:
            at = newest[p.dtype] = len(buckets)
            buckets.append([])
            used.append(0)
        buckets[at].append(p)
        used[at] += size
    return buckets
    ### END SOLUTION


# %% [markdown]
# *Implement* `reduce_buckets`, the exchange. (From here on, all shards have the same size, so the
# mean over the ranks is the mean over the samples, too.) About 10 lines.
#
# - There is one all-reduce per bucket, after which every `p.grad` is the mean over the ranks.
# - `p.grad` may be None on some ranks. There it counts as zeros, and becomes the mean like the
#   rest.
# - A gradient has any number of dimensions, and its elements may be in a different order in memory
#   than in the tensor. (`reshape(-1)` gives them in the tensor's order, and copies if it has to.)
# - The lists are left as they are, because the next step needs them again.
#
# (`torch.cat` joins vectors into one, `flat.split([3, 5])` cuts views of 3 and 5 elements from it,
# and `x.copy_(y)` writes y into x.)


# %% role="answer"
def reduce_buckets(buckets):
    """Replace every gradient by its mean over the ranks."""
    ### BEGIN SOLUTION
    for bucket in buckets:
        for p in bucket:
            if p.grad is None:
                p.grad = torch.zeros_like(p)
        flat = torch.cat([p.grad.reshape(-1) for p in bucket])
        dist.all_reduce(flat)
        flat /= dist.get_world_size()
        parts = flat.split([p.numel() for p in bucket])
        for p, part in zip(bucket, parts, strict=True):
            p.grad.copy_(part.view_as(p))
    ### END SOLUTION


# %% role="check"
check("buckets", make_buckets, reduce_buckets)

# %% [markdown]
# *See* ResNet-50's gradients in your buckets, for limits from 10 kB to more than all gradients
# together.

# %%
see("buckets", make_buckets)
reveal("buckets")

# %% [markdown]
# *Reflect.* Beyond which limit does a larger one gain next to nothing? PyTorch's
# `DistributedDataParallel` (DDP) uses 25 MiB, and 1 MiB for its first bucket. (It closes a bucket
# once that limit is reached, so a bucket may end up larger.) What is gained by a small first
# bucket, which costs one more latency? (It is full after a layer or two. Until then, the network
# has nothing to do.)
#
# **DDP's first step is different.** Before training, DDP can't know in which order the gradients
# will be ready; it only knows the order in which the parameters were registered. So in the first
# step it puts everything into one bucket (PyTorch 2.13, unless it looks for unused parameters).
# It notes the order in which the gradients arrive, and **rebuilds its buckets** in that order
# before the second step. Keep the first step out of your measurements.

# %% [markdown] exercise="overlap"
# ## Send during the backward pass
#
# **`overlap` · 8 points · about 45 minutes**
#
# The gradients of the last layer are ready soon after the backward pass starts. From then on the
# network could work at the same time, and a part of the exchange would take no extra time: it would
# be **hidden**.
#
# *Predict.* A model has 8 layers. The backward pass takes 1 ms for each, and the all-reduce of each
# layer's gradients takes 1.25 ms. If all of them come after the backward pass, that's 8 + 10 = 18
# ms. How long does it take, from the start of the backward pass, if each all-reduce starts as soon
# as it can? The network carries one at a time.

# %% role="predict"
predict("overlap", 11)

# %% [markdown]
# A **hook** is a function that PyTorch calls for you. After
# `p.register_post_accumulate_grad_hook(hook)`, every backward pass calls `hook(p)` once, as soon as
# `p.grad` is complete. The backward pass continues when the hook returns. Here is a draft of
# `attach`, which is called once with a rank's buckets, and registers hooks. It returns a function
# that is called after each backward pass.


# %% role="given"
def draft(buckets):
    def hook(p):
        gradient = p.grad
        dist.all_reduce(gradient)
        gradient /= dist.get_world_size()

    for bucket in buckets:
        for p in bucket:
            p.register_post_accumulate_grad_hook(hook)
    return lambda: None


# %% [markdown]
# *See* a step on 4 light ranks: first with one all-reduce per parameter after the backward pass,
# then with one per bucket, then with the draft. The draft sends during the backward pass. So why
# isn't it faster?

# %%
see("overlap", draft)
reveal("overlap")

# %% [markdown]
# *Implement* `attach`. `buckets` are lists of parameters, the same on all ranks. About 20 lines.
#
# - A bucket is sent as a whole, by one all-reduce, as soon as its last gradient is there **and**
#   the all-reduces of the buckets before it in the list have been started. (Gradients may arrive in
#   a different order on each rank.)
# - `finish()` sends what is left, waits, and makes every `p.grad` the mean over the ranks, whose
#   shards have the same size. (If a parameter wasn't used, its hook is never called, and its
#   gradient counts as zeros.)
# - `finish()` is called after each of many backward passes; before each, all `p.grad` are set to
#   None.

# %% [markdown]
# `work = dist.all_reduce(flat, async_op=True)` returns at once. Until `work.wait()` has returned,
# you must neither read nor change `flat`.
#
# A hook gets the parameter and has to find its bucket. Parameters can be the keys of a dict. (Don't
# use `p in bucket` or `bucket.index(p)`: they compare with `==`, which compares the *numbers* in
# the tensors.) A list that a hook changes, as in `left[k] -= 1`, needs no `nonlocal`. And a
# function made in a loop sees the loop's variable as it is when the function runs: its last value.
#
# To get a bucket into one tensor and back, use the functions below, or write your own.


# %% role="given"
def flatten(bucket):
    grads = [torch.zeros_like(p) if p.grad is None else p.grad for p in bucket]
    return torch.cat([grad.reshape(-1) for grad in grads])


def write_back(flat, bucket):
    start = 0
    for p in bucket:
        p.grad = flat[start : start + p.numel()].reshape(p.shape).clone()
        start += p.numel()


# %% role="answer"
def attach(buckets):
    """Register hooks that send buckets; return `finish`."""
    ### BEGIN SOLUTION
    bucket_of = {p: k for k, bucket in enumerate(buckets) for p in bucket}
    left, started = [len(bucket) for bucket in buckets], []

    def start():
        flat = flatten(buckets[len(started)])
        started.append((flat, dist.all_reduce(flat, async_op=True)))

    def hook(p):
        left[bucket_of[p]] -= 1
        while len(started) < len(buckets) and left[len(started)] == 0:
            start()

    def finish():
        while len(started) < len(buckets):
            start()
        for bucket, (flat, work) in zip(buckets, started, strict=True):
            work.wait()
            write_back(flat / dist.get_world_size(), bucket)
        left[:] = [len(bucket) for bucket in buckets]
        started.clear()

    for p in bucket_of:
        p.register_post_accumulate_grad_hook(hook)
    return finish
    ### END SOLUTION


# %% role="check"
check("overlap", attach)

# %% [markdown]
# *See* your hooks in the same step. The numbers are layers: first the forward pass of each, in
# short bars, and then the backward pass.

# %%
see("overlap", attach)

# %% [markdown]
# *Measure* the same code, unchanged, in **two real processes** on this machine. They talk through
# *gloo*, the library that PyTorch uses for communication between CPUs, while PyTorch's profiler
# watches one of them. Starting them takes a few seconds. This is a demonstration: the same cores
# compute, send, and watch, so the share that is hidden differs in every run. Look for an all-reduce
# that runs alongside a backward pass.

# %%
real = measure("overlap", attach)
see("ddp/real-trace", real)

# %% [markdown]
# How large should a bucket be? With overlap, what counts is what sticks out after the backward
# pass. Here is a model of that, for the gradients of ResNet-50 on two networks. (Why do the curves
# dip, as at 100 MB on InfiniBand? There, the buckets have 4 kB, 99.8 MB, and 2.4 MB. If the network
# keeps up, what sticks out is the **last** bucket, and that one happens to be small.)

# %%
see("ddp/bucket-size")

# %% [markdown]
# *Reflect.* Why was the draft no faster, though it sent during the backward pass? (Its all-reduce
# returns only when it is done. Until then the hook waits, and the backward pass with it. So nothing
# is computed at the same time, and there are twice as many messages as buckets.)
#
# In your step, the network was idle until the first bucket, and the ranks waited for the last ones.
# What would a single bucket of *all* layers hide? And since the network is the slower of the two
# there, what do you gain if the **first** bucket alone is complete a millisecond earlier? (0.2 ms:
# the network sends it in 1.2 ms, and then pauses for 0.8 ms until the second is complete. If *all*
# of them are complete a millisecond earlier, you gain that millisecond.)

# %% [markdown]
# ## What you take with you
#
# - A few large messages pay few latencies. Beyond some bucket size, larger buckets gain nothing.
# - Buckets that are sent during the backward pass cost next to no extra time, as long as computing
#   takes longer than sending. What always sticks out is the last bucket.
# - All ranks send the same buckets in the same order, whatever order their gradients arrive in.
#
# **Your number:** the share of the exchange that your hooks hid, in the simulated step. What would
# it be if the network were ten times as fast? Ten times as slow?

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Network times are those of the lesson *Networks*: alpha, beta and the ring's formula.
# - Buckets, their limits (25 MiB, 1 MiB for the first), their order, hooks, and parameters that are
#   not used: S. Li et al., *PyTorch Distributed: Experiences on Accelerating Data Parallel
#   Training*, VLDB 2020; PyTorch 2.13, `DistributedDataParallel` (`bucket_cap_mb`) and
#   `torch.distributed._DEFAULT_FIRST_BUCKET_BYTES`. One bucket in the first step, and rebuilding:
#   PyTorch 2.13, `torch/nn/parallel/distributed.py`, comments in `_ddp_init_helper`.
# - `register_post_accumulate_grad_hook`: PyTorch 2.13, `torch.Tensor`.
# - ResNet-50: K. He, X. Zhang, S. Ren, J. Sun, *Deep Residual Learning for Image Recognition*, CVPR
#   2016, table 1. Its 161 parameters have 25,557,032 elements: counted from their shapes.
