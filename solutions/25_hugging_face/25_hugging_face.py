# %% [markdown]
# # What do Trainer and Accelerate do for you?
#
# By now you have written every part of a training loop yourself. Many people never do: they set
# the options of Hugging Face's Trainer, or let Accelerate change a few lines of their loop. Both do
# what you did. In this lesson you make them do exactly that, step by step, with a model and data
# that are made here, and nothing is downloaded.
#
# **You will be able to** choose Trainer's options for a batch size, a precision and a schedule, and
# check that it trains as your own loop does; move a loop to Accelerate without changing its result;
# and stream a dataset through a real pipeline.
#
# **You need** *The training step*, *Mixed precision* and *DDP in practice*, and an extra of the
# course's package: `%pip install "gpuedu[huggingface]"`. **Time** about 90 minutes.

# %% role="setup"
from gpuedu import check, hint, predict, progress, reveal, see, setup

setup("hugging-face")

# %% [markdown]
# ## What you take with you
#
# - The batch that an optimizer sees is the product of three options, and of the number of devices.
# - Trainer and Accelerate do what your loop does: the same steps give the same weights.
# - A run that goes on from a checkpoint needs the state of everything that has one.
#
# **Your number:** the effective batch size of your last run with Trainer.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - None.
