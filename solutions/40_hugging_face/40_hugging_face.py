# %% [markdown]
# # What do Trainer and Accelerate do for you?
#
# By now you have written every part of a training loop yourself. Many people never do. They set the
# options of Hugging Face's Trainer, or let Accelerate change a few lines of their loop. Both do
# what you did by hand, and in this lesson you check that, step by step. The model and the data are
# made here, so nothing is downloaded.
#
# **You will be able to** choose Trainer's options for a batch size, a precision and a schedule, and
# check that it trains as your own loop does; move a loop to Accelerate without changing its result;
# and stream a dataset through a real pipeline.
#
# **You need** *The training step*, *Mixed precision* and *DDP in practice*, and an extra of the
# course's package: `%pip install "gpuedu[huggingface]"`. **Time** about 95 minutes.

# %% role="setup"
from gpuedu import check, hint, predict, progress, reveal, see, setup

import math

import torch
from torch import nn
from torch.nn import functional

setup("hugging-face")

# %% [markdown] exercise="hf-trainer"
# ## What does Trainer do?
#
# **`hf-trainer` · 9 points · about 35 minutes**
#
# Tell Trainer what you want, and then write the loop that it runs.
#
# `Trainer` takes a model, a dataset and a `TrainingArguments` object with more than 100 options.
# All of them have defaults, so you can start a run and say next to nothing. Here's such a run, with
# a small model that guesses the next number at each position. Trainer passes each batch to the
# model as keyword arguments, and the model returns its loss.


# %% role="given"
from transformers import TrainingArguments


class Guesser(nn.Module):
    """Scores 12 numbers as the next one; -100 is the label of a position that doesn't count."""

    def __init__(self):
        super().__init__()
        self.embed, self.first = nn.Embedding(12, 16), nn.LayerNorm(16)
        self.head = nn.Linear(16, 12)

    def forward(self, input_ids, labels, **more):
        scores = self.head(self.first(self.embed(input_ids))).flatten(0, 1)
        items = more.get("num_items_in_batch")
        kind = "mean" if items is None else "sum"
        loss = functional.cross_entropy(scores, labels.flatten(), reduction=kind)  # skips -100
        return {"loss": loss if items is None else loss / items, "logits": scores}


numbers = torch.arange(400).reshape(80, 5) % 12
rows = [{"input_ids": row, "labels": (row + 1) % 12} for row in numbers]

# %% [markdown]
# *Predict.* You give Trainer a model and data, and not a single option about how to train. It makes
# 20 **updates** (steps of its optimizer, AdamW). What's the learning rate of update 11: `"1e-3"`
# (AdamW's own default in PyTorch), `"5e-5"` (Trainer's default), `"2.5e-5"` or `"0"`?

# %% role="predict"
predict("hf-trainer", "2.5e-5")

# %%
from tempfile import gettempdir

from transformers import Trainer

arguments = TrainingArguments(  # where it runs, what it writes, how long: nothing else
    gettempdir(), use_cpu=True, save_strategy="no", max_steps=20, logging_steps=1, disable_tqdm=True
)
trainer = Trainer(Guesser(), arguments, train_dataset=rows)
trainer.remove_callback(trainer.callback_handler.callbacks[-1])  # it prints each log
trainer.train()
see("hugging-face/log", trainer.state.log_history)

# %% [markdown]
# *Implement* `options(wanted)`, which returns a dict of options for `TrainingArguments`. To try
# yours here, call `TrainingArguments("runs", use_cpu=True, **options(wanted))`. (Without `use_cpu`,
# it refuses bf16 where there's no GPU.) `wanted` is a dict:
#
# | entry | what is wanted |
# |---|---|
# | `"batch"`, `"devices"` | samples in an update, in all; how many devices (divides the batch) |
# | `"fits"` | the most samples that fit on a device at a time |
# | `"capability"` | the device's compute capability, a float, or `None` for a CPU |
# | `"updates"`, `"rate"`, `"warmup"` | updates in all, the highest rate, updates in the warm-up |
# | `"shape"` | the rate after the warm-up: `"linear"` or `"cosine"` (to 0), or `"constant"` |

# %% [markdown]
# | entry | what is wanted |
# |---|---|
# | `"clip"` | the limit of the gradient's norm; `None`: no clipping (for Trainer, a limit of 0) |
# | `"decay"`, `"seed"` | weight decay; seed |
# | `"log_every"`, `"evaluate_every"` | a log, and an evaluation, every so many updates |
# | `"save_every"` | a checkpoint every so many updates; `None`: never |
# | `"keep"` | how many checkpoints are kept, the latest ones |
#
# - Each device gets its share of the batch in equal pieces, the largest that fit.
# - A GPU of capability 8.0 or higher trains in bf16, and one below that in fp16. A CPU trains in
#   neither.
# - During the warm-up the rate rises from 0 in a straight line, as Trainer does it. With 0 updates
#   there's no warm-up.


# %% role="answer"
def options(wanted):
    ### BEGIN SOLUTION
    share = wanted["batch"] // wanted["devices"]
    piece = max(n for n in range(1, wanted["fits"] + 1) if share % n == 0)
    capability, shape = wanted["capability"], wanted["shape"]
    chosen = {
        "per_device_train_batch_size": piece,
        "gradient_accumulation_steps": share // piece,
        "bf16": capability is not None and capability >= 8,
        "fp16": capability is not None and capability < 8,
        "max_steps": wanted["updates"],
        "learning_rate": wanted["rate"],
        "warmup_steps": wanted["warmup"],
        "lr_scheduler_type": "constant_with_warmup" if shape == "constant" else shape,
        "max_grad_norm": wanted["clip"] or 0,
        "weight_decay": wanted["decay"],
        "seed": wanted["seed"],
        "logging_steps": wanted["log_every"],
    }
    chosen |= {"eval_strategy": "steps", "eval_steps": wanted["evaluate_every"]}
    if not wanted["save_every"]:
        return chosen | {"save_strategy": "no"}
    return chosen | {"save_steps": wanted["save_every"], "save_total_limit": wanted["keep"]}
    ### END SOLUTION


# %% [markdown]
# Now do what Trainer does. *Implement* `own_loop(model, batches, options, log)`, which trains
# `model` as Trainer does on one device, without mixed precision. `batches` is a list of dicts as
# the model takes them. They make up one pass (an **epoch**), and every epoch has them in this
# order. `options` is a dict with some of these six entries, under Trainer's names; where one is
# missing, Trainer's default applies. (You can look one up in `vars(TrainingArguments("runs",
# use_cpu=True))`.)
#
# - `num_train_epochs`, `gradient_accumulation_steps` (batches in an update)
# - `learning_rate`, `warmup_steps`; after the warm-up, the rate falls in a straight line to 0
# - `weight_decay`, `max_grad_norm`

# %% [markdown]
# - An update's loss is the mean over the labels that count (all but -100) in all its batches
#   together, as in *A batch that doesn't fit*. Pass the model the number of these labels as
#   `num_items_in_batch`.
# - If batches are left over at the end of an epoch, they make an update by themselves.
# - The first rate of a warm-up is 0, and the rate after the last update would be 0.
# - The gradient is clipped right before the update, unless the limit is 0.
# - The optimizer is AdamW, with PyTorch's defaults for everything else. Biases (the name contains
#   `bias`) and all parameters of a `LayerNorm` aren't decayed.
# - After each update, call `log(loss, rate)` with the loss that its batches gave, and its rate.


# %% role="answer"
def parameter_groups(model, weight_decay):
    """For AdamW: what is decayed, and what isn't."""
    ### BEGIN SOLUTION
    norms = {name for name, part in model.named_modules() if isinstance(part, nn.LayerNorm)}
    decayed, free = [], []
    for name, p in model.named_parameters():
        is_free = "bias" in name or name.rpartition(".")[0] in norms
        (free if is_free else decayed).append(p)
    return [
        {"params": decayed, "weight_decay": weight_decay},
        {"params": free, "weight_decay": 0.0},
    ]
    ### END SOLUTION


def share_of_rate(update, warmup, updates):
    """The factor on the highest rate in an update; the first one is update 0."""
    ### BEGIN SOLUTION
    if update < warmup:
        return update / warmup
    return (updates - update) / (updates - warmup)
    ### END SOLUTION


# %% role="answer"
def own_loop(model, batches, options, log):
    ### BEGIN SOLUTION
    size, epochs = options.get("gradient_accumulation_steps", 1), options.get("num_train_epochs", 3)
    peak, warmup = options.get("learning_rate", 5e-5), options.get("warmup_steps", 0)
    max_norm, decay = options.get("max_grad_norm", 1.0), options.get("weight_decay", 0.0)
    optimizer = torch.optim.AdamW(parameter_groups(model, decay), lr=peak)
    groups = [batches[first : first + size] for first in range(0, len(batches), size)]
    for update, group in enumerate(groups * epochs):
        items = sum((batch["labels"] != -100).sum() for batch in group)
        optimizer.zero_grad()
        loss = 0.0
        for batch in group:
            part = model(**batch, num_items_in_batch=items)["loss"]
            part.backward()
            loss += part.item()
        if max_norm > 0:
            nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        rate = peak * share_of_rate(update, warmup, len(groups) * epochs)
        for one in optimizer.param_groups:
            one["lr"] = rate
        optimizer.step()
        log(loss, rate)
    ### END SOLUTION


# %% role="check"
check("hf-trainer", options, own_loop)

# %% [markdown]
# *See* your loop beside Trainer itself, on a model with padding, a warm-up and a shorter last
# group. Then see the schedules of your options:

# %%
see("hf-trainer", own_loop)
see("hugging-face/schedules", options)
reveal("hf-trainer")

# %% [markdown]
# *Reflect.* Until the fall of 2024, Trainer took each batch's mean loss and divided it by the
# number of batches. What was wrong with that? (A label in a batch with a lot of padding counted
# more than one in a full batch, so the result depended on how the batch was cut. Trainer still does
# that for a model whose `forward` has no `**` argument, because it can't tell such a model the
# number of items.)
#
# You want a batch of 256 on 4 devices, and you set `per_device_train_batch_size=256`. What do you
# get? (1,024 samples in each update, and a quarter of the updates per epoch.) And what does Trainer
# do that your loop doesn't? (It shuffles, evaluates, writes checkpoints, resumes, and runs on many
# devices. For the last of these it uses Accelerate, which comes next.)

# %% [markdown] exercise="accelerate-it"
# ## The same loop, anywhere
#
# **`accelerate-it` · 9 points · about 35 minutes**
#
# Move a loop to Accelerate, so that it runs on one process or many, can be stopped, and carries on.
#
# Accelerate leaves the loop to you, and replaces a few of its lines. `prepare` wraps the model in
# DistributedDataParallel if there are several **processes** (one for each device), moves things to
# the device, and deals out the loader's batches. `backward` replaces `loss.backward()`. Without
# `accelerate launch` there's one process, and the loop behaves as it would by itself. Here's a
# plain loop for one process, in which each update is made of a **group** of `size` batches.

# %% role="given"
MAX_NORM = 1.0


def plain_loop(model, optimizer, scheduler, loader, epochs, size):
    batches = list(loader)
    for _ in range(epochs):
        for first in range(0, len(batches), size):
            group = batches[first : first + size]
            for x, y in group:
                scores = model(x)
                (functional.cross_entropy(scores, y) / len(group)).backward()
            nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()


# %% [markdown]
# *Predict.* `prepare` accepts a scheduler, too. Say you have one whose rate falls to 0 in 1,000
# steps. You prepare it, run on 4 processes, and call `scheduler.step()` once per update. After how
# many updates is the rate 0: 250, 1,000 or 4,000?

# %% role="predict"
predict("accelerate-it", 1000)

# %% [markdown]
# *Implement* `train(accelerator, model, optimizer, scheduler, loader, epochs, folder, stop_after)`.
# Nothing that you get is prepared yet. A group is `accelerator.gradient_accumulation_steps` batches
# of each process, and `scheduler` counts updates.
#
# - Each update is the one that the plain loop makes from all processes' batches in that group. So 2
#   processes with groups of 3 make the updates of a plain loop with groups of 6. (The number of
#   batches is a multiple of the number of processes, and all batches have the same size.)
# - That's also true of the shorter group at the end of an epoch. (`accelerator.backward` divides
#   each loss by `gradient_accumulation_steps`, however many batches the group has.)
# - Gradients are clipped at `MAX_NORM`, once per update.
# - The schedule makes one step per update.

# %% [markdown]
# - Right after update `stop_after`, counted from the start of the whole run, `train` saves what a
#   later call needs in `folder`, and returns. With `None` it runs to the end.
# - `folder` is a `pathlib.Path` that exists. If it isn't empty, an earlier call has saved there, in
#   a process that's gone. This call continues from there with newly made objects (other weights, a
#   new scheduler), and the updates are those of a run that was never stopped. (The loader's order
#   is the same in each epoch.)
#
# `save_state(folder)` writes everything that was prepared or **registered**. `load_state(folder)`
# reads it back, once the same things are prepared and registered again. This class can be
# registered:


# %% role="given"
class Place:
    """How far a run has come. Accelerate saves and loads what has these two methods."""

    def __init__(self):
        self.epoch, self.batch, self.updates = 0, 0, 0  # `batch`: of this epoch

    def state_dict(self):
        return dict(vars(self))

    def load_state_dict(self, state):
        vars(self).update(state)


# %% [markdown]
# This is what you need from the `accelerator`: `prepare`, `register_for_checkpointing`,
# `load_state`, `save_state`, `backward` and `clip_grad_norm_`, and
#
# - `skip_first_batches(loader, count)`: the same loader without its first batches.
# - `accumulate(model)`: a `with` block around each batch. Only at the end of a group are gradients
#   exchanged, and only there do the prepared optimizer's `step` and `zero_grad` do anything.
# - `sync_gradients`: whether this batch ends a group. A group ends when it's full, and where the
#   loader ends.
#
# A prepared loader has a length, too: the batches of this process.


# %% role="answer"
def train(accelerator, model, optimizer, scheduler, loader, epochs, folder, stop_after=None):
    ### BEGIN SOLUTION
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    place, size = Place(), accelerator.gradient_accumulation_steps
    accelerator.register_for_checkpointing(scheduler, place)
    if any(folder.iterdir()):
        accelerator.load_state(folder)
    while place.epoch < epochs:
        for x, y in accelerator.skip_first_batches(loader, place.batch):
            with accelerator.accumulate(model):
                mean = functional.cross_entropy(model(x), y)
                accelerator.backward(mean / min(1, len(loader) / size - place.batch // size))
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), MAX_NORM)
                optimizer.step()
                optimizer.zero_grad()
            place.batch += 1
            if accelerator.sync_gradients:
                scheduler.step()
                place.updates += 1
                if place.updates == stop_after:
                    accelerator.save_state(folder)
                    return
        place.epoch, place.batch = place.epoch + 1, 0
    ### END SOLUTION


# %% [markdown]
# *Implement* `evaluate(accelerator, model, loader)`: the accuracy over all samples of `loader`,
# which is the same number on each process. Each process looks at its share of the samples. The
# model has dropout. Neither the model nor the loader is prepared.
#
# `prepare` deals out batches so that all processes have the same number of them, of the same size.
# If the samples don't divide evenly, it takes some from the start again. `accelerator.gather` gives
# each process what all of them have. `gather_for_metrics` does the same, and drops those extra
# samples.


# %% role="answer"
def evaluate(accelerator, model, loader):
    ### BEGIN SOLUTION
    model, loader = accelerator.prepare(model, loader)
    model.eval()
    right = count = 0
    with torch.no_grad():
        for x, y in loader:
            guesses, labels = accelerator.gather_for_metrics((model(x).argmax(-1), y))
            right, count = right + (guesses == labels).sum().item(), count + len(labels)
    return right / count
    ### END SOLUTION


# %% role="check"
check("accelerate-it", train, evaluate)

# %% [markdown]
# The check runs Accelerate itself, on one process and on simulated ones. On its card, rank 0 is the
# first process. *See* how far your updates are from the plain loop's in each kind of run, and the
# learning rates on 1, 2 and 4 processes:

# %%
see("accelerate-it", train)
see("hugging-face/rates", train)
reveal("accelerate-it")

# %% [markdown]
# *Reflect.* Why would anybody want a scheduler that makes 4 steps per update? (A schedule that was
# planned for one process counts that process's updates, and 4 processes need only a quarter as many
# for the same data. In the examples of `transformers`, the number of steps is multiplied by the
# number of processes.)
#
# What goes wrong if the loader shuffles? (The order of the epoch that was stopped is lost, unless
# it follows from a seed and the epoch: `DataLoaderConfiguration(use_seedable_sampler=True)`.) And
# what about texts with padding? (The mean over batches isn't the mean over labels. Count the labels
# of the group, `gather` the counts and add them up, and divide sums by the total. Then undo what
# Accelerate and DistributedDataParallel divide by.)

# %% [markdown] exercise="stream-it"
# ## A dataset that doesn't fit
#
# **`stream-it` · 6 points · about 20 minutes**
#
# Stream a dataset through a real pipeline, so that each sample of an epoch is read once, no matter
# who reads it or where the run was stopped.
#
# A streamed dataset of the library `datasets` is read while you train. Its files are **shards**. To
# shuffle it, the library shuffles the order of the shards, reads samples into a **buffer** (taking
# turns between up to 10 shards), and draws from the buffer at random.
#
# `split_dataset_by_node(stream, rank, ranks)` shares out the shards if their number is a multiple
# of the ranks. Otherwise each rank reads all of them and keeps every `ranks`-th sample.

# %% [markdown]
# *Predict.* There are 16 shards and 3 ranks. From how many shards does each rank read? The second
# question is about a stream's `state_dict()`, from which another process can continue. If there's a
# shuffle buffer of 1,000, how many samples of the epoch are never read after that: `"none"`,
# `"one"` or `"up to 1,000"`?

# %% role="predict"
predict("stream-it", 6)
predict("stream-it-stop", "up to 1,000")

# %% [markdown]
# *Implement* `deal(stream, prepare, rank, ranks, seed, buffer)`, which returns the stream of one
# rank. Also *implement* `read(stream, epoch, done, count)`, which gets such a stream, newly made.
# It returns a list: the samples of that epoch after the first `done` of this rank, `count` of them,
# or fewer if there are no more. A sample is a dict with `"id"` and `"text"`.
#
# - In an epoch, each sample is read by one rank, once. (All ranks get the same `seed`.)
# - Samples have gone through `prepare`, which takes a **batch** of at most 16 (a dict of lists) and
#   adds the entry `"words"`.
# - They're shuffled, with a buffer of `buffer` samples. The order depends only on seed and epoch,
#   and each epoch has its own. (The method `set_epoch` is for that.)
# - A pass that's read in pieces, each in a new process, gives the same as a pass that's read at
#   once.


# %% role="given"
import itertools

from datasets.distributed import split_dataset_by_node


# %% role="answer"
def deal(stream, prepare, rank, ranks, seed, buffer):
    ### BEGIN SOLUTION
    stream = stream.shuffle(seed=seed, buffer_size=buffer)
    stream = split_dataset_by_node(stream, rank, ranks)
    return stream.map(prepare, batched=True, batch_size=16)
    ### END SOLUTION


def read(stream, epoch, done, count):
    ### BEGIN SOLUTION
    stream.set_epoch(epoch)
    return list(itertools.islice(stream, done, done + count))
    ### END SOLUTION


# %% [markdown]
# On a rank, a `DataLoader` has `workers` processes that read. Each shard that the rank reads from
# belongs to one of them, and a worker without a shard does nothing. *Implement*
# `busy_workers(shards, ranks, workers)`: how many workers of a rank read anything, after
# `split_dataset_by_node`?


# %% role="answer"
def busy_workers(shards, ranks, workers):
    ### BEGIN SOLUTION
    own = shards // ranks if shards % ranks == 0 else shards
    return min(workers, own)
    ### END SOLUTION


# %% role="check"
check("stream-it", deal, read, busy_workers)

# %% [markdown]
# *See* the order that a small buffer gives, from one shard and from eight. The second picture is an
# epoch that was stopped, then continued by your `read`, and from the stream's state.

# %%
see("stream-it", deal, read)
see("hugging-face/stop", deal, read)
reveal("stream-it")
reveal("stream-it-stop")

# %% [markdown]
# *Reflect.* Files are often sorted, by date or by language. What does a buffer of 1,000 do to a
# file of a million samples? (Most samples move by about a thousand places at most, so each batch
# still comes from one corner of the file. Most of the mixing comes from the shards. So make many of
# them, and shuffle before you write them.)
#
# What does your `read` cost? (It reads everything that it skips, so after 90% of an epoch that's a
# long wait. Continuing from the state takes a moment, and with billions of samples you may not mind
# losing a thousand.) And what would you do about 16 shards on 3 ranks? (Cut the dataset into a
# number of shards that's a multiple of the ranks.)

# %% [markdown]
# ## What you take with you
#
# - The batch that an optimizer sees is the product of the piece on each device, the accumulation
#   steps, and the number of devices.
# - Trainer and Accelerate do what your loop does: the same steps give the same weights.
# - A run that continues from a checkpoint needs the state of everything that has one.
#
# **Your number:** the effective batch size of your last run with Trainer.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - What Trainer does in an update, which labels it counts, what it doesn't decay, and its defaults:
#   `transformers` 5.24, `Trainer.get_batch_samples`, `Trainer.training_step`,
#   `Trainer.get_decay_parameter_names`, `TrainingArguments`. What it did before: Hugging Face's
#   blog, "Fixing Gradient Accumulation", October 2024.
# - Schedules: `transformers.optimization`. bfloat16 on devices of capability 8.0 and later: NVIDIA,
#   CUDA C++ Programming Guide, "Compute Capabilities".
# - What `accumulate`, `backward` and a prepared scheduler do: `accelerate` 1.15, `Accelerator`,
#   `AcceleratedScheduler.step`. Steps times processes: `run_glue_no_trainer.py` in the examples of
#   `transformers`.
# - Buffers, shards by rank and by worker, and states without the buffer: `datasets` 5.2,
#   `IterableDataset.shuffle`, `split_dataset_by_node`, `BufferShuffledExamplesIterable`.
