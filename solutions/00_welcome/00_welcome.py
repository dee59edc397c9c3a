# %% [markdown]
# # What is in this machine?
#
# A GPU that can do 67 million million floating-point operations a second still takes 5 millionths
# of a second to *begin*. So which of its numbers tells how fast your program will be? First you
# need two things: a clock that does not lie, and a count of the bytes that move.
#
# **You will be able to** check an answer and read its card; time a device that works behind your
# back; turn a time into a bandwidth; say when a kernel is too small to be worth launching.
#
# **You need** Python functions. **Time** about 55 minutes. A GPU is not needed, here or in any
# other lesson.

# %% role="setup"
from statistics import median
from time import perf_counter

from gpuedu import AsyncDevice, check, hint, measure, predict, progress, reveal, see, setup

setup("welcome")

# %% [markdown]
# ## What you have
#
# The lines above tell your **tier**. On the `cpu` tier every exercise works and is graded; costs
# are counted, and times on a GPU are recorded ones, labeled with the device. On the `gpu` tier
# your own times stand beside them. `gpuedu doctor` in a terminal tells more, and what is missing.
#
# The number that matters most in this course is how fast memory can feed the arithmetic. The next
# cell measures yours, on one core; those of the GPUs are the peaks that their data sheets print.

# %%
see("welcome/machine")

# %% [markdown]
# Look at the axis: each labeled step is ten times the one before. Most of what a GPU gains you
# is in the gap between your bar and theirs, and most of the course is about how not to lose it
# again.

# %% [markdown] exercise="first-check"
# ## How a check works
#
# **`first-check` · 2 points · about 10 minutes**
#
# A *copy* of an array of `n` elements takes each element out of one array and puts it into
# another. How many bytes travel between memory and the processor?
#
# Here is a first attempt. It is wrong, on purpose: run it, and read the card.


# %%
def first_attempt(n, itemsize):
    return 2 * 4 * n


check("first-check", first_attempt)

# %% [markdown]
# A card has a line for each **property** of a right answer, with its points. Where one does not
# hold you get the first case that shows it, what your function gave, what was expected, and often
# the likely reason. A wrong answer costs nothing: check as often as you like.
#
# One rule holds in every lesson: a function leaves what it is given as it was, unless the exercise
# asks it to change something.
#
# *Implement.* `n` elements of `itemsize` bytes each are copied. Return the number of bytes that
# move.


# %% role="answer"
def copied_bytes(n, itemsize):
    """Bytes that a copy moves: n elements, itemsize bytes each."""
    ### BEGIN SOLUTION
    return 2 * n * itemsize
    ### END SOLUTION


# %% role="check"
check("first-check", copied_bytes)

# %% [markdown]
# The first line of the card says what you earned. Stuck? `hint("first-check")` asks you a question;
# call it again and it says more; the third gives nearly everything away. Call it once now, to see
# one.

# %%
hint("first-check")

# %% [markdown] exercise="honest-timer"
# ## A device that works behind your back
#
# **`honest-timer` · 4 points · about 15 minutes**
#
# You *launch* work on a GPU: the launch puts a **kernel** (a function that runs on the device)
# into a queue and comes back at once. The device works through its queue on its own. Only
# `sync()` waits until everything launched so far is done.
#
# Below is a simulated device with a clock of its own. Its kernel takes 2 ms.

# %%
device = AsyncDevice(kernel_times_s=[2e-3])
start = device.now()
device.launch()
print(f"the watch says {(device.now() - start) * 1e6:.0f} µs")

# %% [markdown]
# Five microseconds for a kernel of two milliseconds: that is the launch, not the kernel. The
# watch stopped too early. Three more things spoil a time:
#
# - **the first runs are slow**: code is compiled, memory is set up. Warm up and leave that out;
# - **earlier work** may still be running when you start the watch;
# - **one disturbed run** moves the mean. The *median* hardly notices: the middle one when sorted,
#   or the mean of the two in the middle; `median`, imported above, does both.

# %% [markdown]
# *Implement.* First call `launch()` `warmup` times, untimed (it may be 0, and the device may be
# busy when you are called). Then time `repeats` launches, one by one, each from just before the
# launch until its kernel is done, and return the median in seconds. Start each watch on an idle
# device.
#
# `launch()` starts one kernel, `sync()` waits for the device. Read the clock with `now()` and no
# other: the check lives in simulated time.


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
# *See.* Your own function on a device that is still busy when you begin, with 2 warm-up launches
# and 4 repeats. The shaded parts are what your watch saw. Each should hold one launch with its
# whole kernel, and nothing else.

# %%
see("honest-timer", median_time_s)

# %% [markdown] exercise="bandwidth"
# ## From a time to a bandwidth
#
# **`bandwidth` · 4 points · about 12 minutes**
#
# A time alone tells nothing: 10 ms for how much? **Bandwidth** is bytes moved divided by seconds.
# Four loops over arrays of `n` elements have become the usual yardstick (`s` is one number):
#
# | kernel | does |
# |---|---|
# | copy | `out[i] = x[i]` |
# | scale | `out[i] = s * x[i]` |
# | add | `out[i] = x[i] + y[i]` |
# | triad | `out[i] = x[i] + s * y[i]` |

# %% [markdown]
# *Predict.* You have seen how fast one core copies. PyTorch uses all of them (or your GPU, if there
# is one). All cores share the memory, so they need not be faster than one. How many
# **milliseconds** will it take to *add* two arrays of 64 MB each, into a third? (Write a number in
# place of `...`; a rough guess is enough. Predictions take no points.)

# %% role="predict"
predict("bandwidth", 8)

# %% [markdown]
# *Implement.* Count every array that is read and every array that is written: what the code asks
# for, not what a cache does besides. Return **GB/s**, with 1 GB = 1e9 bytes, as data sheets have
# it.


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
# *Measure.* The four kernels on this machine, timed as you just learned, and your formula on the
# times.

# %%
times = measure("bandwidth")
see("bandwidth", bandwidth_gb_per_s, times)

# %%
reveal("bandwidth", times["add"] * 1e3 if times else None)

# %% [markdown]
# *Reflect.* Compare add and triad: triad does twice the arithmetic. How far apart are their rates,
# and how far apart are two runs of the same kernel? If the two differ by no more than that, what
# does it say about where the time goes?

# %% [markdown] exercise="launch-bound"
# ## When the launch is all you see
#
# **`launch-bound` · 3 points · about 10 minutes**
#
# A launch costs some microseconds, whatever the kernel does. If the kernel is short, you pay for
# the launch and get little work for it: the program is **launch-bound**.
#
# *Predict.* A launch takes 5 µs. The kernel copies float32 elements (4 bytes read, 4 written) at
# the 4,800 GB/s that an H200's data sheet prints. From how many elements on is the launch only
# 10% of the whole time?

# %% role="predict"
predict("launch-bound", 27e6)

# %% [markdown]
# *Implement.* Take a single launch that you wait for: the work starts after it, so the whole time
# is launch plus work. (In a long queue the host launches ahead while the device works, and each
# kernel costs about the longer of the two.) The device works through `elements_per_s` elements a
# second. `launch_share` gives the launch's share of the whole time, between 0 and 1; `n` may be 0.
# `elements_for_share` gives the smallest whole number of elements for which that share is at most
# `share` (above 0, below 1).


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
# *See.* The curve is your first function, the points are your second.

# %%
see("launch-bound", launch_share, elements_for_share)

# %%
reveal("launch-bound")

# %% [markdown]
# ## What you take with you
#
# - A launch comes back before its kernel is done: synchronize before you start the watch and
#   before you stop it, leave the warm-up out, and take the median.
# - Bandwidth counts every array that is read and every array that is written; 1 GB is 1e9 bytes.
# - A kernel that you wait for must work as long as nine launches take before its launch is only 10%
#   of the time.
#
# **Your number:** the GB/s of an add on this machine, by your own formula. You will set every GPU
# in this course against it.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - The four kernels: J. D. McCalpin, *Memory Bandwidth and Machine Balance in Current High
#   Performance Computers*, IEEE TCCA Newsletter, December 1995 (the STREAM benchmark).
# - Launches are asynchronous: NVIDIA, *CUDA C++ Programming Guide*, "Asynchronous Concurrent
#   Execution".
# - Bandwidths of GPUs: NVIDIA's data sheets of the T4, A100, H200 and the Ada architecture
#   whitepaper (RTX 4090); `gpuedu/hardware/devices.toml` has the source of each number.
# - The launch of 5 µs is a round number for the exercise, not a measurement.
