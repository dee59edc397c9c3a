# %% [markdown]
# # What when the library has no kernel for it?
#
# PyTorch has a kernel for each of its operations, and each of them reads its inputs from memory and
# writes its result back. A chain of small operations spends its time on that traffic. One kernel
# that does the whole chain reads and writes each element once.
#
# **You will be able to** write such kernels in Triton, up to flash attention, and tell from the
# bytes why they are fast.
#
# **You need** memory and tiling, the roofline, and the formats of mixed precision.
# **Time** about 120 minutes.

# %% role="setup"
import math

import numpy as np
import triton
import triton.language as tl

from gpuedu import check, hint, predict, progress, reveal, see, setup

setup("custom-kernels")

# %% [markdown]
# ## What you take with you
#
# - A chain of operations costs what it reads and writes.
# - One kernel that does the whole chain moves each byte once.
# - A running maximum and a running sum are enough for a softmax.
#
# **Your number:** how many bytes your attention moves for each token.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - None yet.
