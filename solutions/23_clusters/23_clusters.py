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
from gpuedu import check, hint, measure, predict, progress, reveal, see, setup

setup("clusters")

# %% [markdown] exercise="image"
# ## What goes into the image?
#
# **`image` · 8 points · about 25 minutes**
#
# Write the Dockerfile of a training program, so that it runs the same on any machine, and so that
# building it again after a change takes seconds.
#
# A cluster's machines have a GPU driver and a program that runs **containers**, but neither your
# packages nor your Python. So you bring them along in an **image**: files, and the command to
# start. A **Dockerfile** lists the steps that make it. Each step adds a **layer**, what it changed,
# and a builder keeps layers in its **cache**: a step isn't run again if neither its text nor the
# files that it copies changed, and all steps before it are cached, too.

# %% [markdown]
# This is the folder to pack:
#
# | path | size | changes |
# |---|---|---|
# | `train.py`, and `minigpt/` with `__init__.py`, `model.py`, `data.py` | 0.1 MB | all day |
# | `requirements.txt`: torch 2.8.0+cu128, numpy, labtools | 0.01 MB | monthly |
# | `pip.conf`: the address of the lab's package index, and a token for it | 0.01 MB | never |
# | `data/`, `runs/`, `.git/`: texts, checkpoints, history | 22,000 MB | all day |
#
# For `requirements.txt`, pip downloads 4,020 MB of wheels (packages that are compiled already);
# PyTorch's bring all the CUDA libraries that they need. Here's a first attempt at a Dockerfile. It's
# in a raw string (`r"""`), so that Python leaves backslashes alone.

# %% role="given"
naive = r"""FROM python:3.12-slim
WORKDIR /app
COPY . .
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev
RUN pip install -r requirements.txt
CMD python train.py
"""

# %% [markdown]
# `FROM` names an image to start from. `WORKDIR` makes a folder, if need be, and goes there.
# `COPY . .` copies your whole folder into it. `RUN` runs a command: apt, which installs a C compiler
# and downloads 90 MB for it, and then pip. `CMD` only notes what a container of this image starts;
# `USER`, which isn't here, notes as whom.
#
# *Predict.* The image was built once. You correct a letter in `train.py` and build again. How many
# MB are downloaded?

# %% role="predict"
predict("image", 4110)

# %% [markdown]
# *See* the first build and some later ones. Each row is a step, each column a build. An image is
# **pushed** to a server that the cluster's machines **pull** it from; layers that are there already
# aren't sent again.

# %%
see("image", naive)

# %% [markdown]
# *Implement* a better one, as the text `dockerfile`. It's read, and its builds are simulated.
#
# - It builds, and its command starts `train.py`, with `minigpt/` beside it, in a folder of its own
#   (not `/`). The packages of `requirements.txt` have wheels for Python 3.10 to 3.13, on systems
#   with glibc. `train.py` calls `torch.compile`, which needs a C compiler when it runs.
# - A step fails if one of its commands fails: they're joined by `&&`, or the shell is told `-e`.
# - Every image has a tag that names a version, for `python` also the minor one; never `latest`.
# - After a change of `train.py`, of `minigpt/` or of data, nothing is downloaded again.
# - Only what the program needs is in the image: no nvcc and headers (a tag with `devel`), no lists
#   of apt (`/var/lib/apt/lists`), no cache of pip. A layer can't be made smaller by a later step.

# %% [markdown]
# - The program doesn't run as root. A user with a name has to exist.
# - The token is in no layer, no `ARG`, no `ENV`, and no address, because whoever pulls the image can
#   read those. Your build is called with `--secret id=pip,src=pip.conf`. A step that begins with
#   `RUN --mount=type=secret,id=pip,target=...` finds the file there while it runs, and the step that
#   installs the packages needs it. pip looks in `/etc/pip.conf`, among other places.
# - A signal to the container reaches the program, with no shell in between: a scheduler sends
#   SIGTERM before it stops you. `CMD ["program", "argument"]` starts the program itself, while `CMD`
#   with plain text starts a shell, which starts the program.


# %% role="answer"
dockerfile = r"""# syntax=docker/dockerfile:1
# ### BEGIN SOLUTION
FROM python:3.12-slim
RUN apt-get update && \
    apt-get install -y --no-install-recommends gcc libc6-dev && \
    rm -rf /var/lib/apt/lists/*
RUN useradd --create-home trainer
WORKDIR /app
COPY requirements.txt ./
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    pip install --no-cache-dir -r requirements.txt
COPY minigpt/ minigpt/
COPY train.py ./
USER trainer
CMD ["python", "train.py"]
# ### END SOLUTION
"""

# %% [markdown]
# Whatever the file **.dockerignore** names, one path or pattern on each line, a builder doesn't see,
# so that not even `COPY . .` can copy it. *Implement* its text, `dockerignore`: `data/`, `runs/`,
# `.git/` and `pip.conf` stay outside, and what the image needs doesn't.


# %% role="answer"
dockerignore = r"""
# ### BEGIN SOLUTION
.git
data
runs
pip.conf
# ### END SOLUTION
"""

# %% role="check"
check("image", dockerfile, dockerignore)

# %% [markdown]
# *See* the same builds with yours. Then ask two other programs that read Dockerfiles, where they're
# installed: hadolint, and Docker's own checks. Do you agree with everything they say?

# %%
see("image", dockerfile, dockerignore)
reveal("image")

# %%
measure("image", dockerfile)

# %% [markdown]
# *Reflect.* Why is `python:3.12-slim` enough, with no CUDA in it? (The wheels bring CUDA's
# libraries. The driver belongs to the machine, and is mounted when a container starts. You need nvcc
# only to compile CUDA yourself, and then a second `FROM` can leave it behind.)
#
# You add a package to `requirements.txt`. What is downloaded? (All packages, for a new layer. With
# `RUN --mount=type=cache,target=/root/.cache/pip` and without `--no-cache-dir`, pip's cache outlives
# the build, outside of any layer, and only the new package is downloaded.)
#
# hadolint wants apt's packages pinned, too (DL3008). Why do many ignore that? (Debian's servers drop
# a version when there's a newer one, and then the build fails.)

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
# - What a builder takes from its cache: Docker's documentation, "Build cache invalidation", and
#   "Dockerfile reference", sections "Impact on build caching", "COPY --link" and "RUN --mount". Shell
#   and exec form, and signals: there, "Shell and exec form", and "JSONArgsRecommended" (build
#   checks). Secrets: "Build secrets", and "SecretsUsedInArgOrEnv" (build checks). What stays outside:
#   "Build context", section ".dockerignore files". Where pip looks: pip's documentation,
#   "Configuration".
# - What a container needs of CUDA, and the flavors `base`, `runtime` and `devel`: NVIDIA Container
#   Toolkit's wiki, "Container images". A C compiler for `torch.compile`: pytorch/pytorch, issue
#   116696 and pull request 170235. Sizes are rounded; of the wheels that torch 2.8.0+cu128 brings,
#   cuBLAS has 594 MB and cuDNN 707 MB, as pip shows them.
