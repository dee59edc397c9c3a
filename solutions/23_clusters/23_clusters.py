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

# %% [markdown] exercise="batch-job"
# ## How do you get GPUs that everybody wants?
#
# **`batch-job` · 9 points · about 30 minutes**
#
# Write a batch script that gets its nodes early, and goes on training when its time is up.
#
# On a cluster a **scheduler**, such as Slurm, decides which job runs when and where. You hand it a
# **batch script**: a shell script whose `#SBATCH` lines say what the job needs, and for how long at
# most. The line is ordered by priority, and whoever has used much lately has little (**fair
# share**). But a job further back may start first where that makes nobody before it wait longer
# (**backfill**).

# %% [markdown]
# *Predict.* Two of six nodes are free. The other jobs end within 4 hours, by their time limits.
# First in line is a job that needs all six nodes for 6 hours, and you come next. To be safe, you
# ask for two nodes and 24 hours. After how many hours does your job start?

# %% role="predict"
predict("batch-job", 4)

# %% [markdown]
# A node has 4 GPUs (`h100`), 64 cores and 512,000 MB of memory. You want to train on two nodes:
#
# - There are 8 processes, one for each GPU. Each needs 8 cores and 42 GB (1 GB is 1,024 MB).
# - The training takes 9 hours, and each start of the program 6 minutes.
# - When `train.py` starts, it loads its last checkpoint, if there is one. At the signal USR1 it
#   saves a checkpoint, which takes 10 s, and ends.
#
# As 9 hours don't fit before that big job, yours runs up to its limit, saves, and **requeues**
# itself: it goes back into the queue under the same number.

# %% [markdown]
# *Implement* `script`. For its `#SBATCH` lines:
#
# - `sbatch` accepts the script and reads all of them. It reads none after the first command.
#   The only partition is `gpu`, so you needn't name it.
# - On each of two nodes, ask for what its processes need, and at most half as much again of cores
#   and memory. What a job doesn't ask for is 1 core for each task, and 4,000 MB for each core.
# - The limit is at least 1 hour (by default it's 30 minutes), and lets the job start at once.
# - The log is in the folder where you call `sbatch` and has the job's number (`%j`) in its name. A
#   requeued job continues it (`--open-mode`).
# - A signal comes 60 to 600 s before the limit. `--signal=B:USR1@90` sends it to the script's own
#   shell; without `B:` all processes that `srun` started get it, and the shell doesn't.

# %% [markdown]
# The commands below them run on the first node. `srun COMMAND` starts a command once for each
# **task**, which by default is once on each node.
#
# - Start `torchrun` once on each node, or `python train.py` once for each GPU. The latter needs
#   `RANK`, `LOCAL_RANK`, `WORLD_SIZE`, `MASTER_ADDR` and `MASTER_PORT`, and its tasks find
#   `SLURM_PROCID`, `SLURM_LOCALID` and `SLURM_NTASKS`. Both commands are there already.
# - All ranks meet on a node of the job. `scontrol show hostnames "$SLURM_JOB_NODELIST"` lists them.
# - After the warning all processes save. Then the script calls `scontrol requeue "$SLURM_JOB_ID"`,
#   once: that ends whatever still runs. The cluster refuses it without the option `--requeue`.
# - When the program ends by itself, the job isn't requeued, and the script's status is the
#   program's: 0 where the training is done.

# %% [markdown]
# What you need to know of bash and the others:
#
# - `trap go_on USR1` calls the function `go_on` when USR1 comes, but not before the command that
#   runs in the foreground has ended.
# - `COMMAND &` runs in the background, and `$!` is its number. `wait $number` waits for it and gives
#   its status; a trap interrupts it.
# - `kill -USR1 $number` sends `srun` a signal, which it passes on to all processes that it started.
#   At TERM it kills them.
# - `torchrun` dies of USR1, unless it has `--signals-to-handle=SIGUSR1`: then it passes it on, waits
#   for its processes, and ends with status 1.
# - When the script ends, the job ends, and what still runs is killed.


# %% role="answer"
script = r"""#!/bin/bash
# ### BEGIN SOLUTION
#SBATCH --nodes=2
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=32 --mem=200G
#SBATCH --time=3:45:00
#SBATCH --requeue --signal=B:USR1@180
#SBATCH --output=train-%j.log --open-mode=append

go_on() {
    kill -USR1 "$step"
    wait "$step"
    scontrol requeue "$SLURM_JOB_ID"
}
trap go_on USR1

first=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
srun torchrun --nnodes=2 --nproc-per-node=4 --signals-to-handle=SIGUSR1 \
    --rdzv-backend=c10d --rdzv-endpoint="$first:29500" train.py &
step=$!
wait "$step"
# ### END SOLUTION
"""

# %% role="check"
check("batch-job", script)

# %% [markdown]
# *See* when your job runs, and when it would if it asked for 24 hours.

# %%
see("batch-job", script)
reveal("batch-job")

# %% [markdown]
# *Reflect.* How much work is lost at a limit, if the signal comes 180 s before? (These 3 minutes, as
# the program ends when it has saved. And the next start takes 6.) So why not ask for 10 minutes at a
# time, which fit anywhere? (Most of them would be spent on starts.)
#
# What if a node breaks down? (There's no signal, so the program should also save now and then.) And
# why does `set -e` do harm in some of these scripts? (A `wait` that a trap interrupts gives a status
# above 128, and `set -e` ends the script there. Whatever comes after it is never reached.)

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
# - SchedMD, *sbatch*, *srun* and *scontrol*, manual pages of Slurm 22.05 (script processing,
#   `--signal`, `--open-mode`, signals that `srun` passes on); "Scheduling Configuration Guide"
#   (backfill) and "Multifactor Priority Plugin" (fair share).
# - *Bash Reference Manual*, "Signals": when a trap runs, and what `wait` gives.
# - PyTorch 2.13, `torch.distributed.run` (`--signals-to-handle`).
