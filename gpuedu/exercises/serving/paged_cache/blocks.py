"""The state of a cache in blocks, as learner's functions change it, and operations on it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe, entries, items, text, whole_number

Operation = Sequence[str]
"""("append", text), ("fork", old, new) or ("release", text)."""

_MOST_LISTED, _MOST_TOLD = 10_000, 6


def new_state(blocks: int, size: int) -> dict[str, Any]:
    """An empty cache of so many blocks for ``size`` tokens each."""
    free, holders = list(range(blocks)), [0] * blocks
    return {"size": size, "free": free, "tables": {}, "lengths": {}, "holders": holders}


def operate(functions: dict[str, Callable[..., Any]], state: Any, operation: Operation) -> Any:
    """Where the next token goes, of "append"; None of all else.

    Raises:
        AnswerError: "append" gives neither None nor a block, an offset and a block to copy.
    """
    name, *texts = operation
    given = functions[name](state, *texts)
    return _read_place(given) if name == "append" else None


def _read_place(given: Any) -> list[int | None] | None:
    if given is None:
        return None
    what = "what `append` gives"
    found = items(given, what, "`(block, offset, copied)`, or None")
    if len(found) != 3:
        raise AnswerError(f"{what} should be `(block, offset, copied)`, got {len(found)} things")
    *place, copied = found
    where = [
        whole_number(one, f"`{name}` of {what}")
        for name, one in zip(("block", "offset"), place, strict=True)
    ]
    return [*where, None if copied is None else whole_number(copied, f"`copied` of {what}")]


def read_state(state: dict[str, Any], after: str) -> dict[str, Any]:
    """What is in a state, as plain lists and dicts of whole numbers.

    Raises:
        AnswerError: something that should be in it is not, or is something else.
    """
    named = entries(state, f"the state after {after}")
    for name in ("free", "tables", "lengths", "holders"):
        if name not in named:
            raise AnswerError(f"after {after}, `state` has no entry `{name}` any more")
    tables = entries(named["tables"], f"`tables` after {after}")
    lengths = entries(named["lengths"], f"`lengths` after {after}")
    return {
        "free": _numbers(named["free"], f"`free` after {after}"),
        "holders": _numbers(named["holders"], f"`holders` after {after}"),
        "tables": {
            text(name): _numbers(one, f"the table of {describe(name)} after {after}")
            for name, one in tables.items()
        },
        "lengths": {
            text(name): whole_number(one, f"the length of {describe(name)} after {after}")
            for name, one in lengths.items()
        },
    }


def _numbers(given: Any, name: str) -> list[int]:
    found = items(given, name, "a list of whole numbers")
    if len(found) > _MOST_LISTED:
        raise AnswerError(f"{name} has {len(found):,} entries")
    return [whole_number(one, f"entry {at} of {name}") for at, one in enumerate(found)]


def told(operation: Operation) -> str:
    """An operation as a learner can type it in.

    >>> told(("fork", "A", "B"))
    '`fork(state, "A", "B")`'
    """
    name, *texts = operation
    return f"`{name}(state, {', '.join(f'{chr(34)}{one}{chr(34)}' for one in texts)})`"


def history(operations: Sequence[Operation], size: int, before: Mapping[str, Any]) -> str:
    """What has happened, so that it can be played again.

    All operations, those that are repeated as one; where these are many, the last one, with the
    state ``before`` it, whose blocks have room for ``size`` tokens.

    >>> history([("append", "A")] * 3, 4, {})
    'after `append(state, "A")` x 3'
    """
    runs = [(one, len(list(same))) for one, same in itertools.groupby(operations, tuple)]
    if len(runs) <= _MOST_TOLD:
        shown = (f"{told(one)}{f' x {count}' if count > 1 else ''}" for one, count in runs)
        return f"after {', '.join(shown)}"
    state = {name: before[name] for name in ("free", "tables", "lengths", "holders")}
    return f"after {told(operations[-1])}, with `state = {json.dumps({'size': size, **state})}`"
