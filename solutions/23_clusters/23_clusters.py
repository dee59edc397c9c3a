# %% [markdown]
# # How does your program run on machines that you share?
#
# So far your programs ran on a machine that was yours for the moment. A cluster belongs to many
# people. It doesn't have your packages, it decides when and where your program runs, and it takes
# machines away again. In this lesson you write what it reads: an image, a batch script and a
# manifest, and a training script that goes on when the machines change.
#
# **You will be able to** pack a training program so that it runs the same everywhere; ask a
# scheduler for GPUs, and get them soon; find what is wrong with a Kubernetes job; and keep training
# while workers come and go.
#
# **You need** *DDP in practice*, and a shell that you have used before. **Time** about 110 minutes.

# %% role="setup"
from gpuedu import check, hint, predict, progress, reveal, see, setup

setup("clusters")

# %% [markdown]
# ## What you take with you
#
# - An image is built in layers. What changes often goes last, and secrets never go in.
# - A scheduler starts what fits. Ask for what you use, and be ready to be stopped.
# - A schema knows whether a manifest is well-formed, not whether it does what you want; and a
#   worker can die or join at any time, so what counts is in the checkpoint.
#
# **Your number:** how many minutes of work you lose if your job is stopped right now.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - None.
