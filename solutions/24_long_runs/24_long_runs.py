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
from gpuedu import check, hint, predict, progress, reveal, see, setup

setup("long-runs")

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
