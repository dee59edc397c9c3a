# %% [markdown]
# # How do you serve many users, and what does a token cost?
#
# A model that writes for one user leaves most of the GPU idle: it reads all of its weights to make
# a single token. With many users at once the same bytes make many tokens. But users come when they
# like, ask short and long questions, and don't want to wait. In this lesson you decide who is
# served when, and where each text's cache is kept, and then you put a price on a token.
#
# **You will be able to** batch requests as they come and say what that does to waiting times; keep
# caches without wasting memory; and work out what serves a model best, and what a token costs.
#
# **You need** *Inference*, and to know what a device costs. **Time** about 100 minutes.

# %% role="setup"
import numpy as np

from gpuedu import check, hint, predict, progress, reveal, see, setup

setup("serving")

# %% [markdown]
# ## What you take with you
#
# - A batch shares the reading of the weights. Requests join and leave it at every token.
# - A cache in blocks wastes less than a block for each text, and texts can share blocks.
# - The price of a token is the device's price for the time that a step takes, divided by the texts
#   in the batch.
#
# **Your number:** the price of a million tokens of a model that you use, on a device that you know.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - None yet.
