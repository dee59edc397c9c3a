# %% [markdown]
# # What is a GPU good at, and what is it bad at?
#
# Give a GPU a single thing to do and it will be slower than your CPU at nearly anything: its clock
# is lower, it waits longer for memory, and it doesn't guess ahead. It wins only by doing a great
# many things at once. So don't ask "is it faster?" Ask how many independent things you have, and
# what it costs to get them to the GPU.
#
# **You will be able to** measure what all your cores give you; bound a speed-up before you write
# any code; see which loops can run in parallel; work out how large a problem must be before a GPU
# pays off.
#
# **You need** Python functions, NumPy arrays, and what a matrix product is.
# **Time** about 95 minutes.

# %% role="setup"
from gpuedu import check, hint, measure, predict, progress, reveal, see, setup

import math

import numpy as np
from numba import njit, prange

setup("why-gpus")

# %% [markdown]
# ## Latency or throughput
#
# There are two ways to get a lot of work done. You can finish each thing as soon as possible: that
# is low **latency**. Or you can finish as many things as possible in a given time, however long
# each one takes: that is high **throughput**. A CPU core spends its transistors on latency: large
# caches, guesses about the next branch, many steps of one program in progress at the same time. A
# GPU spends them on throughput: a great many simple arithmetic units.

# %%
see("why-gpus/latency-throughput")
see("why-gpus/chip")

# %% [markdown]
# Here are the words for what you see; they are NVIDIA's, and this course uses them. A GPU has many
# **SMs** (streaming multiprocessors), and each SM has its own arithmetic **lanes**. Work comes as
# **threads**. 32 threads form a **warp**, and they take the same step at the same time, each on its
# own data. A CPU core's **SIMD** lanes (one instruction, many numbers) are similar, except that on
# a GPU you write the program for a single thread and the device runs it for all of them.
#
# Neural networks fit this well. Each output of a linear layer is one dot product, and no output
# needs another. So a layer with 4,096 outputs, on a batch of 64, is 262,144 dot products that could
# all happen at once.

# %%
see("why-gpus/layer")

# %% [markdown]
# ## What it is bad at
#
# A GPU is bad at anything that leaves its lanes idle, and there are three common ways to do that.
# The picture below counts, for one GPU, how many lanes can be busy in each.
#
# - **Branches.** All lanes of a warp take the same step. Where an `if` splits them, the warp runs
#   one side and then the other, and the lanes that aren't on that side wait.
# - **Small work.** If there are fewer threads than lanes, the other lanes have nothing to do.
# - **Long chains.** If every step needs the one before, there's only ever one step to work on. And
#   each one is slow: it may wait around 500 ns for memory, where a CPU waits about 80.

# %%
see("why-gpus/bad-at")

# %% [markdown]
# Only the top of this picture is fast. The rest of the lesson is about working out how close to it
# your program can get, before you write a single kernel.

# %% [markdown] exercise="parallel-cpu"
# ## What all your cores give you
#
# **`parallel-cpu` · 4 points · about 12 minutes**
#
# Before you reach for a GPU, use what you have. *saxpy* computes `a * x + y` element by element,
# for a number `a` and two arrays. No element needs another, so all of them could be computed at
# once.
#
# **Numba** compiles a Python function to machine code. With `@njit` it runs on one core. With
# `@njit(parallel=True)`, a loop over `prange(n)` (in place of `range(n)`) is shared among all
# cores. By writing `prange` you promise that the steps of the loop don't depend on each other.

# %% [markdown]
# *Predict.* How many times as fast as a pure Python loop will Numba be, on all cores of this
# machine?

# %% role="predict"
predict("parallel-cpu", 300)

# %% [markdown]
# *Implement.* Write saxpy for all cores. Fill in the decorator, in the blank above `def`, and the
# body. `a` is a float32 number; `x`, `y`, and `out` are float32 arrays of the same length.
#
# - Write `a * x + y` into `out`, for any length, including 0.
# - Change nothing else, and return nothing.
# - The loop must run in parallel. The check finds out from Numba's own record of the compiled
#   function.
#
# The first check may take a few seconds, because Numba has to compile your function.


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
# *Measure.* Now time four ways to do the same work on this machine.

# %%
times = measure("parallel-cpu", saxpy)
see("parallel-cpu", times)
reveal("parallel-cpu", times["python_ns"] / times["all_cores_ns"] if times else None)

# %% [markdown]
# *Reflect.* Going from one core to all of them often gains you less than the number of cores. Why
# might that be? saxpy does two operations for every 12 bytes it moves. What do the cores share?

# %% [markdown] exercise="amdahl"
# ## The part that stays serial
#
# **`amdahl` · 4 points · about 15 minutes**
#
# A program takes 1 hour on one worker. A share `p` of that time can be spread over `n` workers; the
# rest can't. **Amdahl's law** gives the speed-up, which is the old time divided by the new one.
#
# *Predict.* 95% of a program's time can be spread over 1,000 workers. What is the speed-up?

# %% role="predict"
predict("amdahl", 20)

# %% [markdown]
# Amdahl keeps the problem the same and adds workers. **Gustafson** keeps the *time* the same and
# lets the problem grow: `n` workers run for an hour, and spend a share `p` of it in parallel work.
# How many times as long would a single worker need for everything they did? (Note that his `p` is a
# share of the time on n workers, and Amdahl's is a share of the time on one.)
#
# *Implement.* Write these four functions. `p` is between 0 and 1, `n` a whole number, at least 1.
#
# - `amdahl(p, n)`: the speed-up. `amdahl_limit(p)`: its limit as `n` grows without end, `math.inf`
#   if there is none.
# - `gustafson(p, n)`: the scaled speed-up.
# - `share_for(speedup, n)`: the `p` from 0 to 1 for which Amdahl's law gives this `speedup` on `n`
#   workers. `speedup` is above 0. Return `math.nan` unless there is exactly one such `p`.


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
# *See.* These are your speed-ups, with your limits as dashed lines. Then `share_for` answers a
# question: to be 50 times as fast on 100 workers, what share of a program must be parallel?

# %%
see("amdahl", amdahl, amdahl_limit)
reveal("amdahl")
print("50x on 100 workers needs p =", share_for(50, 100))

# %% [markdown] exercise="who-is-independent"
# ## Who waits for whom?
#
# **`who-is-independent` · 4 points · about 20 minutes**
#
# Even with as many workers as you like, a loop can't be faster than its longest **chain**: steps
# that each need the one before. *As written*, a running total over n numbers is a chain of n
# additions. But two additions can be merged into one (`+3` then `+4` is `+7`). So you can merge n
# of them in pairs, then merge those in pairs, and be done after log n rounds. That is its *best
# known* chain. (We ignore constant factors and rounding.)
#
# **The rule:** if two steps in a row can be merged into one step *of the same kind and size*, then
# n steps need only log n rounds.

# %% [markdown]
# "Times a, plus b", done twice, is again "times some number, plus some number". For a linked list,
# take a table that says where each element leads. Follow it twice, and you have such a table again.
# But `x * x + 1`, done twice, has degree 4, and for steps like that nobody knows a shorter *exact*
# chain. (There are methods that guess all steps at once and improve the guess in a few rounds.)

# %%
see("why-gpus/loops")

# %% [markdown]
# *Implement.* For each loop, say how its longest chain grows: a pair, first *as written*, then
# *best known* (for any values of its parameters). Choose from `"1"`, `"log n"`, `"n"`, and
# `"n**2"`. A chain of 1 means that no step needs another. Count an update such as `x = f(x)` as one
# step. Each loop says what its n is.


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
# *See.* Here are three shapes that dependence can take, for eight elements each.

# %%
see("who-is-independent", chains)

# %% [markdown] exercise="count-the-work"
# ## Count the work before you run it
#
# **`count-the-work` · 4 points · about 15 minutes**
#
# A layer costs two things. One is arithmetic, counted in **FLOP** (floating-point operations; a dot
# product of k numbers is 2k of them). The other is traffic, counted in bytes: every input, every
# weight, and every output moves once. FLOP divided by bytes is the layer's **arithmetic
# intensity**. It matters because a device that can do 100 FLOP in the time it takes to move one
# byte will, on a layer with an intensity of 1, leave 99% of its arithmetic idle.
#
# *Predict.* A linear layer has 4,096 inputs and 4,096 outputs, and each number takes 2 bytes. For
# **one** sample, what is its intensity in FLOP per byte?

# %% role="predict"
predict("count-the-work", 1)

# %% [markdown]
# *Implement.* Return the pair `(flop, bytes)` for two kinds of layers. Numbers take `itemsize`
# bytes, and there is no bias.
#
# - `linear_work`: each of `batch` samples has `inputs` numbers and gets `outputs` numbers. Each
#   output is a dot product with its own row of weights.
# - `conv2d_work`: each of `batch` images is `channels_in` x `height` x `width`. The output has the
#   same height and width, and `channels_out` channels. Each output number is a dot product over a
#   window of `kernel` x `kernel` in all input channels, and each output channel has its own
#   weights. (At the edges the window reads zeros; count them like everything else.)


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
# **Training and inference.** To use a language model of N parameters you need about 2 FLOP per
# parameter per token (a word, or a piece of one): one multiply and one add. To train it you also go
# *backward*. Each layer then needs one product for the gradient of its inputs and one for the
# gradient of its weights, and each of these is as large as the forward product.
#
# *Implement.* Return the `intensity` in FLOP per byte, and `training_flop`: the FLOP to train a
# model of `params` parameters on `tokens` tokens, forward and backward.


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
# *See.* This is the intensity of that layer by batch size, computed with your functions. Below the
# dashed line the arithmetic waits for memory; above it, memory waits for the arithmetic.

# %%
see("count-the-work", linear_work, intensity)
reveal("count-the-work")

# %% [markdown] exercise="littles-law"
# ## How to fill a long pipe
#
# **`littles-law` · 3 points · about 10 minutes**
#
# If water takes a minute to get through a pipe, and the pipe delivers 10 liters a minute, then
# there are 10 liters in the pipe. Memory is like that pipe. To keep it full, enough bytes must be
# **in flight**: asked for, but not yet delivered. This is **Little's law**. A thread that asks for
# 16 bytes and waits has 16 bytes in flight.
#
# *Predict.* An H100's memory delivers 3,350 GB/s. Say an access takes 500 ns. How many threads,
# each waiting for 16 bytes, keep it busy?

# %% role="predict"
predict("littles-law", 105e3)

# %% [markdown]
# *Implement.* Turn the law into three functions.
#
# - `bytes_in_flight`: how many bytes must be on their way to keep the memory busy.
# - `threads_needed`: the fewest threads that do it, a whole number, if each waits for
#   `bytes_per_thread`.
# - `bandwidth_with`: the bandwidth that this many threads reach, at most the peak.


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
# *Reflect.* A CPU's memory answers sooner and delivers less, so far fewer loads in flight are
# enough, and its caches make most loads from memory unnecessary. A GPU hides its long latency
# behind other threads instead. What does that ask of your program?

# %% [markdown] exercise="break-even"
# ## At what size does the GPU start to win?
#
# **`break-even` · 4 points · about 12 minutes**
#
# On the CPU, n elements take `n / cpu_elements_per_s`. On the GPU you pay for a launch first, and
# then `n / gpu_elements_per_s`. If the data are in the memory of the **host** (the CPU's side),
# they must also cross the **link** between the two, PCIe for example. Each element then moves
# `bytes_per_element`, counting both directions, and the copies don't overlap with the work.
#
# *Predict.* A CPU adds 3e9 pairs of float32 a second. A GPU is 100 times as fast, but it sits
# behind a link of 25 GB/s, and each pair takes 12 bytes. Copies included, about how large must n
# be for the GPU to be faster: `"a thousand"`, `"a million"`, `"a billion"`, or `"never"`?

# %% role="predict"
predict("break-even", "never")

# %% [markdown]
# *Implement.* Return the smallest whole number of elements for which the GPU is **faster** (it
# takes less time, not the same), or `math.inf` if it never is.


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
# *See.* In this picture each element takes 300 FLOP, so the GPU can win even with the copies. The
# addition in your prediction takes only one. The triangles, where there are any, are recorded: a
# single launch each, timed until the host knows it's done. When n is small that's nearly all
# launch and wait, and it may not be the round 5 µs that your functions were given.

# %%
see("break-even", break_even, break_even_with_copies)
reveal("break-even")

# %% [markdown]
# *Reflect.* When the data have to cross the link, a GPU pays off only if there is far more work per
# element, or if the data stay where they are. Remember both whenever somebody says "100 times
# faster".

# %% [markdown]
# ## The stack, and what a result costs
#
# You'll rarely write all of it yourself. Between your Python and the device there are libraries, a
# programming model, a compiler, and a driver. Each vendor has its own column in this picture, and
# boxes in the same row do the same job.

# %%
see("why-gpus/stack")

# %% [markdown]
# Time isn't the only cost, either. Fetching a number from memory takes far more **energy** than
# computing with it. That is the physical reason why so many later lessons try to use each byte more
# than once.

# %%
see("why-gpus/energy")

# %% [markdown] exercise="check-the-claim"
# ## Stretch: check the claim
#
# **`check-the-claim` · 6 points · stretch · about 15 minutes**
#
# Articles about GPUs make claims like the ones below. Some are wrong, and some leave out what
# matters. Below them is a page of facts, each with its source. *Compute* the number that should be
# there; don't look it up. Three digits are enough.

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
# - A GPU trades latency for throughput. It needs many independent pieces of work in flight, and it
#   runs a single chain of dependent steps slower than a CPU does.
# - The serial share bounds how much faster the same work can get: with 5% serial, at most 20 times,
#   on any machine.
# - A count of FLOP alone says little. Divide it by the bytes moved: below the device's own ratio,
#   memory is the limit.
#
# **Your number:** saxpy's speed-up, from pure Python to all cores of your machine.

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
# - Warps, SMs, and what a branch costs: NVIDIA, *CUDA C++ Programming Guide*, "Hardware
#   Implementation", section "SIMT Architecture".
# - Devices: `gpuedu/hardware/devices.toml` has the source of each number; the facts of the last
#   exercise carry theirs.
