# %% [markdown]
# # How does your kernel become part of PyTorch?
#
# A kernel of your own is only worth something if a model can train with it. And for many chains of
# operations you don't have to write one at all: a compiler does, if your Python lets it. Then what
# is left of the time is often the launches themselves, and a graph takes those away, too.
#
# **You will be able to** make a kernel an operator of PyTorch that trains and compiles, find what
# keeps `torch.compile` from fusing your model, and say when a CUDA graph helps.
#
# **You need** the training step, and *Custom kernels*. **Time** about 90 minutes.

# %% role="setup"
import torch

from gpuedu import check, hint, predict, progress, reveal, see, setup

setup("into-pytorch")

# %% [markdown]
# ## What you take with you
#
# - An operator needs more than a kernel.
# - A compiler fuses what it sees as one graph.
# - A graph of launches is replayed at the cost of one.
#
# **Your number:** how many kernels your own training step launches.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - None yet.
