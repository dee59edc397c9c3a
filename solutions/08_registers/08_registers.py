# %% [markdown]
# # From 12% of the peak to the library's speed: what is left?
#
# For every 64 FLOP of a warp, a matmul with tiles in shared memory sends two passes of 128 bytes
# through the SM's data path. On an H100 or H200, that allows about 12% of the peak and no more. The
# library's matmul runs on the very same SMs. What does it do differently? In this lesson you'll
# climb a ladder of kernels rung by rung, and count what each rung allows.
#
# **You will be able to** say how many warps fit on an SM, and how many are enough; write a matmul
# whose sums live in registers; read what the compiler made of it; name what holds a kernel back.
#
# **You need** the tiled matmul and the roofline from *Tiling*, banks from *Memory*, and some CUDA C
# from *Scans and races*.
# **Time** about 100 minutes.

# %% role="setup"
from gpuedu import check, cp, cuda, hint, measure, predict, progress, reveal, see, setup

from numba import float32

setup("registers")


# %%
see("registers/ladder")


# %% [markdown]
# Every frame is a *bound*, computed from bytes that the machine counted: no kernel is faster than
# its bytes and its arithmetic allow, and many are slower. Filled bars were measured, on the same
# device. 100% is the peak of float32 arithmetic, without tensor cores.
#
# A rung need not raise the bound. Tiles made the kernel independent of the caches, but its bound is
# about the same as that of a kernel without tiles whose caches hold everything. A second buffer
# saves waiting, and a vector load saves instructions, and no count of bytes shows either. (The rung
# "vector loads" is even lower than 8 x 8, because each of its lanes writes four neighbors of `c`
# one by one.)

# %% [markdown]
# In the recording on an H100, tiles reach their bound, so there's no more to be had from them. But
# 8 x 8 in Numba is slower than 4 x 4, at a seventh of what its bytes allow, and bytes don't say
# why. Most likely its loads wait for each other: the compiler doesn't **unroll** its loop over k,
# that is, write its steps out one after another. And at 157 registers per thread there is just one
# block of 256 threads on an SM to fill the gaps. In the next rung that loop is unrolled. With a
# GPU, this measures the rungs as a percentage of the speed of NVIDIA's cuBLAS:

# %%
measure("registers/ladder")


# %% [markdown] exercise="occupancy"
# ## What fits on an SM, and what is enough
#
# **`occupancy` · 6 points · about 25 minutes**
#
# The later rungs above keep many numbers in **registers**, a thread's fastest memory. An SM has
# 65,536 of them, 4 bytes each, for all the threads on it, and a thread keeps its registers from
# start to end. So the more registers a thread takes, the fewer warps fit. An SM's **occupancy** is
# the share of its room for warps that is taken. Four things are limited, and whichever allows the
# fewest blocks decides:
#
# - **warps**: a block comes as a whole, and a partly filled warp takes the place of a full one;
# - **blocks**: there's a maximum, however small they are;
# - **registers**: a warp gets them in units of 256. The SM has four parts with a quarter of the
#   registers each. A block's warps may be in different parts, but each warp is in just one;
# - **shared memory**: a block gets its own plus a reserved amount, the sum rounded up to a unit.


# %% role="given"
def sm_of(warps, blocks, shared_kib, reserved_bytes=1024, unit_bytes=128):
    sm = {"warps": warps, "blocks": blocks, "registers": 65536}
    sm |= {"shared_bytes": shared_kib * 1024, "reserved_bytes": reserved_bytes}
    return sm | {"unit_bytes": unit_bytes}


T4 = sm_of(32, 16, 64, reserved_bytes=0, unit_bytes=256)
RTX3090, L4 = sm_of(48, 16, 100), sm_of(48, 24, 100)
A100, H200 = sm_of(64, 32, 164), sm_of(64, 32, 228)


# %% [markdown]
# *Predict.* A matmul takes 150 registers per thread, and its blocks have 256 threads and little
# shared memory. How many of an H200's 64 places for warps are taken?

# %% role="predict"
predict("occupancy", 8)


# %% [markdown]
# That doesn't seem like much. How much is **enough**? It's Little's law again, as in *Why GPUs*,
# with instructions in place of bytes. Each part of an SM has a *scheduler*, which starts one
# instruction of one warp per clock, and the result of a multiply-add is there 4 clocks later. A
# warp that needs each result for its next step has one instruction in flight, so its scheduler
# needs 4 such warps, and the SM's four schedulers need 16. But if a warp has several instructions
# ready that don't need each other's results, that many can be in flight. (On a T4 or an A100, a
# part has 16 float32 lanes, so a warp's multiply-add takes two of these clocks, and half as many
# are enough. We count as on an H200, with 32.)
#
# *Predict.* Each thread adds to 16 sums, none of which needs another. How many warps on the SM keep
# its four schedulers busy? (Each scheduler needs at least one.)

# %% role="predict"
predict("occupancy-enough", 4)


# %% [markdown]
# *Implement.* Write two functions, in 8 to 12 lines; the first follows the four rules above. Leave
# the dicts as they are.
#
# - `blocks_per_sm(sm, threads, registers, shared_bytes)`: `sm` is a dict that `sm_of` can make,
#   perhaps of an SM that isn't listed here. `threads` and `shared_bytes` are per block, `registers`
#   per thread. You only get launches where at least one block fits. On a T4, a block without
#   shared memory takes none, and then that's no limit.
# - `warps_needed(latency, independent)`: how many warps the SM needs. A result takes `latency`
#   clocks, and a warp has `independent` instructions that don't wait for each other. All four
#   schedulers are to be busy, each with whole warps of its own.


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
# *See.* Occupancy of an H200 against registers per thread, by your function, for blocks without
# shared memory. The dotted line is what 4 clocks and 16 independent sums need.

# %%
see("occupancy", blocks_per_sm, warps_needed)
reveal("occupancy")
reveal("occupancy-enough")


# %% [markdown]
# *Reflect.* So more isn't always better. A kernel with one sum per thread needs 16 warps for its
# arithmetic. One with 64 sums needs 4, so each thread can have many more registers. What hides the
# wait for *memory* then? The same thing: what a thread asks for early and uses late.
#
# When you want more warps all the same, you can tell the compiler. In CUDA C,
# `__launch_bounds__(256, 2)` before a kernel's name promises blocks of at most 256 threads and asks
# for few enough registers that 2 such blocks fit on an SM. In Numba, `@cuda.jit(max_registers=128)`
# sets a limit directly. What doesn't fit then goes to memory, as you'll see below.

# %% [markdown] exercise="register-tile"
# ## A tile of c for each thread
#
# **`register-tile` · 7 points · about 25 minutes**
#
# For each k, a thread of the tiled kernel takes two numbers from shared memory and does one
# multiply-add with them. If it had 4 x 4 elements of `c`, it would take 4 numbers of `a` and 4 of
# `b`, and do 16. It keeps what it takes in registers, along with its 16 sums.
#
# *Predict.* When a warp reads 32 numbers, that's one pass of 128 bytes through the data path (lanes
# that want the same number share it). A multiply-add is 2 FLOP for each of 32 lanes. With one
# element per thread, that's 64 FLOP for 2 passes, a quarter of a FLOP per byte. What is it with 4 x
# 4? And with 8 x 8?

# %% role="predict"
predict("register-tile", 1)
predict("register-tile-8", 2)


# %% [markdown]
# `cuda.local.array(shape, float32)` makes an array that belongs to one thread. It lives in
# registers if its shape is constant and the compiler can work out every index. So give the loops
# that index it (here over i and j) constant ends. The compiler usually unrolls short loops like
# these, and then it knows each index. It doesn't have to, though, and if it doesn't, the array goes
# to memory. The loop over k doesn't index the array, so it may stay a loop.
#
# The shape may be a variable of the function *around* the kernel, so one source makes kernels with
# t x t sums per thread, for several t. Two device functions are given: `fetch` fills a tile, with
# zeros where the matrix has ended, and `put` writes sums.


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
# *Implement.* Write `c = a @ b` in float32 for any shape: `a` is M x K, `b` is K x N. Blocks have
# 16 x 16 threads, and each block takes a tile of `side` x `side` of `c`, where `side` is `16 * t`,
# so that's t x t elements per thread. Steps along K are 8 long. 12 to 16 lines.
#
# - Thread (x, y) has the rows `top + y + 16 * i` and the columns `left + x + 16 * j`, for i and j
#   below t. At the end, `put` writes them, given the sums of shape (t, t), `c`, and the thread's
#   first row and column.
# - In each step, `fetch` fills both tiles. No thread may read what isn't there yet, or fill what
#   others still read. Who has to wait, and where?
# - For each k, take 2 t numbers from shared memory, once each: t / 4 FLOP per byte. The check
#   counts what the source asks for; a compiler may merge loads, but need not.
# - There are no bank conflicts, and the sums stay in registers. `sums[:] = 0` sets a whole array.


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
# *See.* First, your 4 x 4 kernel's most expensive request to shared memory, pass by pass. Then your
# kernels for t = 2, 4 and 8 under the roofs of an H200, all for the same product of 128 x 128 x 64.
# Each reaches t / 4, less what it costs to fill the tiles and to write `c`. Last, what the compiler
# made of them.

# %%
see("register-tile", make_matmul)
see("registers/roofline", make_matmul)
reveal("register-tile")
reveal("register-tile-8")


# %%
see("registers/compiled", make_matmul)


# %% [markdown]
# You can get such numbers anywhere. `nvcc -Xptxas -v` prints registers, stack and spills when it
# compiles, and in CuPy a `RawKernel` has the attributes `num_regs` and `local_size_bytes`.
#
# *Stack* is the trap of this rung: bytes of local arrays that had to go to memory, because
# registers have no addresses. Below, the column of its sums that a thread writes depends on `t`, so
# the last index is a number that only the running thread knows. The kernel is right, and the
# machine doesn't count a single byte more. What does the compiler say?


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
# *Reflect.* `sums[i, 0] if t % 8 == 0 else ...` would be another way to write it. Then every index
# is a constant, and what's left is a choice between registers. (`put` is no trap: it tests `row`
# and `column`, but once its loops are unrolled, the indices of `sums` are constants.)
#
# If you have a GPU, this measures your own kernels next to the rungs, as a percentage of cuBLAS's
# speed:

# %%
measure("registers/own", make_matmul)


# %% [markdown] exercise="vector-loads"
# ## Four floats at once
#
# **`vector-loads` · 6 points · about 25 minutes**
#
# The schedulers have more to start than multiply-adds: 8 loads for every 16 of them, and each load
# takes a turn. But one load can bring 16 bytes, four floats that are side by side, if they start at
# a multiple of 16. That saves instructions, not bytes, because the data path still moves 128 bytes
# per pass. The course's machine lets a quarter of a warp go at a time, so 32 lanes with 16 bytes
# each take 4 passes, even where lanes of different quarters want the same bytes.
#
# In Python you can only hope that the compiler sees it. (That's why the rung in Numba has masked
# indices and steps written out.) In CUDA C you can ask for it: `float4` is four floats, `*(const
# float4*)&tile[k][4 * x]` loads them, and `p.x`, `p.y`, `p.z` and `p.w` are their names. Here is
# what the kernel below may call:

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
# A thread's 4 columns of `b_tile` are side by side if they are `4 * x` to `4 * x + 3`. Its 4 rows
# of `a` are side by side in a tile that is stored **transposed**, `a_tile[k][row]`. To fill that
# tile, a warp should still read along the rows of `a`: 8 neighbors (the k of this step) from each
# of 4 rows, in whole sectors.
#
# *Predict.* A warp stores these 32 numbers to `a_tile[k][row]`, with rows of 64 floats. How many
# passes does that take? And what is the least padding per row, in floats, with which it takes one
# pass *and* every `float4` starts at a multiple of 16 bytes?

# %% role="predict"
predict("vector-loads", 8)
predict("vector-loads-pad", 4)


# %% [markdown]
# *Implement.* Write `c = a @ b` for any shape; M, N and K are arguments. Blocks have 16 x 16
# threads, tiles are 64 x 64, and steps along K are 8 long. Thread (x, y) has the row `top + 4 * y`
# and the next three, and the column `left + 4 * x` and the next three. 11 to 14 lines.
#
# - Declare `a_tile`, transposed. `__align__(16)` makes it start where a `float4` may; without it,
#   the compiler only promises a multiple of 4 bytes.
# - In each step, fill both tiles, each element once and in whole sectors: `at(b, K, N, row,
#   column)` is an element of `b`, or 0 outside. A tile has 512 numbers, a block 256 threads. No
#   access takes more passes than it has to, and nobody reads what isn't there yet.
# - For each k, load one `float4` from each tile and call `add_products(sums, p, q)`. The check
#   counts what the source asks for.


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
# *See.* First the request to shared memory that loses the most passes, or one that fills a tile if
# none does. Then what the compiler makes of the kernel. In `ld.shared.v4` the 4 is the vector's
# length, `.v1` is a single load, and `fma` is a multiply-add. Loads from global memory appear once
# for each iteration that the compiler unrolled.

# %%
see("vector-loads", matmul)
see("registers/instructions", matmul)
reveal("vector-loads")
reveal("vector-loads-pad")


# %% [markdown]
# *Reflect.* Take the `float4` away and write four single loads. With `__align__(16)`, the compiler
# may put them back together. The machine, which runs the source as it stands, then counts passes
# that the real code doesn't need. Which of the two do you believe, and about what?
#
# There's also a way around bank conflicts that takes no padding. **Swizzling** stores the number
# for column c of row r at column `c ^ r`, or at another mix of the two. Then the numbers of one
# column are in different banks, while each row still has its own numbers. Libraries prefer it,
# because every row keeps its length and its alignment.

# %% [markdown] exercise="read-the-ladder"
# ## What holds it back?
#
# **`read-the-ladder` · 6 points · about 16 minutes**
#
# Here are five launches, rungs of the ladder, on an A100. What they ask of memory is counted;
# registers and spills come from the compiler. A **spill** is a value that a thread stores to memory
# and loads back, because there was no register left for it. The compiler makes the spills, so they
# aren't in the counts of the source.

# %%
see("registers/five")


# %% [markdown]
# *Predict.* B and E are the same kernel, but B was compiled with at most 64 registers per thread,
# so that 32 warps fit on the SM instead of 8. Which one would you run?

# %% role="predict"
predict("read-the-ladder", "E")


# %% [markdown]
# *Implement.* Put into `order` the letters of the four without spills, from slow to fast, by the
# FLOP/s that the lowest of their three roofs allows. And write `limit_of(account)` for any kernel
# on any device. `account` is a dict with the names in the table (without units), plus the device's
# `flop_per_s`, `l1_bytes_per_s` and `memory_bytes_per_s`; leave it as it is. The function returns
# one of five strings:
#
# - `"registers"` if the kernel spills or has fewer warps than needed. That comes first, because no
#   roof shows it.
# - Otherwise, whatever takes the longest (no two take equally long): `"arithmetic"`, `"device
#   memory"` or `"data path"`.
# - But return `"sectors"` in place of `"data path"` if more than half of that path's bytes are
#   `excess_bytes`: those of sectors beyond the fewest that could hold what was asked for.


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
# *Reflect.* C is the same kernel as E, on a product with K = 8. Why is a different limit holding it
# back? And an H200 has twice the lanes per SM, with the same data path: which limit does E have
# there? Ask your `limit_of`, with 67e12 FLOP/s, 33.5e12 and 4.8e12 bytes/s.
#
# On a GPU, the tool for this question is **Nsight Compute**. `ncu --set full python program.py`
# measures each kernel: which roof it's near, how many warps were on the SM, how many bytes went
# through each memory, and, for each line, what its warps waited for. Its counts and names are the
# ones you've been using, so start where you'd start here: what takes the longest, and is it needed?

# %% [markdown] exercise="double-buffer"
# ## Two buffers, one barrier
#
# **`double-buffer` · 6 points · stretch · about 15 minutes**
#
# In each step, all warps wait twice: until the tile is full, and until nobody reads it anymore.
# Meanwhile the arithmetic rests. With two buffers, the next tile can be on its way while this one
# is in use. A thread asks for its share first, *holds it in registers* while it computes, and
# stores it afterward. That works because a warp's instructions start in order, and only the store
# waits for what it stores.
#
# *Predict.* K is 64, and each step along K is 8 long. With one barrier per step and one before the
# first, how many barriers does a block go through?

# %% role="predict"
predict("double-buffer", 9)


# %% [markdown]
# The parts are given, for tiles of 64 x 8 and 8 x 64 and blocks of 16 x 16 threads. Only their
# order is up to you. `ask` loads a thread's share of the tiles that start at `first` (zeros past
# the end), `keep` stores it, and `use` adds the products of a whole tile to the 4 x 4 sums.


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
# *Implement.* Write `c = a @ b` for any shape, with one barrier per step and one before the first,
# and at most two buffers for each tile: `a_tile[0]` and `a_tile[1]` are those of `a`. 7 to 10
# lines.


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
# *See.* What the first warp does between two barriers, in order. What it asks for and stores in
# the last step is zeros that nobody reads.

# %%
see("double-buffer", matmul_twice)
reveal("double-buffer")


# %% [markdown]
# ## The last rungs
#
# The last rung, `c-warp-tile`, is all of this at once: 8 x 8 sums per thread, `float4` from global
# and shared memory, a transposed and padded tile of `a`, and two buffers. Each warp of a block has
# its own tile of 32 x 64, with lanes arranged 4 x 8, so that a warp needs few different numbers.
# Here is what the compiler makes of the rungs from 4 x 4 on, for a product of whole tiles:

# %%
see("registers/last")


# %% [markdown]
# Read it as you read yours. The multiply-adds for each load from shared memory: 2, 4, then 16.
# There is no stack, and nothing spills. The warps are few, but enough. Every instruction takes a
# turn of a scheduler, and the share of multiply-adds grows, because in the last rungs all 8 steps
# of a tile are written out, without a loop's tests and indices. (Take that as a hint only: what
# runs once counts as much here as what runs often.)
#
# So what does a library still have over this?
#
# - It has many such kernels, and chooses by shape and device the tile that fills all SMs. And it's
#   written closer to the machine, down to the order of instructions.
# - From compute capability 8.0 on, tiles can go from global to shared memory without passing
#   through registers (*asynchronous copies*), several steps ahead.

# %% [markdown]
# And then there are the **tensor cores**. They multiply small matrices in one instruction, but not
# in float32: TF32 rounds the factors to 10 bits after the binary point, and this course's
# measurements have it switched off. In bfloat16, an H100's data sheet has 989 TFLOP/s, 15 times its
# float32 peak.
#
# If every factor first had to pass through the data path into a thread's registers, that path would
# soon be the limit again. Hopper has two features that avoid this. **TMA**, the Tensor Memory
# Accelerator, copies whole tiles to shared memory, swizzled, at the request of a single thread. And
# `wgmma`, an instruction of four warps together, multiplies tiles straight from shared memory while
# the warps go on. You'll meet tensor cores again in *Formats and tensor cores*, and let Triton
# write such code for you in *Custom kernels*.
#
# The source of every rung is in the package's folder `ladder`, for you to read and run.

# %% [markdown]
# ## What you take with you
#
# - A thread doesn't have to ask for what it has in registers: t x t sums give t / 4 FLOP per byte
#   out of shared memory.
# - Occupancy is a means, not an end. Independent work in a thread hides waiting as well as more
#   warps do, and registers that you take away from it come back as spills.
# - Counts say what a kernel asks for, the compiler says what became of it, and a clock says how
#   fast it is. Look at all three before you say why.
#
# **Your number:** how many registers your kernel takes with 8 x 8 sums per thread.

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
# - When a thread's own array is not in registers: *CUDA C++ Programming Guide*, "Device Memory
#   Accesses", paragraph "Local Memory". Instructions begin in order: the same, "Hardware
#   Implementation". `__launch_bounds__`: the same, "Launch Bounds"; `max_registers`: *Numba-CUDA*
#   documentation, "CUDA Kernel API".
# - `-Xptxas -v`: NVIDIA, *CUDA Compiler Driver NVCC*, "Printing Code Generation Statistics";
#   `num_regs`: *CuPy* documentation, `cupy.RawKernel`. Profiling: NVIDIA, *Nsight Compute*
#   documentation, "Kernel Profiling Guide".
# - Vector types and their alignment: *CUDA C++ Programming Guide*, "Built-in Vector Types".
# - Blocks, warps and threads with tiles of their own: A. Kerr, D. Merrill, J. Demouth, J. Tran,
#   *CUTLASS: Fast Linear Algebra in CUDA C++*, NVIDIA Technical Blog, 2017.
# - The roofline: S. Williams, A. Waterman, D. Patterson, *Roofline: An Insightful Visual
#   Performance Model for Multicore Architectures*, Communications of the ACM, 2009.
# - Asynchronous copies, TMA and its swizzle modes: *CUDA C++ Programming Guide*, "Asynchronous Data
#   Copies"; `wgmma`: NVIDIA, *PTX ISA*, "Asynchronous Warpgroup Level Matrix Instructions". TF32:
#   NVIDIA, *A100 Tensor Core GPU Architecture*, 2020; the peaks of the H100: NVIDIA, *H100 Tensor
#   Core GPU*, data sheet, without sparsity.
