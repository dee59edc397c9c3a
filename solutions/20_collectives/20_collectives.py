# %% [markdown]
# # How do GPUs agree on a sum?
#
# Eight GPUs train one model. Each has computed gradients from its own part of the batch; before
# the next step, each needs the **sum** of all eight. No GPU has it, and none may wait long for it.
# The obvious way: all send to one GPU, which adds up and sends the sum back. In the figure that is
# the upper line: with every further GPU it takes longer. The lower line is what you will build.
#
# **You will be able to** write programs for many ranks, and build a broadcast, a reduce-scatter,
# an all-gather and an all-reduce from sends and receives; say what each costs; tell who waits for
# whom when nothing goes on.
#
# **You need** tensors in PyTorch. No second GPU, and no first one. **Time** about 195 minutes, in
# two sittings: there is a mark half-way.

# %% role="setup"
import numpy as np
import torch
import torch.distributed as dist

from gpuedu import check, hint, measure, multi, predict, progress, reveal, see, setup

setup("collectives")

# %%
see("collectives/question")

# %% [markdown]
# ## Ranks
#
# A program for many GPUs is *one* program that runs many times: a process for each GPU. Each
# process has a number, its **rank**, from 0 to n - 1; n is the **world size**. They share no
# memory. What one knows, another learns only by a message. In PyTorch, all of that is in
# `torch.distributed`, here `dist`:
#
# - `dist.get_rank()` and `dist.get_world_size()` say who I am, and how many we are
# - `dist.send(x, 3)` sends the tensor `x` to rank 3, and returns when it is there
# - `dist.recv(x, 2)` receives from rank 2 *into* the tensor `x`, of the same size and dtype
#
# In the cell below, rank 0 begins, and each rank adds its own tensor to what the one before sends.


# %%
def pass_on():
    rank, ranks = dist.get_rank(), dist.get_world_size()
    x = torch.full((2**20,), float(rank))  # 4 MiB of float32
    if rank > 0:
        got = torch.empty_like(x)
        dist.recv(got, rank - 1)
        x += got
    if rank < ranks - 1:
        dist.send(x, rank + 1)
    return x[0].item()


print(multi.run_light(pass_on, 4).results)
see("collectives/run", pass_on)

# %% [markdown]
# `multi.run_light(pass_on, 4)` ran it on four **light ranks**: threads in this notebook, on a
# **simulated** clock and network. A message takes a latency, and its bytes over a bandwidth: here
# 3.4 µs and 450 GB/s, as for NVLink 4 between H100s. The same function runs unchanged on real
# processes whose tensors are on CPUs. On GPUs, sends and receives follow one more rule, which you
# will see below. Light ranks are for algorithms: any number of them, the same on every machine, and
# they notice who waits for whom.
#
# In the picture: who did what when. The last rank has the sum, after three messages one behind the
# other. The others have parts of it.

# %% [markdown]
# **When nothing goes on.** Two ranks want to swap their tensors. Each sends first.


# %%
def swap():
    other = 1 - dist.get_rank()
    mine, theirs = torch.full((3,), float(dist.get_rank())), torch.empty(3)
    dist.send(mine, other)
    dist.recv(theirs, other)
    return theirs.tolist()


see("collectives/stuck", swap)

# %% [markdown]
# A send waits for its receive, and both receives come after the sends: a **deadlock**. (Some
# networks keep *small* messages in a buffer, and let `send` return. Then such a program works,
# until its messages grow. Light ranks have no such buffer.) GPUs get stuck in the same way, only
# later in the program: with NCCL, NVIDIA's library, `send` returns as soon as it is queued on a
# stream. The receive is queued after it, so both GPUs stand still, silently, until somebody needs
# the result and a time limit ends the wait.
#
# The way out: `dist.isend` **begins** to send, and returns a handle at once. Receive meanwhile.
# Then `wait()` on the handle: until that returns, nobody may write to the tensor. There is
# `dist.irecv`, too: until its `wait()` returns, what is in the tensor means nothing (light ranks
# put NaN there).

# %% [markdown]
# **The rule on GPUs.** There, `isend` alone isn't enough. NCCL runs what two ranks exchange in the
# order in which it was queued, so both GPUs still send first. Messages that have to be under way at
# the same time must be *grouped*: `dist.batch_isend_irecv` does that, and light ranks have it, too.
# Write all exchanges of this lesson that way when you take them to GPUs.


# %%
def swap_at_once():
    other = 1 - dist.get_rank()
    mine, theirs = torch.full((3,), float(dist.get_rank())), torch.empty(3)
    sending = dist.isend(mine, other)
    dist.recv(theirs, other)
    sending.wait()
    return theirs.tolist()


def swap_in_a_group():
    other = 1 - dist.get_rank()
    mine, theirs = torch.full((3,), float(dist.get_rank())), torch.empty(3)
    both = [dist.P2POp(dist.isend, mine, other), dist.P2POp(dist.irecv, theirs, other)]
    for one in dist.batch_isend_irecv(both):
        one.wait()
    return theirs.tolist()


see("collectives/stuck", swap_at_once)
see("collectives/stuck", swap_in_a_group)

# %% [markdown] exercise="broadcast-tree"
# ## From one to all
#
# **`broadcast-tree` · 5 points · about 20 minutes**
#
# Before training begins, all ranks need the same weights: rank 0 sends its own to everybody. That
# is a **broadcast**. Here is one that works: the **root**, the rank that has it, sends to one rank
# after the other. *See* it on 8 ranks, with 4 MiB.


# %% role="given"
def broadcast_in_a_row(x, root):
    rank = dist.get_rank()
    if rank != root:
        dist.recv(x, root)
        return
    for other in range(dist.get_world_size()):
        if other != root:
            dist.send(x, other)


# %%
see("broadcast-tree", broadcast_in_a_row)

# %% [markdown]
# Seven messages, one after the other, and all but two ranks stand idle at any time. But whoever has
# the tensor can send it, too. Count in **rounds**, each as long as one message; in a round, a rank
# sends to one other rank at most.
#
# *Predict.* In how many rounds can a tensor get from one rank to all of 1000?

# %% role="predict"
predict("broadcast-tree", 10)

# %% [markdown]
# *Implement.* A function that every rank calls, with its own `x` and the same `root`. Afterwards
# every `x` holds what the root's held. Any number of ranks, also 1 or 7; any root. Each rank
# except the root receives once, and all of it takes ceil(log2 n) rounds. About 9 lines.
#
# (The function changes `x` in place, and returns nothing. Only sends and receives: `dist.broadcast`
# exists, and is what you are building.)


# %% role="answer"
def broadcast_tree(x, root):
    ### BEGIN SOLUTION
    ranks = dist.get_world_size()
    me = (dist.get_rank() - root) % ranks
    have = 1
    while have < ranks:
        if me < have and me + have < ranks:
            dist.send(x, (me + have + root) % ranks)
        elif have <= me < 2 * have:
            dist.recv(x, (me - have + root) % ranks)
        have *= 2
    ### END SOLUTION


# %% role="check"
check("broadcast-tree", broadcast_tree)

# %% [markdown]
# *See* yours, on 8 ranks. Then *measure*, simulated, on more ranks: both functions, the same 4 MiB.

# %%
see("broadcast-tree", broadcast_tree)
reveal("broadcast-tree")
see("collectives/broadcasts", broadcast_in_a_row, broadcast_tree)

# %% [markdown]
# *Reflect.* Both send the same bytes: n - 1 times the tensor. What did the tree gain? Senders. The
# row has one rank that sends, the tree doubles them in every round. Yet in the last round half of
# the ranks send and the other half receive; and in the first, all but two do nothing at all. A
# large tensor can do better, if it is cut into pieces: that is the idea of what follows.

# %% [markdown] exercise="reduce-scatter"
# ## Everybody adds a piece
#
# **`reduce-scatter` · 7 points · about 30 minutes**
#
# Now the sum. If all send to rank 0, then with 8 ranks and 4 MiB each, 28 MiB have to go into *one*
# GPU, one message behind the other, while the other GPUs' links are idle.
#
# So share the work. Cut each tensor into n **chunks**; rank i is to end with the sum of chunk i
# alone. That is a **reduce-scatter**. And let the ranks stand in a **ring**: each sends only to
# the next, rank + 1, and receives only from the one before; the last is followed by rank 0. (The
# other way round, to rank - 1, is just as good.) A chunk starts somewhere, and each rank it comes
# to adds its own numbers and sends it on.

# %% [markdown]
# *Predict.* 8 ranks with 4 MiB each. How many MiB does each rank send?

# %% role="predict"
predict("reduce-scatter", 3.5)

# %% [markdown]
# *Implement.* `x` has one dimension, in float32 or float64: a tensor of yours needs the same dtype.
# Afterwards chunk i of rank i's `x` is the sum over all ranks, in place; the other chunks may hold
# anything. In each of n - 1 steps every rank sends one chunk to the next and receives one from the
# one before, at the same time. About 8 lines.
#
# `x.tensor_split(n)` gives a tuple of n pieces that share `x`'s memory: `piece += y` changes `x`,
# and `piece = piece + y` only gives a new tensor that name. (`pieces[i] += y` fails, as in any
# tuple: name the piece first.) Where n does not divide the size, the first pieces have one element
# more; where there are fewer elements than ranks, the last pieces are empty.


# %% role="answer"
def reduce_scatter(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    ### BEGIN SOLUTION
    chunks = x.tensor_split(ranks)
    for step in range(1, ranks):
        into = chunks[(rank - step - 1) % ranks]
        got = torch.empty_like(into)
        sending = dist.isend(chunks[(rank - step) % ranks], (rank + 1) % ranks)
        dist.recv(got, (rank - 1) % ranks)
        sending.wait()
        into += got
    ### END SOLUTION


# %% role="check"
check("reduce-scatter", reduce_scatter)

# %% [markdown]
# *See* yours on 4 ranks, with 4 MiB each: first the messages; then whose numbers each rank's chunks
# hold at the end, where only the marked ones have to be complete.

# %%
see("reduce-scatter", reduce_scatter)
see("collectives/whose", reduce_scatter)
reveal("reduce-scatter")

# %% [markdown]
# *Reflect.* To rank 0 went 28 MiB, and in the ring 28 MiB go, too. But each of the eight links
# carries an eighth of them, all at once, and the adding is shared as well. A column of the table is
# one chunk's way round the ring: who has it first sends its own numbers alone, who has it last adds
# its own to the sum of all others.

# %% [markdown] exercise="all-gather"
# ## Everybody gets all pieces
#
# **`all-gather` · 5 points · about 20 minutes**
#
# The sum is there, in n pieces on n ranks. Now everybody wants all of it: an **all-gather**. It is
# used on its own, too: where each GPU keeps a piece of the weights, and all need the whole for a
# moment. The same ring does it. What arrives is final now: it replaces, and nothing is added.
#
# But first another way round the deadlock, without `isend`: ranks of *even* number send first and
# then receive, *odd* ones receive first and then send. Nobody waits for ever.
#
# *Predict.* 8 ranks in a ring, and all chunks take the same time. How many times as long does a
# step take that way, compared with one in which all send and receive at once?

# %% role="predict"
predict("all-gather", 2)

# %% [markdown]
# *Implement.* Chunk i of rank i's `x` is given, the rest of `x` is not (NaN, here). Afterwards
# every `x` holds all chunks. Again n - 1 steps, one chunk a step, to the next rank, all at once;
# receive right into the place in `x`. About 5 lines.


# %% role="answer"
def all_gather(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    ### BEGIN SOLUTION
    chunks = x.tensor_split(ranks)
    for step in range(ranks - 1):
        sending = dist.isend(chunks[(rank - step) % ranks], (rank + 1) % ranks)
        dist.recv(chunks[(rank - step - 1) % ranks], (rank - 1) % ranks)
        sending.wait()
    ### END SOLUTION


# %% role="check"
check("all-gather", all_gather)

# %% [markdown]
# *See* yours on 4 ranks.

# %%
see("all-gather", all_gather)
reveal("all-gather")

# %% [markdown]
# *Reflect.* Why does a rank not send its chunk straight to each of the others? It would be as many
# bytes, and on a switch that joins all GPUs it would even take as long. In a ring each rank needs
# two links: one in, one out. Eight GPUs in a box are one ring; so are 64 in eight boxes, with one
# cable from each box to the next.

# %% [markdown] exercise="ring-all-reduce"
# ## The ring all-reduce
#
# **`ring-all-reduce` · 8 points · about 25 minutes**
#
# Put them together: the sum, on all ranks. An **all-reduce** is a reduce-scatter, then an
# all-gather. In 2 (n - 1) steps each rank sends 2 S bytes less two chunks, where S is the size of
# a tensor; all ranks together send exactly 2 (n - 1) S.
#
# *Predict.* From 8 GPUs to 64, with the same bytes on each, over the same links; latencies left
# aside. How many times as long does the ring take?

# %% role="predict"
predict("ring-all-reduce", 1.125)

# %% [markdown]
# *Implement.* This one is for real gradients. `x` has any shape (its elements lie side by side in
# memory: `x.view(-1)` is the same memory as a row) and any dtype, both stay; it may have fewer
# elements than there are ranks, so that some chunks are empty. `x` is changed in place. About 11
# lines: your two loops, one behind the other.


# %% role="answer"
def ring_all_reduce(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    ### BEGIN SOLUTION
    after, before = (rank + 1) % ranks, (rank - 1) % ranks
    chunks = x.view(-1).tensor_split(ranks)
    for step in range(1, 2 * ranks - 1):
        out, into = chunks[(rank - step) % ranks], chunks[(rank - step - 1) % ranks]
        adds = step < ranks
        got = torch.empty_like(into) if adds else into
        sending = dist.isend(out, after)
        dist.recv(got, before)
        sending.wait()
        if adds:
            into += got
    ### END SOLUTION


# %% role="check"
check("ring-all-reduce", ring_all_reduce)

# %% [markdown]
# *See* yours on 4 ranks with 4 MiB each: who sends when, and the bytes over each link. Then
# *measure*, simulated, with 64 MiB: the sum through one rank, with which this lesson began, and
# yours.

# %%
see("ring-all-reduce", ring_all_reduce)
see("collectives/bytes", ring_all_reduce)
reveal("ring-all-reduce")
see("collectives/all-reduces", ring_all_reduce)

# %% [markdown]
# *Reflect.* In no all-reduce out of sends and receives does every rank send less than 2 S bytes
# less two chunks: in bytes, the ring is the best there is. (A switch that adds up what passes
# through it can do better.) So why not always a ring? Its line climbs a little: it has
# 2 (n - 1) steps, and each costs a latency. With 1000 ranks and a small tensor, that is all it
# costs. And why do all ranks have the same bits, although a sum of floats depends on the order in
# which it is added up? Each element is added up along one path only; all others get copies.
#
# **Half-way.** You have built what `dist.all_reduce(x)` is for. What it costs, when a tree is
# better, and how programs like these come to a halt, is the second half. A good place for a break.

# %% [markdown] exercise="alpha-beta"
# ## What a ring costs
#
# **`alpha-beta` · 6 points · about 25 minutes**
#
# A message takes a latency, **alpha**, whatever its size, and then its bytes pass at a rate: beta
# seconds for each, `1 / bytes_per_s`. That is all the model of this lesson knows of a network. A
# ring all-reduce of S bytes is 2 (n - 1) such messages, one after another; each has S / n bytes.
# (Adding up costs nothing in the model, and nobody else is on the network.)
#
# *Predict.* 8 GPUs, alpha 10 µs, 100 GB/s, 8 MB on each (8,000,000 bytes). How long does the ring
# take, in µs?

# %% role="predict"
predict("alpha-beta", 280)

# %% [markdown]
# Nobody tells you alpha and the rate of *your* network: you time all-reduces of several sizes, and
# fit. Two rates are read off such a time. The **algorithm bandwidth** is S over the time: what the
# user sees. It falls with more ranks, even on a perfect network. So the **bus bandwidth** asks
# what each rank *sent*, 2 (n - 1) / n times S, and puts that over the time: it can be compared
# with the link's own rate, for any n.
#
# *Implement* all three. `fit_ring` gets NumPy arrays of float64: sizes of the tensors, and times
# of ring all-reduces over `ranks` GPUs. Small tensors should count as much as large ones: make the
# sum of the squares of all errors, *as shares of the measured times*, as small as can be, also
# where that takes an alpha below 0. About 1, 5 and 2 lines.
#
# (`np.linalg.lstsq(rows, right)[0]` is the x for which `rows @ x` comes closest to `right`, in the
# sum of squares. Divide a row and its right side by a number, and its error is divided, too.)


# %% role="answer"
def ring_s(ranks, size_bytes, alpha_s, bytes_per_s):
    """Seconds of a ring all-reduce."""
    ### BEGIN SOLUTION
    return 2 * (ranks - 1) * (alpha_s + size_bytes / ranks / bytes_per_s)
    ### END SOLUTION


def fit_ring(ranks, sizes_bytes, times_s):
    """Alpha in seconds, and the rate in bytes a second, of one message."""
    ### BEGIN SOLUTION
    steps = 2 * (ranks - 1)
    columns = [np.full(len(sizes_bytes), steps), steps / ranks * sizes_bytes]
    rows = np.stack(columns, axis=1) / times_s[:, None]
    alpha_s, beta_s = np.linalg.lstsq(rows, np.ones(len(rows)))[0]
    return alpha_s, 1 / beta_s
    ### END SOLUTION


def bandwidths(ranks, size_bytes, time_s):
    """Algorithm bandwidth and bus bandwidth, in bytes a second."""
    ### BEGIN SOLUTION
    algorithm = size_bytes / time_s
    return algorithm, algorithm * 2 * (ranks - 1) / ranks
    ### END SOLUTION


# %% role="check"
check("alpha-beta", ring_s, fit_ring, bandwidths)

# %% [markdown]
# *See.* The bus bandwidth of a ring on NVLink, from your functions. How large must a tensor be, to
# get half of the link's rate on 8 ranks? And on 64?
#
# *Measure.* Then something real: two processes of this machine, and PyTorch's own `dist.all_reduce`
# between them, through gloo. No GPU takes part. Your `fit_ring` gets every second size, and
# predicts the others. (Some seconds: two processes begin.)

# %%
see("alpha-beta", ring_s, bandwidths)
reveal("alpha-beta")
own = measure("alpha-beta", fit_ring, ring_s)
see("collectives/own-times", own)

# %% [markdown]
# *Reflect.* Where a tensor has n times alpha times the rate, half of the time goes into latencies:
# that is 12 MB for 8 ranks on NVLink, and 98 MB for 64. A layer's bias has a few kB. What would
# you do with a hundred small gradients, that each want an all-reduce? And where the real times
# leave your line: a model of two numbers knows nothing of caches, or of other work on this machine.

# %% [markdown] exercise="tree-or-ring"
# ## Tree or ring?
#
# **`tree-or-ring` · 6 points · about 30 minutes**
#
# A ring sends as few bytes as can be, in 2 (n - 1) messages one after another. The other way is a
# tree: sums of *whole* tensors go up to rank 0, and the result goes down again, as in a broadcast.
# That is 2 ceil(log2 n) messages one after another, of S bytes each.
#
# *Predict.* 1024 ranks, and a tensor so small that only latencies count. How many times as long as
# the tree does the ring take?

# %% role="predict"
predict("tree-or-ring", 102.3)

# %% [markdown]
# 1024 ranks fit in no notebook, but their **schedule** does: a list of rounds, each a list of
# messages `(from, to, bytes)`. A simulator sends them over a network, and says when all is done.
# Here is the schedule of a sum through rank 0.


# %% role="given"
def star_schedule(ranks, size_bytes):
    up = [(rank, 0, size_bytes) for rank in range(1, ranks)]
    down = [(0, rank, size_bytes) for rank in range(1, ranks)]
    return [up, down]


# %% [markdown]
# The rules. All messages of a round carry what their sender had before that round. Who receives a
# part of the sum *adds* it to its own, even where its own is finished, which spoils it. Who
# receives the finished sum takes it in place of its own. A rank sends one message at a time, and
# receives one at a time: more of them in a round queue up, in the order of the list.
#
# *Implement.* `tree_schedule`, for any number of ranks from 1 on: whole tensors, at most
# 2 ceil(log2 n) rounds, in each of which a rank sends at most once and receives at most once. (The
# sum may meet at any rank, not only at 0.) `crossover`: the size from which a ring is faster than a
# tree, in bytes (set both times equal; for 2 or 3 ranks it is 0). `choose`: "tree" or "ring",
# whichever is faster (on a tie, either). These two from 2 ranks on. About 6, 4 and 1 lines.
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
    """The bytes from which a ring is faster than a tree."""
    ### BEGIN SOLUTION
    depth = (ranks - 1).bit_length()
    steps_more = ranks - 1 - depth
    share_less = depth - (ranks - 1) / ranks
    return steps_more * alpha_s * bytes_per_s / share_less
    ### END SOLUTION


def choose(ranks, size_bytes, alpha_s, bytes_per_s):
    """The faster way: "tree" or "ring"."""
    ### BEGIN SOLUTION
    return "ring" if size_bytes >= crossover(ranks, alpha_s, bytes_per_s) else "tree"
    ### END SOLUTION


# %% role="check"
check("tree-or-ring", tree_schedule, crossover, choose)

# %% [markdown]
# *See.* Your schedule and a ring, simulated message by message on 2 to 1024 ranks, for a small
# tensor and a large one. So many ranks are no longer in one box: the network is InfiniBand here,
# 9.6 µs and 50 GB/s, where it was NVLink. (In place of `tree_schedule`, try `star_schedule`.)

# %%
see("tree-or-ring", tree_schedule, choose)
reveal("tree-or-ring")

# %% [markdown]
# *Reflect.* By this model even 20 MB are small for 1024 ranks. Libraries choose as you did, by a
# model and by tables: NCCL estimates a latency and a bandwidth for each of its algorithms, and
# takes the one with the shortest time. But its trees don't send whole tensors. In *your* tree, half
# of the ranks are done after the first round. What could they do with half of the bytes? (NCCL cuts
# the tensor into pieces and sends them through two trees at once, so that all ranks are busy. That
# comes near a ring's bandwidth, and moves the crossover up.)

# %% [markdown] exercise="who-waits"
# ## Who waits for whom?
#
# **`who-waits` · 6 points · about 35 minutes**
#
# A faulty program for many ranks need not crash. It may stop, or, worse, go on with wrong numbers.
# Here are six programs, each for **four** ranks, some of them with a branch on the
# rank around a collective. A collective returns only when all ranks have come to it. Light ranks
# check then that its kind, shape and dtype agree, but not what the numbers mean. Read the
# programs; do not run them yet.


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
# What a program does is one of four: it `"ends"`, with the numbers that were meant; `"deadlock"`,
# if any rank waits for ever, even where others return, with wrong numbers or right ones; ranks
# `"disagree"`, as they come to collectives that do not fit, and this is noticed; or
# `"wrong numbers"`.
#
# *Predict.* What comes of `two_sums`?

# %% role="predict"
predict("who-waits", "wrong numbers")

# %% [markdown]
# *Answer* by reading. What does each program do: `"ends"`, `"deadlock"`, `"disagree"` or
# `"wrong numbers"`? And in `relay`, when no rank can go on: whom does each rank wait for?

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
# And one to mend. A large picture is cut into pieces of some rows each; rank r has the r-th from
# above. To blur it, each rank needs the rows next to its piece: the last row of the rank above,
# and the first row of the rank below, its **halo**. The ranks stand in a line: the first has
# nobody above, the last nobody below. Here is a draft. What becomes of it?


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
# *Implement* `swap_halos`, with the draft's arguments: `above` and `below` are tensors as large as
# a row, to receive into. What has no neighbor stays as it is, and so does `piece`. It ends for
# any number of ranks, also 1, and more ranks do not take longer. About 12 lines.


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
# *See.* The draft, and your exchange. Then, once you have answered, what the six programs really do
# on light ranks, and who waits for whom in `relay`.

# %%
see("who-waits", draft)
see("who-waits", swap_halos)
see("collectives/programs", outcomes, around, along, report, clip, two_sums, relay)
see("collectives/waits", waits_for, relay)
reveal("who-waits")

# %% [markdown]
# *Reflect.* `along` ends, but see how: rank 3 receives first, then rank 2, and so on. A chain is
# no deadlock, and yet with 1000 ranks it takes 999 messages. And `clip` was noticed *here*. A
# GPU's library may not look: sizes that differ can hang, or overwrite memory. That is why a
# collective in a branch deserves a second look, each time: do *all* ranks come here, and in the
# same order?

# %% [markdown] exercise="hierarchical"
# ## Stretch: first inside, then across
#
# **`hierarchical` · 6 points · stretch · about 30 minutes**
#
# GPUs come in **nodes**: 8 of them, say, on NVLink. Between nodes lies a slower network; here each
# GPU has a card of its own for it. One ring over all ranks leaves a node through *one* card, with
# nearly 2 S bytes, while the other seven cards are idle.
#
# So: a reduce-scatter inside of each node. After that, GPU i of a node holds chunk i of its node's
# sum. Then GPU i of all nodes together all-reduce that chunk, for each i at the same time. At last
# an all-gather inside of the node.
#
# *Predict.* 2 nodes of 8 GPUs, 1 GB (1,000 MB) on each. How many MB does each card send that way?

# %% role="predict"
predict("hierarchical", 125)

# %% [markdown]
# PyTorch has all three steps. `dist.reduce_scatter_tensor(chunk, x, group=g)` and
# `dist.all_gather_into_tensor(x, chunk, group=g)` work on equal chunks, in the order of the ranks;
# `dist.all_reduce(chunk, group=g)` you know. The group: `dist.new_group([0, 4, 8])`. *Every* rank
# has to call it, for *every* group, in the same order, whether it is in it or not.
#
# *Implement.* Node k has the ranks from `k * per_node` on; `per_node` divides the number of ranks
# and the size of `x`, which has one dimension, in float32 or float64: a tensor of yours needs the
# same dtype. `x` is changed in place. About 13 lines.


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
# *See.* Your three steps on 2 nodes of 4 GPUs; then up to 1024 GPUs in nodes of 8, simulated: one
# ring, three rings, and your own function on up to 64 light ranks.

# %%
see("hierarchical", hierarchical)
see("collectives/nodes", hierarchical)
reveal("hierarchical")

# %% [markdown]
# *Reflect.* With one slow card for the whole node, how much would be left of the gain? One ring
# sends nearly 2 S bytes out of a node. Three rings send 8 shares of an eighth, which queue: S bytes
# with 2 nodes, and nearly 2 S, too, with many. What three rings then still save is latency: their
# rings are short, and have fewer steps in all. (In a real program make the groups once, at the
# start, and not in every call.)

# %% [markdown]
# ## What you take with you
#
# - An all-reduce is a reduce-scatter and an all-gather. Round a ring, each rank sends 2 S bytes
#   less two chunks: however many ranks there are, less than twice the bytes of its tensor.
# - A message costs alpha, and then its bytes. Many ranks and small tensors pay for messages: send
#   few, large ones, or take a tree. Large tensors pay for bytes: take a ring, first inside of a
#   node, and then across.
# - All ranks call the same collectives in the same order. Who waits can be read off a program: a
#   finger for each rank, on the line in which it stands.
#
# **Your number:** alpha times the rate of the network that you use, in bytes: the size of a
# message that spends half of its time on its latency. How many of *your* gradients are larger?

# %%
progress()

# %% [markdown]
# ## Sources
#
# - The ring: P. Patarasuk and X. Yuan, *Bandwidth optimal all-reduce algorithms for clusters of
#   workstations*, Journal of Parallel and Distributed Computing 69, 2009.
#   That no all-reduce sends fewer bytes: the same paper.
# - Sends that return while their message is in a buffer, and programs that rely on it: MPI Forum,
#   *MPI: A Message-Passing Interface Standard*, version 4.1, 2023, sections 3.4 and 3.5.
# - Trees, and which algorithm for which size: R. Thakur, R. Rabenseifner and W. Gropp,
#   *Optimization of Collective Communication Operations in MPICH*, International Journal of High
#   Performance Computing Applications 19, 2005.
# - Alpha and beta: R. W. Hockney, *The communication challenge for MPP: Intel Paragon and Meiko
#   CS-2*, Parallel Computing 20, 1994.
# - Algorithm and bus bandwidth: NVIDIA, nccl-tests, doc/PERFORMANCE.md.
# - That sends and receives which must progress together have to be grouped on GPUs: NVIDIA, *NCCL
#   User Guide*, "Point-to-point communication"; PyTorch, `torch.distributed.batch_isend_irecv`.
# - Pipelined double trees: S. Jeaugey, *Massively Scale Your Deep Learning Training with NCCL 2.4*,
#   NVIDIA's blog, 2019.
# - That collectives whose sizes differ may hang, crash or spoil data: NVIDIA, *NCCL User Guide*,
#   "Collective Operations".
# - How NCCL chooses, and the latencies of links used here: NCCL, src/graph/tuning.cc (read at
#   commit 01afd20). Bandwidths: NVIDIA, data sheets of the H100 and of Quantum-2 InfiniBand; they
#   are peaks. No time in this lesson but that of gloo is measured.
# - `torch.distributed` and its functions: PyTorch 2.13, *Distributed communication package*; that
#   every rank calls `new_group`, in the same order: there, `torch.distributed.new_group`.
