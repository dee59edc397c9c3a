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
import torch.distributed as dist

from gpuedu import check, hint, measure, predict, progress, reveal, see, setup

setup("clusters")

# %% [markdown] exercise="rendezvous"
# ## Workers come and go
#
# **`rendezvous` · 8 points · about 30 minutes**
#
# On a shared cluster a job of 4 machines may be down to 3 for an hour: one broke, or is needed for
# a more important job. An *elastic* launcher doesn't wait for the fourth. Whenever a worker dies or
# a new one wants to join, it stops all of them and lets those that are there meet again: the
# **rendezvous**. It decides how many there are (the world size) and who is which rank, and then
# every worker runs your script from its first line.
#
# So a training has several *lives*, each with another world size. What one life leaves to the next
# is a checkpoint, and nothing else. Worker 3 of the last life may be rank 0 of this one.

# %% [markdown]
# *Predict.* A script gives each worker 8 samples a step, and its checkpoint says which *step* it is
# in. (Step `k` of `W` workers trains the samples from `8 W (k - 1)` on, in the epoch's order.) Four
# workers have done 100 steps. One dies, and the other three go on with step 101. How many samples
# are trained twice in this epoch?

# %% role="predict"
predict("rendezvous", 800)

# %% [markdown]
# That is not all. With 8 samples each, 4 workers train a *global batch* of 32, and 3 workers one of
# 24, for which your learning rate was never tuned. Both problems go away if you count in samples,
# and if the global batch is always the same: fewer workers take more of it each. If that doesn't
# fit into a worker's memory at once, it is done in parts whose gradients are added up.
#
# You get a `job`, the same on every worker. `job.order(epoch)` lists the numbers of all
# `job.samples` samples in the order of that epoch (from 0), which follows from a seed. The whole
# run is `job.total` samples, whole epochs. `job.batch` is the size of a global batch.

# %% [markdown]
# *Implement* `next_batch(done, job)`: when `done` samples of the run are trained, which ones are
# the next global batch? About 2 lines.
#
# - It is a list: the next `job.batch` samples in the order of the epoch.
# - No batch has samples of two epochs, so the last one of an epoch may be smaller.
#
# And `shares(batch, rank, world, fits)`, what rank `rank` of `world` does of it, about 2 lines:
#
# - It is a list of parts, and each part is a list of at most `fits` samples.
# - The parts of all ranks together are the batch, each sample once.
# - A rank gets at most one sample more than another one; and as few parts as it needs for them. A
#   rank without samples has no part (`[]`), or an empty one (`[[]]`).


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
# The rest of `job`, for `train`:
#
# | call | what it does |
# |---|---|
# | `job.zeros()` | a gradient of zeros |
# | `job.gradient(samples)` | the **sum** of the gradients of these samples, `job.fits` at most |
# | `job.step(gradient)` | a step of this rank's copy, by the **mean** gradient of a global batch |
# | `job.state_dict()`, `job.load_state_dict(state)` | weights and momentum |
# | `job.save(checkpoint)` | keeps a dict of plain data and tensors, whole or not at all |
# | `job.load()` | the newest checkpoint that *this worker* sees, or `None` |

# %% [markdown]
# *Implement* `train(job, every)`, which every worker calls in every life. About 18 lines.
#
# - In each life all ranks begin with the checkpoint that **rank 0** finds. A folder on several
#   machines may show one of them a new file later than another, so only rank 0 reads it, and
#   `dist.broadcast_object_list(a_list, 0)` copies what is in its list into that of every rank.
# - Then they train on, batch by batch, to `job.total`: no sample lost, none twice. A run that is
#   complete trains nothing, and has its final weights.
# - A new checkpoint is saved as soon as `every` samples or more are trained since the last one, and
#   one at the end of the run. Only rank 0 saves.
# - The weights are those of one process that nobody stops, up to rounding. So every rank makes
#   every step (SGD with momentum), each with the mean gradient of the whole global batch. That goes
#   for a rank that has no samples in a small batch, too: all ranks call all collectives.


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
# The check lets simulated workers live several lives: 4, 3, 4, then 2 of them, and others. They die
# in a step, in a gradient, or just before a checkpoint is there.

# %% role="check"
check("rendezvous", next_batch, shares, train)

# %% [markdown]
# *See* one training in four lives. A row is a worker, and its rank changes from life to life. The
# striped part was trained after the last checkpoint, so it has to be trained again.

# %%
see("rendezvous", next_batch, shares, train)
reveal("rendezvous")

# %% [markdown]
# Now for real. Two agents of `torchrun` run on this machine, as if they were two; each starts two
# workers that call *your* `train` and talk through gloo. Agent A begins alone, and B joins it. Then
# agent A and its workers get a SIGKILL, rank 0 included. Each agent is started with
#
#     torchrun --nnodes=1:2 --nproc-per-node=2 --max-restarts=3 --rdzv-backend=c10d ...
#
# `1:2` is from one to two machines. In every life each worker imports PyTorch again, so this takes
# about half a minute; on a cluster, too, a restart is not free.

# %%
lives = measure("rendezvous", train)
see("clusters/torchrun", lives)

# %% [markdown]
# *Reflect.* Who counts restarts? (Each agent, in `TORCHELASTIC_RESTART_COUNT`, and only failures of
# its own workers: an agent that starts them again because somebody joins doesn't count that. So the
# number doesn't say which life this is.) Why did it take some seconds until B went on alone? (An
# agent that is killed says no goodbye. It is missed when its heartbeats are: by default three of
# them, 5 s apart, and here 1 s apart.) What if the model has dropout? (The random state belongs to
# a rank, and now there is another number of ranks: the weights differ, unless the numbers follow
# from the sample instead.)
#
# More workers aren't always faster. A global batch of 12 gives 4 workers 3 samples each, and 12
# workers one. From some number on, only the waiting grows.

# %% [markdown]
# ## The same script under `torchrun`, Slurm, Kubernetes and Ray Train
#
# Your `train` asks `torch.distributed` for its rank and the world size, and where the checkpoint is
# kept. It runs under all four. What changes is who starts it, and where it learns who it is:
#
# | | who starts the processes | where rank and address come from |
# |---|---|---|
# | `torchrun` | an agent on each machine | the rendezvous, as `RANK`, `MASTER_ADDR`, ... |
# | Slurm | `srun`, one for each task | `SLURM_PROCID`, `SLURM_NTASKS`; the address is for you |
# | Kubernetes | a pod for each machine, `torchrun` in it | `TrainJob`: `PET_NODE_RANK`, ... |
# | Ray Train | Ray, an actor for each worker | Ray sets them; `ray.train.get_context()` tells |

# %% [markdown]
# And who starts it again, with whom, and where it finds its checkpoint:
#
# | | who restarts it | with fewer machines | where the checkpoint is |
# |---|---|---|---|
# | `torchrun` | its agents: `--max-restarts=3` | `--nnodes=1:4` | a folder that all see |
# | Slurm | the queue: `--requeue` | not by itself | the shared file system |
# | Kubernetes | `torchrun`, or a new pod | `PyTorchJob`: `elasticPolicy` | a volume of the pods |
# | Ray Train | Ray: `FailureConfig(max_failures=3)` | `num_workers=(1, 4)` | `storage_path` |

# %% [markdown]
# Mostly they are stacked: Slurm or Kubernetes hands out machines, and `torchrun` starts processes
# on them. Four differences to know:
#
# - Slurm ends the whole job if one of its machines fails, unless you ask for `--no-kill`. A
#   requeued job keeps its number and runs the batch script from its first line;
#   `SLURM_RESTART_COUNT` says how often.
# - Kubeflow's newer `TrainJob` has a fixed number of machines so far (`numNodes`); the older
#   `PyTorchJob` is elastic, by `minReplicas` and `maxReplicas`.
# - `torchrun` reads any option from a variable `PET_...`: so Kubeflow tells it what to do.
# - Under Ray, saving is a call that *every* worker makes, equally often: `ray.train.report(metrics,
#   checkpoint=...)`, with `None` if it has none. `ray.train.get_checkpoint()` gives the last one.

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
# - Elastic launches: PyTorch 2.13, "torchrun (Elastic Launch)" and "Rendezvous"; defaults of
#   heartbeats in `torch.distributed.elastic.rendezvous.dynamic_rendezvous`. That a join is no
#   restart: `torch.distributed.elastic.agent.server.api` ("membership changes do not count as
#   retries"), and seen here; the "Quickstart" says otherwise. `PET_` variables:
#   `torch.distributed.argparse_util`.
# - Slurm: the manual pages of `sbatch` (`--requeue`, `--no-kill`, output variables) and `srun`.
# - Kubeflow Trainer: `pkg/runtime/framework/plugins/torch/torch.go` (variables of a `TrainJob`; no
#   elastic launches yet). Training Operator v1: `elasticPolicy` of a `PyTorchJob`.
# - Ray Train: "Elastic training", "Handling Failures and Node Preemption", `ray.train.report`,
#   `ray.train.ScalingConfig`.
