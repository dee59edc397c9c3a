"""Where the bytes of a training step are, counted exactly on a CPU, or by a GPU's allocator.

- ``watch``: watches any piece of code; ``step``: one step, or steps of a run.
- ``records``: what it records, the same for every device; ``reading``: what that says.
- ``counter`` (with ``live_block``): every storage from its birth to its end, and the budget;
  ``saving`` and ``layers``: who saved it, in which layer and line; ``named_tensors``: what is the
  model's and the optimizer's; ``allocator``: what a GPU reports.
"""

from gpuedu.training.memory.reading import end_of, ledger_at, peak, peak_bytes, points
from gpuedu.training.memory.records import (
    KINDS,
    Block,
    Ledger,
    LedgerRow,
    Mark,
    MemoryPoint,
    MemoryTrace,
    Reading,
)
from gpuedu.training.memory.step import MemoryHook, watch_step
from gpuedu.training.memory.watch import MemoryWatch

__all__ = [
    "KINDS",
    "Block",
    "Ledger",
    "LedgerRow",
    "Mark",
    "MemoryHook",
    "MemoryPoint",
    "MemoryTrace",
    "MemoryWatch",
    "Reading",
    "end_of",
    "ledger_at",
    "peak",
    "peak_bytes",
    "points",
    "watch_step",
]
