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
# **You need** *DDP in practice*, and a shell that you have used before. **Time** about 140 minutes.

# %% role="setup"
import torch.distributed as dist

from gpuedu import check, hint, measure, predict, progress, reveal, see, setup

setup("clusters")

# %% [markdown] exercise="image"
# ## What goes into the image?
#
# **`image` · 8 points · about 30 minutes**
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
# PyTorch's bring all the CUDA libraries that they need. Here's a first attempt at a Dockerfile.
# It's in a raw string (`r"""`), so that Python leaves backslashes alone.

# %% role="given"
naive = r"""FROM python:3.12-slim
WORKDIR /app
COPY . .
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev
RUN pip install -r requirements.txt
CMD python train.py
"""

# %% [markdown]
# `FROM` names an image to start from. `WORKDIR` makes a folder, if need be, and goes there. `COPY .
# .` copies your whole folder into it. `RUN` runs a command: apt, which installs a C compiler and
# downloads 90 MB for it, and then pip. `CMD` only notes what a container of this image starts;
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
#   of apt (`/var/lib/apt/lists`), no cache of pip (`pip install --no-cache-dir` keeps none). A
#   layer can't be made smaller by a later step.

# %% [markdown]
# - The program doesn't run as root. A user with a name has to exist: `useradd NAME` makes one.
# - The token is in no layer, no `ARG`, no `ENV`, and no address, because whoever pulls the image
#   can read those. Your build is called with `--secret id=pip,src=pip.conf`. A step that begins
#   with `RUN --mount=type=secret,id=pip,target=...` finds the file there while it runs, and the
#   step that installs the packages needs it. pip looks in `/etc/pip.conf`, among other places.
#   (The line `# syntax=...` tells the builder which version of this language you write.)
# - A signal to the container reaches the program, with no shell in between: a scheduler sends
#   SIGTERM before it stops you. `CMD ["program", "argument"]` starts the program itself, while
#   `CMD` with plain text starts a shell, which starts the program.


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
# Whatever the file **.dockerignore** names, one path or pattern on each line, a builder doesn't
# see, so that not even `COPY . .` can copy it. *Implement* its text, `dockerignore`: `data/`,
# `runs/`, `.git/` and `pip.conf` stay outside, and what the image needs doesn't.


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
# libraries. The driver belongs to the machine, and is mounted when a container starts. You need
# nvcc only to compile CUDA yourself, and then a second `FROM` can leave it behind.)
#
# You add a package to `requirements.txt`. What is downloaded? (All packages, for a new layer. With
# `RUN --mount=type=cache,target=/root/.cache/pip` and without `--no-cache-dir`, pip's cache
# outlives the build, outside of any layer, and only the new package is downloaded.)
#
# hadolint wants apt's packages pinned, too (DL3008). Why do many ignore that? (Debian's servers
# drop a version when there's a newer one, and then the build fails.)

# %% [markdown] exercise="batch-job"
# ## How do you get GPUs that everybody wants?
#
# **`batch-job` · 9 points · about 30 minutes**
#
# Write a batch script that gets its nodes early, and goes on training when its time is up.
#
# On a cluster a **scheduler**, such as Slurm, decides which job runs when and where. You hand it a
# **batch script**: a shell script whose `#SBATCH` lines say what the job needs, and for how long at
# most. The queue is ordered by priority, and whoever has used much lately has little (**fair
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
# A line such as `#SBATCH --nodes=2` holds one or more options of `sbatch`. These will do:
#
# | option | what it says |
# |---|---|
# | `--nodes=N`, `--ntasks-per-node=N` | nodes, and **tasks** (what `srun` starts) on each |
# | `--gpus-per-node=N`, `--cpus-per-task=N` | GPUs of each node, and cores of each task |
# | `--mem=SIZE` | memory of each node, in MB, or with a `G` in GB |
# | `--time=H:MM:SS` | the limit; a number by itself is in minutes |
# | `--output=FILE`, `--open-mode=append` | the log, and that it's continued |
# | `--signal=...`, `--requeue` | see below |

# %% [markdown]
# *Implement* `script`. For its `#SBATCH` lines:
#
# - `sbatch` accepts the script and reads all of them. It reads none after the first command.
#   There's only one partition (a group of nodes with a queue), so you needn't name it.
# - On each of two nodes, ask for what its processes need, and at most half as much again of cores
#   and memory. What a job doesn't ask for is 1 core for each task, and 4,000 MB for each core.
# - The limit is at least 1 hour (by default it's 30 minutes), and lets the job start at once.
# - The log is in the folder where you call `sbatch` and has the job's number (`%j`) in its name. A
#   requeued job continues it.
# - A signal comes 60 to 600 s before the limit. `--signal=B:USR1@90` sends it to the script's own
#   shell; without `B:` all processes that `srun` started get it, and the shell doesn't.

# %% [markdown]
# The commands below them run on the first node. `srun COMMAND` starts a command once for each
# **task**, which by default is once on each node.
#
# - Start `torchrun` once on each node, with the options that two nodes need (as in *DDP in
#   practice*), or `python train.py` once for each GPU. The latter needs `RANK`, `LOCAL_RANK`,
#   `WORLD_SIZE`, `MASTER_ADDR` and `MASTER_PORT`, and its tasks find `SLURM_PROCID`,
#   `SLURM_LOCALID` and `SLURM_NTASKS`. Both commands are there already.
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
# - `COMMAND &` runs in the background, and `$!` is its number. `wait $number` waits for it and
#   gives its status; a trap interrupts it.
# - `kill -USR1 $number` sends `srun` a signal, which it passes on to all processes that it started.
#   At TERM it kills them.
# - `torchrun` dies of USR1, unless it has `--signals-to-handle=SIGUSR1`: then it passes it on,
#   waits for its processes, and ends with status 1.
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
# *Reflect.* How much work is lost at a limit, if the signal comes 180 s before? (These 3 minutes,
# as the program ends when it has saved. And the next start takes 6.) So why not ask for 10 minutes
# at a time, which fit anywhere? (Most of them would be spent on starts.)
#
# What if a node breaks down? (There's no signal, so the program should also save now and then.) And
# why does `set -e` do harm in some of these scripts? (A `wait` that a trap interrupts gives a
# status above 128, and `set -e` ends the script there. Whatever comes after it is never reached.)

# %% [markdown] exercise="fix-the-manifest"
# ## What is wrong with this manifest?
#
# **`fix-the-manifest` · 8 points · about 35 minutes**
#
# Mend a manifest, so that two pods with four GPUs each train, and go on training when machines are
# taken away.
#
# **Kubernetes** runs containers on a cluster. You hand it a **manifest**, a text in YAML that says
# what should be there, and it tries to make it so. A **pod** is what it places on a **node**, a
# machine: one container or a few. A **Job** makes pods, and new ones for those that fail, until
# enough of them have ended well. A manifest may be accepted, and still not do what you want.

# %% [markdown]
# Here's one, in three parts that are joined to one text. It begins with a **Service**, which gives
# pods a name in the network.

# %% role="given"
broken_job = """apiVersion: v1
kind: Service
metadata: {name: minigpt}
spec:
  selector: {app: minigpt}
---
apiVersion: batch/v1
kind: Job
metadata: {name: minigpt}
spec:
  completions: 2
  parallelism: 1
  backoffLimit: 2
  template:
    spec:
"""
broken_pod = """
      nodeselector: {gpu: h100}
      volumes:
      - {name: runs, emptyDir: {}}
      - {name: shm, emptyDir: {medium: Memory, sizeLimit: 12Gi}}
"""

# %% role="given"
broken_container = """
      containers:
      - name: trainer
        image: registry.lab/minigpt
        command: [torchrun, --nnodes=2, --nproc-per-node=4, --rdzv-backend=c10d,
                  "--rdzv-endpoint=localhost:29400", train.py]
        env:
        - {name: OMP_NUM_THREADS, value: 8}
        - {name: WANDB_API_KEY, value: 7f3c91d0e5}
        resources:
          requests: {nvidia.com/gpu: 4}
          limits: {memory: 70Gi}
        volumeMounts:
        - {name: runs, mountPath: /runs}
        - {name: shm, mountPath: /dev/shm}
"""

# %% [markdown]
# The program takes 64 GiB of memory. The worker processes of its data loaders hand over batches as
# files in `/dev/shm`, up to 12 GiB at a time. By default a container has 64 MiB there, so here a
# **volume** is mounted, an `emptyDir` in memory. The limit is 70 GiB, and a container that takes
# more is **OOM-killed**.
#
# *Predict.* By how many GiB is this container above its limit?

# %% role="predict"
predict("fix-the-manifest", 6)

# %% [markdown]
# *See* what happens to its pods.

# %%
see("fix-the-manifest", broken_job, broken_pod, broken_container)

# %% [markdown]
# This is the cluster:
#
# | nodes | GPUs of each | label | for pods: CPUs, memory |
# |---|---|---|---|
# | `cpu-0` | none | | 62, 250 GiB |
# | `l40s-0`, `l40s-1` | 4 | `gpu: l40s` | 62, 250 GiB |
# | `h100-0` to `h100-2` | 4 | `gpu: h100` | 62, 110 GiB |
#
# A **taint** keeps pods off a node that don't **tolerate** it. All nodes with GPUs have the taint
# `nvidia.com/gpu`, with the value `present` and the effect `NoSchedule`.

# %% [markdown]
# The volume `runs` is there, as the **claim** (PersistentVolumeClaim) `runs`; all nodes can mount
# it. The token for the experiment tracker is there, too, in the Secret `wandb`, under `api-key`.
#
# Training takes 10 hours. `train.py` keeps its checkpoints in `/runs`, and starts from the last
# one. At SIGTERM it writes one, which takes up to 60 s, and ends.
#
# *Implement* the mended manifest in three parts, `job` + `pod` + `container`. Start from a copy of
# each. (A PyTorchJob of `kubeflow.org/v1` is fine, too. YAML's anchors and tags aren't read.)
#
# - Every field exists and has a value of its type. Without quotes, `8`, `on` and `1e3` are no text.
# - Two pods at the same time, each with 4 GPUs (`nvidia.com/gpu`). A device needs a limit; its
#   request is the same, or left out.

# %% [markdown]
# - They get H100s, and no others: a `nodeSelector` (or a node affinity) and `tolerations`. What
#   they request fits into a node.
# - `/dev/shm` is an `emptyDir` in memory. Its `sizeLimit` has room for what the loaders keep there,
#   and the memory limit for all that counts. The request of memory is the same, or left out.

# %% [markdown]
# How do the pods find each other? Those of an Indexed Job (`completionMode: Indexed`) have an
# index, which their containers find as `JOB_COMPLETION_INDEX`, and host names: `minigpt-0` and
# `minigpt-1`. Others can look those up if the pod names a Service as its `subdomain`, as
# `minigpt-0.minigpt`. That Service is **headless** (`clusterIP: None`), and its `selector` fits
# labels of the pods. A Job gives all of its pods the label `job-name`, with its own name.
#
# - `torchrun` starts 4 processes in each of the 2 pods, and they all meet in the pod with index 0,
#   by its name.

# %% [markdown]
# - The job survives two **evictions**, when somebody empties a node: its pod gets SIGTERM, and
#   after `terminationGracePeriodSeconds` (30, if you don't say) SIGKILL. A new pod takes its place.
#   The other pod loses its peer, so its container fails with code 1.
# - With `restartPolicy: OnFailure`, that container is started again. With `Never`, its pod fails,
#   and a new one is made. A Job takes no other policy, and the default is `Always`. It's given up
#   when *more* pods have failed than its `backoffLimit` (6, if you don't say), or *as many*
#   restarts are counted. A pod that is evicted has failed.
# - The checkpoint outlives the pods, and there's time to write it.

# %% [markdown]
# - No container is root, whatever its image says (`runAsNonRoot`, or a `runAsUser` that isn't 0;
#   the image's user is 1000), or gets more rights later (`allowPrivilegeEscalation`, which is
#   allowed if you don't say), and none is `privileged`.
# - The token isn't in the manifest. `WANDB_API_KEY` gets it from the Secret, by a `secretKeyRef`.
# - Every image has a digest, or a tag other than `latest`. There's `registry.lab/minigpt:1.4.2`.

# %% [markdown]
# Where do new fields go, and what do they look like? On a cluster, `kubectl explain
# job.spec.template.spec` lists those of a pod. A few, without their values:
#
# ```yaml
# # a pod has these, nodeSelector, restartPolicy, subdomain and terminationGracePeriodSeconds
# securityContext: {runAsNonRoot: ...}
# tolerations: [{key: ..., operator: Equal, value: ..., effect: ...}]
# volumes: [{name: ..., persistentVolumeClaim: {claimName: ...}}]
# # a container has these
# securityContext: {allowPrivilegeEscalation: ...}
# env: [{name: ..., valueFrom: {secretKeyRef: {name: ..., key: ...}}}]
# ```


# %% role="answer"
job = """
# ### BEGIN SOLUTION
apiVersion: v1
kind: Service
metadata: {name: minigpt}
spec:
  clusterIP: None
  selector: {job-name: minigpt}
---
apiVersion: batch/v1
kind: Job
metadata: {name: minigpt}
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 2
  backoffLimit: 3
  template:
    spec:
# ### END SOLUTION
"""

# %% role="answer"
pod = """
# ### BEGIN SOLUTION
      subdomain: minigpt
      restartPolicy: OnFailure
      terminationGracePeriodSeconds: 60
      securityContext: {runAsNonRoot: true}
      nodeSelector: {gpu: h100}
      tolerations:
      - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
      volumes:
      - {name: runs, persistentVolumeClaim: {claimName: runs}}
      - {name: shm, emptyDir: {medium: Memory, sizeLimit: 12Gi}}
# ### END SOLUTION
"""

# %% role="answer"
container = """
# ### BEGIN SOLUTION
      containers:
      - name: trainer
        image: registry.lab/minigpt:1.4.2
        command: [torchrun, --nnodes=2, --nproc-per-node=4, --rdzv-backend=c10d,
                  "--rdzv-endpoint=minigpt-0.minigpt:29400", train.py]
        env:
        - {name: OMP_NUM_THREADS, value: "8"}
        - name: WANDB_API_KEY
          valueFrom: {secretKeyRef: {name: wandb, key: api-key}}
        resources:
          limits: {nvidia.com/gpu: 4, memory: 80Gi}
        volumeMounts:
        - {name: runs, mountPath: /runs}
        - {name: shm, mountPath: /dev/shm}
        securityContext: {allowPrivilegeEscalation: false}
# ### END SOLUTION
"""

# %% role="check"
check("fix-the-manifest", job, pod, container)

# %% [markdown]
# *See* the same day with your manifest: two nodes are emptied, one after the other.

# %%
see("fix-the-manifest", job, pod, container)
reveal("fix-the-manifest")

# %% [markdown]
# An **operator** teaches a cluster a new kind of object. Kubeflow's knows the **PyTorchJob**, makes
# its Services, and tells `torchrun` the rest. The container of its pods is called `pytorch`:
#
# ```yaml
# apiVersion: kubeflow.org/v1
# kind: PyTorchJob
# metadata: {name: minigpt}
# spec:
#   nprocPerNode: "4"
#   pytorchReplicaSpecs:
#     Master: {replicas: 1, restartPolicy: OnFailure, template: ...}
#     Worker: {replicas: 1, restartPolicy: OnFailure, template: ...}
# ```

# %% [markdown]
# *Reflect.* A **schema**, a list of all fields and their types, finds two of these faults:
# `nodeselector`, and the number `8`. Which of the others would you see within a minute, and which
# only days later? (A pod that stays Pending, a name that nobody can look up, and too little memory
# show at once. Grace, volume and `backoffLimit` only show when a node goes.)
#
# Only one node is free. What do your two pods do? (One is placed and waits for the other, with
# four GPUs that nobody can use. Schedulers for batch work, such as Kueue and Volcano, start all
# pods of a job, or none.)

# %% [markdown] exercise="rendezvous"
# ## Workers come and go
#
# **`rendezvous` · 8 points · about 35 minutes**
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
# | `job.zeros()` | a gradient of zeros, as one tensor |
# | `job.gradient(samples)` | the **sum** of the gradients of these samples, `job.fits` at most |
# | `job.step(gradient)` | a step of this rank's copy, by the **mean** gradient of a global batch |
# | `job.state_dict()`, `job.load_state_dict(state)` | weights and momentum |
# | `job.save(checkpoint)` | keeps a dict of plain data and tensors, whole or not at all |
# | `job.load()` | the newest checkpoint that *this worker* sees, or `None` |

# %% [markdown]
# *Implement* `train(job, every)`, which every worker calls in every life. About 20 lines.
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
# kept. It runs under all four. (Ray is a library whose processes, **actors**, run on any machine of
# a cluster.) What changes is who starts it, and where it learns who it is:
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
# - What a builder takes from its cache: Docker's documentation, "Build cache invalidation", and
#   "Dockerfile reference", sections "Impact on build caching", "COPY --link" and "RUN --mount".
#   Shell and exec form, and signals: there, "Shell and exec form", and "JSONArgsRecommended" (build
#   checks). Secrets: "Build secrets", and "SecretsUsedInArgOrEnv" (build checks). What stays
#   outside: "Build context", section ".dockerignore files". Where pip looks: pip's documentation,
#   "Configuration".
# - What a container needs of CUDA, and the flavors `base`, `runtime` and `devel`: NVIDIA Container
#   Toolkit's wiki, "Container images". A C compiler for `torch.compile`: pytorch/pytorch, issue
#   116696 and pull request 170235. Sizes are rounded; of the wheels that torch 2.8.0+cu128 brings,
#   cuBLAS has 594 MB and cuDNN 707 MB, as pip shows them.
# - Kubernetes 1.35, documentation: "Jobs" (completion modes, pod names of Indexed Jobs, back-off
#   and pod failure policy), "Pod Lifecycle" (termination), "DNS for Services and Pods", "Volumes"
#   (`emptyDir`), "Taints and Tolerations", "Schedule GPUs", "Configure a Security Context".
# - kubernetes-sigs/yaml, `goyaml.v2/resolve.go`: what YAML without quotes is for Kubernetes.
# - Kubeflow, training-operator 1.9, `pkg/apis/kubeflow.org/v1`: the fields of a PyTorchJob.
# - PyTorch, `torch.distributed.run`: options of `torchrun`, and their defaults.
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
# - SchedMD, *sbatch*, *srun* and *scontrol*, manual pages of Slurm 22.05 (script processing,
#   `--signal`, `--open-mode`, signals that `srun` passes on); "Scheduling Configuration Guide"
#   (backfill) and "Multifactor Priority Plugin" (fair share).
# - *Bash Reference Manual*, "Signals": when a trap runs, and what `wait` gives.
# - PyTorch 2.13, `torch.distributed.run` (`--signals-to-handle`).
