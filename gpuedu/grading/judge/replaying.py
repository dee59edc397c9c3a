"""A case is played again by the judge, with functions that give what a learner's were seen to."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Play
from gpuedu.exercises.guard import Outcome, play_guarded
from gpuedu.grading.objects import found_in, leave_all
from gpuedu.grading.ranks import rank_here
from gpuedu.grading.results import Rebuilding, rebuild

_ANOTHER = "its functions were not called as the exercise calls them"


class _RaisedError(Exception):
    """The learner's function raised here; what, nobody asks."""


def play_again(play: Play, inputs: Mapping[str, Any], recorded: Any, limit_s: float) -> Outcome:
    """What a play gives with recorded results; a record that is none is a problem.

    Args:
        play: the exercise's; it notes nothing beside the results of the learner's functions.
        inputs: of the case.
        recorded: what ``gpuedu.grading.player.recording`` made of the calls, from a process that is
            not trusted.
        limit_s: for all of it.
    """

    def run() -> Any:
        record = _Record(play, recorded)
        observed = play.run(record.answers, copy.deepcopy(dict(inputs)))
        record.require_end()
        return observed | record.remarks

    return play_guarded(run, limit_s)


class _Record:
    """The answers of a record, which give what was recorded, call by call."""

    def __init__(self, play: Play, recorded: Any) -> None:
        values, calls = (_list(recorded.get(one)) for one in ("values", "calls"))
        if len(values) != len(play.answers):
            raise AnswerError("the answers did not arrive")
        remarks = _list(recorded.get("remarks"))
        self.remarks = {
            name: told is True for name, told in zip(play.remarks, remarks, strict=False)
        }
        self._is_another = False
        self._calls: dict[Any, deque] = {None: deque()}
        for call in calls:
            if type(call) is not list or len(call) != 4:
                raise AnswerError("the answers did not arrive")
            self._calls.setdefault(_rank_of(call[3]), deque()).append(call)
        self.answers = [
            self._function(at) if wanted.kind == "function" else rebuild(values[at])
            for at, wanted in enumerate(play.answers)
        ]

    def _function(self, number: int) -> Callable[..., Any]:
        def recorded(*arguments: Any, **named: Any) -> Any:
            on_rank = rank_here()
            calls = self._calls.get(on_rank[1] if on_rank else None)
            call = calls.popleft() if calls else None
            if call is None or call[0] != number:
                self._is_another = True  # a play may go on after an error
                raise AnswerError(_ANOTHER)
            _, given, left, acts = call
            found = found_in((*arguments, *named.values()))
            rebuilding = Rebuilding(found)
            if on_rank:
                from gpuedu.multi.light.acts import perform

                perform(*on_rank, acts[1:])
            leave_all(found, _list(left), rebuilding)
            if given is None:
                raise _RaisedError
            return rebuilding.value(given)

        return recorded

    def require_end(self) -> None:
        """Raise AnswerError where more was recorded than the play has called, or something else."""
        if any(self._calls.values()) or self._is_another:
            raise AnswerError(_ANOTHER)


def _rank_of(acts: Any) -> int | None:
    """The rank on which a call was made; None for a call that no rank made."""
    rank = acts[0] if type(acts) is list and acts else None
    return rank if type(rank) is int else None


def _list(value: Any) -> list:
    if type(value) is not list:
        raise AnswerError("the answers did not arrive")
    return value
