# %% [markdown]
# # What is a GPU good at, and what is it bad at?
#
# A GPU is slower than your CPU at almost every single thing: a lower clock, a longer way to
# memory, no guessing ahead. It wins only by doing a great many things at once. So the question is
# never "is it faster?" but "how many independent things have I got, and what do they cost to
# bring there?"
#
# **You will be able to** measure what all your cores give you; bound a speed-up before you write
# it; see which loops can run in parallel; work out from which size on a GPU pays.
#
# **You need** Python functions, NumPy arrays, and to know what a matrix product is. **Time**
# about 90 minutes.

# %% role="setup"
import math

import numpy as np
from numba import njit, prange

from gpuedu import check, hint, measure, predict, progress, reveal, see, setup

setup("why-gpus")

# %% [markdown]
# ## Latency or throughput
#
# Two ways to get much work done. **Latency**: finish each thing as soon as possible.
# **Throughput**: finish as many things as possible in a given time, however long each one takes.
# A CPU core spends its transistors on the first: large caches, guesses about the next branch,
# many steps of one program at once. A GPU spends them on the second: many simple arithmetic
# units.

# %%
see("why-gpus/latency-throughput")
see("why-gpus/chip")

# %% [markdown]
# Words you will meet: a GPU has many **SMs** (streaming multiprocessors), each with its own
# arithmetic **lanes**. Work comes as **threads**; 32 of them form a **warp** and do the same step
# at the same time, each on its own data. That is like a CPU core's **SIMD** lanes (one
# instruction, many numbers), except that you write a program for one thread and the device runs
# it for all.
#
# Neural networks suit this well. Each output of a linear layer is one dot product, and no output
# needs another: a layer with 4,096 outputs on a batch of 64 is 262,144 dot products at once.

# %%
see("why-gpus/layer")

# %% [markdown] exercise="parallel-cpu"
# ## What all your cores give you
#
# **`parallel-cpu` · 4 points · about 12 minutes**
#
# Before a GPU, use what you have. *saxpy* is `a * x + y`, element by element, for a number `a`
# and two arrays. No element needs another, so all of them could be computed at once.
#
# **Numba** compiles a Python function to machine code. `@njit` gives one core. With
# `@njit(parallel=True)` a loop over `prange(n)` (instead of `range(n)`) is shared out among all
# cores: you promise that its steps do not depend on each other.

# %% [markdown]
# *Predict.* Compared with the loop in pure Python: how many times as fast is Numba on all cores
# of this machine?

# %% role="predict"
predict("parallel-cpu", 300)

# %% [markdown]
# *Implement.* The blank above `def` is for the decorator. `a` is a float32 number; `x`, `y` and
# `out` are float32 arrays of the same length, which may be 0. Write the result into `out`, change
# nothing else, return nothing. The loop must run in parallel: the check reads from Numba's own
# record of the compiled function whether it does. The first check takes some seconds, because it
# compiles.


# %% role="answer"
### BEGIN SOLUTION
@njit(parallel=True)
### END SOLUTION
def saxpy(a, x, y, out):
    ### BEGIN SOLUTION
    for i in prange(x.size):
        out[i] = a * x[i] + y[i]
    ### END SOLUTION


# %% role="check"
check("parallel-cpu", saxpy)

# %% [markdown]
# *Measure.* Four ways to do the same work, timed on this machine.

# %%
times = measure("parallel-cpu", saxpy)
see("parallel-cpu", times)
reveal("parallel-cpu", times["python_ns"] / times["all_cores_ns"] if times else None)

# %% [markdown]
# *Reflect.* From one core to all of them you often gain less than the number of cores. saxpy does
# two operations for every 12 bytes that it moves; what do the cores have to share?

# %% [markdown] exercise="amdahl"
# ## The part that stays serial
#
# **`amdahl` · 4 points · about 15 minutes**
#
# A program takes 1 hour on one worker. A share `p` of that time can be spread over `n` workers,
# the rest cannot. **Amdahl's law** is the speed-up: old time divided by new time.
#
# *Predict.* 95% can be spread, over 1,000 workers. What is the speed-up?

# %% role="predict"
predict("amdahl", 20)

# %% [markdown]
# Amdahl keeps the problem and adds workers. **Gustafson** keeps the *time* and lets the problem
# grow: on `n` workers the run spends a share `p` of its hour in parallel work. How many times as
# long would one worker need for all that? (His `p` is a share of the time on n workers, Amdahl's
# of the time on one.)
#
# *Implement.* `p` is between 0 and 1, `n` a whole number, at least 1.
#
# - `amdahl(p, n)`: the speed-up; `amdahl_limit(p)`: its limit for endless workers (`math.inf` if
#   none)
# - `gustafson(p, n)`: the scaled speed-up
# - `share_for(speedup, n)`: the `p` from 0 to 1 that gives this (Amdahl) speed-up, a number above
#   0, on `n` workers; `math.nan` unless there is exactly one


# %% role="answer"
def amdahl(p, n):
    ### BEGIN SOLUTION
    return 1 / (1 - p + p / n)
    ### END SOLUTION


def amdahl_limit(p):
    ### BEGIN SOLUTION
    return math.inf if p == 1 else 1 / (1 - p)
    ### END SOLUTION


def gustafson(p, n):
    ### BEGIN SOLUTION
    return 1 - p + p * n
    ### END SOLUTION


def share_for(speedup, n):
    ### BEGIN SOLUTION
    if n == 1 or not 1 <= speedup <= n:
        return math.nan
    return (1 - 1 / speedup) / (1 - 1 / n)
    ### END SOLUTION


# %% role="check"
check("amdahl", amdahl, amdahl_limit, gustafson, share_for)

# %% [markdown]
# *See.* Your function, with your limits as dashed lines. Then ask `share_for`: what share must be
# parallel for a 50-fold speed-up on 100 workers?

# %%
see("amdahl", amdahl, amdahl_limit)
reveal("amdahl")
print("50x on 100 workers needs p =", share_for(50, 100))

# %% [markdown] exercise="who-is-independent"
# ## Who waits for whom?
#
# **`who-is-independent` · 4 points · about 20 minutes**
#
# What bounds a loop on endless workers is its longest **chain**: steps that each need the one
# before. *As written*, a running total over n numbers is a chain of n additions. But two
# additions can be merged into one (`+3` then `+4` is `+7`), so n of them can be merged in pairs,
# and the pairs in pairs: log n rounds. That is the *best known* chain. (Constant factors and
# rounding aside.)
#
# **The rule:** if two steps in a row can be merged into one step *of the same kind and size*, then
# n steps need only log n rounds. "Times a, plus b" twice is again "times some a, plus some b". A
# table of where each link leads, followed twice, is again such a table. But squaring twice is not
# squaring: for such steps no *exact* shorter chain is known. (There are methods that guess all
# steps at once and improve the guess in a few rounds.)

# %%
see("why-gpus/loops")

# %% [markdown]
# *Implement.* For each loop, how does the longest chain grow, *as written* and *best known* (for
# any values of its parameters)? Choose from `"1"`, `"log n"`, `"n"` and `"n**2"`. A chain of 1
# means that no step needs another. Count an update such as `x = f(x)` as one step. Each loop says
# what its n is.


# %% role="answer"
### BEGIN SOLUTION
chains = {
    "saxpy": ("1", "1"),
    "blur": ("1", "1"),
    "grand_total": ("n**2", "log n"),
    "pairwise": ("log n", "log n"),
    "prefix": ("n", "log n"),
    "horner": ("n", "log n"),
    "smooth": ("n", "log n"),
    "chase": ("n", "log n"),
    "logistic": ("n", "n"),
    "rnn": ("n", "n"),
}
### END SOLUTION


# %% role="check"
check("who-is-independent", chains)

# %% [markdown]
# *See.* Three shapes of dependence, for eight elements each.

# %%
see("who-is-independent", chains)

# %% [markdown] exercise="count-the-work"
# ## Count the work before you run it
#
# **`count-the-work` · 4 points · about 15 minutes**
#
# A layer has two costs: arithmetic (**FLOP**, floating-point operations; a dot product of k
# numbers is 2k) and traffic (bytes: every input, every weight and every output moved once). FLOP
# divided by bytes is its **arithmetic intensity**. If a device can do 100 FLOP in the time it
# moves a byte, then a layer with an intensity of 1 leaves 99% of the arithmetic idle.
#
# *Predict.* A linear layer, 4,096 inputs to 4,096 outputs, numbers of 2 bytes, **one** sample.
# Its intensity, in FLOP per byte?

# %% role="predict"
predict("count-the-work", 1)

# %% [markdown]
# *Implement.* Return a pair, `(flop, bytes)`. Numbers are `itemsize` bytes; no bias.
#
# - `linear_work`: each of `batch` samples has `inputs` numbers and gets `outputs` numbers, each a
#   dot product with its own row of weights.
# - `conv2d_work`: each of `batch` images is `channels_in` x `height` x `width`. The output has
#   the same height and width and `channels_out` channels. Each output number is a dot product
#   over a window of `kernel` x `kernel` in all input channels; each output channel has its own
#   weights. (At the edges the window reads zeros: count them like the rest.)


# %% role="answer"
def linear_work(batch, inputs, outputs, itemsize):
    """FLOP and bytes of one linear layer, forward."""
    ### BEGIN SOLUTION
    flop = 2 * batch * inputs * outputs
    return flop, itemsize * (batch * inputs + inputs * outputs + batch * outputs)
    ### END SOLUTION


def conv2d_work(batch, channels_in, channels_out, height, width, kernel, itemsize):
    """FLOP and bytes of one convolution, forward."""
    ### BEGIN SOLUTION
    weights = channels_out * channels_in * kernel * kernel
    pixels = batch * height * width
    return 2 * pixels * weights, itemsize * (pixels * (channels_in + channels_out) + weights)
    ### END SOLUTION


# %% [markdown]
# **Training and inference.** Using a model of N parameters takes about 2 FLOP for each parameter
# and token: one multiply, one add. Training also goes *backward*: for each layer one product for
# the gradient of its inputs and one for the gradient of its weights, each as large as the forward
# one.
#
# *Implement.* `intensity` in FLOP per byte, and the FLOP to train a model of `params` parameters
# on `tokens` tokens, forward and backward.


# %% role="answer"
def intensity(flop, bytes):
    ### BEGIN SOLUTION
    return flop / bytes
    ### END SOLUTION


def training_flop(params, tokens):
    ### BEGIN SOLUTION
    return 6 * params * tokens
    ### END SOLUTION


# %% role="check"
check("count-the-work", linear_work, conv2d_work, intensity, training_flop)

# %% [markdown]
# *See.* The intensity of that layer by batch size, from your functions. Below the line the device
# waits for memory; above it, memory waits for the device.

# %%
see("count-the-work", linear_work, intensity)
reveal("count-the-work")

# %% [markdown] exercise="littles-law"
# ## How to fill a long pipe
#
# **`littles-law` · 3 points · about 10 minutes**
#
# Water takes a minute through a pipe that delivers 10 liters a minute: so 10 liters are in the
# pipe. Memory is such a pipe. To keep it full, enough bytes must be **in flight**: asked for and
# not yet there. That is **Little's law**. A thread that loads 16 bytes and waits has 16 bytes in
# flight.
#
# *Predict.* An H100's memory delivers 3,350 GB/s, and say an access takes 500 ns. How many
# threads, each waiting for 16 bytes, keep it busy?

# %% role="predict"
predict("littles-law", 105e3)

# %% [markdown]
# *Implement.* `bytes_in_flight`: what must be under way to keep the memory busy.
# `threads_needed`: how many threads at least, a whole number, if each waits for
# `bytes_per_thread`. `bandwidth_with`: what so many threads reach, which is never more than the
# peak.


# %% role="answer"
def bytes_in_flight(latency_s, bandwidth_bytes_per_s):
    ### BEGIN SOLUTION
    return latency_s * bandwidth_bytes_per_s
    ### END SOLUTION


def threads_needed(latency_s, bandwidth_bytes_per_s, bytes_per_thread):
    ### BEGIN SOLUTION
    return math.ceil(bytes_in_flight(latency_s, bandwidth_bytes_per_s) / bytes_per_thread)
    ### END SOLUTION


def bandwidth_with(threads, bytes_per_thread, latency_s, peak_bytes_per_s):
    ### BEGIN SOLUTION
    return min(threads * bytes_per_thread / latency_s, peak_bytes_per_s)
    ### END SOLUTION


# %% role="check"
check("littles-law", bytes_in_flight, threads_needed, bandwidth_with)

# %%
see("littles-law", bytes_in_flight, threads_needed)
reveal("littles-law")

# %% [markdown]
# *Reflect.* A CPU core's memory answers in less time and delivers far less, so a few loads in
# flight are enough, and its caches make most of them unnecessary. A GPU hides its long latency
# behind other threads instead. What does that ask of your program?

# %% [markdown] exercise="break-even"
# ## From which size on does the GPU win?
#
# **`break-even` · 4 points · about 12 minutes**
#
# On the CPU, n elements take `n / cpu_elements_per_s`. On the GPU they take a launch first, then
# `n / gpu_elements_per_s`. If the data lie in the host's (the CPU's) memory, they must also cross
# the **link** (PCIe, say): `bytes_per_element` for each element, in and out together, before and
# after the work.
#
# *Predict.* A CPU adds 3e9 pairs of float32 a second. A GPU is 100 times as fast, behind a link
# of 25 GB/s that carries 12 bytes for each pair. From which n on is the GPU faster, copies
# included: `"a thousand"`, `"a million"`, `"a billion"` or `"never"`?

# %% role="predict"
predict("break-even", "never")

# %% [markdown]
# *Implement.* The smallest whole number of elements for which the GPU is **faster** (less time,
# not the same); `math.inf` where it never is.


# %% role="answer"
def break_even(launch_s, cpu_elements_per_s, gpu_elements_per_s):
    """Data are on the GPU already."""
    ### BEGIN SOLUTION
    gain_s = 1 / cpu_elements_per_s - 1 / gpu_elements_per_s
    return math.floor(launch_s / gain_s) + 1 if gain_s > 0 else math.inf
    ### END SOLUTION


def break_even_with_copies(
    launch_s, cpu_elements_per_s, gpu_elements_per_s, link_bytes_per_s, bytes_per_element
):
    """Data cross the link; bytes_per_element counts both ways."""
    ### BEGIN SOLUTION
    seconds_each = 1 / gpu_elements_per_s + bytes_per_element / link_bytes_per_s
    return break_even(launch_s, cpu_elements_per_s, 1 / seconds_each)
    ### END SOLUTION


# %% role="check"
check("break-even", break_even, break_even_with_copies)

# %% [markdown]
# *See.* Here each element takes 300 FLOP, so that the GPU can win even with the copies. The
# addition that you predicted takes one.

# %%
see("break-even", break_even, break_even_with_copies)
reveal("break-even")

# %% [markdown]
# *Reflect.* With the copies, the GPU needs far more work for each element before it pays, or data
# that stay where they are. Keep both in mind whenever somebody says "100 times faster".

# %% [markdown]
# ## The stack, and what a result costs
#
# You will rarely write all of it yourself. Between Python and the device there are libraries, a
# programming model, a compiler and a driver. Each maker has its own column, and every box has a
# job that the others in its row do too.

# %%
see("why-gpus/stack")

# %% [markdown]
# And time is not the only cost. Fetching a number from memory takes far more **energy** than
# computing with it. That is the physical reason why every later lesson is about using each byte
# more than once.

# %%
see("why-gpus/energy")

# %% [markdown] exercise="check-the-claim"
# ## Stretch: check the claim
#
# **`check-the-claim` · 6 points · stretch · about 15 minutes**
#
# Articles about GPUs print sentences such as the ones below. Some are wrong, some leave out what
# matters. Below them is a page of facts, each with its source. *Compute* the number that should
# be there, and do not look it up. Three digits are enough.

# %%
see("why-gpus/facts")

# %% role="answer"
### BEGIN SOLUTION
corrected = {
    "h100_fp32_lanes": 132 * 128,
    "t4_fp32_lanes": 40 * 64,
    "training_bytes_354m": 354e6 * (2 + 2 + 4 + 4 + 4),
    "h100_dense_tflop_per_s": 1979 / 2,
    "gpus_to_hold_gpt3": math.ceil(175e9 * 2 / 80e9),
    "busy_sms_percent": 100 * 1 / 132,
    "v5p_matrix_units": 2 * 4,
}
### END SOLUTION


# %% role="check"
check("check-the-claim", corrected)

# %% [markdown]
# ## What you take with you
#
# - A GPU buys throughput with latency: it needs many independent pieces of work in flight, and a
#   single chain of dependent steps runs slower on it than on a CPU.
# - The serial share bounds the speed-up of the same work: 5% serial means at most 20 times, on
#   any machine.
# - FLOP alone say little. Divide by the bytes moved: below the device's own ratio, memory is the
#   limit.
#
# **Your number:** how many times as fast as pure Python all cores of your own machine are at
# saxpy.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - G. M. Amdahl, *Validity of the single processor approach to achieving large scale computing
#   capabilities*, AFIPS 1967; J. L. Gustafson, *Reevaluating Amdahl's law*, CACM 31(5), 1988.
# - J. D. C. Little, *A Proof for the Queuing Formula L = λW*, Operations Research 9(3), 1961.
# - W. D. Hillis and G. L. Steele, *Data parallel algorithms*, CACM 29(12), 1986 (sums, prefix
#   sums and linked lists in log n rounds).
# - J. Kaplan et al., *Scaling Laws for Neural Language Models*, 2020, section 2.1 (2N forward, 6N
#   in training, for each token).
# - M. Horowitz, *Computing's energy problem (and what we can do about it)*, ISSCC 2014.
# - The stack: the documentation of NVIDIA's CUDA Toolkit, AMD's ROCm, LLVM, OpenXLA and Google's
#   Cloud TPU.
# - The latencies of 80 ns and 500 ns and the launch of 5 µs are round numbers for the exercises,
#   not measurements.
# - Warps and SMs: NVIDIA, *CUDA C++ Programming Guide*, "Hardware Implementation".
# - Devices: `gpuedu/hardware/devices.toml` has the source of each number; the facts of the last
#   exercise carry theirs.
