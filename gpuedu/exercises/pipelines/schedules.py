"""A pipeline's schedule: for each stage the list of what it does, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe, items, text, whole_number

FORWARD, BACKWARD = KINDS = ("forward", "backward")
_ROOM = 4
"""Times as many entries as a list may have, before it is not even looked at."""


class Action(NamedTuple):
    """What a stage does: "forward" or "backward", with a micro-batch, in one of its chunks."""

    kind: str
    micro_batch: int
    chunk: int = 0

    def told(self, chunks: int = 1) -> str:
        """In words.

        >>> Action("forward", 2).told(), Action("backward", 0, 1).told(chunks=2)
        ('the forward of micro-batch 2', 'the backward of micro-batch 0 in chunk 1')
        """
        where = f" in chunk {self.chunk}" if chunks > 1 else ""
        return f"the {self.kind} of micro-batch {self.micro_batch}{where}"

    def short(self, chunks: int = 1) -> str:
        """In a few words, as a picture writes it.

        >>> Action("forward", 2).short(), Action("backward", 0, 1).short(chunks=2)
        ('forward 2', 'backward 0 in chunk 1')
        """
        where = f" in chunk {self.chunk}" if chunks > 1 else ""
        return f"{self.kind} {self.micro_batch}{where}"


Lists = Sequence[Sequence[Action]]
"""The actions of each stage, in order."""


def lists_of(
    schedule: Callable[..., Any], stages: int, micro_batches: int, chunks: int = 0
) -> list[list[Action]]:
    """Ask a learner's function for the list of every stage.

    Args:
        schedule: ``schedule(stage, stages, micro_batches)``, with a fourth argument ``chunks``
            where that is not 0; it returns ("forward", m) or ("backward", m), with the number of
            the chunk as a third entry where there are any.
        stages: how many.
        micro_batches: how many.
        chunks: how many each stage has; 0 where the model is cut into one part for each stage.

    Raises:
        AnswerError: a list is none, or an entry of it is no action.
    """
    found = []
    for stage in range(stages):
        given = (stage, stages, micro_batches, *([chunks] if chunks else []))
        many = f"{micro_batches} micro-batch{'' if micro_batches == 1 else 'es'}"
        name = f"the list of stage {stage} of {stages} for {many}"
        entries = items(schedule(*given), name, "a list of actions")
        needed = 2 * micro_batches * max(chunks, 1)
        if len(entries) > _ROOM * needed:
            raise AnswerError(
                f"{name} has {len(entries):,} entries; forward and backward once with each "
                f"micro-batch is {needed}"
            )
        found.append(
            [_read(one, f"entry {at} of {name}", chunks) for at, one in enumerate(entries)]
        )
    return found


def _read(entry: Any, name: str, chunks: int) -> Action:
    wanted = '("forward", m, chunk)' if chunks else '("forward", m)'
    parts = items(entry, name, wanted)
    if len(parts) != (3 if chunks else 2):
        raise AnswerError(f"{name} has {len(parts)} parts; it should be {wanted}")
    kind = text(parts[0], name) if isinstance(parts[0], str) else ""
    if kind not in KINDS:
        raise AnswerError(
            f'the first part of {name} should be "forward" or "backward", got {describe(parts[0])}',
            remedy=f"An entry is {wanted}.",
        )
    numbers = [whole_number(one, f"a number in {name}") for one in parts[1:]]
    return Action(kind, *numbers)


def plain(lists: Lists) -> list[list[list[Any]]]:
    """Lists as a play returns them; ``from_plain`` reads them."""
    return [[list(one) for one in actions] for actions in lists]


def from_plain(lists: Sequence[Sequence[Sequence[Any]]]) -> list[list[Action]]:
    """Lists that a play returned."""
    return [[Action(*one) for one in actions] for actions in lists]
