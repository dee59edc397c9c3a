# %% [markdown]
# # How long does a collective take, and why might it never end?
#
# A thousand GPUs add up one number each. In a ring, that takes 20 milliseconds. If each adds a
# tensor of 10 MB instead, it still takes 20 milliseconds, so the bytes are not always what you pay
# for. And if a single rank skips the call, the others wait without an error message: forever, or
# until a time limit ends the job.
#
# **You will be able to** predict the time of an all-reduce from two numbers, and measure those two;
# choose between a tree and a ring; and tell from a program's text which rank waits for which.
#
# **You need** the lesson *Collectives*: ranks, sends and receives, and the ring all-reduce. No GPU.
# **Time** about 95 minutes, and half an hour more for the stretch exercise.

# %% role="setup"
from gpuedu import check, hint, measure, predict, progress, reveal, see, setup

import numpy as np
import torch
import torch.distributed as dist

setup("networks")

# %% [markdown]
# The figure shows the time of a ring all-reduce, from 1 kB on each rank to 1 GB. On the left, the
# lines are flat, because every message pays its latency, no matter how small it is.

# %%
see("collectives/all-sizes")

# %% [markdown] exercise="alpha-beta"
# ## What a ring costs
#
# **`alpha-beta` · 6 points · about 25 minutes**
#
# A message pays a latency, **alpha**, whatever its size, and then its bytes pass at some rate, so
# each byte takes **beta** seconds: `1 / bytes_per_s`. That's all that our model knows about a
# network. A ring all-reduce of S bytes on n ranks is 2 (n - 1) such messages in a row, of S / n
# bytes each. (In the model, additions cost nothing, and nobody else uses the network.)
#
# *Predict.* 8 GPUs hold 8 MB each (8,000,000 bytes); alpha is 10 µs, and the rate 100 GB/s. How
# long does the ring take, in µs?

# %% role="predict"
predict("alpha-beta", 280)

# %% [markdown]
# Nobody tells you alpha and the rate of *your* network, so you time all-reduces of several sizes,
# and fit a line. From each such time you can also read two rates. The **algorithm bandwidth** is S
# divided by the time: the rate that the user sees. It falls as ranks are added, even on a perfect
# network. That's why there's also the **bus bandwidth**: it divides what each rank *sent*, which is
# 2 (n - 1) / n times S, by the time. You can compare it with the rate of a link, for any n.

# %% [markdown]
# *Implement* the three functions below. About 1, 5, and 2 lines.
#
# - `ring_s` returns the time of a ring in this model.
# - `fit_ring` finds alpha and the rate. It gets NumPy arrays of float64: the sizes of tensors, and
#   the times of ring all-reduces over `ranks` GPUs. Small tensors should count as much as large
#   ones, so take each error *as a share of the measured time*. Make the sum of their squares as
#   small as possible, even if that takes an alpha below 0.
# - `bandwidths` returns the algorithm bandwidth and the bus bandwidth.
#
# (`np.linalg.lstsq(rows, right)[0]` is the x for which `rows @ x` is closest to `right`, in the sum
# of squares. Divide a row and its right side by a number, and you divide its error by it, too.)


# %% role="answer"
def ring_s(ranks, size_bytes, alpha_s, bytes_per_s):
    """Seconds of a ring all-reduce."""
    ### BEGIN SOLUTION
    return 2 * (ranks - 1) * (alpha_s + size_bytes / ranks / bytes_per_s)
    ### END SOLUTION


def fit_ring(ranks, sizes_bytes, times_s):
    """Alpha in seconds, and the rate in bytes per second, of one message."""
    ### BEGIN SOLUTION
    steps = 2 * (ranks - 1)
    columns = [np.full(len(sizes_bytes), steps), steps / ranks * sizes_bytes]
    rows = np.stack(columns, axis=1) / times_s[:, None]
    alpha_s, beta_s = np.linalg.lstsq(rows, np.ones(len(rows)))[0]
    return alpha_s, 1 / beta_s
    ### END SOLUTION


def bandwidths(ranks, size_bytes, time_s):
    """Algorithm bandwidth and bus bandwidth, in bytes per second."""
    ### BEGIN SOLUTION
    algorithm = size_bytes / time_s
    return algorithm, algorithm * 2 * (ranks - 1) / ranks
    ### END SOLUTION


# %% role="check"
check("alpha-beta", ring_s, fit_ring, bandwidths)

# %% [markdown]
# *See* the bus bandwidth of a ring on NVLink, from your functions. How large does a tensor have to
# be to get half of the link's rate on 8 ranks? And on 64?
#
# *Measure.* Then something real: PyTorch's own `dist.all_reduce` between two processes on this
# machine, which talk through gloo, its library for CPUs. No GPU takes part. Your `fit_ring` gets
# every other size, and predicts the rest. (Starting the two processes takes a few seconds.)

# %%
see("alpha-beta", ring_s, bandwidths)
reveal("alpha-beta")
own = measure("alpha-beta", fit_ring, ring_s)
see("collectives/own-times", own)

# %% [markdown]
# *Reflect.* If S is n times alpha times the rate, latency takes half of the time: that's 12 MB for
# 8 ranks on NVLink, and 98 MB for 64. A layer's bias is only a few kB. So what would you do with a
# hundred small gradients that each need an all-reduce? (*Buckets and overlap* has an answer.) Where
# the real times leave your line, remember that a model of two numbers knows nothing about caches,
# or about what else runs on this machine.

# %% [markdown] exercise="tree-or-ring"
# ## Tree or ring?
#
# **`tree-or-ring` · 6 points · about 30 minutes**
#
# A ring sends as few bytes as possible, but it takes 2 (n - 1) messages in a row. The alternative
# is a tree: sums of *whole* tensors travel up to rank 0, and the result travels down again, as in a
# broadcast. That's only 2 ceil(log2 n) messages in a row, but of S bytes each.
#
# *Predict.* There are 1024 ranks, and the tensor is so small that only latency counts. How many
# times as long does the ring take as the tree?

# %% role="predict"
predict("tree-or-ring", 102.3)

# %% [markdown]
# 1024 ranks don't fit into a notebook, but their **schedule** does: a list of rounds, where each
# round is a list of messages `(from, to, bytes)`. A simulator sends these messages over a network,
# and says when everything is done. Here is the schedule of a sum through rank 0.


# %% role="given"
def star_schedule(ranks, size_bytes):
    up = [(rank, 0, size_bytes) for rank in range(1, ranks)]
    down = [(0, rank, size_bytes) for rank in range(1, ranks)]
    return [up, down]


# %% [markdown]
# How to read a schedule:
#
# - All messages of a round carry what their sender had before that round.
# - A rank that receives a part of the sum *adds* it to its own, even if its own is already
#   complete, which spoils it. A rank that receives the complete sum replaces its own part with it.
# - A rank sends one message at a time, and receives one at a time: if a round has more of them for
#   a rank, they queue up in the order of the list.

# %% [markdown]
# *Implement* the three functions below. About 6, 4, and 1 lines.
#
# - `tree_schedule` is for any number of ranks, from 1 on. It sends whole tensors, in at most
#   2 ceil(log2 n) rounds, and in a round each rank sends at most once and receives at most once.
#   (The sum may come together at any rank, not just at rank 0.)
# - `crossover` returns the size, in bytes, from which a ring is faster than a tree, for 2 ranks or
#   more. Set both times equal; for 2 or 3 ranks it is 0.
# - `choose` returns "tree" or "ring", whichever is faster, for 2 ranks or more. On a tie, either
#   will do.
#
# (`(n - 1).bit_length()` is log2 n, rounded up, for whole n from 1 on.)


# %% role="answer"
def tree_schedule(ranks, size_bytes):
    """Rounds of messages (from, to, bytes): up to rank 0, and down again."""
    ### BEGIN SOLUTION
    up, gap = [], 1
    while gap < ranks:
        up.append([(rank + gap, rank, size_bytes) for rank in range(0, ranks - gap, 2 * gap)])
        gap *= 2
    down = [[(dst, src, size) for src, dst, size in messages] for messages in reversed(up)]
    return up + down
    ### END SOLUTION


def crossover(ranks, alpha_s, bytes_per_s):
    """The size in bytes from which a ring is faster than a tree."""
    ### BEGIN SOLUTION
    depth = (ranks - 1).bit_length()
    steps_more = ranks - 1 - depth
    share_less = depth - (ranks - 1) / ranks
    return steps_more * alpha_s * bytes_per_s / share_less
    ### END SOLUTION


def choose(ranks, size_bytes, alpha_s, bytes_per_s):
    """The faster one: "tree" or "ring"."""
    ### BEGIN SOLUTION
    return "ring" if size_bytes >= crossover(ranks, alpha_s, bytes_per_s) else "tree"
    ### END SOLUTION


# %% role="check"
check("tree-or-ring", tree_schedule, crossover, choose)

# %% [markdown]
# *See* your schedule and a ring, simulated message by message on 2 to 1024 ranks, for a small
# tensor and a large one. That many ranks don't share one box, so the network is InfiniBand: 9.6 µs
# and 50 GB/s. (Try `star_schedule` in place of `tree_schedule`, too.)

# %%
see("tree-or-ring", tree_schedule, choose)
reveal("tree-or-ring")

# %% [markdown]
# *Reflect.* According to this model, even 20 MB is small for 1024 ranks. But your tree sends whole
# tensors, and half of its ranks do nothing between the first round and the last. What could they do
# with half of the bytes?
#
# **What NCCL does.** It cuts the tensor into small pieces and sends them up and down a tree one
# after another, so that all levels work at the same time; and it runs **two trees at once**, each
# with half of the data, built so that no rank is an inner node of both. Such pipelined double trees
# come near a ring's bandwidth at a tree's latency. NCCL also has rings, and algorithms in which a
# switch does the adding. For every call it estimates a latency and a bandwidth for each, and takes
# the fastest: the same comparison that you made, with more candidates.

# %% [markdown] exercise="who-waits"
# ## Who waits for whom?
#
# **`who-waits` · 6 points · about 35 minutes**
#
# A faulty program for many ranks doesn't have to crash. It may hang or, worse, go on with wrong
# numbers. Below are six programs, each for **four** ranks, some with a collective in a branch that
# depends on the rank. Here, a collective returns only when all ranks have called it. Light ranks
# then check that the kind, shape, and dtype of the calls agree, but not what the numbers mean. Read
# the programs; don't run them yet.


# %% role="given"
def around():
    rank, x, got = dist.get_rank(), torch.ones(1000), torch.zeros(1000)
    dist.send(x, (rank + 1) % 4)
    dist.recv(got, (rank - 1) % 4)


def along():
    rank, x, got = dist.get_rank(), torch.ones(1000), torch.zeros(1000)
    if rank < 3:
        dist.send(x, rank + 1)
    if rank > 0:
        dist.recv(got, rank - 1)


def report():
    loss = torch.tensor([1.0 + dist.get_rank()])
    if dist.get_rank() == 0:  # only rank 0 writes the log
        dist.all_reduce(loss)
    return loss.item() / 4


# %% role="given"
def clip():
    gradients, norm = torch.ones(1000), torch.ones(1)
    if dist.get_rank() == 0:
        dist.all_reduce(norm)
        dist.all_reduce(gradients)
    else:
        dist.all_reduce(gradients)
        dist.all_reduce(norm)


def two_sums():
    loss, hits = torch.tensor([2.0]), torch.tensor([30.0])
    if dist.get_rank() == 0:
        dist.all_reduce(loss)
        dist.all_reduce(hits)
    else:
        dist.all_reduce(hits)
        dist.all_reduce(loss)
    return loss.item(), hits.item()


# %% role="given"
def relay():
    rank, x, got = dist.get_rank(), torch.ones(1000), torch.zeros(1000)
    if rank == 0:
        dist.recv(got, 1)
    elif rank == 1:
        dist.recv(got, 3)
        dist.send(x, 0)
        dist.recv(got, 2)
    elif rank == 2:
        dist.send(x, 1)
        dist.send(x, 3)
    else:
        dist.recv(got, 2)
        dist.send(x, 1)


# %% [markdown]
# A program does one of four things:
#
# - `"ends"`: it ends with the intended numbers
# - `"deadlock"`: at least one rank waits forever, even if others return, with right numbers or
#   wrong ones
# - `"disagree"`: ranks meet in collectives that don't match, and the mismatch is noticed
# - `"wrong numbers"`: it ends, and the numbers are wrong
#
# *Predict.* What does `two_sums` do?

# %% role="predict"
predict("who-waits", "wrong numbers")

# %% [markdown]
# *Answer* by reading: what does each program do? And in `relay`, once no rank can go on, which rank
# does each one wait for?

# %% role="answer"
### BEGIN SOLUTION
outcomes = {
    "around": "deadlock",
    "along": "ends",
    "report": "deadlock",
    "clip": "disagree",
    "two_sums": "wrong numbers",
    "relay": "deadlock",
}
### END SOLUTION
### BEGIN SOLUTION
waits_for = {0: 1, 1: 3, 2: 1, 3: 2}
### END SOLUTION

# %% [markdown]
# And here's one to fix. A large picture is cut into horizontal pieces, and rank r has the r-th from
# the top. To blur it, each rank needs the rows next to its piece, its **halo**: the last row of the
# rank above, and the first row of the rank below. The ranks form a line, so the first one has no
# rank above it, and the last one none below. What happens when this draft runs?


# %% role="given"
def draft(piece, above, below):
    me = dist.get_rank()
    last = dist.get_world_size() - 1
    if me > 0:
        dist.send(piece[0], me - 1)
    if me < last:
        dist.send(piece[-1], me + 1)
    if me > 0:
        dist.recv(above, me - 1)
    if me < last:
        dist.recv(below, me + 1)


# %% [markdown]
# *Implement* `swap_halos`, with the draft's arguments. About 12 lines.
#
# - `above` and `below` are tensors of the size of a row, to receive into. Where a rank has no
#   neighbor, they stay as they are. `piece` never changes.
# - It ends for any number of ranks, including 1.
# - It doesn't take longer with more ranks.


# %% role="answer"
def swap_halos(piece, above, below):
    ### BEGIN SOLUTION
    ranks, rank = dist.get_world_size(), dist.get_rank()
    sending = []
    if rank > 0:
        sending.append(dist.isend(piece[0], rank - 1))
    if rank < ranks - 1:
        sending.append(dist.isend(piece[-1], rank + 1))
    if rank > 0:
        dist.recv(above, rank - 1)
    if rank < ranks - 1:
        dist.recv(below, rank + 1)
    for one in sending:
        one.wait()
    ### END SOLUTION


# %% role="check"
check("who-waits", outcomes, waits_for, swap_halos)

# %% [markdown]
# *See* the draft and your exchange. Then, once you've answered, see what the six programs really do
# on light ranks, and who waits for whom in `relay`.

# %%
see("who-waits", draft)
see("who-waits", swap_halos)
see("collectives/programs", outcomes, around, along, report, clip, two_sums, relay)
see("collectives/waits", waits_for, relay)
reveal("who-waits")

# %% [markdown]
# *Reflect.* `along` ends, but look how: rank 3 receives first, then rank 2, and so on. A chain
# isn't a deadlock, but with 1000 ranks it takes 999 messages in a row. `clip` was noticed *here*,
# but a GPU's library may not look: calls whose sizes differ are undefined in NCCL, and may hang,
# crash, or spoil data. That's why a collective inside a branch always deserves a second look: do
# *all* ranks get here, and in the same order?

# %% [markdown]
# **When a real job hangs.** Nothing happens, and after 10 minutes (PyTorch's default with NCCL) a
# timeout ends the job. The rank that complains is usually one that waited; the one to find is the
# rank that never came. Three tools, all set by environment variables:
#
# - The **flight recorder** keeps each rank's last collectives, with their shapes and whether they
#   have finished; with NCCL, a timeout writes them to a file per rank. PyTorch 2.13 keeps 2,000
#   by default; `TORCH_FR_BUFFER_SIZE` (formerly `TORCH_NCCL_TRACE_BUFFER_SIZE`) changes that. The
#   command `torchfrtrace` compares the ranks' files, and names the first call where they differ.
# - `TORCH_DISTRIBUTED_DEBUG=DETAIL` compares the ranks' calls *before* each collective, and if two
#   differ, raises an error that names both. It's slow, so use it for debugging only.
# - `NCCL_DEBUG=INFO` prints which network and which GPUs NCCL found, and its warnings.

# %% [markdown] exercise="hierarchical"
# ## Stretch: first inside, then across
#
# **`hierarchical` · 6 points · stretch · about 30 minutes**
#
# GPUs come in **nodes**: 8 of them, say, connected by NVLink. The network between nodes is slower;
# here each GPU has its own network card. A single ring over all ranks leaves a node through *one*
# card, with nearly 2 S bytes, while the other seven cards are idle.
#
# So do it in three steps. First a reduce-scatter inside each node; after that, GPU i of a node
# holds chunk i of its node's sum. Then, for all i at the same time, GPU i of every node takes part
# in an all-reduce of that chunk. Finally, an all-gather inside each node.
#
# *Predict.* 2 nodes of 8 GPUs, with 1 GB (1,000 MB) on each GPU. How many MB does each card send?

# %% role="predict"
predict("hierarchical", 125)

# %% [markdown]
# *Implement* these steps. Node k has the ranks from `k * per_node` on; `per_node` divides both the
# number of ranks and the size of `x`. `x` has one dimension, in float32 or float64 (any tensor that
# you make needs the same dtype), and it is changed in place. About 13 lines.
#
# PyTorch has all three steps. `dist.reduce_scatter_tensor(chunk, x, group=g)` and
# `dist.all_gather_into_tensor(x, chunk, group=g)` work on equal chunks, in the order of the ranks;
# `dist.all_reduce(chunk, group=g)` you know. You make a group with `dist.new_group([0, 4, 8])`.
# *Every* rank has to call that for *every* group, in the same order, whether it is in it or not.


# %% role="answer"
def hierarchical(x, per_node):
    ### BEGIN SOLUTION
    ranks, rank = dist.get_world_size(), dist.get_rank()
    for first in range(0, ranks, per_node):
        group = dist.new_group(list(range(first, first + per_node)))
        if first == rank // per_node * per_node:
            node = group
    for place in range(per_node):
        group = dist.new_group(list(range(place, ranks, per_node)))
        if place == rank % per_node:
            peers = group
    chunk = x.new_empty(x.numel() // per_node)
    dist.reduce_scatter_tensor(chunk, x, group=node)
    dist.all_reduce(chunk, group=peers)
    dist.all_gather_into_tensor(x, chunk, group=node)
    ### END SOLUTION


# %% role="check"
check("hierarchical", hierarchical)

# %% [markdown]
# *See* your three steps on 2 nodes of 4 GPUs. Then up to 1024 GPUs in nodes of 8, simulated: one
# ring, the three steps as three rings, and your own function on up to 64 light ranks.

# %%
see("hierarchical", hierarchical)
see("collectives/nodes", hierarchical)
reveal("hierarchical")

# %% [markdown]
# *Reflect.* If the whole node had just one slow card, how much of the gain would be left? One ring
# sends nearly 2 S bytes out of a node. Three rings send 8 shares of an eighth, which queue up: S
# bytes with 2 nodes, and nearly 2 S with many, so there they save no bytes at all. What they still
# save is latency, because their rings are short and have fewer steps in total. (In a real program,
# make the groups once, at the start, and not in every call.)

# %% [markdown]
# ## What you take with you
#
# - A message costs alpha, and then its bytes. Many ranks and small tensors pay for messages: send
#   few, large ones, or use a tree. Large tensors pay for bytes: use a ring, or a pipelined tree.
# - A collective may wait until every rank has called it, and an all-reduce always does. So all
#   ranks call the same collectives in the same order, whatever branch they're in.
# - You can tell from a program's text who waits: put a finger for each rank on the line it is in.
#   When a real job hangs, the flight recorder shows you those lines.
#
# **Your number:** alpha times the rate of the network that you use, in bytes: the size of a message
# that spends half of its time on latency. How many of *your* gradients are larger?

# %%
progress()

# %% [markdown]
# ## Sources
#
# - The ring: P. Patarasuk and X. Yuan, *Bandwidth optimal all-reduce algorithms for clusters of
#   workstations*, Journal of Parallel and Distributed Computing 69, 2009.
# - Trees, and which algorithm for which size: R. Thakur, R. Rabenseifner and W. Gropp,
#   *Optimization of Collective Communication Operations in MPICH*, International Journal of High
#   Performance Computing Applications 19, 2005.
# - Alpha and beta: R. W. Hockney, *The communication challenge for MPP: Intel Paragon and Meiko
#   CS-2*, Parallel Computing 20, 1994.
# - Algorithm and bus bandwidth: NVIDIA, nccl-tests, doc/PERFORMANCE.md.
# - Pipelined double trees: S. Jeaugey, *Massively Scale Your Deep Learning Training with NCCL 2.4*,
#   NVIDIA's blog, 2019. NCCL's algorithms: NVIDIA, *NCCL User Guide*, `NCCL_ALGO`.
# - That collectives whose sizes differ may hang, crash or spoil data: NVIDIA, *NCCL User Guide*,
#   "Collective Operations". `NCCL_DEBUG`: there, "Logging".
# - How NCCL chooses, and the latencies of links used here: NCCL 2.7.5 of 2020, src/graph/tuning.cc
#   (commit 01afd20); since 2.18, a step of a ring across the network counts 14 µs. Bandwidths:
#   NVIDIA, data sheets of the H100 and of Quantum-2 InfiniBand; they are peaks. The only measured
#   time in this lesson is gloo's.
# - `torch.distributed` and its functions, the default timeout, and `TORCH_DISTRIBUTED_DEBUG`:
#   PyTorch 2.13, *Distributed communication package*; there, too, that every rank calls
#   `new_group`, in the same order.
# - The flight recorder: PyTorch 2.13, `torch/csrc/distributed/c10d/FlightRecorder.hpp` and
#   `torch/distributed/flight_recorder/fr_trace.py`.
