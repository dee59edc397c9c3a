"""Known wrong answers of an exercise, recognized by what a learner's answer returned.

The wrong answers themselves are in the exercise's folder of a checkout. What each of them gives on
the case on which it loses its property is computed when the course is built, and is kept beside the
judge in ``known.json`` with the question that it asks: recognizing one costs no more than a lookup,
and needs no answer's text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuedu.exercises.contract import Case, Exercise, Undecided
from gpuedu.exercises.guard import Outcome, play_guarded
from gpuedu.exercises.judging import faults_of
from gpuedu.exercises.observations import ROOM, Observation, observation_of

if TYPE_CHECKING:
    from gpuedu.exercises.examine import PropertyResult

SEED = 0
"""The seed of the cases on which wrong answers are known."""

FILE = "known.json"
_LIMIT_S = 10.0


@dataclass(frozen=True)
class KnownMistake:
    """What a wrong answer gives where it loses a property, and the question that it asks.

    ``loses`` has for each property the place of the first case on which it is lost, among those
    that ``SEED`` draws; ``observed`` what was observed on each of these cases.
    """

    asks: str
    loses: Mapping[str, int]
    observed: Mapping[int, Observation]


@cache
def known_mistakes(package: str) -> Mapping[str, KnownMistake]:
    """The known wrong answers that ask their own question, by name.

    ``package`` is the exercise's.
    """
    try:
        file = resources.files(package).joinpath("judge", FILE)
    except ModuleNotFoundError:
        return {}
    return read_mistakes(file.read_text("utf-8")) if file.is_file() else {}


def read_mistakes(text: str) -> dict[str, KnownMistake]:
    """From the text that ``mistakes_text`` wrote."""
    return {
        name: KnownMistake(
            entry["asks"],
            entry["loses"],
            {
                int(place): Observation(exact, tuple(numbers))
                for place, (exact, *numbers) in entry["observed"].items()
            },
        )
        for name, entry in json.loads(text)["mistakes"].items()
    }


def mistakes_text(mistakes: Mapping[str, KnownMistake], made_of: str) -> str:
    """The file's text: a line for each, and a digest of what they were made of."""
    lines = ",\n".join(
        f"{json.dumps(name)}: {json.dumps(_as_json(mistake), ensure_ascii=False)}"
        for name, mistake in sorted(mistakes.items())
    )
    return f'{{"made_of": {json.dumps(made_of)}, "mistakes": {{\n{lines}\n}}}}\n'


def _as_json(mistake: KnownMistake) -> dict[str, Any]:
    observed = {place: [one.exact, *one.numbers] for place, one in mistake.observed.items()}
    return {"asks": mistake.asks, "loses": mistake.loses, "observed": observed}


def with_questions(
    exercise: Exercise,
    results: Iterable[PropertyResult],
    outcomes: Mapping[int, Outcome] | None,
    play: Callable[[Case], Outcome],
) -> tuple[PropertyResult, ...]:
    """Results with the question of the wrong answer that gave the same, or the property's own.

    Args:
        exercise: Which.
        results: Of its properties.
        outcomes: Of cases drawn from ``SEED``, by place; None if others were played.
        play: Plays one more case, which is needed if others were played.
    """
    seen = _Seen(exercise, outcomes, play)
    known = () if exercise.is_variant else tuple(known_mistakes(exercise.package).values())
    return tuple(_with_question(result, known, seen) for result in results)


def _with_question(
    result: PropertyResult, known: Sequence[KnownMistake], seen: _Seen
) -> PropertyResult:
    """A result whose fault asks what the wrong answer asks that is most like this one."""
    fault = result.fault
    if fault is None or result.place < 0 or isinstance(fault, Undecided):
        return result
    distances = [seen.distance(one, fault.property, result.place) for one in known]
    least = min(distances, default=np.inf)
    recognized = known[distances.index(least)].asks if least <= ROOM else ""
    if result.property.asks:
        asks = recognized or fault.cause or result.property.asks
    else:  # its judge still looks for causes by itself
        asks = fault.cause or recognized
    return replace(result, fault=replace(fault, cause=asks))


class _Seen:
    """What an answer gave on the cases on which wrong answers are known."""

    def __init__(
        self,
        exercise: Exercise,
        outcomes: Mapping[int, Outcome] | None,
        play: Callable[[Case], Outcome],
    ) -> None:
        self._exercise, self._outcomes = exercise, outcomes
        self._cases = cache(lambda: exercise.judge.cases(np.random.default_rng(SEED)))
        self._play = cache(lambda place: play(self._cases()[place]))
        self._observe = cache(self._observed)
        self._first_loss = cache(self._found_loss)

    def distance(self, mistake: KnownMistake, prop: str, place: int) -> float:
        """How far it is from what a wrong answer gives that loses a property.

        ``place`` is that of its own counterexample.
        """
        case = mistake.loses.get(prop)
        if case is None:
            return np.inf
        if case != (self._first_loss(prop) if self._outcomes is None else place):
            return np.inf
        observed = self._observe(case)
        return np.inf if observed is None else mistake.observed[case].distance(observed)

    def _found_loss(self, prop: str) -> int | None:
        """The place of the first case that ``SEED`` draws on which a property is lost."""
        for place, case in enumerate(self._cases()):
            if prop in (case.decides or (prop,)):
                faults, _ = faults_of(self._exercise, case, self._play(place))
                if prop in faults and not isinstance(faults[prop], Undecided):
                    return place
        return None

    def _observed(self, place: int) -> Observation | None:
        outcome = self._play(place) if self._outcomes is None else self._outcomes[place]
        if outcome.problem:
            return None
        varies = self._exercise.judge.varies
        # Of an observation that nobody vouches for, too, as where a class is graded.
        found = play_guarded(lambda: observation_of(outcome.observed, varies), _LIMIT_S)
        return found.observed
