# %% [markdown]
# # How far do arrays get you, and when do you write a kernel?
#
# `0.5 * x * (1 + tanh(0.8 * (x + 0.0447 * x**3)))`: one line of array code, an activation function
# that many networks use. On a GPU it launches 8 kernels. One would do.
#
# **You will be able to** write code that runs on NumPy and on CuPy; keep data on the device; turn a
# chain of array operations into one kernel; write a kernel in CUDA C.
#
# **You need** NumPy's broadcasting, kernels with a grid-stride loop, and sectors.
# **Time** about 90 minutes.

# %% role="setup"
import numpy as np

from gpuedu import AsyncDevice, check, cp, hint, predict, progress, reveal, see, setup

setup("cupy")

# %% [markdown]
# ## NumPy, on the device
#
# **CuPy** has NumPy's functions, under the same names, for arrays that live in the device's memory.
# `cp.asarray(a)` copies a NumPy array there, `x.get()` (or `cp.asnumpy(x)`) copies one back. What
# lies between stays there: each operation launches a kernel, and its result is a new array on the
# device.

# %%
x = cp.asarray(np.array([[1, 2, 3], [4, 5, 6]], np.float32))
y = (2 * x + 1).sum(axis=1)
print(type(y).__name__, y.shape, y.dtype, y.get())

# %% [markdown]
# **What ran that?** Where there is a GPU, `cp` is CuPy. Elsewhere it is gpuedu's own module with
# CuPy's names, which computes with NumPy and keeps account: of launches, of the bytes that they
# move, of copies, of memory. `check` and `see` use the module that counts everywhere, since CuPy
# itself does not count. That is why your functions get the library as an argument, `xp` or `cp`.
# (In code of your own, `xp = cp.get_array_module(x)` tells it from an array.)
#
# Like CuPy, it refuses to mix the two sides: `np.ones(3) + x` is a `TypeError`, not a silent copy.

# %% [markdown] exercise="no-loops"
# ## Neighbors without a loop
#
# **`no-loops` · 5 points · about 18 minutes**
#
# A classifier without training: a query gets the label that occurs most often among its `k`
# nearest points. In plain Python that is a loop over queries and one over points. With arrays an
# *axis* takes the place of a loop: `queries[:, None]` has shape (m, 1, d), `points` (n, d), and
# their difference is broadcast to (m, n, d).


# %% role="given"
def squared_distances_large(xp, queries, points):
    differences = queries[:, None] - points
    return (differences**2).sum(axis=2)


# %% [markdown]
# Right, short, no loop. And it makes an array of shape (m, n, d) on the way.
#
# *Predict.* 10,000 queries, 10,000 points, 64 features, float32: how many GB does `differences`
# take? (1 GB = 1e9 bytes. A T4 has 16.)

# %% role="predict"
predict("no-loops", 25.6)

# %%
reveal("no-loops")

# %% [markdown]
# *Implement.* `xp` is NumPy or CuPy; the arrays are its own, and those that you make come from it,
# too. No loop over queries or points.
# (One over the features is allowed. It takes a few launches a feature; is there a way without?)
#
# - `squared_distances`: `queries` is (m, d), `points` (n, d), both float32 or both float64. The
#   result is (m, n), of the same dtype, the sum of `(q - p)**2` over the features. Beside the
#   arguments it may at no time need room for more than 8 arrays of shape (m, n). That is checked
#   with 48 queries, 96 points and 64 features; arrays of shape (m, d) or (n, d) are small there.
# - `vote`: `distances` is (m, n), float32 or float64 (rounding may leave one a little below 0),
#   `labels` (n,), int32 from 0 to `classes - 1`. The result is (m,), whole numbers: the most
#   frequent label of each row's `k` nearest points. Of equally near points the one with the smaller
#   index is nearer; of equally frequent labels the smaller one wins.
# - Both leave their arguments as they are, and copy no CuPy array to the host.

# %% [markdown]
# (Some functions, such as `bincount`, ask the host for a single number. That is allowed here; the
# next exercise is about what it costs.)
#
# `xp.argsort(a, axis=1, kind="stable")` gives the indices that sort each row, and keeps equal
# elements in order. `a.argmax(axis=1)` gives the first of equal ones.


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
# *See.* The most device memory at a time, on top of the inputs: the version above and yours, with
# more and more features.

# %%
see("no-loops", squared_distances, vote)

# %% [markdown]
# *Reflect.* Multiplied out, q^2 - 2qp + p^2 needs no loop over features, but it subtracts two large
# numbers where a point lies close to a query far from 0. When would that hurt? A
# loop over features takes the difference first; what does it cost instead?

# %% [markdown] exercise="stay-on-device"
# ## Once there, once back
#
# **`stay-on-device` · 4 points · about 15 minutes**
#
# A copy between host and device crosses a link that is many times slower than the device's memory,
# and the host waits for it. Some copies are easy to miss: `float(a)`, `if a > 0:`, `print(a)`,
# `a.tolist()`, or a mask as an index, `a[a > 0]` (the host has to know how many there are, also
# where you write to them). They are **hidden** copies: nobody wrote `get`.
#
# The function below standardizes the columns of `x`, then puts them through a linear layer and a
# softmax. `x` is (n, d) on the host, the weights `d_w` are (d, c) on the device, both float32.


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
# *Predict.* How many copies are that, both ways, for 1,000 rows?

# %% role="predict"
predict("stay-on-device", 1007)

# %% [markdown]
# *See.* What happens in order, for 6 rows: launches on the device's line, copies between the lines.

# %%
see("cupy/detours", predict_with_detours)
reveal("stay-on-device")

# %% [markdown]
# *Implement.* The same result, a float32 NumPy array of shape (n, c): `x` goes to the device once,
# as it is, the finished result comes back once, and nothing else crosses. `x` and `d_w` are left
# alone. Use the `cp` that you are handed. (Does it hold where `d_w` is large, and where rows differ
# much?) About 6 lines.


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
# A launch puts a kernel into a queue and comes back at once. So Python is already several lines
# further while the device works. Two things follow. A stopwatch around array code sees launches,
# not work, unless something waits: `cp.cuda.Device().synchronize()`, or, on a GPU,
# `cupyx.profiler.benchmark`, which times rightly. And whatever needs a *value* on the host waits
# for everything before it: `float(loss)` in each step takes away the lead that the host had.
#
# A simulated device shows it (where `cp` is not CuPy, everything is done at once):

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
# *Measure.* What launches and copies took on real GPUs, as far as they were recorded;
# `gpuedu record` adds yours. Compare a launch you wait for with one in a long queue: what does
# calling `float(loss)` every step cost, at the very least? Then compare a large copy from
# **pinned** memory, which stays in its place so that the device can fetch from it, with one from
# **pageable** memory, which plain NumPy arrays have.

# %%
see("cupy/recorded")

# %% [markdown]
# ## The pool keeps what you freed
#
# Asking the driver for memory is slow, and may wait for the device. CuPy keeps what an array gave
# back in a **memory pool**, for the next array of about that size. So `nvidia-smi` shows memory in
# use that no array has. `used_bytes` is what arrays have, `total_bytes` what the pool took; sizes
# are rounded up to 512 bytes. (`x = y = None` lets go of two small arrays from above.)

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
# The kernels from here on are in CUDA C. What is different from Python:
#
# - every name has a type, written in front of it once: `float u = 2.0f * x;`
# - a statement ends with a semicolon; indentation means nothing, `{ }` hold a body together;
# - a condition has parentheses: `if (u == 0.0f) return u;`
# - a `for` has a start, a condition, and a step: `for (int i = 0; i < n; i += 4) { ... }`
# - a comment: `// two slashes`, and so `//` is no division;
# - `0.5` is a double, float64; `0.5f` is a float, float32.

# %% [markdown] exercise="elementwise"
# ## A chain in one kernel
#
# **`elementwise` · 4 points · about 12 minutes**
#
# Here is the line from the beginning with all its digits, GELU in its form with tanh. Python sees
# eight operations, one after the other, and each is a launch: it reads its arrays from memory,
# writes a new one, and knows nothing of the next.


# %% role="given"
def gelu_chain(cp, x):
    return 0.5 * x * (1 + cp.tanh(0.79788456 * (x + 0.044715 * x**3)))


# %% [markdown]
# *Predict.* One kernel would read `x` and write the result. How many times as many bytes does the
# chain move? (For each operation, count the arrays that it reads, and the one that it writes. A
# plain number such as 0.5 moves nothing.)

# %% role="predict"
predict("elementwise", 9)

# %% [markdown]
# `cp.ElementwiseKernel(inputs, outputs, operation, name)` makes a kernel of what happens to *one*
# element, in CUDA C; CuPy writes the loop, the guard and the index around it. The result is
# assigned to the output's name. Where the inputs say `T`, it stands for whatever type the arrays
# have, in the operation, too.

# %%
scaled_difference = cp.ElementwiseKernel(
    "T x, T y, T scale", "T z", "T d = x - y; z = d * scale;", "scaled_difference"
)
print(scaled_difference(cp.arange(4, dtype=np.float32), cp.ones(4, np.float32), 10).get())

# %% [markdown]
# *Implement.* `y` becomes GELU of `x`. Both say float32 and not `T`, so a variable of yours is a
# `float`. A number such as `0.5` makes everything float64 that it meets: write `0.5f`. Many GPUs do
# float64 at a 32nd or 64th of the rate. `tanhf` is `tanh` for floats; there is no `**`. About 2
# lines.


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
# *See.* The bytes that each launch moves, for a million elements.

# %%
see("elementwise", gelu)
reveal("elementwise")

# %% [markdown]
# Where memory is what limits both, nine times the bytes are nine times the time. The bytes are
# counted; that memory is the limit is something to measure.
#
# *Reflect.* `@cp.fuse` above a Python function of this kind makes one kernel of it, without any C.
# When would you still write the kernel?

# %% [markdown] exercise="reduction"
# ## A sum that never overflows
#
# **`reduction` · 4 points · about 18 minutes**
#
# The logarithm of a sum of exponentials is part of every softmax and every cross entropy. A
# `cp.ReductionKernel` has four expressions: what becomes of one element, how two results `a` and
# `b` become one, what the output is in the end, and what an empty sum starts from. Here it is,
# straight from the formula.

# %% role="given"
logsumexp_naive = cp.ReductionKernel(
    "float32 x",  # type and name of an input element
    "float32 y",  # and of an output
    "expf(x)",  # what becomes of one element
    "a + b",  # how two results become one
    "y = logf(a)",  # what the output is, from the last result `a`
    "0.0f",  # what an empty sum starts from
    "logsumexp_naive",  # the kernel's name
)

# %%
print(logsumexp_naive(cp.asarray(np.array([[1, 2], [90, 1], [-200, -200]], np.float32)), axis=1))

# %% [markdown]
# *Predict.* For [90, 1] the answer is 90, and it says infinity. What is the largest *whole* number
# x for which `expf(x)` is still finite? (float32 ends at 3.4e38.)

# %% role="predict"
predict("reduction", 88)

# %% [markdown]
# The way out: carry a *pair* along, the largest element so far, and the sum of `exp(x - largest)`,
# in which no exponential exceeds 1. For [5, 5] that is (5, 2). In C a `float2` is a pair of floats,
# `p.x` and `p.y`, and `make_float2(u, v)` makes one. A row's elements are spread over many threads,
# so any two pairs may meet, in any order, and a thread without an element has the pair of
# `nothing`.


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
# *Implement.* `nothing` and `join`, all in float32; `whole` is written. `-inf` in a row counts as
# nothing; a row of nothing else, or without elements, gives `-inf`, in C `MINUS_INFINITY` here.
# (Masked attention has such rows.) Any other element is a number, however large or small: some
# masks are -3.4028235e38, the lowest number in float32, and a row of those still gives about that.
# The kernel is called with `axis=1` on float32 arrays of shape (rows, columns). `fmaxf` and `expf`
# are the functions for floats. No function may call itself: the check does not cover that. About 4
# lines.

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
# *See.* Rows of 64 numbers around c: what the kernels give, minus c. That is the same for every c,
# so a right line is flat.

# %%
see("reduction", logsumexp)
reveal("reduction")

# %% [markdown] exercise="raw-kernel"
# ## The same walk in CUDA C
#
# **`raw-kernel` · 5 points · about 15 minutes**
#
# For everything else there is the whole kernel. `cp.RawKernel(source, name)` takes CUDA C, the
# language of most kernels you will meet; it is launched with `kernel(grid, block, arguments)`, all
# three tuples.

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
# What is new here:
#
# - `const float* x` is a *pointer*: the address of the first element. It does not know how many
#   there are, so `n` is passed along;
# - the arguments must have the declared types, `np.int32(n)`, `np.float32(0.5)`: nobody converts
#   them, and on a GPU nobody checks (a plain `5` happens to work for an int; do not rely on it);
# - `extern "C"` keeps the kernel's name as it is. Without it C++ adds the types to the name, and
#   CuPy does not find it;
# - `/` between two whole numbers gives a whole number. `blockDim.x` and its like are `unsigned`:
#   never negative.
#
# *Predict.* What is `7 / 2 * 2.0f`?

# %% role="predict"
predict("raw-kernel", 6)

# %% [markdown]
# *Implement.* A picture for a network: `out[i]` becomes `(pixels[i] / 255 - mean) / std`, where
# the pixel is brought to the range from 0 to 1. `pixels` is uint8, in C `unsigned char`; `out` is
# float32; `mean` and `std` are floats. Any `n`, 0 too, any number of blocks and threads; each
# element is written once; neighbors take neighbors; all arithmetic in float32. The check passes
# `(pixels, out, np.float32(mean), np.float32(std), np.int32(n))`.


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
# *See.* What the 32 lanes of one warp read of the pixels. How many sectors would it be for floats?

# %%
see("raw-kernel", normalize)
reveal("raw-kernel")

# %% [markdown]
# *Reflect.* Which of the ways of this lesson would you have taken for these pixels? An
# `ElementwiseKernel` would have done, and CuPy would have written the walk.

# %% [markdown]
# ## What you take with you
#
# - Arrays get you far: an axis in place of each loop, no temporary larger than the result, and data
#   that stay where they are.
# - A launch returns before its kernel is done. Whatever needs a value on the host waits for all of
#   it, `float(x)` too.
# - A chain of array operations moves every array in between through memory. When that is what
#   costs, write one kernel: elementwise, a reduction, or raw.
#
# **Your number:** how many bytes your GELU moves for each element, and how many the chain moves.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Arrays, `get_array_module`, `asnumpy`, and what CuPy refuses: *CuPy* documentation, "Basics of
#   CuPy" and "Differences between CuPy and NumPy".
# - The memory pool, `used_bytes` and `total_bytes`: the same, "Memory Management".
# - `ElementwiseKernel`, `ReductionKernel`, `RawKernel`, `fuse`: the same, "User-Defined Kernels".
# - Launches that return at once, and what waits: NVIDIA, *CUDA C++ Programming Guide*,
#   "Asynchronous Concurrent Execution".
# - Timing array code: *CuPy* documentation, "Performance Best Practices", section "Benchmarking".
# - Copies between host and device, and keeping data there: NVIDIA, *CUDA C++ Best Practices Guide*,
#   "Data Transfer Between Host and Device".
# - Pinned and pageable memory: the same, section "Pinned Memory".
# - Literals with `f`: the same, "Instruction Optimization". The rate of float64: *CUDA C++
#   Programming Guide*, "Arithmetic Instructions", the table of throughputs.
# - The running pair of largest and sum: M. Milakov and N. Gimelshein, *Online normalizer
#   calculation for softmax*, 2018.
# - GELU and its form with tanh: D. Hendrycks and K. Gimpel, *Gaussian Error Linear Units*, 2016.
