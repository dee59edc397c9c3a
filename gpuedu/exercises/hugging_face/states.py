"""Accelerate keeps what it knows of a process in three places that all its objects share.

``TrainingArguments`` and ``Accelerator`` write there. A check must not change what the learner's
own objects find there later, and simulated ranks, which are threads, need a state each.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def own_states() -> Iterator[None]:
    """Inside, each thread has new states of its own; after it the process's are back."""
    from accelerate import state
    from accelerate.state import ThreadLocalSharedDict

    shared = (state.PartialState, state.AcceleratorState, state.GradientState)
    before = [vars(one)["_shared_state"] for one in shared]
    for one in shared:
        one._shared_state = ThreadLocalSharedDict()
    try:
        yield
    finally:
        for one, kept in zip(shared, before, strict=True):
            one._shared_state = kept
