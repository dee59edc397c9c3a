# %% [markdown]
# # How much of the time that you pay for trains the model?
#
# A run of weeks on hundreds of GPUs is never undisturbed: machines fail, some are slow, data come
# late, and somebody has to notice. In this lesson you choose how often to save, find out where a
# month of GPU hours went, and let the run call you when something is wrong.
#
# **You will be able to** choose how often to save a checkpoint; say what share of the GPU hours
# trained the model, and what would help most; and export metrics with an alert that fires when it
# should.
#
# **You need** *DDP in practice*, and *Clusters* for the words. **Time** about 90 minutes.

# %% role="setup"
import math

from gpuedu import check, hint, predict, progress, reveal, see, setup

setup("long-runs")

# %% [markdown] exercise="checkpoint-interval"
# ## How often do you save?
#
# **`checkpoint-interval` · 7 points · about 25 minutes**
#
# Choose how long a run trains between two checkpoints. Every save costs time, and so does every
# failure: the run starts again, from the last checkpoint, and repeats whatever came after it. If
# you save often, you pay for saves; if you save rarely, you pay for work that's done twice.
# Somewhere between is the best **interval**.
#
# *Predict.* A machine with 8 GPUs fails once in 6,300 hours, on average: in almost nine months.
# When one of them fails, the whole run stops. On 2,048 machines, how many hours pass between two
# failures?

# %% role="predict"
predict("checkpoint-interval", 24)

# %% [markdown]
# That's the run's **mean time between failures** (MTBF), and it's what Meta saw with Llama 3: 419
# unexpected interruptions in 54 days. These are the costs, all in seconds:
#
# - `save_s`: training stops for so long for each save.
# - `write_s`: training goes on, while the checkpoint is still being written. That's an
#   **asynchronous** save: the GPUs only wait until the state is copied to the machine's memory. Until
#   it's written, a failure takes the run back to the checkpoint before. The next save can't
#   start before, so the interval is never shorter than `write_s`.
# - `restart_s`: from a failure until the run trains again.

# %% [markdown]
# *Implement* `waste`, a first estimate: how many seconds are lost for each second of training that's
# kept? Training takes `interval_s`, and then a save takes `save_s`. Once in `mtbf_s` a failure
# costs a restart, plus all work since the state in the last written checkpoint. Failures come at any
# moment of the interval, so that's half an interval on average, and `write_s` more. The first
# estimate is the sum of the two: what saves cost, and what failures cost, each for a second of
# training. (It leaves out that failures also come during saves and restarts.)


# %% role="answer"
def waste(interval_s, save_s, write_s, restart_s, mtbf_s):
    ### BEGIN SOLUTION
    per_failure = restart_s + write_s + interval_s / 2
    return save_s / interval_s + per_failure / mtbf_s
    ### END SOLUTION


# %% [markdown]
# Where the derivative of your sum is 0, the interval is `sqrt(2 * save_s * mtbf_s)`: Young's formula
# of 1974. It's good as long as saves are short against `mtbf_s`. Exactly, for failures that come
# independently of each other, an interval takes on average
#
# `mtbf_s * exp((restart_s + write_s) / mtbf_s) * (exp((interval_s + save_s) / mtbf_s) - 1)`
#
# seconds, with all attempts that fail: during saves and restarts, too. *Implement* `best_interval`,
# for `nodes` machines of which each fails once in `node_mtbf_s`. With your interval, the exact waste
# is at most 2% more than with the best one, even if a save takes as long as `mtbf_s`. There,
# Young's formula is too far off: look for the minimum numerically, or use a better formula.


# %% role="answer"
def best_interval(save_s, write_s, restart_s, node_mtbf_s, nodes):
    ### BEGIN SOLUTION
    mtbf_s = node_mtbf_s / nodes

    def cost(interval_s):
        return math.expm1((interval_s + save_s) / mtbf_s) / interval_s

    low, high = 0, mtbf_s
    for _ in range(100):
        third = (high - low) / 3
        if cost(low + third) < cost(high - third):
            high -= third
        else:
            low += third
    return max(high, write_s)
    ### END SOLUTION


# %% role="check"
check("checkpoint-interval", waste, best_interval)

# %% [markdown]
# *See* what each interval is expected to lose, with yours as rings, and a day of a run that saves
# too often, as often as you say, and too rarely.

# %%
see("checkpoint-interval", best_interval)
see("long-runs/day", best_interval)
reveal("checkpoint-interval")

# %% [markdown]
# *Reflect.* The curves are flat around their minima. What does that say about how well you have to
# know the MTBF? (If you're wrong by a factor of two, the interval is wrong by the square root of
# it, and little more is lost.) With four times as many machines, how does the interval change?
# (It's half as long, and the waste at least doubles.)
#
# What does an asynchronous save improve, and what not? (The interval depends on `save_s` alone, so
# it can be much shorter. But each failure still costs `write_s` more, and the restart.) Why do real
# failures come in bunches? (A machine that was just repaired fails more often than others.)

# %% [markdown]
# ## What you take with you
#
# - The best time between two checkpoints grows with the square root of what a save costs and of the
#   time between failures.
# - Goodput counts the hours that trained the model. Find the largest loss before you fix anything.
# - An alert says what is wrong, waits until it is sure, and stays quiet otherwise.
#
# **Your number:** the goodput of the last long job that you ran.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - None.
