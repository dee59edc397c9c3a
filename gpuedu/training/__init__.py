"""Small real models, data and loops that the lessons on training share, each on one page.

- ``mlp``, ``resnet``, ``gpt``: the models.
- ``digits``, ``shapes`` (with ``shape_outlines``), ``library_text``: the data; ``data``: what a
  dataset is, and batches of it; ``seeds``: chance.
- ``loop``: training; ``streams``, ``parameters``, ``first_step``: what it refuses; ``history``:
  what it records; ``hooks``, ``stopwatch``, ``interruption``: what goes on beside it.
- ``evaluation``: how good a model is. ``errors``: every fault, with a likely cause.
- ``memory``: where the bytes of a step are.
"""

from gpuedu.training.data import Batches, DataSet, Split
from gpuedu.training.digits import load_digits
from gpuedu.training.errors import SimulatedOutOfMemoryError, TrainingError
from gpuedu.training.evaluation import Evaluation, evaluate
from gpuedu.training.gpt import CharacterGPT, character_loss, write_text
from gpuedu.training.history import History, StepRecord
from gpuedu.training.hooks import Hook
from gpuedu.training.library_text import load_library
from gpuedu.training.loop import train
from gpuedu.training.mlp import MLP
from gpuedu.training.resnet import SmallResNet
from gpuedu.training.seeds import seed_all
from gpuedu.training.shapes import draw_shapes

__all__ = [
    "MLP",
    "Batches",
    "CharacterGPT",
    "DataSet",
    "Evaluation",
    "History",
    "Hook",
    "SimulatedOutOfMemoryError",
    "SmallResNet",
    "Split",
    "StepRecord",
    "TrainingError",
    "character_loss",
    "draw_shapes",
    "evaluate",
    "load_digits",
    "load_library",
    "seed_all",
    "train",
    "write_text",
]
