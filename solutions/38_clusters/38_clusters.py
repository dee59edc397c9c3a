# %% [markdown]
# # How does your program run on machines that you share?
#
# A cluster belongs to many people. It decides when and where your program runs, and it takes
# machines away again. In this lesson you write the two things that let you live with that: a batch
# script, which asks for machines, and a training script that carries on when the machines change.
# The picture below shows six machines and the jobs that already run on them. Two are free, so when
# will your job start? It depends on what you ask for.
#
# **You will be able to** ask a scheduler for GPUs, and get them soon; save and requeue a job when
# its time is up; and keep training while workers come and go.
#
# **You need** *DDP in practice*, and a little practice in a shell. **Time** about 75 minutes.

# %% role="setup"
from gpuedu import check, hint, measure, predict, progress, reveal, see, setup

import torch.distributed as dist

setup("clusters")

# %%
see("clusters/queue")

# %% [markdown] exercise="batch-job"
# ## How do you get GPUs that everybody wants?
#
# **`batch-job` · 9 points · about 30 minutes**
#
# Write a batch script that gets its nodes early, and that carries on with the training after its
# time is up.
#
# On a cluster a **scheduler**, such as Slurm, decides which job runs when and where. You give it a
# **batch script**: a shell script whose `#SBATCH` lines say what the job needs, and for how long at
# most. The queue is ordered by priority, and if you've used the cluster a lot lately, yours is low
# (**fair share**). But a job further back may start first if that doesn't make any job ahead of it
# wait longer (**backfill**).

# %% [markdown]
# *Predict.* Two of the six nodes are free, as in the picture. The running jobs end within 4 hours,
# by their time limits. First in line is a job that needs all six nodes for 6 hours, and you're
# next. To be on the safe side, you ask for two nodes and 24 hours. After how many hours does your
# job start?

# %% role="predict"
predict("batch-job", 4)

# %% [markdown]
# A node has 4 GPUs (`h100`), 64 cores and 512,000 MB of memory. You want to train on two nodes:
#
# - There are 8 processes, one for each GPU. Each needs 8 cores and 42 GB (1 GB is 1,024 MB).
# - The training takes 9 hours, and each start of the program takes 6 minutes.
# - When `train.py` starts, it loads its last checkpoint if there is one. When it gets the signal
#   USR1, it saves a checkpoint, which takes 10 s, and exits.
#
# Nine hours don't fit in before that big job. So your job runs up to its limit, saves, and
# **requeues** itself: it goes back into the queue under the same number.

# %% [markdown]
# A line such as `#SBATCH --nodes=2` holds one or more options of `sbatch`. You can get by with
# these:
#
# | option | what it says |
# |---|---|
# | `--nodes=N`, `--ntasks-per-node=N` | nodes, and **tasks** (what `srun` starts) on each |
# | `--gpus-per-node=N`, `--cpus-per-task=N` | GPUs of each node, and cores of each task |
# | `--mem=SIZE` | memory on each node, in MB, or in GB with a `G` |
# | `--time=H:MM:SS` | the time limit; a plain number is in minutes |
# | `--output=FILE`, `--open-mode=append` | the log, and that a later run adds to it |
# | `--signal=...`, `--requeue` | see below |

# %% [markdown]
# *Implement* `script`. These rules are about its `#SBATCH` lines:
#
# - `sbatch` accepts the script and reads all of them. (It reads none after the first command.
#   There's only one partition, a group of nodes with a queue, so you don't have to name it.)
# - On each of two nodes, ask for what its processes need, and for at most 50% more cores and memory
#   than that. By default a job here gets 1 core for each task, and 4,000 MB for each core.
# - The limit is at least 1 hour (the default here is 30 minutes), and lets the job start at once.
# - The log is in the folder where you call `sbatch`, and its name has the job's number (`%j`) in
#   it. A requeued job adds to the same log.
# - A signal comes 60 to 600 s before the limit. `--signal=B:USR1@90` sends it to the script's own
#   shell. Without `B:` it goes to all processes that `srun` started, but not to the shell.

# %% [markdown]
# The commands below those lines run on the first node, in the folder where you call `sbatch`, with
# `train.py` in it. `srun COMMAND` starts a command once for each **task**, by default once a node.
#
# - Start `torchrun` once on each node, with the options that two nodes need (as in *DDP in
#   practice*), or `python train.py` once for each GPU. In the second case the program needs `RANK`,
#   `LOCAL_RANK`, `WORLD_SIZE`, `MASTER_ADDR` and `MASTER_PORT`, and its tasks find `SLURM_PROCID`,
#   `SLURM_LOCALID` and `SLURM_NTASKS`. Each process uses its task's GPU number `LOCAL_RANK`.
# - All ranks meet on a node of the job. `scontrol show hostnames "$SLURM_JOB_NODELIST"` lists them.
# - After the signal all processes save. Then the script calls `scontrol requeue "$SLURM_JOB_ID"`,
#   once. That ends everything that still runs. On this cluster it's refused without the option
#   `--requeue`; others allow it by default (`JobRequeue` in their `slurm.conf`).
# - When the program ends by itself, the job isn't requeued, and the script exits with the program's
#   status: 0 if the training is done.

# %% [markdown]
# Here's what you need to know about bash and the other programs:
#
# - `trap go_on USR1` calls the function `go_on` when USR1 comes, but not before the command that
#   runs in the foreground has ended.
# - `COMMAND &` runs in the background, and `$!` is its process number. `wait $number` waits for it
#   and gives its status. A trap interrupts the wait.
# - `kill -USR1 $number` sends `srun` a signal, and `srun` passes it on to all processes that it
#   started. A TERM makes it kill them.
# - USR1 kills `torchrun`, unless it's started with `--signals-to-handle=SIGUSR1`. Then it passes
#   the signal on, waits up to 30 s for its processes, and exits with status 1.
# - When the script ends, the job ends, and whatever still runs is killed.


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
# *See* when your job runs, and when it would run if it asked for 24 hours.

# %%
see("batch-job", script)
reveal("batch-job")

# %% [markdown]
# *Reflect.* How much work is lost at a limit if the signal comes 180 s before it? (Those 3 minutes,
# because the program exits once it has saved. The next start then takes 6 more.) So why not ask for
# 10 minutes at a time, which fit anywhere? (Most of them would go into starting.)
#
# What if a node breaks down? (There's no signal then, so the program should also save now and
# then.) And why does `set -e` do harm in some of these scripts? (When a trap interrupts a `wait`,
# that gives a status above 128, and `set -e` ends the script right there. Whatever comes after it
# is never reached.)
#
# What else does a real script need? (In Slurm 22.05 and 23.02, `srun` doesn't inherit
# `--cpus-per-task` from the batch script. There, pass it to `srun` again, or export
# `SRUN_CPUS_PER_TASK`. Otherwise a task may be bound to a single core.)

# %% [markdown] exercise="rendezvous"
# ## Workers come and go
#
# **`rendezvous` · 8 points · about 35 minutes**
#
# Write a training loop that gives the same weights no matter how many workers there are, or how
# often they're stopped.
#
# On a shared cluster, a job of 4 machines may be down to 3 for an hour, because one broke or is
# needed for something more important. An *elastic* launcher doesn't wait for the fourth. Whenever a
# worker dies, or a new one wants to join, it stops all of them and lets the ones that are there
# meet again. This **rendezvous** decides how many there are (the world size) and which worker gets
# which rank. Then every worker runs your script from its first line.

# %% [markdown]
# So a training run has several *lives*, each with its own world size. All that one life leaves to
# the next is a checkpoint. Worker 3 of the last life may be rank 0 of this one.
#
# *Predict.* A script gives each worker 8 samples per step, and its checkpoint says which *step* it
# has reached. (In step `k`, `W` workers train on `8 W` samples, starting with number `8 W (k - 1)`
# of the epoch's order.) Four workers have done 100 steps. Then one dies, and the other three go on
# at step 101. How many samples are trained twice in this epoch?

# %% role="predict"
predict("rendezvous", 800)

# %% [markdown]
# That's not the only problem. With 8 samples each, 4 workers train a *global batch* of 32, but 3
# workers train one of 24, which your learning rate was never tuned for. Both problems go away if
# you count in samples and always keep the global batch the same, so that fewer workers each take
# more of it. If a worker's share doesn't fit in memory at once, the worker does it in parts and
# adds up their gradients.
#
# You get a `job`, which is the same on every worker. `job.order(epoch)` lists the numbers of all
# `job.samples` samples in the order of that epoch (counted from 0), which follows from a seed. The
# whole run is `job.total` samples, in whole epochs. `job.batch` is the size of a global batch.

# %% [markdown]
# *Implement* `next_batch(done, job)`: after `done` samples of the run are trained, which samples
# are the next global batch? About 2 lines.
#
# - It returns a list: the next `job.batch` samples in the order of the epoch.
# - No batch has samples of two epochs, so the last batch of an epoch may be smaller.
#
# Also *implement* `shares(batch, rank, world, fits)`: which part of that batch is the work of rank
# `rank` of `world`? About 2 lines.
#
# - It returns a list of parts, and each part is a list of at most `fits` samples.
# - The parts of all ranks together are the batch, with each sample once.
# - No rank gets more than one sample more than another, and each has as few parts as its samples
#   allow. A rank without samples has no part (`[]`), or an empty one (`[[]]`).


# %% role="answer"
def next_batch(done, job):
    """The samples of the global batch that comes after `done` samples of the run."""
    ### BEGIN SOLUTION
    epoch, place = divmod(done, job.samples)
    return job.order(epoch)[place : place + job.batch]
    ### END SOLUTION


def shares(batch, rank, world, fits):
    """The parts of a global batch that this rank trains."""
    ### BEGIN SOLUTION
    mine = batch[rank::world]
    return [mine[at : at + fits] for at in range(0, len(mine), fits)]
    ### END SOLUTION


# %% [markdown]
# This is the rest of `job`, for `train`:
#
# | call | what it does |
# |---|---|
# | `job.zeros()` | a gradient of zeros, as one tensor |
# | `job.gradient(samples)` | the **sum** of the gradients of these samples, `job.fits` at most |
# | `job.step(gradient)` | a step of this rank's copy, by the **mean** gradient of a global batch |
# | `job.state_dict()`, `job.load_state_dict(state)` | weights and momentum |
# | `job.save(checkpoint)` | stores a dict of plain data and tensors, completely or not at all |
# | `job.load()` | the newest checkpoint that *this worker* sees, or `None` |

# %% [markdown]
# *Implement* `train(job, every)`, which every worker calls in every life. About 20 lines.
#
# - In each life all ranks start from the checkpoint that **rank 0** finds. A new file in a shared
#   folder may show up later on one machine than on another. So only rank 0 reads it, and
#   `dist.broadcast_object_list(a_list, 0)` copies what's in its list to the list of every rank.
# - Then they train, batch by batch, up to `job.total`, with no sample lost and none trained twice.
#   A run that's complete trains nothing, and has its final weights.
# - A new checkpoint is saved as soon as `every` samples or more are trained since the last one, and
#   one more at the end of the run. Only rank 0 saves.
# - The weights are those of one process that is never stopped, up to rounding. So every rank makes
#   every step (SGD with momentum), each with the mean gradient of the whole global batch. That
#   includes a rank with no samples in a small batch: all ranks call all collectives.


# %% role="answer"
def train(job, every):
    """Train to the end of the run, from the last checkpoint if there is one."""
    ### BEGIN SOLUTION
    rank, world = dist.get_rank(), dist.get_world_size()
    found = [job.load() if rank == 0 else None]
    dist.broadcast_object_list(found, src=0)
    done = 0
    if found[0] is not None:
        done = found[0]["done"]
        job.load_state_dict(found[0]["job"])
    saved = done
    while done < job.total:
        batch = next_batch(done, job)
        total = job.zeros()
        for part in shares(batch, rank, world, job.fits):
            total += job.gradient(part)
        dist.all_reduce(total)
        job.step(total / len(batch))
        done += len(batch)
        if done - saved >= every or done == job.total:
            saved = done
            if rank == 0:
                job.save({"done": done, "job": job.state_dict()})
    ### END SOLUTION


# %% [markdown]
# The check puts simulated workers through several lives, with 4, 3, 4, then 2 workers, and with
# other numbers. They die during a step, during a gradient, or just before a checkpoint is written.

# %% role="check"
check("rendezvous", next_batch, shares, train)

# %% [markdown]
# *See* one training run in four lives. Each row is a worker, whose rank changes from life to life.
# The striped part was trained after the last checkpoint, so it has to be trained again.

# %%
see("rendezvous", next_batch, shares, train)
reveal("rendezvous")

# %% [markdown]
# Now for real. Two agents of `torchrun` run on this machine, as if they were on two machines. Each
# starts two workers, which call *your* `train` and talk through gloo. Agent A starts alone, and B
# joins it. Then agent A and its workers, rank 0 among them, get a SIGKILL. Each agent is started
# with
#
#     torchrun --nnodes=1:2 --nproc-per-node=2 --max-restarts=3 --rdzv-backend=c10d ...
#
# where `1:2` means one to two machines. Every worker imports PyTorch again in each life, so this
# takes about half a minute or more. A restart isn't free on a cluster, either.

# %%
lives = measure("rendezvous", train)
see("clusters/torchrun", lives)

# %% [markdown]
# *Reflect.* What keeps count of the restarts? (Each agent, in `TORCHELASTIC_RESTART_COUNT`, and it
# counts only failures of its own workers. A restart because somebody joins isn't counted, so the
# number doesn't say which life this is.) Why did it take B a few seconds to carry on alone? (An
# agent that is killed doesn't say goodbye. Its peers notice when heartbeats are missing: by default
# three of them, 5 s apart, and here 1 s apart.) What if the model has dropout? (A random state
# belongs to a rank, and now the number of ranks is different. So the weights differ, unless the
# random numbers follow from the sample instead.)
#
# More workers don't always make it faster. With a global batch of 12, 4 workers get 3 samples each,
# and 12 workers get one each. Beyond that, only the waiting grows.

# %% [markdown]
# ## The same script under `torchrun`, Slurm, Kubernetes and Ray Train
#
# Your `train` asks `torch.distributed` for its rank and the world size, and `job` for its
# checkpoint. It would run under all four of these. (Ray is a library whose processes, called
# **actors**, run on any machine of a cluster.) What changes is what starts it, and where it learns
# its rank:
#
# | | what starts the processes | where rank and address come from |
# |---|---|---|
# | `torchrun` | an agent on each machine | the rendezvous, as `RANK`, `MASTER_ADDR`, ... |
# | Slurm | `srun`, one for each task | `SLURM_PROCID`, `SLURM_NTASKS`; you find the address |
# | Kubernetes | a pod for each machine, `torchrun` in it | `TrainJob`: `PET_NODE_RANK`, ... |
# | Ray Train | Ray, an actor for each worker | Ray sets them; see `ray.train.get_context()` |

# %% [markdown]
# The other difference is what restarts it, on how many machines, and where it finds its checkpoint:
#
# | | what restarts it | with fewer machines | where the checkpoint is |
# |---|---|---|---|
# | `torchrun` | its agents: `--max-restarts=3` | `--nnodes=1:4` | a folder that all see |
# | Slurm | the queue: `--requeue` | not by itself | the shared file system |
# | Kubernetes | `torchrun`, or a new pod | `PyTorchJob`: `elasticPolicy` | a volume of the pods |
# | Ray Train | Ray: `FailureConfig(max_failures=3)` | `num_workers=(1, 4)` | `storage_path` |

# %% [markdown]
# Usually they are stacked: Slurm or Kubernetes hands out machines, and `torchrun` starts processes
# on them. Four differences are worth knowing:
#
# - Slurm ends the whole job if one of its machines fails, unless you ask for `--no-kill`. A
#   requeued job keeps its number and runs the batch script from its first line.
#   `SLURM_RESTART_COUNT` says how often that has happened.
# - Kubeflow's newer `TrainJob` still has a fixed number of machines (`numNodes`). The older
#   `PyTorchJob` is elastic, by `minReplicas` and `maxReplicas`.
# - `torchrun` reads any option from a variable `PET_...`. That's how Kubeflow tells it what to do.
# - Under Ray, *every* worker makes the call that saves, equally often: `ray.train.report(metrics,
#   checkpoint=...)`, with `None` if it has nothing to save. `ray.train.get_checkpoint()` returns
#   the last one.

# %% [markdown]
# ## What you take with you
#
# - A scheduler starts whatever fits. Ask for what you use, and be ready to be stopped.
# - Count training in samples, and keep the global batch the same, however many workers there are.
# - A worker can die or join at any time, so everything that matters is in the checkpoint.
#
# **Your number:** how many minutes of work you would lose if your job were stopped right now.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - Elastic launches: PyTorch 2.13, "torchrun (Elastic Launch)" and "Rendezvous"; defaults of
#   heartbeats in `torch.distributed.elastic.rendezvous.dynamic_rendezvous`. That a join isn't a
#   restart: `torch.distributed.elastic.agent.server.api` ("membership changes do not count as
#   retries"), and seen here; the "Quickstart" says otherwise. `PET_` variables:
#   `torch.distributed.argparse_util`.
# - Slurm: the manual pages of `sbatch` (`--requeue`, `--no-kill`, output variables) and `srun`.
# - Kubeflow Trainer: `pkg/runtime/framework/plugins/torch/torch.go` (variables of a `TrainJob`; no
#   elastic launches yet). Training Operator v1: `elasticPolicy` of a `PyTorchJob`.
# - Ray Train: "Elastic training", "Handling Failures and Node Preemption", `ray.train.report`,
#   `ray.train.ScalingConfig`.
# - SchedMD, *sbatch*, *srun* and *scontrol*, manual pages of Slurm 22.05 (script processing,
#   `--signal`, `--open-mode`, signals that `srun` passes on); "Scheduling Configuration Guide"
#   (backfill) and "Multifactor Priority Plugin" (fair share).
# - *Bash Reference Manual*, "Signals": when a trap runs, and what `wait` gives.
# - PyTorch 2.13, `torch.distributed.run` (`--signals-to-handle`).
