"""Whether all ranks called the same collectives, from what each wrote down before it called."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from gpuedu.multi.exchanges import CommunicationError
from gpuedu.multi.launch.rank import calls_file


class DisagreementError(CommunicationError):
    """Two ranks called different collectives; ``calls`` has both, by rank, as written down.

    Each has its ``kind``, ``wants`` (what has to match), ``line`` and ``text``.
    """

    def __init__(self, message: str, *, calls: dict[int, dict[str, Any]], remedy: str = "") -> None:
        self.calls = calls
        super().__init__(message, remedy=remedy)


def disagreement(folder: Path, attempt: int, ranks: int) -> DisagreementError | None:
    """The first collective in which two ranks differ, or None.

    A rank that stopped early wrote down less; that alone is not a disagreement.
    """
    by_group: dict[tuple[int, ...], dict[int, list[dict[str, Any]]]] = {}
    for rank in range(ranks):
        for call in _calls(calls_file(folder, attempt, rank)):
            members = tuple(range(ranks) if call["group"] is None else call["group"])
            by_group.setdefault(members, {}).setdefault(rank, []).append(call)
    for calls in by_group.values():
        first, *others = sorted(calls)
        for number in range(len(calls[first])):
            for rank in others:
                pair = [calls[one][number : number + 1] for one in (first, rank)]
                if all(pair) and _asked(pair[0][0]) != _asked(pair[1][0]):
                    return _told(number, (first, pair[0][0]), (rank, pair[1][0]))
    return None


def _asked(call: dict[str, Any]) -> tuple[Any, ...]:
    return call["kind"], tuple(call["wants"])


def _calls(path: Path) -> list[dict[str, Any]]:
    found = []
    with contextlib.suppress(FileNotFoundError):
        for line in path.read_bytes().splitlines():
            with contextlib.suppress(ValueError):  # a rank was killed while it wrote
                found.append(json.loads(line))
    return found


def _told(
    number: int, one: tuple[int, dict[str, Any]], other: tuple[int, dict[str, Any]]
) -> DisagreementError:
    (first, mine), (rank, theirs) = one, other
    return DisagreementError(
        f"collective {number + 1} of rank {first} is {_say(mine)}, of rank {rank} it is "
        f"{_say(theirs)}",
        calls={first: mine, rank: theirs},
        remedy="Every rank calls the same collectives in the same order, on tensors of the same "
        "shape and type.",
    )


def _say(call: dict[str, Any]) -> str:
    where = f" (line {call['line']}: `{call['text']}`)" if call["text"] else ""
    return f"{call['kind']}({', '.join(call['wants'])}){where}"
