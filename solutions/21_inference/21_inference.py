# %% [markdown]
# # How does a model answer, one token at a time?
#
# A trained model that answers does two very different things. It reads your question in one go,
# and keeps the GPU as busy as training does. Then it writes, token by token, and every token takes
# a pass through all of its weights. In this lesson you find out what limits each of the two, and
# build what makes writing fast: a cache, smaller weights, and a second model that guesses ahead.
#
# **You will be able to** say what limits reading and writing; write a cache that changes nothing
# but the time; store weights in 8 and 4 bits; and draw tokens, also ahead of the model, from
# exactly the distribution that you want.
#
# **You need** to know what a roofline is, and how attention works. **Time** about 120 minutes.

# %% role="setup"
import numpy as np
import torch

from gpuedu import check, hint, predict, progress, reveal, see, setup

setup("inference")

# %% [markdown]
# ## What you take with you
#
# - Reading a prompt is limited by arithmetic. Writing is limited by bytes: the weights and the
#   cache are read for every token.
# - A cache, fewer bits and guesses that are checked all save bytes for each token. The first and
#   the last leave the text as it would have been.
# - Whatever is faster has to give the same distribution. You can prove that by counting.
#
# **Your number:** how many tokens a second one text can get at most from your own GPU.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - None yet.
