# %% [markdown]
# # How do GPUs agree on a sum?
#
# Eight GPUs train one model. Each has computed gradients from its own part of the batch, and before
# the next step every one of them needs the **sum** of all eight. The obvious way is to send
# everything to one GPU, which adds it up and sends the sum back. That's the upper line in the
# figure: with every GPU you add, it takes longer. The lower line is what you'll build.
#
# **You will be able to** write programs for many ranks; build a broadcast, a reduce-scatter, an
# all-gather, and an all-reduce from sends and receives; and say how many bytes each of them sends.
#
# **You need** tensors in PyTorch. You don't need a second GPU, or even a first one. **Time**
# about 105 minutes.

# %% role="setup"
from gpuedu import check, hint, multi, predict, progress, reveal, see, setup

import torch
import torch.distributed as dist

setup("collectives")

# %%
see("collectives/question")

# %% [markdown]
# ## Ranks
#
# A program for many GPUs is *one* program that runs many times: one process per GPU. Each process
# has a number, its **rank**, from 0 to n - 1, where n is the **world size**. The processes share no
# memory, so what one of them knows, another can only learn from a message. In PyTorch, all of this
# is in `torch.distributed`, which we import as `dist`:
#
# - `dist.get_rank()` and `dist.get_world_size()` say who I am, and how many of us there are
# - `dist.send(x, 3)` sends the tensor `x` to rank 3, and returns when it has arrived
# - `dist.recv(x, 2)` receives from rank 2 *into* the tensor `x`, which has the same size and dtype
#
# In the next cell, rank 0 starts, and each rank adds its own tensor to the one it receives.


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
# `multi.run_light(pass_on, 4)` ran the function on four **light ranks**: threads in this notebook,
# on a **simulated** clock and network. A message takes a latency, plus its bytes divided by a
# bandwidth: here 3.4 µs and 450 GB/s, as for NVLink 4 between H100s. The same function runs
# unchanged on real processes whose tensors are on CPUs; on GPUs, sends and receives follow one
# more rule, which we'll get to below. Light ranks are for algorithms: you can have any number of
# them, they behave the same on every machine, and they notice when everybody waits.
#
# The picture shows who did what, and when. After three messages in a row, the last rank has the
# sum. The others have parts of it.

# %% [markdown]
# **When nothing moves.** Two ranks want to swap their tensors, and each sends first.


# %%
def swap():
    other = 1 - dist.get_rank()
    mine, theirs = torch.full((3,), float(dist.get_rank())), torch.empty(3)
    dist.send(mine, other)
    dist.recv(theirs, other)
    return theirs.tolist()


see("collectives/stuck", swap)

# %% [markdown]
# A send waits for its receive, and both receives come after the sends. That's a **deadlock**. (Some
# communication libraries copy *small* messages into a buffer, so that `send` can return early. Then
# a program like this works until its messages grow. Light ranks have no such buffer.) GPUs get
# stuck in the same way, but later in the program. With NCCL, NVIDIA's library, `send` returns as
# soon as it is queued on a stream. The receive is queued after it, so both GPUs stall. The program
# goes on silently until it needs the result; in any case, a time limit ends it.
#
# The way out is `dist.isend`: it **starts** sending, and returns a handle at once. You receive in
# the meantime, and then call `wait()` on the handle. Until that returns, nobody may write to the
# tensor. There is `dist.irecv`, too: until its `wait()` returns, the contents of the tensor are
# undefined (light ranks put NaN there, so that you notice).

# %% [markdown]
# **The rule on GPUs.** There, `isend` alone isn't enough. For two given ranks, NCCL runs sends and
# receives in the order in which they were queued, so both GPUs would still send first. Messages
# that have to travel at the same time must be *grouped*, which is what `dist.batch_isend_irecv`
# does. Light ranks have it, too. When you take the exchanges of this lesson to GPUs, write all of
# them that way.


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
# Before training starts, all ranks need the same weights, so rank 0 sends its own to everybody.
# That is a **broadcast**. Here is one that works: the **root**, which is the rank that has the
# tensor, sends it to one rank after another. *See* it on 8 ranks, with 4 MiB.


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
# That takes seven messages in a row, and at any time all but two ranks are idle. But every rank
# that has the tensor can send it, too. Let's count in **rounds**, each as long as one message; in a
# round, a rank sends to at most one other rank.
#
# *Predict.* How many rounds does it take to get a tensor from one of 1000 ranks to all the others?

# %% role="predict"
predict("broadcast-tree", 10)

# %% [markdown]
# *Implement* a broadcast that every rank calls, with its own `x` and the same `root`. It changes
# `x` in place and returns nothing. About 9 lines.
#
# - Afterwards every `x` holds what the root's held, for any root and any number of ranks, such as 1
#   or 7.
# - Each rank except the root receives exactly once: the whole tensor.
# - The whole broadcast takes ceil(log2 n) rounds.
# - It uses sends and receives only (`dist.broadcast` exists, and is what you're building).


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
# *See* yours on 8 ranks. Then *measure* both functions on more and more ranks, in simulated time,
# with the same 4 MiB.

# %%
see("broadcast-tree", broadcast_tree)
reveal("broadcast-tree")
see("collectives/broadcasts", broadcast_in_a_row, broadcast_tree)

# %% [markdown]
# *Reflect.* Both send the same number of bytes: n - 1 times the tensor. So what does the tree gain?
# Senders. In the first version, only the root sends; in the tree, the number of senders doubles
# every round. Yet even here, most ranks do nothing in the first rounds, and in the last round, half
# of them only send while the other half only receive. A large tensor can do better if you cut it
# into pieces, and that's the idea behind everything that follows.

# %% [markdown] exercise="reduce-scatter"
# ## Everybody adds a piece
#
# **`reduce-scatter` · 7 points · about 30 minutes**
#
# Now for the sum. If 8 ranks hold 4 MiB each and all of them send to rank 0, then 28 MiB has to go
# into *one* GPU, message after message, while the links of the others are idle.
#
# So let's share the work. Cut each tensor into n **chunks**, and let rank i end up with the sum of
# chunk i alone. That is a **reduce-scatter**. And put the ranks in a **ring**: each sends only to
# the next one, rank + 1, and receives only from the previous one; after the last comes rank 0.
# (The other way around, to rank - 1, is just as good.) A chunk starts somewhere, and each rank it
# gets to adds its own numbers and passes it on.

# %% [markdown]
# *Predict.* 8 ranks with 4 MiB each. How many MiB does each rank send?

# %% role="predict"
predict("reduce-scatter", 3.5)

# %% [markdown]
# *Implement* the reduce-scatter. `x` has one dimension, in float32 or float64; any tensor that you
# make needs the same dtype. About 8 lines.
#
# - Afterwards chunk i of rank i's `x` is the sum over all ranks, in place. The other chunks may
#   hold anything.
# - In each of n - 1 steps, every rank sends one chunk to the next rank and receives one from the
#   previous one, at the same time.

# %% [markdown]
# `x.tensor_split(n)` returns a tuple of n pieces that share `x`'s memory: `piece += y` changes `x`,
# while `piece = piece + y` only gives the name `piece` to a new tensor. (`pieces[i] += y` fails, as
# it would for any tuple, so give the piece a name first.) If n doesn't divide the size, the first
# pieces have one element more; if there are fewer elements than ranks, the last pieces are empty.


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
# *See* yours on 4 ranks with 4 MiB each: first the messages, and then whose numbers are in each
# rank's chunks at the end. Only the chunks in brackets have to be complete.

# %%
see("reduce-scatter", reduce_scatter)
see("collectives/whose", reduce_scatter)
reveal("reduce-scatter")

# %% [markdown]
# *Reflect.* Sending everything to rank 0 moves 28 MiB, and so does the ring. But in the ring each
# of the eight links carries only an eighth of that, all at the same time, and the additions are
# shared as well. Read a column of the table as one chunk's way around the ring: the rank where it
# starts sends its own numbers alone, and the rank where it ends adds its own to the sum of all
# others.

# %% [markdown] exercise="all-gather"
# ## Everybody gets all pieces
#
# **`all-gather` · 5 points · about 20 minutes**
#
# The sum is there, but in n pieces on n ranks, and everybody wants all of it. That takes an
# **all-gather**. It's useful on its own, too, for instance if each GPU keeps a piece of the weights
# and all of them need the whole for a moment. The same ring does the job. The only difference is
# that what arrives is final, so it replaces what was there and nothing is added.
#
# But first, here's another way around the deadlock, without `isend`: ranks with an *even* number
# send first and then receive, and *odd* ones receive first and then send. Nobody waits forever.
#
# *Predict.* 8 ranks form a ring, and all chunks take the same time. How many times as long does a
# step take that way, compared with one in which all ranks send and receive at once?

# %% role="predict"
predict("all-gather", 2)

# %% [markdown]
# *Implement* the all-gather. On rank i, chunk i of `x` is given, and the rest of `x` is not (it's
# NaN here). About 5 lines.
#
# - Afterwards every `x` holds all chunks.
# - Again there are n - 1 steps: in each, every rank sends one chunk to the next rank, all at once.
#   You can receive straight into the chunk's place in `x`.


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
# *Reflect.* Why doesn't a rank send its chunk straight to each of the others? It would be the same
# number of bytes, and on a switch that connects all GPUs it would take the same time. But in a
# ring, each rank needs only two links: one in and one out. Eight GPUs in a box can form a ring, and
# so can 64 GPUs in eight boxes, with just one cable from each box to the next.

# %% [markdown] exercise="ring-all-reduce"
# ## The ring all-reduce
#
# **`ring-all-reduce` · 8 points · about 25 minutes**
#
# Now put the two together, and you have the sum on all ranks: an **all-reduce** is a reduce-scatter
# followed by an all-gather. In 2 (n - 1) steps, each rank sends 2 S bytes less two chunks, where S
# is the size of a tensor in bytes. All ranks together send exactly 2 (n - 1) S.
#
# *Predict.* You go from 8 GPUs to 64, with the same number of bytes on each, over links of the same
# speed. If you ignore latency, how many times as long does the ring take?

# %% role="predict"
predict("ring-all-reduce", 1.125)

# %% [markdown]
# *Implement* the all-reduce, and make it one for real gradients. About 11 lines: your two loops,
# one after the other.
#
# - `x` is changed in place. It has any shape (its elements are contiguous, so `x.view(-1)` is the
#   same memory as one row) and any dtype, and both stay as they are.
# - `x` may have fewer elements than there are ranks, so that some chunks are empty.
# - All ranks end with the same bits.
# - It is a ring as before: 2 (n - 1) steps of one chunk, with all links busy at once.


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
# *See* yours on 4 ranks with 4 MiB each: who sends when, and how many bytes go over each link. Then
# *measure*, in simulated time and with 64 MiB, the sum through one rank that this lesson started
# with, and yours.

# %%
see("ring-all-reduce", ring_all_reduce)
see("collectives/bytes", ring_all_reduce)
reveal("ring-all-reduce")
see("collectives/all-reduces", ring_all_reduce)

# %% [markdown]
# *Reflect.* No all-reduce made of sends and receives lets every rank get by with fewer than 2 S
# bytes less two chunks, so in bytes, nothing beats the ring. (A switch that adds up what passes
# through it can do better.) Then why not always use one? Look at its line: it climbs a little,
# because there are 2 (n - 1) steps and each costs a latency. With 1000 ranks and a small tensor,
# latency is all that counts; *Networks* has more on that.
#
# And why do all ranks end with the same bits, although a sum of floats depends on the order in
# which you add? Because each element is added up along one path only, and all other ranks get
# copies.

# %% [markdown]
# ## What you take with you
#
# - An all-reduce is a reduce-scatter followed by an all-gather. Around a ring, each rank sends 2 S
#   bytes less two chunks: less than twice its own tensor, no matter how many ranks there are.
# - Spread the work: in every step of a ring, all ranks send, receive, and add at the same time. A
#   sum that goes through one rank is only as fast as that rank's own link.
# - A send waits for its receive. Two ranks that both send first wait forever, so start the send,
#   receive, and then wait; on GPUs, put the two into one group.
#
# **Your number:** the simulated time of your ring on 32 ranks, and of the sum through rank 0. How
# many times as fast is the ring? What would that factor be on 64 ranks?

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
# - That sends and receives which must progress together have to be grouped on GPUs: NVIDIA, *NCCL
#   User Guide*, "Point-to-point communication"; PyTorch, `torch.distributed.batch_isend_irecv`.
# - The latencies of links used here: NCCL, src/graph/tuning.cc (read at commit 01afd20). NVLink's
#   bandwidth: NVIDIA, data sheet of the H100; it is a peak. No time in this lesson is measured.
# - `torch.distributed` and its functions: PyTorch 2.13, *Distributed communication package*.
