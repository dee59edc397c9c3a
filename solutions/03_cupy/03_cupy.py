# %% [markdown]
# # How far do arrays get you, and when do you write a kernel?
#
# `0.5 * x * (1 + tanh(0.8 * (x + 0.0447 * x**3)))` is one line of array code for an activation
# function that many networks use. On a GPU it launches 8 kernels. One would do.
#
# **You will be able to** write code that runs on both NumPy and CuPy; keep data on the device; turn
# a chain of array operations into one kernel; write a kernel in CUDA C.
#
# **You need** NumPy's broadcasting; from *First kernels*, kernels with a grid-stride loop, and
# sectors. **Time** about 90 minutes.

# %% role="setup"
from gpuedu import AsyncDevice, check, cp, hint, predict, progress, reveal, see, setup

import numpy as np

setup("cupy")

# %% [markdown]
# ## NumPy, on the device
#
# **CuPy** offers NumPy's functions under the same names, for arrays that live in the device's
# memory. `cp.asarray(a)` copies a NumPy array there, and `x.get()` (or `cp.asnumpy(x)`) copies one
# back. Everything in between stays there: each operation launches a kernel, and its result is a new
# array on the device.

# %%
x = cp.asarray(np.array([[1, 2, 3], [4, 5, 6]], np.float32))
y = (2 * x + 1).sum(axis=1)
print(type(y).__name__, y.shape, y.dtype, y.get())

# %% [markdown]
# **What ran that?** If you have a GPU, `cp` is CuPy. If not, `cp` is gpuedu's own module with
# CuPy's names. It computes with NumPy and keeps count of launches, of the bytes they move, of
# copies, and of memory. Since CuPy itself doesn't count, `check` and `see` use this module
# everywhere, and that's why your functions are given the library as an argument, `xp` or `cp`. (In
# your own code, `xp = cp.get_array_module(x)` finds out which library an array belongs to.)
#
# Like CuPy, the module refuses to mix the two sides: `np.ones(3) + x` raises a `TypeError`. You
# never get a silent copy that way.

# %% [markdown] exercise="no-loops"
# ## Neighbors without a loop
#
# **`no-loops` · 5 points · about 18 minutes**
#
# Here is a classifier that needs no training: a query gets the label that occurs most often among
# its `k` nearest points. In plain Python that takes a loop over queries and one over points. With
# arrays, an *axis* takes the place of a loop. `queries[:, None]` has shape (m, 1, d) and `points`
# has (n, d), so their difference is broadcast to (m, n, d).


# %% role="given"
def squared_distances_large(xp, queries, points):
    differences = queries[:, None] - points
    return (differences**2).sum(axis=2)


# %% [markdown]
# It's right, it's short, and it has no loop. But on the way it makes an array of shape (m, n, d).
#
# *Predict.* Say you have 10,000 queries, 10,000 points, and 64 features, all float32. How many GB
# does `differences` take? (1 GB = 1e9 bytes. A T4 has 16 GB.)

# %% role="predict"
predict("no-loops", 25.6)

# %%
reveal("no-loops")

# %% [markdown]
# *Implement.* Write both steps without a loop over queries or points. `xp` is NumPy or CuPy; the
# arrays you get belong to it, and those you make must, too.
#
# - `squared_distances` returns the sum of `(q - p)**2` over the features. `queries` is (m, d) and
#   `points` (n, d), both float32 or both float64; the result is (m, n), of the same dtype.
# - At no time may it need room for more than 8 arrays of shape (m, n), besides its arguments. The
#   check uses 48 queries, 96 points, and 64 features, so arrays of shape (m, d) or (n, d) take
#   little of that.
# - `vote` returns the most frequent label among each row's `k` nearest points, as whole numbers of
#   shape (m,). `distances` is (m, n), float32 or float64 (rounding may leave one slightly below 0).
#   `labels` is (n,), int32 from 0 to `classes - 1`.

# %% [markdown]
# Ties and copies have their rules, too:
#
# - Among equally near points, the one with the smaller index counts as nearer. Among equally
#   frequent labels, the smaller one wins.
# - Both functions leave their arguments as they are and copy no CuPy array to the host. (Some
#   functions, such as `bincount`, bring a single number to the host. That's allowed here; the next
#   exercise is about what it costs.)
#
# `xp.argsort(a, axis=1, kind="stable")` returns the indices that sort each row and keeps equal
# elements in order. `a.argmax(axis=1)` gives the index of the first largest element. A loop over
# features is allowed, but takes a few launches per feature. Can you do without one?


# %% role="answer"
def squared_distances(xp, queries, points):
    ### BEGIN SOLUTION
    q2 = (queries**2).sum(axis=1)
    p2 = (points**2).sum(axis=1)
    return q2[:, None] + p2 - 2 * (queries @ points.T)
    ### END SOLUTION


def vote(xp, distances, labels, k, classes):
    ### BEGIN SOLUTION
    nearest = xp.argsort(distances, axis=1, kind="stable")[:, :k]
    votes = labels[nearest][:, :, None] == xp.arange(classes)
    return votes.sum(axis=1).argmax(axis=1)
    ### END SOLUTION


# %% role="check"
check("no-loops", squared_distances, vote)

# %% [markdown]
# *See.* How much device memory do you need at once, on top of the inputs? The picture compares the
# version above with yours, for more and more features.

# %%
see("no-loops", squared_distances, vote)

# %% [markdown]
# *Reflect.* Multiplied out, the square is q^2 - 2qp + p^2, which needs no loop over features. But
# if a query and a point are close together and far from 0, that subtracts large numbers that are
# nearly equal. When would that hurt? A loop over features takes the difference first. What does it
# cost instead?

# %% [markdown] exercise="stay-on-device"
# ## Once there, once back
#
# **`stay-on-device` · 4 points · about 15 minutes**
#
# Copies between host and device cross a link that is many times slower than the device's memory,
# and the host usually waits for them. Some are easy to miss: `float(a)`, `if a > 0:`, `print(a)`,
# `a.tolist()`, or a mask as an index, `a[a > 0]`. (With a mask the host has to know how many
# elements there are, even if you only write to them.) We call them **hidden** copies, because
# nobody wrote `get`.
#
# The function below standardizes the columns of `x`, then sends them through a linear layer and a
# softmax. `x` is (n, d) and on the host; the weights `d_w` are (d, c) and on the device. Both are
# float32.


# %% role="given"
def predict_with_detours(cp, x, d_w):
    d_x = cp.asarray(x)
    mean, std = d_x.mean(axis=0).get(), d_x.std(axis=0).get()
    std[std == 0] = 1
    d_z = cp.asarray((x - mean) / std)
    d_logits = d_z @ d_w
    best = np.empty(len(x), np.float32)
    for i in range(len(x)):
        best[i] = float(d_logits[i].max())
    e = np.exp(cp.asnumpy(d_logits) - best[:, None])
    total = cp.asarray(e).sum(axis=1)
    return e / total.get()[:, None]


# %% [markdown]
# *Predict.* For 1,000 rows, how many copies does it make, counting both directions?

# %% role="predict"
predict("stay-on-device", 1007)

# %% [markdown]
# *See.* This is what happens for 6 rows, in order. Squares are launches, and arrows are copies.

# %%
see("cupy/detours", predict_with_detours)
reveal("stay-on-device")

# %% [markdown]
# *Implement.* Compute the same result without the detours, in about 6 lines. Return a float32 NumPy
# array of shape (n, c), and use the `cp` that you are given.
#
# - `x` goes to the device once, as it is. The finished result comes back once. Nothing else
#   crosses, and there are no hidden copies.
# - `x` and `d_w` stay as they are.
# - The result must also be right if the numbers in `d_w` are large, and if rows differ a lot from
#   each other.


# %% role="answer"
def predict_on_device(cp, x, d_w):
    ### BEGIN SOLUTION
    d_x = cp.asarray(x)
    std = d_x.std(axis=0)
    std = cp.where(std == 0, 1, std)
    logits = (d_x - d_x.mean(axis=0)) / std @ d_w
    e = cp.exp(logits - logits.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True)).get()
    ### END SOLUTION


# %% role="check"
check("stay-on-device", predict_on_device)

# %%
see("stay-on-device", predict_on_device)

# %% [markdown]
# ## The host runs ahead
#
# A launch puts a kernel into a queue and returns at once. So while the device works, Python is
# already several lines ahead. Two things follow. First, a stopwatch around array code sees
# launches and not work, unless something waits: `cp.cuda.Device().synchronize()`, or
# `cupyx.profiler.benchmark` on a GPU, which does the timing for you. Second, anything that needs a
# *value* on the host has to wait for everything before it. Call `float(loss)` in every step, and
# the host loses its lead every time.
#
# Let's look at it on a simulated device. (Where `cp` isn't CuPy, each line is done before the next
# one starts.)

# %%
device = AsyncDevice(kernel_times_s=[2e-3])
for _ in range(4):
    device.launch()
print(f"4 launches:   the watch says {device.now() * 1e3:.2f} ms")
device.sync()
print(f"4 kernels:    the watch says {device.now() * 1e3:.2f} ms")

# %%
see("cupy/asynchrony")

# %% [markdown]
# *Measure.* Here's how long launches and copies took on real GPUs, where we have recordings;
# `gpuedu record` adds yours. Compare a launch you wait for with one in a long queue. What does
# calling `float(loss)` every step cost, at the very least? Then compare large copies from two kinds
# of memory: **pinned**, which stays in its place so that the device can fetch from it directly, and
# **pageable**, which is what ordinary NumPy arrays have.

# %%
see("cupy/recorded")

# %% [markdown]
# **More than one queue.** A queue like that is called a **stream**. CuPy sends every launch and
# copy to the *current* stream, and unless you say otherwise that's the default one, where
# everything runs in order. `stream = cp.cuda.Stream(non_blocking=True)` makes another, and work
# inside `with stream:` goes there. Work on two such streams *may* overlap, a copy with a kernel for
# instance, but nothing puts it in order anymore. So wait with `stream.synchronize()`, or have one
# stream wait for another: `event = stream.record()`, then `other.wait_event(event)`. If you forget,
# a kernel may read an array before its data have arrived.

# %% [markdown]
# ## The pool keeps what you freed
#
# Asking the driver for memory is slow and may even make the host wait for the device. So when an
# array is freed, CuPy keeps its memory in a **memory pool** for the next array of about that size.
# That's why `nvidia-smi` shows memory in use that belongs to no array. `used_bytes` is what arrays
# hold, and `total_bytes` is what the pool has taken from the driver. Sizes are rounded up to
# multiples of 512 bytes. (`x = y = None` frees two small arrays from above.)

# %%
pool = cp.get_default_memory_pool()
x = y = None
pool.free_all_blocks()
x = cp.zeros(1_000_000, cp.float32)
print(f"4 MB array:        used {pool.used_bytes():>9,}  total {pool.total_bytes():>9,}")
del x
print(f"after del x:       used {pool.used_bytes():>9,}  total {pool.total_bytes():>9,}")
x = cp.ones(900_000, cp.float32)
print(f"3.6 MB array:      used {pool.used_bytes():>9,}  total {pool.total_bytes():>9,}")
del x
pool.free_all_blocks()
print(f"after free_all...: used {pool.used_bytes():>9,}  total {pool.total_bytes():>9,}")

# %% [markdown]
# ## As much C as you need
#
# The kernels from here on are written in CUDA C. Here is how it differs from Python:
#
# - Every name has a type, which you write in front of it once: `float u = 2.0f * x;`
# - A statement ends with a semicolon. Indentation means nothing; `{ }` enclose a body.
# - A condition goes in parentheses: `if (u == 0.0f) return u;`
# - A `for` has a start, a condition, and a step: `for (int i = 0; i < n; i += 4) { ... }`
# - A comment starts with two slashes: `// like this`. So `//` is not a division.
# - `0.5` is a double, that is, float64. `0.5f` is a float, that is, float32.

# %% [markdown] exercise="elementwise"
# ## A chain in one kernel
#
# **`elementwise` · 4 points · about 14 minutes**
#
# Here is the line from the beginning with all its digits. It's GELU, in its tanh form. Python sees
# eight operations, one after the other. Each is a launch that reads its arrays from memory, writes
# a new one, and knows nothing about the next.


# %% role="given"
def gelu_chain(cp, x):
    return 0.5 * x * (1 + cp.tanh(0.79788456 * (x + 0.044715 * x**3)))


# %% [markdown]
# *Predict.* A single kernel would read `x` and write the result. How many times as many bytes does
# the chain move? (For each operation, count the arrays it reads and the one it writes. A plain
# number such as 0.5 moves nothing.)

# %% role="predict"
predict("elementwise", 9)

# %% [markdown]
# `cp.ElementwiseKernel(inputs, outputs, operation, name)` makes a kernel from what happens to *one*
# element, written in CUDA C. CuPy writes the loop, the guard, and the index around it. You assign
# the result to the output's name. A type `T` among the inputs stands for whatever type the arrays
# have, and you can use it in the operation, too.

# %%
scaled_difference = cp.ElementwiseKernel(
    "T x, T y, T scale", "T z", "T d = x - y; z = d * scale;", "scaled_difference"
)
print(scaled_difference(cp.arange(4, dtype=np.float32), cp.ones(4, np.float32), 10).get())

# %% [markdown]
# *Implement.* Set `y` to GELU of `x`, in about 2 lines. `tanhf` is `tanh` for floats; there is no
# `**`.
#
# - The values must be right for every finite `x`, even a very large one.
# - All arithmetic is in float32. The types here are float32 and not `T`, so make your variables
#   `float`. A number such as `0.5` turns everything it meets into float64, so write `0.5f`. (Many
#   GPUs do float64 at 1/32 or 1/64 of the float32 rate.)
# - One launch reads `x` once and writes the result once, in float32.


# %% role="answer"
gelu_operation = r"""
    // ### BEGIN SOLUTION
    float u = 0.79788456f * (x + 0.044715f * x * x * x);
    y = 0.5f * x * (1.0f + tanhf(u));
    // ### END SOLUTION
"""
gelu = cp.ElementwiseKernel("float32 x", "float32 y", gelu_operation, "gelu")


# %% role="check"
check("elementwise", gelu)

# %% [markdown]
# *See.* These are the bytes that each launch moves, for a million elements.

# %%
see("elementwise", gelu)
reveal("elementwise")

# %% [markdown]
# If memory is what limits both, nine times the bytes take nine times as long. The bytes are
# counted; whether memory really is the limit is something to measure.
#
# **Fusing without C.** `cp.fuse` builds such a kernel from a Python function. The first call
# analyzes the function for the types of its arguments and compiles one kernel; later calls with the
# same types reuse it. So decorate a function once, at the top of your file, and not inside a loop.


# %%
@cp.fuse
def gelu_fused(x):
    return 0.5 * x * (1 + cp.tanh(0.79788456 * (x + 0.044715 * x**3)))


print(gelu_fused(cp.linspace(-3, 3, 5, dtype=np.float32)))

# %% [markdown]
# According to CuPy's documentation, `fuse` handles simple elementwise operations and simple
# reductions, and most other routines (`matmul` and `reshape`, for example) are not supported.
#
# *Reflect.* When would you still write the kernel yourself?

# %% [markdown] exercise="reduction"
# ## A sum that never overflows
#
# **`reduction` · 4 points · about 18 minutes**
#
# The cross entropy of a softmax contains the logarithm of a sum of exponentials. To write a
# `cp.ReductionKernel` you give four expressions: what each element turns into, how two results `a`
# and `b` are combined, what the output is in the end, and what an empty sum starts from. Here it
# is, straight from the formula.

# %% role="given"
logsumexp_naive = cp.ReductionKernel(
    "float32 x",  # type and name of an input element
    "float32 y",  # and of an output
    "expf(x)",  # what each element turns into
    "a + b",  # how two results are combined
    "y = logf(a)",  # what the output is, from the last result `a`
    "0.0f",  # what an empty sum starts from
    "logsumexp_naive",  # the kernel's name
)

# %%
print(logsumexp_naive(cp.asarray(np.array([[1, 2], [90, 1], [-200, -200]], np.float32)), axis=1))

# %% [markdown]
# *Predict.* For [90, 1] the answer should be 90, but the kernel says infinity. What is the largest
# *whole* number x for which `expf(x)` is still finite? (The largest float32 is 3.4e38.)

# %% role="predict"
predict("reduction", 88)

# %% [markdown]
# The way out is to carry a *pair*: the largest element so far, and the sum of `exp(x - largest)`.
# In that sum no exponential exceeds 1. For [5, 5] the pair is (5, 2). In CUDA C a `float2` is a
# pair of floats, `p.x` and `p.y`, and `make_float2(u, v)` makes one. The elements of a row are
# spread over many threads, so any two pairs may meet, in any order. A thread that has no element
# uses the pair that `nothing` returns.


# %% role="given"
def pair_kernel(functions):
    return cp.ReductionKernel(
        "float32 x",
        "float32 y",
        "make_float2(x, 1.0f)",  # an element becomes a pair: itself, and exp(0)
        "join(a, b)",
        "y = whole(a)",
        "nothing()",
        "logsumexp",
        reduce_type="float2",
        preamble=functions,
    )


# %% [markdown]
# *Implement.* Write `nothing` and `join`, in about 4 lines; `whole` is given. The kernel is called
# with `axis=1` on float32 arrays of shape (rows, columns). `fmaxf` and `expf` work on floats.
#
# - All arithmetic is in float32.
# - `-inf` in a row counts as nothing. A row that holds nothing else, or has no elements, gives
#   `-inf`, which is `MINUS_INFINITY` in the code. (Masked attention has such rows.)
# - Any other element is finite and counts, however large or small. Some masks use -3.4028235e38,
#   the lowest float32, and a row of those must still give about that.
#
# Don't let a function call itself: the course's machine doesn't run recursion.

# %% role="answer"
pairs = r"""
#define MINUS_INFINITY __int_as_float(0xff800000)

__device__ float2 nothing() {  // the pair of no elements
    // ### BEGIN SOLUTION
    return make_float2(MINUS_INFINITY, 0.0f);
    // ### END SOLUTION
}
__device__ float2 join(float2 a, float2 b) {  // the pair of both together
    // ### BEGIN SOLUTION
    float m = fmaxf(a.x, b.x);
    if (m == MINUS_INFINITY) return nothing();
    return make_float2(m, a.y * expf(a.x - m) + b.y * expf(b.x - m));
    // ### END SOLUTION
}
__device__ float whole(float2 p) {  // what the row gives in the end
    return p.x + logf(p.y);
}
"""
logsumexp = pair_kernel(pairs)

# %% role="check"
check("reduction", logsumexp)

# %% [markdown]
# *See.* Here are rows of 64 numbers around c, and what each kernel gives for them, minus c. That
# should be the same for every c, so a right answer makes a flat line.

# %%
see("reduction", logsumexp)
reveal("reduction")

# %% [markdown] exercise="raw-kernel"
# ## The same loop in CUDA C
#
# **`raw-kernel` · 5 points · about 15 minutes**
#
# For everything else you write the whole kernel. `cp.RawKernel(source, name)` takes CUDA C, the
# language of most kernels you'll come across. You launch it with `kernel(grid, block, arguments)`,
# where all three are tuples.

# %%
halve = cp.RawKernel(
    r"""
extern "C" __global__
void halve(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] * 0.5f;
}
""",
    "halve",
)
x = cp.arange(5, dtype=np.float32)
out = cp.empty_like(x)
halve((1,), (32,), (x, out, np.int32(x.size)))
print(out)

# %% [markdown]
# What's new here:
#
# - `const float* x` is a *pointer*: the address of the first element. It doesn't know how many
#   elements there are, so you pass `n` along.
# - The arguments must have the declared types, `np.int32(n)` or `np.float32(0.5)`. Nobody converts
#   them, and on a GPU nobody checks. (A plain `5` happens to work for an int; don't rely on it.)
# - `extern "C"` keeps the kernel's name as it is. Without it, C++ adds the types to the name, and
#   CuPy can't find it.
# - `/` between two whole numbers gives a whole number. `blockDim.x` and its like are `unsigned`,
#   which means they can't be negative.
#
# *Predict.* What is `7 / 2 * 2.0f`?

# %% role="predict"
predict("raw-kernel", 6)

# %% [markdown]
# *Implement.* Prepare a picture for a network: set `out[i]` to `(pixels[i] / 255 - mean) / std`.
# Here `pixels[i] / 255` brings a pixel into the range from 0 to 1. `pixels` is uint8 (`unsigned
# char` in C), `out` is float32, and `mean` and `std` are floats. The check passes `(pixels, out,
# np.float32(mean), np.float32(std), np.int32(n))`.
#
# - It works for any `n`, including 0, and for any number of blocks and threads.
# - Each element is written once, and no thread leaves the arrays. `pixels` stays as it is.
# - Neighboring threads take neighboring elements.
# - All arithmetic is in float32.


# %% role="answer"
normalize = cp.RawKernel(
    r"""
extern "C" __global__
void normalize(const unsigned char* pixels, float* out, float mean, float std, int n) {
    // ### BEGIN SOLUTION
    int step = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        out[i] = (pixels[i] / 255.0f - mean) / std;
    // ### END SOLUTION
}
""",
    "normalize",
)

# %% role="check"
check("raw-kernel", normalize)

# %% [markdown]
# *See.* These are the pixels that the 32 lanes of one warp read. How many sectors would it take if
# the pixels were floats?

# %%
see("raw-kernel", normalize)
reveal("raw-kernel")

# %% [markdown]
# *Reflect.* Which of this lesson's ways would you have chosen for these pixels? An
# `ElementwiseKernel` would have done the job, and CuPy would have written the loop.

# %% [markdown]
# ## What you take with you
#
# - Arrays get you far, if you put an axis in place of each loop, make no temporary larger than the
#   result, and leave the data where they are.
# - A launch returns before its kernel is done. Anything that needs a value on the host waits for
#   everything launched before it, and `float(x)` is no exception.
# - A chain of array operations sends every array in between through memory. If that's where the
#   time goes, make it one kernel: fused, elementwise, a reduction, or raw.
#
# **Your number:** how many bytes your GELU moves per element, and how many the chain moves.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Arrays, `get_array_module`, `asnumpy`, and what CuPy refuses: *CuPy* documentation, "Basics of
#   CuPy" and "Differences between CuPy and NumPy".
# - The memory pool, `used_bytes`, and `total_bytes`: the same, "Memory Management".
# - `ElementwiseKernel`, `ReductionKernel`, `RawKernel`: the same, "User-Defined Kernels". `fuse`:
#   the same, section "Kernel fusion".
# - Streams and events in CuPy: the same, "Accessing CUDA Functionalities".
# - Launches that return at once, what waits, and streams: NVIDIA, *CUDA C++ Programming Guide*,
#   "Asynchronous Concurrent Execution".
# - Timing array code: *CuPy* documentation, "Performance Best Practices", section "Benchmarking".
# - Copies between host and device, and keeping data there: NVIDIA, *CUDA C++ Best Practices Guide*,
#   "Data Transfer Between Host and Device". Pinned and pageable memory: the same, "Pinned Memory".
# - Literals with `f`: the same, "Instruction Optimization". The rate of float64: *CUDA C++
#   Programming Guide*, "Arithmetic Instructions", the table of throughputs.
# - The running pair of largest and sum: M. Milakov and N. Gimelshein, *Online normalizer
#   calculation for softmax*, 2018.
# - GELU and its form with tanh: D. Hendrycks and K. Gimpel, *Gaussian Error Linear Units*, 2016.
