# %% [markdown]
# # Can you make it fast?
#
# Each lesson before this one had a subject. A slow program doesn't have one: it's just slow. Here
# you get a program that is correct, has some 300 lines, and wastes time in twelve ways. You find
# them with the tools that you know, fix them, and prove that the result is the same.
#
# **You will be able to** find out what a training program wastes, and on which line; fix it
# without changing its result; and write a report that others can check.
#
# **You need** *The training step*, *Training memory*, *Copies and streams* and *Data parallelism*,
# and an editor, because this time you work on files. **Time** about 115 minutes, in one sitting or
# in several.

# %% role="setup"
from gpuedu import check, hint, measure, predict, progress, reveal, see, setup

setup("capstone")

# %% [markdown] exercise="make-it-fast"
# ## Twelve causes
#
# **`make-it-fast` · 34 points · about 110 minutes**
#
# Make a slow training program fast, and report what you changed.
#
# The program learns to read rows of three digits aloud: from an image of 8x24 pixels to
# `seven,one,four`. A small ResNet looks at the image, and a small GPT writes the letters. Data and
# checkpoints are in a **store** on another machine. Each request to it takes a millisecond, and
# after that 200 MB arrive per second. Several ranks can train together.
#
# *Predict.* About how many launches does one step of it make: `"40"`, `"400"`, `"4,000"` or
# `"40,000"`?

# %% role="predict"
predict("make-it-fast", "4,000")

# %% [markdown]
# The next cell writes the program into the folder `fast`, beside this notebook. (Files that are
# there already stay as they are.) Open them in JupyterLab, and start with `train.py`: it has
# `run(store, settings)`, which trains and returns the history.
#
# Beside the folder there's a script that runs it. In a terminal, `gpuedu profile --steps 2 --warmup
# 1 run_fast.py` says, line by line, what that costs and what you can do about it. (The program is
# slow, so give it a minute or two, or more on a busy machine.) Where it advises `torch.compile` or
# pinned memory, pass that over: the first isn't allowed here, and the second needs a GPU.
#
# `python run_fast.py` just runs the program, and `python run_fast.py 2` runs it on two simulated
# ranks.

# %% role="given"
from gpuedu import read_program, start_program

start_program("fast")

# %% [markdown]
# *Implement* a fast version, in these files. You may change, add and remove whatever you like.
#
# - `train.run(store, settings)` returns the same history, within 0.2%: the loss of each step, and
#   for each epoch the share of correct letters in training, and loss and share in evaluation. What
#   is drawn at random is drawn as it is now.
# - If the store holds a checkpoint that your program wrote, `run` continues from there, at the
#   start of the next epoch.
# - A loss that isn't finite still stops the run: at the latest at the end of the epoch, before that
#   epoch's checkpoint is written.
# - Two ranks return the same history as one. (Each batch divides evenly between them.)

# %% [markdown]
# - The model computes on the device only, and is evaluated between `model.eval()` and
#   `model.train()`, once an epoch, with no training in between.
# - The store has `read(name)`, `write(name, content)`, and `read_many(names)`, which returns a list
#   in the order of the names, and counts as one request. `name in store` costs no request.
# - You may use what training needs of NumPy, PyTorch, and Python's library (`io`, `math`, ...).
# - Not allowed are `torch.compile`, `torch.func`, `torch.nn.parallel` (with DDP),
#   `torch.utils.data` (with `DataLoader`), and whatever is private (`torch._foreach_add_`). Of
#   `torch.autograd` you may use `grad`. A card that refuses a module or a function lists others.

# %% [markdown]
# Nobody uses a stopwatch here: what counts is the **bill**, which is the same on every machine. CPU
# tensors stand in for a GPU's, as in *The training step*. Each operation is a launch, and the
# optimizers of `torch.optim` update all weights together, as they do on a GPU.
#
# | cost | at most | cost | at most |
# |---|---|---|---|
# | read in a run | each file once | other launches | 24 a step |
# | requests to the store | 16 a run | launches that update the weights | 60 a step |
# | copies to the device | 4 a step | work | 1.3 times the minimum |
# | bytes copied | 1.2 times float32 | alive after each step | 1 kB more |
# | waits in training | 3 an epoch | images at once in evaluation | at least 4 |
# | written | one checkpoint an epoch | recorded in evaluation | nothing |

# %% [markdown]
# *Other launches* belong neither to the model nor to the update: they prepare a batch, or count the
# letters that are right. What `torch.save` reads from the device isn't counted as a wait.
#
# On two ranks there are at most 4 collectives a step. Together they put at most 1.4 times as many
# bytes on the wires as an all-reduce of all gradients. (A reduce-scatter followed by an all-gather
# counts as one all-reduce does.)
#
# *See* the bill of the program as it is, with each limit in numbers. (This takes a few seconds: the
# program is slow, and counting makes it slower.)

# %%
see("make-it-fast")

# %% [markdown]
# The next cell reads the files in your folder. You don't write anything in it: what's between its
# quotes is for handing in a notebook, as explained below.

# %% role="answer"
handed_in = r'''
### BEGIN SOLUTION
# === data.py
"""Images and captions: from the store, through the augmentation, onto the device."""

import io
import json

import numpy as np
import torch

START, END, PAD = "^", "$", " "
ALPHABET = START + END + PAD + "efghinorstuvwxz,"


class Data:
    """The samples of one split: an image of 8x24 pixels from 0 to 15, and its caption."""

    def __init__(self, store, split, settings):
        self.settings = settings
        self.captions = json.loads(store.read(f"{split}/captions.json"))
        self.length = 2 + max(len(caption) for caption in self.captions)
        files = store.read_many(f"{split}/{index:04d}.npy" for index in range(len(self)))
        pixels = np.stack([np.load(io.BytesIO(file)) for file in files])
        self.images = ((pixels / 15 - 0.3) / 0.37).astype(np.float32)
        texts = [(START + one + END).ljust(self.length, PAD) for one in self.captions]
        self.tokens = np.array([[ALPHABET.index(letter) for letter in text] for text in texts])

    def __len__(self):
        """How many samples there are."""
        return len(self.captions)

    def on_device(self, images, tokens):
        """Both on the device."""
        device = self.settings["device"]
        return torch.from_numpy(images[:, None]).to(device), torch.from_numpy(tokens).to(device)

    def batches(self, epoch):
        """All samples of an epoch in shuffled order, in batches of augmented images and tokens.

        Where several ranks train together, each takes its share of every batch.
        """
        draws = np.random.default_rng([self.settings["seed"], epoch])
        order = draws.permutation(len(self))
        downs, rights = draws.integers(-1, 2, (2, len(self)))
        contrasts = draws.uniform(0.8, 1.2, len(self)).astype(np.float32)
        size, rank, ranks = (self.settings[name] for name in ("batch", "rank", "ranks"))
        height, width = self.images.shape[1:]
        for first in range(0, len(self), size):
            chosen = order[first : first + size][rank::ranks]
            rows = (np.arange(height) - downs[chosen, None]) % height
            columns = (np.arange(width) - rights[chosen, None]) % width
            images = self.images[chosen[:, None, None], rows[:, :, None], columns[:, None, :]]
            yield self.on_device(images * contrasts[chosen, None, None], self.tokens[chosen])
# === evaluate.py
"""How good the model is on images that it was not trained on."""

import torch

from .losses import caption_loss, letter_scores, right_letters


@torch.no_grad()
def evaluate(model, data):
    """Loss, and the share of right letters, over all samples of ``data``."""
    model.eval()
    losses, counts = [], []
    size = data.settings["batch"]
    for first in range(0, len(data), size):
        images = data.images[first : first + size]
        images, tokens = data.on_device(images, data.tokens[first : first + size])
        scores = letter_scores(model, images, tokens)
        losses.append(caption_loss(scores, tokens) * len(tokens))
        counts.append(torch.stack(right_letters(scores, tokens)))
    right, letters = torch.stack(counts).sum(0).tolist()
    loss = torch.stack(losses).sum().item() / len(data)
    model.train()
    return loss, right / letters
# === losses.py
"""How wrong the model is about each letter."""

from torch.nn import functional

from .data import ALPHABET, PAD


def letter_scores(model, images, tokens):
    """The scores of every letter but the first: (N, T - 1, letters)."""
    return model(images, tokens[:, :-1])


def caption_loss(scores, tokens):
    """The loss of all letters that aren't padding, divided by the places for letters."""
    wanted = tokens[:, 1:].flatten()
    losses = functional.cross_entropy(
        scores.flatten(0, 1), wanted, ignore_index=ALPHABET.index(PAD), reduction="sum"
    )
    return losses / len(wanted)


def right_letters(scores, tokens):
    """How many letters have the highest score, and how many there are, without padding."""
    wanted = tokens[:, 1:]
    counted = wanted != ALPHABET.index(PAD)
    return ((scores.argmax(-1) == wanted) & counted).sum(), counted.sum()
# === model.py
"""A small ResNet that looks at an image, and a small GPT that says what it shows."""

import torch
from torch import nn
from torch.nn import functional


class ResidualBlock(nn.Module):
    """Two 3x3 convolutions beside a shortcut: (N, C, H, W) to (N, D, H/2, W/2)."""

    def __init__(self, channels, wider):
        super().__init__()
        self.first = nn.Conv2d(channels, wider, 3, stride=2, padding=1)
        self.first_norm = nn.GroupNorm(4, wider)
        self.second = nn.Conv2d(wider, wider, 3, padding=1)
        self.second_norm = nn.GroupNorm(4, wider)
        self.shortcut = nn.Conv2d(channels, wider, 1, stride=2)

    def forward(self, images):
        """The block's output."""
        inner = functional.relu(self.first_norm(self.first(images)))
        inner = self.second_norm(self.second(inner))
        return functional.relu(inner + self.shortcut(images))


class Encoder(nn.Module):
    """An image (N, 1, 8, 24) to three states (N, 3, width), one for each digit."""

    def __init__(self, width):
        super().__init__()
        self.stem = nn.Conv2d(1, 8, 3, padding=1)
        self.blocks = nn.Sequential(ResidualBlock(8, 16), ResidualBlock(16, width))

    def forward(self, images):
        """The states."""
        features = self.blocks(functional.relu(self.stem(images.float())))
        return features.unflatten(-1, (3, 2)).mean(dim=(2, 4)).transpose(1, 2)


class Block(nn.Module):
    """Causal attention, then a network at each position, each added to what it was given."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.attention_norm = nn.LayerNorm(width)
        self.query_key_value = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.network_norm = nn.LayerNorm(width)
        self.network = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, states):
        """(N, T, width) to (N, T, width)."""
        parts = self.query_key_value(self.attention_norm(states))
        parts = parts.unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(*parts, is_causal=True)
        states = states + self.out(mixed.transpose(1, 2).flatten(2))
        return states + self.network(self.network_norm(states))


class Reader(nn.Module):
    """Images and the letters of their captions to scores of the letter that comes after each.

    The GPT reads the three states of the image first, and then the letters.
    """

    def __init__(self, letters, length, width=32, heads=4, layers=2):
        super().__init__()
        self.encoder = Encoder(width)
        self.letters = nn.Embedding(letters, width)
        self.places = nn.Embedding(3 + length, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, letters)

    def forward(self, images, tokens):
        """Scores (N, T, letters) of the letters after the tokens (N, T)."""
        states = torch.cat([self.encoder(images), self.letters(tokens)], dim=1)
        places = torch.arange(states.shape[1], device=states.device)
        states = self.blocks(states + self.places(places))
        return self.head(self.norm(states[:, -tokens.shape[1] :]))
# === parallel.py
"""Several ranks that train one model, each on its share of every batch."""

import torch
import torch.distributed as dist


def average_gradients(model, ranks):
    """Give every rank the mean of all gradients."""
    if ranks == 1:
        return
    weights = list(model.parameters())
    bucket = torch.cat([weight.grad.flatten() for weight in weights])
    dist.all_reduce(bucket)
    parts = (bucket / ranks).split([weight.numel() for weight in weights])
    for weight, part in zip(weights, parts, strict=True):
        weight.grad.copy_(part.view_as(weight))


def total(value, ranks):
    """The sum of what all ranks have."""
    if ranks > 1:
        dist.all_reduce(value)
    return value
# === train.py
"""The training loop."""

import math

import torch
from torch.nn.utils import clip_grad_norm_
from torch.optim import AdamW

from .checkpoint import load, save
from .data import ALPHABET, Data
from .evaluate import evaluate
from .losses import caption_loss, letter_scores, right_letters
from .model import Reader
from .parallel import average_gradients, total


def run(store, settings):
    """Train, and return the history: a number for each step or epoch.

    ``settings`` has "seed", "epochs", "batch", "learning_rate", "weight_decay", "clip", "device",
    and "rank" of "ranks". If the store holds a checkpoint, the run continues from it.
    """
    torch.manual_seed(settings["seed"])
    train, held_out = (Data(store, split, settings) for split in ("train", "held_out"))
    model = Reader(len(ALPHABET), train.length).to(settings["device"])
    rate, decay = settings["learning_rate"], settings["weight_decay"]
    optimizer = AdamW(model.parameters(), rate, weight_decay=decay)
    history, epochs_done = load(store, model, optimizer)
    ranks = settings["ranks"]
    for epoch in range(epochs_done, settings["epochs"]):
        losses, counts = [], []
        for images, tokens in train.batches(epoch):
            scores = letter_scores(model, images, tokens)
            loss = caption_loss(scores, tokens)
            optimizer.zero_grad()
            loss.backward()
            average_gradients(model, ranks)
            clip_grad_norm_(model.parameters(), settings["clip"])
            optimizer.step()
            losses.append(loss.detach() / ranks)
            counts.append(torch.stack(right_letters(scores.detach(), tokens)))
        read = total(torch.stack(losses), ranks).tolist()
        if not all(map(math.isfinite, read)):
            raise RuntimeError(f"the losses are {read}")
        history["losses"] += read
        right, letters = total(torch.stack(counts).sum(0), ranks).tolist()
        history["train_accuracy"].append(right / letters)
        loss, accuracy = evaluate(model, held_out)
        history["loss"].append(loss)
        history["accuracy"].append(accuracy)
        if settings["rank"] == 0:
            save(store, model, optimizer, history, epoch + 1)
    return history
### END SOLUTION
'''
program = read_program("fast", handed_in)

# %% [markdown]
# *See* the bill again, now with your program beside the slow one.

# %%
see("make-it-fast", program)

# %% [markdown]
# Where should you look? You can find out by yourself, or let this table guide you. It names the
# tool that shows each cause:
#
# | cause | tool | lesson |
# |---|---|---|
# | reads and requests | count them, or use the clock | *Feed the GPU* |
# | copies, waits | `gpuedu profile`, by line | *The training step* |
# | launches | `gpuedu profile`, by line | *Arrays and CuPy*, *Custom kernels* |
# | FLOP | `torch.utils.flop_counter` | *The training step* |
# | bytes that stay alive, or are saved | `gpuedu.training.memory` | *Training memory* |
# | messages | `gpuedu.multi.run_light` | *Data parallelism* |

# %% [markdown]
# ### Prove it
#
# If you say that something got faster, others should be able to count it again. *Implement* a
# report, with one row for each cost in the figure above, under the same name:
#
# ```
# | waits in training, an epoch | 163 | 2 | 81.5 | train.py |
# | read in a run | 28.3 KiB | 14.5 KiB | 1.95 | data.py |
# ```
#
# - The numbers before and after are the figure's, with their units. (Those on the card differ a
#   little, because it counts another task.)
# - `times` is one divided by the other, so that more is better. It's `all` if nothing is left.
# - The last column names the files that you changed for it, separated by commas. One of them, at
#   least, is a file in which this cost arises, or a new one.

# %% [markdown]
# The other lines are up to you: say what you found first, and what helped most. On a class's
# leaderboard you appear under the name that you write in the last line, and only if you write one
# and the cell holds nothing but the report.

# %% role="answer"
report = """
| cost | before | after | times | changed in |
|---|---|---|---|---|
# ### BEGIN SOLUTION
| read in a run | 28.3 KiB | 14.5 KiB | 1.95 | data.py |
| requests in a run | 98 | 6 | 16.3 | data.py |
| copies to the device, a step | 24 | 2 | 12 | data.py |
| bytes copied, a step | 19.8 KiB | 10.8 KiB | 1.83 | data.py |
| waits in training, an epoch | 163 | 2 | 81.5 | train.py |
| other launches, a step | 47 | 9 | 5.22 | data.py |
| launches that update the weights | 936 | 16 | 58.5 | train.py |
| work, a step | 866 MFLOP | 63.4 MFLOP | 13.7 | losses.py, model.py |
| more alive after each step | 17.8 KiB | 20 B | 912 | train.py |
| recorded in an evaluation | 5,800 | 0 | all | evaluate.py |
| written in an epoch | 2.27 MiB | 594 KiB | 3.9 | train.py |
| images at once in evaluation | 1 | 8 | 8 | evaluate.py |
| collectives, a step | 53.7 | 1.7 | 32.2 | parallel.py |
# ### END SOLUTION

Leaderboard: no
"""

# %% role="check"
check("make-it-fast", program, report)

# %%
reveal("make-it-fast")

# %% [markdown]
# *Reflect.* Which of the twelve would you have found by reading alone? Which of them costs the most
# on a real GPU? (Count: a launch takes the host some 5 µs, a wait stops the host until the device
# is done, and each message takes its latency.)
#
# In a class: write `program = read_program("fast", pack=True)` in the cell that has `handed_in`,
# and run it. Then the cell holds your files, and so does the notebook that you hand in.

# %% [markdown]
# Counts aren't times. So how long do both programs take here, on your GPU or on one core? (The
# store's time isn't included, because it's only simulated.)

# %%
measure("make-it-fast", program)

# %% [markdown]
# Which of your changes can you see in that, and which are hidden behind something slower? Undo one
# of them, and measure again.

# %% [markdown] exercise="make-it-fast-too"
# ## Eight more
#
# **`make-it-fast-too` · 16 points · stretch · about 60 minutes**
#
# If you want more, make a second program fast, one that is slow for other reasons. A small GPT
# learns to count aloud from rows such as `two five eight one four`, and then continues the
# beginnings of such rows. This program wastes memory, precision, bytes between ranks, and work
# that's repeated while it writes.
#
# *Predict.* It continues 16 letters with 16 more, and reads the whole text again for each of them.
# By what factor would it read fewer letters in all, the prompt included, if it read none twice?

# %% role="predict"
predict("make-it-fast-too", 12.1)

# %% role="given"
from gpuedu import read_program, start_program

start_program("faster")

# %% [markdown]
# *Implement* a fast version of it, in the folder `faster`, as before. To try it, `python
# run_faster.py` trains and then writes, and `python run_faster.py 2` trains on two ranks.
#
# - `train.run(store, settings)` returns the same losses within 0.3%, and two ranks return the same
#   losses as one. No more than `settings["micro"]` rows go through the model at once.
# - It writes `weights.pt` to the store: the weights under the same names, in float32.
# - `write.run(store, settings)` reads such a file, continues all prompts, which have the same
#   length, and returns the same texts. It writes `settings["letters"]` letters, whatever they are.
# - All matmuls of the model are computed on the device.

# %% [markdown]
# This is the bill of that program. W stands for the bytes of all weights in float32:
#
# | cost | at most | cost | at most |
# |---|---|---|---|
# | saved for backward at once | 1.2 times the minimum | work, a letter | 1.6 times the minimum |
# | training's work in float32 | 10% | launches, a letter | 12 |
# | alive all the time in training | 4.8 W, and the rows | waits in writing | 4 |
#
# Each of two ranks may pass 1.6 W a step to collectives that reduce or gather, and 0.1 W to other
# messages: both are means over the ranks. What is handed over counts once, so an all-reduce of all
# gradients is W.
#
# What is saved for the backward pass is counted in numbers, not bytes. Weights don't count, and the
# minimum includes no attention scores. A step may compute at most 1.2 times the minimum.

# %% [markdown]
# *See* what that program costs as it is.

# %%
see("make-it-fast-too")

# %% role="answer"
handed_in = r'''
### BEGIN SOLUTION
# === model.py
"""A small GPT that reads letters."""

import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    """Causal attention, then a network at each position, each added to what it was given."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.attention_norm = nn.LayerNorm(width)
        self.query_key_value = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.network_norm = nn.LayerNorm(width)
        self.network = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def attention(self, states, past):
        """What each position takes from those before it, (N, T, width), and all keys and values."""
        parts = self.query_key_value(self.attention_norm(states))
        query, key, value = parts.unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        if past is not None:
            key, value = torch.cat([past[0], key], dim=2), torch.cat([past[1], value], dim=2)
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=past is None)
        return self.out(mixed.transpose(1, 2).flatten(2)), (key, value)

    def forward(self, states, past=None):
        """(N, T, width) to (N, T, width), and the keys and values of all positions so far.

        ``past`` are those of the positions before; then T is 1.
        """
        mixed, past = self.attention(states, past)
        states = states + mixed
        return states + self.network(self.network_norm(states)), past


class Writer(nn.Module):
    """The first letters of texts to scores of the letter that comes next, after each of them."""

    def __init__(self, letters, length=64, width=32, heads=4, layers=2):
        super().__init__()
        self.letters = nn.Embedding(letters, width)
        self.places = nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, letters)

    def forward(self, tokens, cache=None):
        """Tokens (N, T) to scores (N, T, letters), and a cache to continue from with one letter."""
        first = cache[0][0].shape[2] if cache else 0
        places = torch.arange(first, first + tokens.shape[1], device=tokens.device)
        states, pasts = self.letters(tokens) + self.places(places), []
        for place, block in enumerate(self.blocks):
            states, past = block(states, cache[place] if cache else None)
            pasts.append(past)
        return self.head(self.norm(states)), pasts
# === optimizer.py
"""AdamW, on all weights as one vector."""

import torch
from torch.nn.utils import parameters_to_vector, vector_to_parameters


class AdamW:
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2019)."""

    def __init__(self, weights, settings):
        self.weights = list(weights)
        self.rate, self.decay = settings["learning_rate"], settings["weight_decay"]
        flat = parameters_to_vector(self.weights).detach()
        self.mean = torch.zeros_like(flat)
        self.square = torch.zeros_like(flat)
        self.steps = 0

    @torch.no_grad()
    def step(self):
        """Move every weight."""
        self.steps += 1
        gradient = torch.cat([weight.grad.flatten() for weight in self.weights])
        self.mean.mul_(0.9).add_(gradient, alpha=0.1)
        self.square.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
        scale = (self.square / (1 - 0.999**self.steps)).sqrt() + 1e-8
        moved = self.mean / (1 - 0.9**self.steps) / scale
        flat = parameters_to_vector(self.weights) * (1 - self.rate * self.decay)
        vector_to_parameters(flat - self.rate * moved, self.weights)

    def zero_grad(self):
        """Forget the gradients."""
        for weight in self.weights:
            weight.grad = None
# === parallel.py
"""Several ranks that train one model, each on its share of every batch."""

import torch
import torch.distributed as dist


def average_gradients(model, ranks):
    """Give every rank the mean of all gradients."""
    if ranks == 1:
        return
    weights = list(model.parameters())
    bucket = torch.cat([weight.grad.flatten() for weight in weights])
    dist.all_reduce(bucket)
    parts = (bucket / ranks).split([weight.numel() for weight in weights])
    for weight, part in zip(weights, parts, strict=True):
        weight.grad.copy_(part.view_as(weight))


def total(value, ranks):
    """The sum of what all ranks have."""
    if ranks > 1:
        dist.all_reduce(value)
    return value
# === train.py
"""The training loop."""

import io

import torch
from torch.nn import functional

from .data import ALPHABET, batches, read_rows
from .model import Writer
from .optimizer import AdamW
from .parallel import average_gradients, total


def text_loss(model, tokens):
    """The mean loss of each letter but the first."""
    with torch.autocast(tokens.device.type, torch.bfloat16):
        scores, _ = model(tokens[:, :-1])
        return functional.cross_entropy(scores.flatten(0, 1), tokens[:, 1:].flatten())


def run(store, settings):
    """Train, write the weights to the store, and return the history: a loss for each step.

    ``settings`` has "seed", "epochs", "batch", "micro", "learning_rate", "weight_decay", "device",
    and "rank" of "ranks".
    """
    torch.manual_seed(settings["seed"])
    rows, ranks = read_rows(store, settings), settings["ranks"]
    model = Writer(len(ALPHABET)).to(settings["device"])
    optimizer = AdamW(model.parameters(), settings)
    losses = []
    for epoch in range(settings["epochs"]):
        for parts in batches(rows, epoch, settings):
            optimizer.zero_grad()
            shares = []
            for part in parts:
                loss = text_loss(model, part) / len(parts)
                loss.backward()
                shares.append(loss.detach())
            average_gradients(model, ranks)
            optimizer.step()
            losses.append(torch.stack(shares).sum() / ranks)
    history = {"losses": total(torch.stack(losses), ranks).tolist()}
    if settings["rank"] == 0:
        file = io.BytesIO()
        torch.save(model.state_dict(), file)
        store.write("weights.pt", file.getvalue())
    return history
# === write.py
"""Writing: the model continues prompts, always with the letter that has the highest score."""

import io
import json

import torch

from .data import ALPHABET, to_tokens
from .model import Writer


def read_model(store, settings):
    """The model that was trained, from the store."""
    model = Writer(len(ALPHABET)).to(settings["device"])
    model.load_state_dict(torch.load(io.BytesIO(store.read("weights.pt"))))
    return model.eval()


@torch.no_grad()
def run(store, settings):
    """The prompts, each followed by "letters" more letters; all prompts have the same length."""
    model = read_model(store, settings)
    fresh, cache = to_tokens(json.loads(store.read("prompts.json")), settings["device"]), None
    written = [fresh]
    for _ in range(settings["letters"]):
        scores, cache = model(fresh, cache)
        fresh = scores[:, -1].argmax(-1, keepdim=True)
        written.append(fresh)
    texts = torch.cat(written, dim=1).tolist()
    return ["".join(ALPHABET[token] for token in one) for one in texts]
### END SOLUTION
'''
program_too = read_program("faster", handed_in)

# %% [markdown]
# *See* the bill of your version.

# %%
see("make-it-fast-too", program_too)

# %% role="check"
check("make-it-fast-too", program_too)

# %%
reveal("make-it-fast-too")

# %% [markdown]
# *Reflect.* Autocast changed the losses by less than 0.1% here. Why is it safe to do a step's work
# in 16 bits, but not to keep a moment of AdamW in 16 bits? (What happens to 0.999 times a number
# when it's rounded to 8 significant bits?) On two ranks, gradients travel once a step. What would
# DDP's `no_sync` do here?

# %% [markdown]
# ## What you take with you
#
# - Measure first: what a program wastes is rarely where you would look.
# - Change one thing at a time, and check that the result is the same.
# - A report says what was counted, before and after, so that others can count it again.
#
# **Your number:** by what factor your program cuts the launches in a step.

# %%
progress()

# %% [markdown]
# ## Sources
#
# - The digits: scikit-learn's copy of the test set of "Optical Recognition of Handwritten Digits",
#   UCI Machine Learning Repository.
# - AdamW: I. Loshchilov and F. Hutter, *Decoupled Weight Decay Regularization*, 2019,
#   arXiv:1711.05101, algorithm 2.
