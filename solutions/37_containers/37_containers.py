# %% [markdown]
# # How does your program run on a machine that you have never seen?
#
# So far, your programs have run on a machine where everything they need was already installed. A
# cluster's machines have a GPU driver, and not much else. So you bring the rest along in an image,
# and a manifest tells the cluster what to do with it. Below is what a careless first image would
# carry: 30 GB, of which 0.1 MB is the program.
#
# **You will be able to** pack a training program so that it runs the same everywhere; keep its
# image small, quick to build and free of secrets; and find out what is wrong with a Kubernetes job.
#
# **You need** *DDP in practice*, and a little practice in a shell. **Time** about 75 minutes.

# %% role="setup"
from gpuedu import check, hint, measure, predict, progress, reveal, see, setup

setup("containers")

# %%
see("clusters/weight")

# %% [markdown] exercise="image"
# ## What goes into the image?
#
# **`image` · 8 points · about 30 minutes**
#
# Write the Dockerfile of a training program. The program should run the same on any machine, and
# rebuilding its image after a change should take seconds.
#
# A cluster's machines have a GPU driver and something that runs **containers**, but neither your
# Python nor your packages. So you bring them in an **image**: a set of files, and the command to
# start. A container is that command running, with the image's files as its file system. A
# **Dockerfile** lists the steps that make an image. Each step adds a **layer** with whatever it
# changed, and the builder keeps layers in a **cache**. A step is skipped if its text is the same,
# the files that it copies are the same, and every step before it was skipped, too.

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
# For `requirements.txt`, pip downloads 4,020 MB of wheels (packages that are already compiled).
# Most of that is torch, whose wheels bring all the CUDA libraries they need. Here's a first attempt
# at a Dockerfile. It's a raw string (`r"""`), so Python leaves its backslashes alone.

# %% role="given"
naive = r"""FROM python:3.12-slim
WORKDIR /app
COPY . .
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev
RUN pip install -r requirements.txt
CMD python train.py
"""

# %% [markdown]
# `FROM` names the image to start from. `WORKDIR` goes to a folder, and makes it if it isn't there.
# `COPY . .` copies your whole folder into it. `RUN` runs a command: first apt, which downloads 90
# MB to install a C compiler, and then pip. `CMD` doesn't run anything; it notes what a container of
# this image starts. (`USER`, missing here, sets the user for that and for later `RUN` steps.)
#
# *Predict.* You have built this image once. Now you fix a typo in `train.py` and build again. How
# many MB are downloaded?

# %% role="predict"
predict("image", 4110)

# %% [markdown]
# *See* the first build and a few later ones. Each row is a step, and each column is a build. A
# finished image is **pushed** to a server, and the cluster's machines **pull** it from there.
# Layers that the server already has aren't sent again.

# %%
see("image", naive)

# %% [markdown]
# *Implement* a better Dockerfile, as the text `dockerfile`. The check reads it and simulates its
# builds.
#
# - It builds, and its command starts `train.py`, with `minigpt/` beside it, in a folder of their
#   own (not `/`). The wheels in `requirements.txt` are for Python 3.10 to 3.13, on systems with
#   glibc. `train.py` calls `torch.compile`, which needs a C compiler while it runs.
# - Every image that you start from has a tag that names a version, down to the minor version for
#   `python`, and never `latest`.
# - After a change to `train.py`, to `minigpt/` or to the data, nothing is downloaded again.
# - The image has only what the program needs: no nvcc and no CUDA headers (a tag with `devel`), no
#   apt lists (`/var/lib/apt/lists`), no pip cache (`pip install --no-cache-dir` keeps none). Remove
#   things in the step that made them, because a later step can't make an earlier layer smaller.

# %% [markdown]
# - A step fails if any of its commands fails: join them with `&&`, or give the shell `-e`.
# - The program doesn't run as root. A user that you name has to exist: `useradd NAME` makes one.
# - The token is in no layer, no `ARG`, no `ENV` and no address, because anyone who can pull the
#   image can read all of those. Your build is called with `--secret id=pip,src=pip.conf`. A step
#   that starts with `RUN --mount=type=secret,id=pip,target=...` finds the file at `target` while it
#   runs, and the step that installs the packages needs it. One place where pip looks is
#   `/etc/pip.conf`.
# - A signal to the container reaches the program with no shell in between, because a scheduler
#   sends SIGTERM before it stops you. `CMD ["program", "argument"]` starts the program itself.
#   `CMD` with plain text starts a shell, which then starts the program.
#
# (The line `# syntax=...` tells the builder which version of the Dockerfile language you write.)


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
# The builder doesn't see anything that the file **.dockerignore** names, one path or pattern on
# each line. So not even `COPY . .` can copy it. *Implement* its text, `dockerignore`: it keeps out
# `data/`, `runs/`, `.git/` and `pip.conf`, and nothing that the image needs.


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
# *See* the same builds with your Dockerfile. Then ask two programs that review Dockerfiles, if
# they're installed: hadolint, and Docker's own build checks. Do you agree with everything they say?

# %%
see("image", dockerfile, dockerignore)
reveal("image")

# %%
measure("image", dockerfile)

# %% [markdown]
# *Reflect.* Why is `python:3.12-slim` enough, with no CUDA in it? (The wheels bring CUDA's
# libraries. The driver belongs to the machine, and is mounted when a container starts. You need
# nvcc only to compile CUDA code yourself, and then a second `FROM` can leave it behind.)
#
# You add one package to `requirements.txt`. What is downloaded? (All the packages, for a new layer.
# If you write `RUN --mount=type=cache,target=/root/.cache/pip` and drop `--no-cache-dir`, pip's
# cache outlives the build without being in any layer, and only the new package is downloaded.)
#
# On a cluster where you aren't root there's usually no Docker to start your image. Does it run
# there all the same? (Mostly. Apptainer and NVIDIA's Enroot start an image without root, and `srun
# --container-image=...` does so where the plugin Pyxis is installed.)
#
# hadolint wants you to pin the versions of apt's packages, too (DL3008). Why do many people ignore
# that? (Debian's servers drop an old version when a newer one arrives, and then the build fails.)

# %% [markdown] exercise="fix-the-manifest"
# ## What is wrong with this manifest?
#
# **`fix-the-manifest` · 8 points · about 40 minutes**
#
# Fix a manifest so that two pods with four GPUs each train a model, and keep training when
# machines are taken away.
#
# **Kubernetes** runs containers on a cluster. You give it a **manifest**, a text in YAML that says
# what should exist, and it tries to make that so. What it places on a **node**, a machine, is a
# **pod**: one container, or a few. A **Job** makes pods, and replaces the ones that fail, until
# enough of them have succeeded. A manifest can be accepted and still not do what you want.

# %% [markdown]
# Here's one, in three parts that are joined into one text. It starts with a **Service**, which
# gives pods a name on the network.

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
# The program takes 64 GiB of memory. On top of that, its data loaders' worker processes hand over
# batches as files in `/dev/shm`, up to 12 GiB at a time. A container gets only 64 MiB there by
# default, so this one mounts a **volume**: an `emptyDir` in memory. The container's limit is 70
# GiB, and a container that uses more than its limit is **OOM-killed**.
#
# *Predict.* By how many GiB does this container exceed its limit?

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
# A **taint** keeps pods off a node unless they **tolerate** it. Every node with GPUs has the taint
# `nvidia.com/gpu`, with the value `present` and the effect `NoSchedule`.

# %% [markdown]
# Two things exist already. The volume `runs` is there as the **claim** (PersistentVolumeClaim)
# `runs`, which any node can mount. The token for the experiment tracker is in the Secret `wandb`,
# under `api-key`.
#
# Training takes 10 hours. `train.py` keeps its checkpoints in `/runs`, and starts from the last
# one. At SIGTERM it writes a checkpoint, which takes up to 60 s, and exits.
#
# *Implement* the fixed manifest in three parts, `job` + `pod` + `container`. Start from a copy of
# each. (A PyTorchJob of `kubeflow.org/v1` is fine, too. YAML's anchors and tags aren't read.)
#
# - Every field exists, and its value has the right type. An unquoted `8`, `on` or `1e3` isn't text.

# %% [markdown]
# - There are two pods at the same time, each with 4 GPUs (`nvidia.com/gpu`). A device needs a
#   limit; its request is the same, or left out.
# - They get H100s and nothing else: use a `nodeSelector` (or node affinity) and `tolerations`. What
#   they request fits on a node.
# - `/dev/shm` is an `emptyDir` in memory. Its `sizeLimit` has room for what the loaders keep there,
#   and the memory limit has room for everything. The request for memory is the same as the limit,
#   or left out.

# %% [markdown]
# How do the pods find each other? The pods of an Indexed Job (`completionMode: Indexed`) have an
# index, which their containers see as `JOB_COMPLETION_INDEX`, and host names: `minigpt-0` and
# `minigpt-1`. If the pods name a Service as their `subdomain`, other pods can look them up, as
# `minigpt-0.minigpt`. That Service has to be **headless** (`clusterIP: None`), and its `selector`
# has to match labels of the pods. A Job gives all of its pods the label `job-name`, with its own
# name.
#
# - `torchrun` starts 4 processes in each of the 2 pods, and they all meet in the pod with index 0,
#   by its name.

# %% [markdown]
# - The job survives two **evictions**. Somebody empties a node, so its pod gets SIGTERM, and
#   SIGKILL after `terminationGracePeriodSeconds` (30 by default). A new pod takes its place. The
#   other pod loses its peer, so its container fails with code 1.
# - With `restartPolicy: OnFailure`, a failed container is started again. With `Never`, its pod
#   fails and a new one is made. A Job accepts no other policy, and the default is `Always`. The Job
#   gives up when *more* pods have failed than its `backoffLimit` (6 by default), or when the
#   restarts of its containers *reach* that limit. An evicted pod counts as failed.
# - The checkpoint outlives the pods, and there's time to write it.

# %% [markdown]
# - No container is root, whatever its image says (`runAsNonRoot`, or a `runAsUser` that isn't 0;
#   the image's user is 1000). None can gain privileges later (`allowPrivilegeEscalation`, which is
#   allowed by default), and none is `privileged`.
# - The token isn't in the manifest. `WANDB_API_KEY` gets it from the Secret, by a `secretKeyRef`.
# - Every image has a digest, or a tag other than `latest`. There's `registry.lab/minigpt:1.4.2`.

# %% [markdown]
# Where do new fields go, and what do they look like? On a cluster, `kubectl explain
# job.spec.template.spec` lists the fields of a pod. Here are some, without their values:
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
# An **operator** teaches a cluster a new kind of object. Kubeflow's knows the **PyTorchJob**: it
# makes the Services and tells `torchrun` the rest. Its pods' container is called `pytorch`:
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
# *Reflect.* A **schema**, which lists all fields and their types, finds two of these faults:
# `nodeselector`, and the number `8`. Which of the others would you see within a minute, and which
# only days later? (A pod that stays Pending, a name that nobody can look up, and too little memory
# show at once. The grace period, the volume and `backoffLimit` matter only when a node goes away.)
#
# Only one node is free. What do your two pods do? (One is placed, and waits for the other while it
# holds four GPUs that nobody can use. Volcano, a scheduler for batch work, starts all pods of a job
# or none. Kueue, which queues jobs, can do that too, with `waitForPodsReady`.)

# %% [markdown]
# ## What you take with you
#
# - An image is built in layers. What changes often goes last, and secrets never go in.
# - The image brings your packages and CUDA's libraries. The driver belongs to the machine.
# - A schema knows whether a manifest is well-formed, not whether it does what you want.
#
# **Your number:** how many MB your last image sends again when you change one line.

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
# - Images on a cluster with Slurm: NVIDIA/pyxis, README and wiki, "Usage"; Apptainer, `apptainer
#   pull docker://...` and `--nv`.
# - Kubernetes 1.35, documentation: "Jobs" (completion modes, pod names of Indexed Jobs, back-off
#   and pod failure policy), "Pod Lifecycle" (termination), "DNS for Services and Pods", "Volumes"
#   (`emptyDir`), "Taints and Tolerations", "Schedule GPUs", "Configure a Security Context".
# - kubernetes-sigs/yaml, `goyaml.v2/resolve.go`: how Kubernetes reads unquoted YAML values.
# - Kubeflow, training-operator 1.9, `pkg/apis/kubeflow.org/v1`: the fields of a PyTorchJob.
# - PyTorch, `torch.distributed.run`: options of `torchrun`, and their defaults.
