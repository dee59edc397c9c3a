# %% [markdown]
# # From 10% to the library's speed: what is left?
#
# A matmul with tiles in shared memory sends two passes of 128 bytes through its SM's data path for
# 64 FLOP of a warp. On an H200 that allows about 12% of the peak, and no more. The library has the
# same SMs. What else can a kernel do on them? This lesson climbs rung by rung, and counts what each
# rung allows.
#
# **You will be able to** say how many warps fit on an SM, and how many are enough; write a matmul
# whose sums live in registers; read what the compiler made of it; name what holds a kernel back.
#
# **You need** a tiled matmul, the roofline with its two roofs, banks, some CUDA C.
# **Time** about 100 minutes; half is behind you when `register-tile` is.

# %% role="setup"
from numba import float32

from gpuedu import check, cp, cuda, hint, measure, predict, progress, reveal, see, setup

setup("registers")

# %%
see("registers/ladder")

# %% [markdown]
# Every frame is a *bound*, from bytes that the machine counted: no kernel is faster than its bytes
# and its arithmetic, and many are slower. A rung need not raise the bound. Tiles made the kernel
# independent of caches, at about the bound that it has if these hold everything; a second buffer
# saves waiting, and a vector load saves instructions, which no byte tells. The rung "vector loads"
# stands below 8 x 8, since its lanes write four neighbors of `c` each, one by one.
#
# What is filled was measured. Tiles reach their bound: no more can be had from them. But 8 x 8 in
# Numba stays below 4 x 4, at a seventh of what its bytes allow. Bytes do not tell why. Most likely
# its loads wait for each other, since the compiler does not unroll its loop over k, and with 157
# registers a thread there is one block of 256 threads on an SM to fill the time. The next rung is
# unrolled. On a GPU, this measures the rungs, in percent of cuBLAS:

# %%
measure("registers/ladder")

# %% [markdown] exercise="occupancy"
# ## What fits on an SM, and what is enough
#
# **`occupancy` · 6 points · about 25 minutes**
#
# Each rung above holds more in **registers**, a thread's fastest memory. An SM has 65,536 of them,
# 4 bytes each, for all threads that are on it, and a thread keeps its own from begin to end. So
# many registers a thread are few warps on the SM. Its **occupancy** is the share of its room for
# warps that is taken. Four things are limited, and the smallest number of blocks counts:
#
# - **warps**: blocks come whole, and a begun warp takes the place of one;
# - **blocks**: so many at most, however small they are;
# - **registers**: a warp gets them in units of 256. The SM has four parts, each with a quarter of
#   the registers; a block's warps may be in several parts, but one warp is in one;
# - **shared memory**: a block gets its own and some that is reserved, the sum rounded up to a unit.


# %% role="given"
def sm_of(warps, blocks, shared_kib, reserved_bytes=1024, unit_bytes=128):
    sm = {"warps": warps, "blocks": blocks, "registers": 65536}
    sm |= {"shared_bytes": shared_kib * 1024, "reserved_bytes": reserved_bytes}
    return sm | {"unit_bytes": unit_bytes}


T4 = sm_of(32, 16, 64, reserved_bytes=0, unit_bytes=256)
RTX3090, L4 = sm_of(48, 16, 100), sm_of(48, 24, 100)
A100, H200 = sm_of(64, 32, 164), sm_of(64, 32, 228)

# %% [markdown]
# *Predict.* A matmul takes 150 registers a thread; its blocks have 256 threads and little shared
# memory. How many of an H200's 64 places for warps are taken?

# %% role="predict"
predict("occupancy", 8)

# %% [markdown]
# That seems little. How much is **enough**? Little's law, as in the lesson *Why GPUs*, with
# instructions for bytes: a part of an SM has a *scheduler*, which begins one instruction of one
# warp in each clock. The result of a multiply-add is there 4 clocks later. A warp that needs each
# result for its next step has one on its way; its scheduler needs 4 such warps, the SM's four
# schedulers 16. But if a warp has several instructions ready that do not need each other, that many
# are on their way. (On a T4 or an A100 a part has 16 float32 lanes, so a warp's multiply-add takes
# two of these clocks, and half as many are enough. We count as on an H200, with 32.)
#
# *Predict.* Each thread adds to 16 sums, and no sum needs another. How many warps on the SM keep
# its four schedulers busy? (Each needs one at least.)

# %% role="predict"
predict("occupancy-enough", 4)

# %% [markdown]
# *Implement.* 8 to 12 lines; the rules are the four above. Leave the dicts as they are.
#
# - `blocks_per_sm(sm, threads, registers, shared_bytes)`: `sm` is a dict that `sm_of` can make,
#   perhaps of another SM than these; `threads` and `shared_bytes` are a block's, `registers` a
#   thread's. You get only launches of which at least one block fits. On a T4, a block without
#   shared memory takes none: then that is no limit.
# - `warps_needed(latency, independent)`: warps on the SM. A result takes `latency` clocks, and a
#   warp has `independent` instructions that do not wait for each other. All four schedulers are
#   busy, each with whole warps of its own.


# %% role="answer"
def blocks_per_sm(sm, threads, registers, shared_bytes):
    ### BEGIN SOLUTION
    warps = -(-threads // 32)
    of_a_warp = -(-registers * 32 // 256) * 256
    by_registers = sm["registers"] // 4 // of_a_warp * 4 // warps
    units = -(-(shared_bytes + sm["reserved_bytes"]) // sm["unit_bytes"])
    by_shared = sm["blocks"]
    if units:
        by_shared = sm["shared_bytes"] // (units * sm["unit_bytes"])
    return min(sm["warps"] // warps, sm["blocks"], by_registers, by_shared)
    ### END SOLUTION


def warps_needed(latency, independent):
    ### BEGIN SOLUTION
    return 4 * -(-latency // independent)
    ### END SOLUTION


# %% role="check"
check("occupancy", blocks_per_sm, warps_needed)

# %% [markdown]
# *See.* By your function: the share of an H200's room for warps against registers a thread, for
# blocks without shared memory. The dotted line is what 4 clocks and 16 independent sums need.

# %%
see("occupancy", blocks_per_sm, warps_needed)
reveal("occupancy")
reveal("occupancy-enough")

# %% [markdown]
# *Reflect.* So more is not always better. A kernel with one sum a thread needs 16 warps for its
# arithmetic; one with 64 sums needs 4, so each thread may have many more registers. What hides
# the waiting for *memory* then? The same: what a thread asks for early, and uses late.

# %% [markdown] exercise="register-tile"
# ## A tile of c for each thread
#
# **`register-tile` · 7 points · about 25 minutes**
#
# For each k, a thread of the tiled kernel takes two numbers from shared memory and makes one
# multiply-add of them. If it had 4 x 4 elements of `c`, it would take 4 numbers of `a` and 4 of
# `b`, and make 16. What it takes it keeps in registers, and its 16 sums, too.
#
# *Predict.* A warp's read of 32 numbers is one pass of 128 bytes through the data path (lanes that
# want the same number share it). A multiply-add is 2 FLOP for each of 32 lanes. With one element a
# thread that is 64 FLOP for 2 passes: a quarter of a FLOP for each byte. With 4 x 4? With 8 x 8?

# %% role="predict"
predict("register-tile", 1)
predict("register-tile-8", 2)

# %% [markdown]
# `cuda.local.array(shape, float32)` makes an array that is a thread's own. Of constant shape, and
# indexed only by numbers that the compiler can work out, it lives in registers. So let the loops
# that index it have constant ends: short ones the compiler usually unrolls, and then it knows every
# index. (It need not: a loop that it leaves as it is puts the array into memory.) The shape may be
# a variable of the function *around* the kernel, so one source makes kernels for several t. Two
# device functions, which kernels may call: `fetch` fills a tile, with zeros where the matrix has
# ended; `put` writes sums.


# %% role="given"
@cuda.jit(device=True)
def fetch(matrix, top, left, tile):
    columns = tile.shape[1]
    for turn in range(tile.size // 256):
        n = 256 * turn + 16 * cuda.threadIdx.y + cuda.threadIdx.x
        row, column = top + n // columns, left + n % columns
        inside = row < matrix.shape[0] and column < matrix.shape[1]
        tile[n // columns, n % columns] = matrix[row, column] if inside else float32(0)


@cuda.jit(device=True)
def put(sums, c, top, left):
    for i in range(sums.shape[0]):
        for j in range(sums.shape[1]):
            row, column = top + 16 * i, left + 16 * j
            if row < c.shape[0] and column < c.shape[1]:
                c[row, column] = sums[i, j]


# %% [markdown]
# *Implement.* `c = a @ b`, float32 and any shape: `a` is M x K, `b` K x N. Blocks have 16 x 16
# threads, and each takes a tile of `side` x `side` of `c`, where `side` is `16 * t`: t x t elements
# a thread. Steps along K are 8 long. 12 to 16 lines.
#
# - Give thread (x, y) the rows `top + y + 16 * i` and the columns `left + x + 16 * j`, for i and j
#   below t; at the end, `put` writes them, given the sums of shape (t, t), `c`, and the first row
#   and column of the thread.
# - In each step, `fetch` fills both tiles. Who has to wait, and where?
# - For each k, take 2 t numbers from shared memory, once each: t / 4 FLOP for each byte. The check
#   counts what the source asks for; a compiler may merge loads, and need not.
# - A whole array is set by `sums[:] = 0`.


# %% role="answer"
def make_matmul(t, side):
    @cuda.jit
    def matmul(a, b, c):
        a_tile = cuda.shared.array((side, 8), float32)
        b_tile = cuda.shared.array((8, side), float32)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        top, left = side * cuda.blockIdx.y, side * cuda.blockIdx.x
        ### BEGIN SOLUTION
        sums = cuda.local.array((t, t), float32)
        own = cuda.local.array((2, t), float32)
        sums[:] = 0
        for first in range(0, a.shape[1], 8):
            fetch(a, top, first, a_tile)
            fetch(b, first, left, b_tile)
            cuda.syncthreads()
            for k in range(8):
                for i in range(t):
                    own[0, i], own[1, i] = a_tile[y + 16 * i, k], b_tile[k, x + 16 * i]
                for i in range(t):
                    for j in range(t):
                        sums[i, j] += own[0, i] * own[1, j]
            cuda.syncthreads()
        put(sums, c, top + y, left + x)
        ### END SOLUTION

    return matmul


# %% role="check"
check("register-tile", make_matmul)

# %% [markdown]
# *See.* The costliest request to shared memory of your 4 x 4 kernel, pass by pass. Then your
# kernels under the roofs of an H200, all for one product of 128 x 128 x 64: t is 2, 4 and 8. Each
# time, t / 4 less what it costs to fill tiles and to write `c`. Last, what the compiler makes of
# them.

# %%
see("register-tile", make_matmul)
see("registers/roofline", make_matmul)
reveal("register-tile")
reveal("register-tile-8")

# %%
see("registers/compiled", make_matmul)

# %% [markdown]
# In that table, *stack* is the trap of this rung: bytes of local arrays that had to go to memory,
# since registers have no addresses. Below, each thread writes another column of its sums: the last
# index is a number that only the running thread knows. The kernel is right, and the machine counts
# not a byte more. What does the compiler say?


# %% role="given"
@cuda.jit
def own_column(x, out):
    sums = cuda.local.array((8, 8), float32)
    sums[:] = 0
    for k in range(x.shape[0]):
        for i in range(8):
            for j in range(8):
                sums[i, j] += x[k, i] * x[k, j]
    t = cuda.threadIdx.x
    for i in range(8):
        out[i, t] = sums[i, t % 8]


# %%
see("registers/stack", own_column)

# %% [markdown]
# *Reflect.* `sums[i, 0] if t % 8 == 0 else ...` would be another way: every index a constant, and a
# choice between registers. In `put`, `row < c.shape[0]` is such a choice.
#
# On a GPU, this measures your own kernels beside the rungs, in percent of cuBLAS:

# %%
measure("registers/own", make_matmul)

# %% [markdown] exercise="vector-loads"
# ## Four floats at once
#
# **`vector-loads` · 6 points · about 25 minutes**
#
# The schedulers have more to begin than multiply-adds: for 16 of them, 8 loads. Each takes a turn.
# A load may bring 16 bytes, four floats that lie side by side, if they begin at a multiple of 16.
# That saves instructions, not bytes: the data path still takes 128 bytes in a pass. The course's
# machine lets a quarter of a warp go at a time, so 32 lanes with 16 bytes each take 4 passes, also
# where lanes of different quarters want the same.
#
# From Python one can only hope that the compiler sees it (the rung in Numba has masked indices and
# written-out steps for that). In CUDA C one says it: `float4` is four floats,
# `*(const float4*)&tile[k][4 * x]` takes them, `p.x` to `p.w` are their names. Here is what the
# kernel below may call.

# %% role="given"
helpers = r"""
__device__ float at(const float* m, int rows, int columns, int row, int column) {
    return row < rows && column < columns ? m[row * columns + column] : 0.0f;
}
__device__ void add_products(float (*sums)[4], float4 p, float4 q) {
    float of_a[4] = {p.x, p.y, p.z, p.w}, of_b[4] = {q.x, q.y, q.z, q.w};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) sums[i][j] += of_a[i] * of_b[j];
}
__device__ void put(float (*sums)[4], float* c, int M, int N, int top, int left) {
    for (int i = 0; i < 4; i++) {
        float* row = c + (top + i) * N + left;
        if (top + i < M && left < N && N % 4 == 0)
            *(float4*)row = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
        else
            for (int j = 0; j < 4; j++)
                if (top + i < M && left + j < N) row[j] = sums[i][j];
    }
}"""

# %% [markdown]
# A thread's 4 columns of `b_tile` lie side by side if they are `4 * x` to `4 * x + 3`. Its 4 rows
# of `a` do so in a tile that lies **transposed**: `a_tile[k][row]`. To fill it, a warp still
# should read along rows of `a`: 8 neighbors (the k of this step) of 4 rows, whole sectors.
#
# *Predict.* It stores these 32 numbers to `a_tile[k][row]`, in rows of 64 floats. How many passes?
# And by how many floats, at least, must a row of the tile be longer, so that it is one pass, *and*
# every `float4` begins at a multiple of 16 bytes?

# %% role="predict"
predict("vector-loads", 8)
predict("vector-loads-pad", 4)

# %% [markdown]
# *Implement.* `c = a @ b` for any shape; M, N and K are arguments. Blocks of 16 x 16 threads, tiles
# of 64 x 64, steps of 8 along K; thread (x, y) has rows `top + 4 * y` and the next three, columns
# `left + 4 * x` and the next three. 11 to 14 lines.
#
# - Declare `a_tile`, transposed; `__align__(16)` makes it begin where a `float4` may. Without it,
#   the compiler promises a multiple of 4 bytes.
# - In each step, fill both tiles: `at(b, K, N, row, column)` is an element of `b`, or 0 outside. A
#   tile has 512 numbers, a block 256 threads. No access takes more passes than it has to.
# - For each k, one `float4` of each tile, and `add_products(sums, p, q)`. The check counts what the
#   source asks for.


# %% role="answer"
code = (
    helpers
    + r"""
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int M, int N, int K) {
    __shared__ __align__(16) float b_tile[8][64];
    float sums[4][4] = {};
    int x = threadIdx.x, y = threadIdx.y, top = 64 * blockIdx.y, left = 64 * blockIdx.x;
    // ### BEGIN SOLUTION
    __shared__ __align__(16) float a_tile[8][68];
    for (int first = 0; first < K; first += 8) {
        for (int n = 16 * y + x; n < 512; n += 256) {
            a_tile[n % 8][n / 8] = at(a, M, K, top + n / 8, first + n % 8);
            b_tile[n / 64][n % 64] = at(b, K, N, first + n / 64, left + n % 64);
        }
        __syncthreads();
        for (int k = 0; k < 8; k++)
            add_products(sums, *(float4*)&a_tile[k][4 * y], *(float4*)&b_tile[k][4 * x]);
        __syncthreads();
    }
    // ### END SOLUTION
    put(sums, c, M, N, top + 4 * y, left + 4 * x);
}"""
)
matmul = cp.RawKernel(code, "matmul")

# %% role="check"
check("vector-loads", matmul)

# %% [markdown]
# *See.* The request to shared memory that loses most passes, or one that fills a tile if none does;
# and what the compiler makes of the kernel. In `ld.shared.v4`, the 4 is the vector's; `.v1`
# is a single one, `fma` a multiply-add, and loads of global memory stand once for each turn that
# the compiler wrote out.

# %%
see("vector-loads", matmul)
see("registers/instructions", matmul)
reveal("vector-loads")
reveal("vector-loads-pad")

# %% [markdown]
# *Reflect.* Take the `float4` away and write four single loads: with `__align__(16)` the compiler
# may put them together again. The machine, which runs the source as it stands, then counts passes
# that the real code does not need. Which of the two do you believe, and for what?

# %% [markdown] exercise="read-the-ladder"
# ## What holds it back?
#
# **`read-the-ladder` · 6 points · about 15 minutes**
#
# Five launches, rungs of the ladder, on an A100. What they ask of memory is counted; registers and
# spills are from the compiler. A **spill** is a value that a thread stores to memory and fetches
# back, since it had no register left for it. Spills are made by the compiler, so they are not in
# the counts of the source.

# %%
see("registers/five")

# %% [markdown]
# *Predict.* B and E are the same kernel. B was compiled with at most 64 registers a thread, so
# that 32 warps fit on the SM instead of 8. Which would you run?

# %% role="predict"
predict("read-the-ladder", "E")

# %% [markdown]
# *Implement.* In `order`, the letters of the four without spills, from slow to fast: by the FLOP/s
# that the lowest of their three roofs allows. And `limit_of(account)`, for any kernel on any
# device. `account` is a dict with the names of the table (without units), and the device's
# `flop_per_s`, `l1_bytes_per_s` and `memory_bytes_per_s`; leave it as it is. The function returns
# one of five texts:
#
# - `"registers"`: it spills, or has fewer warps than needed. That comes first: roofs do not say it.
# - Else what takes the longest (no two take equally long): `"arithmetic"`, `"device memory"`, or
#   the data path:
# - `"sectors"` if more than half of the data path's bytes are `excess_bytes`, those of sectors
#   beyond the fewest that could hold what was asked for; `"data path"` if not.


# %% role="answer"
### BEGIN SOLUTION
order = {"slowest": "D", "second": "A", "third": "C", "fastest": "E"}
### END SOLUTION


def limit_of(account):
    ### BEGIN SOLUTION
    if account["spill_bytes"] or account["warps"] < account["warps_needed"]:
        return "registers"
    seconds = {
        "arithmetic": account["flop"] / account["flop_per_s"],
        "data path": account["l1_bytes"] / account["l1_bytes_per_s"],
        "device memory": account["memory_bytes"] / account["memory_bytes_per_s"],
    }
    longest = max(seconds, key=seconds.get)
    if longest == "data path" and account["excess_bytes"] > account["l1_bytes"] / 2:
        return "sectors"
    return longest
    ### END SOLUTION


# %% role="check"
check("read-the-ladder", order, limit_of)

# %%
reveal("read-the-ladder")

# %% [markdown]
# *Reflect.* C is the same kernel as E, on a product with K = 8. Why is it another limit that holds
# it back? And on an H200, which has twice the lanes an SM at the same data path: which limit has E
# there? Your `limit_of` can tell, with 67e12 FLOP/s, 33.5e12 and 4.8e12 bytes/s.

# %% [markdown] exercise="double-buffer"
# ## Two buffers, one barrier
#
# **`double-buffer` · 6 points · stretch · about 15 minutes**
#
# In each step all warps wait twice: until the tile is full, and until nobody reads it any more.
# Meanwhile the arithmetic rests. With two buffers, the next tile can be on its way while this one
# is used. A thread asks for its share first, *holds it in registers* while it computes, and stores
# it behind: a warp's instructions begin in order, and a store waits for what it stores.
#
# *Predict.* K is 64, tiles have 8 columns. With one barrier a step and one before the first: to how
# many barriers does a block come?

# %% role="predict"
predict("double-buffer", 9)

# %% [markdown]
# The parts are given, for tiles of 64 x 8 and 8 x 64 and 16 x 16 threads; only their order is open.
# `ask` takes a thread's share of the tiles that begin at `first` (zeros behind the end), `keep`
# stores it, `use` adds the products of a whole tile to the 4 x 4 sums.


# %% role="given"
@cuda.jit(device=True)
def ask(a, b, top, left, first, coming):
    for i in range(2):
        n = 256 * i + 16 * cuda.threadIdx.y + cuda.threadIdx.x
        row, k = top + n // 8, first + n % 8
        coming[0, i] = a[row, k] if row < a.shape[0] and k < a.shape[1] else float32(0)
        k, column = first + n // 64, left + n % 64
        coming[1, i] = b[k, column] if k < b.shape[0] and column < b.shape[1] else float32(0)


@cuda.jit(device=True)
def keep(coming, a_tile, b_tile):
    for i in range(2):
        n = 256 * i + 16 * cuda.threadIdx.y + cuda.threadIdx.x
        a_tile[n // 8, n % 8] = coming[0, i]
        b_tile[n // 64, n % 64] = coming[1, i]


# %% role="given"
@cuda.jit(device=True)
def use(a_tile, b_tile, sums):
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    of_b = cuda.local.array(4, float32)
    for k in range(8):
        for j in range(4):
            of_b[j] = b_tile[k, x + 16 * j]
        for i in range(4):
            of_a = a_tile[y + 16 * i, k]
            for j in range(4):
                sums[i, j] += of_a * of_b[j]


@cuda.jit(device=True)
def put_four(sums, c, top, left):
    for i in range(4):
        for j in range(4):
            row, column = top + 16 * i, left + 16 * j
            if row < c.shape[0] and column < c.shape[1]:
                c[row, column] = sums[i, j]


# %% [markdown]
# *Implement.* `c = a @ b` for any shape, with one barrier a step and one before the first, and at
# most two buffers of each tile: `a_tile[0]` and `a_tile[1]` are those of `a`. 7 to 10 lines.


# %% role="answer"
@cuda.jit
def matmul_twice(a, b, c):
    a_tile = cuda.shared.array((2, 64, 8), float32)
    b_tile = cuda.shared.array((2, 8, 64), float32)
    sums = cuda.local.array((4, 4), float32)
    coming = cuda.local.array((2, 2), float32)
    sums[:] = 0
    top, left = 64 * cuda.blockIdx.y, 64 * cuda.blockIdx.x
    ### BEGIN SOLUTION
    ask(a, b, top, left, 0, coming)
    keep(coming, a_tile[0], b_tile[0])
    cuda.syncthreads()
    for first in range(0, a.shape[1], 8):
        now = first // 8 % 2
        ask(a, b, top, left, first + 8, coming)
        use(a_tile[now], b_tile[now], sums)
        keep(coming, a_tile[1 - now], b_tile[1 - now])
        cuda.syncthreads()
    ### END SOLUTION
    put_four(sums, c, top + cuda.threadIdx.y, left + cuda.threadIdx.x)


# %% role="check"
check("double-buffer", matmul_twice)

# %% [markdown]
# *See.* What the first warp does between two barriers, in its order. In the last step, what is
# asked for and stored are zeros that nobody reads.

# %%
see("double-buffer", matmul_twice)
reveal("double-buffer")

# %% [markdown]
# ## The last rungs
#
# The last rung, `c-warp-tile`, is all of this at once: 8 x 8 sums a thread, `float4` from global
# memory and from shared memory, a transposed and padded tile of `a`, two buffers. The warps of a
# block have tiles of their own, 32 x 64, lanes 4 x 8, so that a warp needs few different numbers.
# What the compiler makes of the rungs from 4 x 4 on, for a product of whole tiles:

# %%
see("registers/last")

# %% [markdown]
# Read it as you read yours. Multiply-adds for each load from shared memory: 2, 4, then 16. No stack
# and no spills. Few warps, and enough. Every instruction takes a turn of a scheduler, and the share
# of multiply-adds grows: the last rungs have all 8 steps of a tile written out, without a loop's
# tests and indices. It is a hint, since what runs once counts as much as what runs often.
#
# What is left to a library?
#
# - It has many such kernels, and chooses by shape and device which tile suits, so that the grid
#   fills all SMs. It is written closer to the machine, down to the order of instructions.
# - From compute capability 8.0 on, tiles can go from global to shared memory without passing
#   through registers (*asynchronous copies*), several steps ahead.
# - **Tensor Cores** multiply small matrices in one instruction, but not in float32. TF32 rounds
#   the factors to 10 bits behind the point; measurements in this course have it switched off.
#
# Source of every rung: the folder `ladder` of the package, to be read, run and looked at.

# %% [markdown]
# ## What you take with you
#
# - What a thread has in registers, it need not ask for: t x t sums give t / 4 FLOP for each byte
#   out of shared memory.
# - Occupancy is a means. Independent work in a thread hides waiting as well as more warps do, and
#   registers that are taken from it come back as spills.
# - Counts say what a kernel asks for, the compiler what it became, a clock how fast it is. Look at
#   all three before you say why.
#
# **Your number:** how many registers your kernel takes with 8 x 8 sums a thread.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - How registers and shared memory are handed out to blocks: `cuda_occupancy.h` of the CUDA toolkit
#   12.9; the limits: *CUDA C++ Programming Guide* (12.9), "Compute Capabilities", table "Technical
#   Specifications per Compute Capability".
# - Four schedulers an SM, 4 clocks for most arithmetic, and that instructions which do not wait for
#   each other need fewer warps: the same, "Performance Guidelines", section "Multiprocessor Level".
# - Fewer warps with more independent work each: V. Volkov, *Better Performance at Lower Occupancy*,
#   GPU Technology Conference, 2010; a matmul with sums in registers: V. Volkov, J. Demmel,
#   *Benchmarking GPUs to Tune Dense Linear Algebra*, SC 2008.
# - When an array of a thread's own is not in registers: *CUDA C++ Programming Guide*, "Device
#   Memory Accesses", paragraph "Local Memory". Instructions begin in order: the same, "Hardware
#   Implementation".
# - Vector types and their alignment: the same, "Built-in Vector Types".
# - Blocks, warps and threads with tiles of their own: A. Kerr, D. Merrill, J. Demouth, J. Tran,
#   *CUTLASS: Fast Linear Algebra in CUDA C++*, NVIDIA Technical Blog, 2017.
# - The roofline: S. Williams, A. Waterman, D. Patterson, *Roofline: An Insightful Visual
#   Performance Model for Multicore Architectures*, Communications of the ACM, 2009.
# - Asynchronous copies: *CUDA C++ Programming Guide*, "Asynchronous Data Copies". TF32: NVIDIA,
#   *A100 Tensor Core GPU Architecture*, 2020.
