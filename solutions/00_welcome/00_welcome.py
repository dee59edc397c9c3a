# %% [markdown]
# # What is in this machine?
#
# An H100 can do 67 trillion floating-point operations every second. Yet it takes about 5 millionths
# of a second just to get started, and in that time it could have done 300 million of them. So which
# of its many numbers tells you how fast your program will be? To find out you need two tools: a
# clock that doesn't lie, and a count of the bytes that move. Here you'll build both.
#
# **You will be able to** check an answer and read its card; time a device that works behind your
# back; turn a time into a bandwidth; tell when a kernel is too small to be worth launching.
#
# **You need** Python functions. **Time** about 55 minutes. You don't need a GPU, here or in any
# other lesson.

# %% role="setup"
from gpuedu import AsyncDevice, check, hint, measure, predict, progress, reveal, see, setup

from statistics import median
from time import perf_counter

setup("welcome")

# %% [markdown]
# ## What you have
#
# The cell above printed your **tier**. On the `cpu` tier every exercise works and is graded: what
# your code would cost on a GPU is counted, and times come from recordings labeled with their
# device. On the `gpu` tier you see your own times beside them. If you run `gpuedu doctor` in a
# terminal, it tells you more about the machine, and what's missing.
#
# The number that matters most in this course is how fast memory can feed the arithmetic. The next
# cell measures it for one core of your machine. For comparison, it shows the peaks that the data
# sheets of four GPUs promise.

# %%
see("welcome/machine")

# %% [markdown]
# Look closely at the axis: each labeled step is ten times the one before. The gap between your dot
# and theirs is where most of a GPU's speed comes from, and most of this course is about not losing
# it again.

# %% [markdown]
# ## What is inside
#
# Even memory like that is slow compared with the arithmetic. Faster memory exists, but it has to
# sit right beside the arithmetic, where there's little room. So every processor has several kinds,
# from tiny and fast to large and slow. A CPU keeps what it used most recently in **caches**:
# usually L1 and L2 belong to one core, and L3 to several. A GPU is built from dozens of **SMs**
# (streaming multiprocessors, roughly its cores). Each SM has **registers**, which hold the numbers
# being worked on, and **shared memory**, which your program manages itself. All SMs share one L2
# cache and the GPU's memory.

# %%
see("welcome/places")

# %% [markdown]
# The surprise is in the registers. All together, an H100's registers hold 33 MiB, and the largest
# cache of a desktop CPU is often no bigger than that. This is how a GPU keeps so many pieces of
# work going at once: each piece has registers of its own, so switching from one to another costs
# nothing.

# %% [markdown] exercise="first-check"
# ## How a check works
#
# **`first-check` · 2 points · about 10 minutes**
#
# A *copy* reads each element of one array and writes it into another. If the array has `n`
# elements, how many bytes travel between memory and the processor?
#
# Here is a first attempt. It's wrong on purpose: run it and read the card. (Cards use the name that
# the exercise gives the function, `copied_bytes`, whatever yours is called.)


# %%
def first_attempt(n, itemsize):
    return 2 * 4 * n


check("first-check", first_attempt)

# %% [markdown]
# A card has one line for each **property** that a right answer has, with its points. If a property
# doesn't hold, the card shows you the first case where it fails: what your function returned, what
# was expected, and often a question that points to the cause. Wrong answers cost nothing, so check
# as often as you like.
#
# One rule holds in every lesson: a function leaves its arguments as they were, unless the exercise
# asks it to change them.
#
# *Implement.* Return the number of bytes that move when `n` elements of `itemsize` bytes each are
# copied.


# %% role="answer"
def copied_bytes(n, itemsize):
    """Bytes that a copy moves: n elements, itemsize bytes each."""
    ### BEGIN SOLUTION
    return 2 * n * itemsize
    ### END SOLUTION


# %% role="check"
check("first-check", copied_bytes)

# %% [markdown]
# The first line of the card says what you earned. Are you stuck? `hint("first-check")` asks you a
# question. Call it again and it tells you more; the third hint gives nearly everything away. Call
# it once now to see what a hint looks like.

# %%
hint("first-check")

# %% [markdown] exercise="honest-timer"
# ## A device that works behind your back
#
# **`honest-timer` · 4 points · about 15 minutes**
#
# When you *launch* work on a GPU, the launch puts a **kernel** (a function that runs on the
# device) into a queue and returns right away. The device works through its queue on its own time.
# To be sure that everything you launched is done, you have to wait for it, with `sync()`.
#
# Below is a simulated device with its own clock. Its kernel takes 2 ms.

# %%
device = AsyncDevice(kernel_times_s=[2e-3])
start = device.now()
device.launch()
print(f"the watch says {(device.now() - start) * 1e6:.0f} µs")

# %% [markdown]
# Five microseconds, for a kernel that takes two milliseconds! That was the launch, not the kernel:
# we stopped the watch too early. Three more things can spoil a measurement:
#
# - **The first runs are slow**, because code is compiled and memory is set up. So run the kernel a
#   few times first (that's the *warm-up*), and don't count those runs.
# - **Earlier work** may still be running when you start the watch.
# - **One disturbed run** throws off the mean. The *median* hardly notices. It's the middle one once
#   the times are sorted, or the mean of the two in the middle; `median`, imported above, does both.

# %% [markdown]
# *Implement.* Return the median time of one launch with its kernel, in seconds.
#
# - First call `launch()` `warmup` times without timing it. `warmup` may be 0, and the device may
#   still be busy when your function is called.
# - Then time `repeats` launches one by one, each from just before the launch until its kernel is
#   done. The device must be idle whenever you start the watch.
#
# `launch()` starts one kernel and `sync()` waits for the device. Read the clock with `now()` and
# nothing else, because the check runs in simulated time.


# %% role="answer"
def median_time_s(launch, sync, warmup, repeats, now=perf_counter):
    """Median time of one launch with its kernel, in seconds."""
    ### BEGIN SOLUTION
    for _ in range(warmup):
        launch()
    times = []
    for _ in range(repeats):
        sync()
        start = now()
        launch()
        sync()
        times.append(now() - start)
    return median(times)
    ### END SOLUTION


# %% role="check"
check("honest-timer", median_time_s)

# %% [markdown]
# *See.* Here's your function at work on a device that is still busy when you begin, with 2 warm-up
# launches and 4 repeats. The shaded parts are what your watch saw. Each should hold one launch and
# its whole kernel, and nothing else.

# %%
see("honest-timer", median_time_s)

# %% [markdown] exercise="bandwidth"
# ## From a time to a bandwidth
#
# **`bandwidth` · 4 points · about 12 minutes**
#
# A time alone says little: 10 ms for how much? **Bandwidth** is the number of bytes moved, divided
# by the seconds it took. Four loops over arrays of `n` elements have become the usual yardstick
# (`s` is a single number):
#
# | kernel | does |
# |---|---|
# | copy | `out[i] = x[i]` |
# | scale | `out[i] = s * x[i]` |
# | add | `out[i] = x[i] + y[i]` |
# | triad | `out[i] = x[i] + s * y[i]` |

# %% [markdown]
# *Predict.* You've seen how fast one core copies. PyTorch uses all your cores, or your GPU if you
# have one. But all cores share one memory, so together they may be no faster than one alone. How
# many **milliseconds** will it take to *add* two arrays of 64 MB each into a third? (Write a number
# in place of `...`. A rough guess is enough, and predictions don't affect your points.)

# %% role="predict"
predict("bandwidth", 8)

# %% [markdown]
# *Implement.* Return the bandwidth in **GB/s**, with 1 GB = 1e9 bytes, as in data sheets. Count
# every array that is read and every array that is written. Count what the code asks for, not what
# a cache may do on top of it.


# %% role="answer"
def bandwidth_gb_per_s(kernel, n, itemsize, time_s):
    """Rate of "copy", "scale", "add" or "triad" over n elements of itemsize bytes."""
    ### BEGIN SOLUTION
    arrays = 2 if kernel in ("copy", "scale") else 3
    return arrays * n * itemsize / time_s / 1e9
    ### END SOLUTION


# %% role="check"
check("bandwidth", bandwidth_gb_per_s)

# %% [markdown]
# *Measure.* The next cell times the four kernels on this machine, just as you did above, and turns
# the times into rates with your formula.

# %%
times = measure("bandwidth")
see("bandwidth", bandwidth_gb_per_s, times)

# %%
reveal("bandwidth", times["add"] * 1e3 if times else None)

# %% [markdown]
# *Reflect.* Compare add and triad. Triad does twice the arithmetic. How far apart are their rates?
# And how far apart are two runs of the same kernel? If the two gaps are about the same size, what
# does that tell you about where the time goes?

# %% [markdown] exercise="launch-bound"
# ## When the launch is all you see
#
# **`launch-bound` · 3 points · about 10 minutes**
#
# A launch takes a few microseconds, no matter what the kernel does. If the kernel is short, you pay
# for the launch and get little work in return. Such a program is **launch-bound**.
#
# *Predict.* Say a launch takes 5 µs, and the kernel copies float32 elements (4 bytes read, 4 bytes
# written) at the 4,800 GB/s that an H200's data sheet promises. How many elements does it take for
# the launch to be only 10% of the whole time?

# %% role="predict"
predict("launch-bound", 27e6)

# %% [markdown]
# *Implement.* Write two functions for a single launch that you wait for. The work starts after the
# launch, so the whole time is launch plus work. (A long queue is different: the host launches
# ahead while the device works, so each kernel costs about the longer of the two.) The device works
# through `elements_per_s` elements a second.
#
# - `launch_share` returns the launch's share of the whole time, between 0 and 1. `n` may be 0.
# - `elements_for_share` returns the smallest whole number of elements for which that share is at
#   most `share`, which is above 0 and below 1.


# %% role="answer"
def launch_share(launch_s, elements_per_s, n):
    """The launch's share of the whole time, between 0 and 1."""
    ### BEGIN SOLUTION
    return launch_s / (launch_s + n / elements_per_s)
    ### END SOLUTION


# %% role="answer"
import math


def elements_for_share(launch_s, elements_per_s, share):
    """Smallest whole number of elements for which the launch's share is at most `share`."""
    ### BEGIN SOLUTION
    return math.ceil(launch_s * elements_per_s * (1 - share) / share)
    ### END SOLUTION


# %% role="check"
check("launch-bound", launch_share, elements_for_share)

# %% [markdown]
# *See.* The curve is your first function; the dots are your second.

# %%
see("launch-bound", launch_share, elements_for_share)

# %%
reveal("launch-bound")

# %% [markdown]
# ## What you take with you
#
# - A launch returns before its kernel is done. So synchronize before you start the watch and before
#   you stop it, leave out the warm-up, and take the median.
# - Bandwidth counts every array that is read and every array that is written. 1 GB is 1e9 bytes.
# - If you wait for each kernel, the work must take as long as nine launches before the launch is
#   down to 10% of the time.
#
# **Your number:** the GB/s of an add on this machine, by your own formula. Keep it in mind: you'll
# compare every GPU in this course with it.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - The four kernels: J. D. McCalpin, *Memory Bandwidth and Machine Balance in Current High
#   Performance Computers*, IEEE TCCA Newsletter, December 1995 (the STREAM benchmark).
# - Launches are asynchronous: NVIDIA, *CUDA C++ Programming Guide*, "Asynchronous Concurrent
#   Execution".
# - Bandwidths of GPUs: NVIDIA's data sheets for the T4, A100, and H200, and the Ada architecture
#   whitepaper (RTX 4090); `gpuedu/hardware/devices.toml` has the source of each number.
# - Inside an H100: NVIDIA, *Hopper Tuning Guide* (64K registers of 32 bits and up to 228 KB of
#   shared memory per SM), and *NVIDIA Hopper Architecture In-Depth*, 2022 (132 SMs, 50 MB of L2).
#   Why switching is free: *CUDA C++ Programming Guide*, "Hardware Multithreading".
# - The H100's 67 TFLOP/s, in float32: NVIDIA's data sheet. The 5 µs launch is a round number for
#   the exercise, not a measurement.
