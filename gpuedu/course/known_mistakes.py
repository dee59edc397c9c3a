"""Computes each exercise's ``known.json``: what its stored wrong answers return, and what they ask.

It is computed when the course is built, for whatever has changed, so that a check needs neither the
answers nor the time to run them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from gpuedu.course.proof import Bench, first_fault, run_stored
from gpuedu.course.stored import StoredAnswer
from gpuedu.errors import CatalogError
from gpuedu.exercises import observations
from gpuedu.exercises.capture import captured
from gpuedu.exercises.contract import Undecided
from gpuedu.exercises.examine import examine, judge_outcomes, play_cases
from gpuedu.exercises.mistakes import FILE, SEED, KnownMistake, mistakes_text
from gpuedu.exercises.observations import observation_of

_SAME = 5e-6
"""How far apart two observations of one machine are at most that can't be told from each other."""


def record(root: Path, exercises: Iterable[str]) -> Iterator[str]:
    """Write the file of each exercise that has changed; yields their ids."""
    for exercise in exercises:
        bench = Bench(root, exercise)
        if not is_current(bench):
            try:
                with captured():
                    found = mistakes_of(bench)
            except CatalogError as fault:
                if fault.message.startswith(exercise):
                    raise
                raise CatalogError(f"{exercise}: {fault.message}", remedy=fault.remedy) from fault
            known_file(bench).write_text(mistakes_text(found, _digest(bench)), "utf-8")
            yield exercise


def outdated(root: Path, exercises: Iterable[str]) -> list[str]:
    """Files, relative to ``root``, that were made from something other than what is there now."""
    benches = (Bench(root, exercise) for exercise in exercises)
    return [str(known_file(one).relative_to(root)) for one in benches if not is_current(one)]


def known_file(bench: Bench) -> Path:
    """Where the results of an exercise's wrong answers are kept."""
    return bench.folder / "judge" / FILE


def is_current(bench: Bench) -> bool:
    """Whether an exercise's file was made from what is there now."""
    path = known_file(bench)
    return path.exists() and json.loads(path.read_text("utf-8"))["made_of"] == _digest(bench)


def _digest(bench: Bench) -> str:
    """Of the exercise's own sources, its stored wrong answers, and its cells with the solution.

    And of how observations are made, but not of what several exercises share: ``gpuedu prove`` says
    where a change in that makes other cards.
    """
    digest = hashlib.sha256("\0".join(bench.solution_cells()).encode())
    digest.update(Path(observations.__file__).read_bytes())
    for path in sorted(bench.folder.rglob("*")):
        if path.suffix in (".py", ".diff") and not path.match("judge/right/*"):
            digest.update(path.relative_to(bench.folder).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def mistakes_of(bench: Bench) -> dict[str, KnownMistake]:
    """What each wrong answer with its own question gives where it loses its property.

    Raises:
        CatalogError: The solution is not right; an answer does not run, or is stored for a property
            that does not exist; or two stored for the same property give the same result but ask
            different questions: all such pairs are named.
    """
    _look_at(bench)
    stored = {one.name: one for one in bench.stored_wrong().values() if one.asks}
    found = {name: _mistake_of(bench, one) for name, one in stored.items()}
    alike = [
        (other, name)
        for place, (name, mistake) in enumerate(found.items())
        for other in list(found)[:place]
        if (own := stored[name].loses) == stored[other].loses
        and _are_alike(mistake, found[other], own)
    ]
    if alike:
        raise CatalogError(
            f"{bench.id}: "
            + "; ".join(
                f"the wrong answers {other!r} and {name!r} give the same result where "
                f"{stored[name].loses!r} is lost first, but ask different questions"
                for other, name in alike
            ),
            remedy=f"in place of what {alike[0][1]!r} asks, let it say `like: {alike[0][0]}`, or "
            "name another property that it loses",
        )
    every = bench.stored_wrong().values()
    own = {name: _on(mistake, _asked_on(every, name)) for name, mistake in found.items()}
    return {name: mistake for name, mistake in own.items() if mistake.loses}


def _look_at(bench: Bench) -> None:
    """What comes first: a right solution, and properties that exist."""
    names = [prop.name for prop in bench.exercise.judge.properties]
    for one in bench.stored_wrong().values():
        if one.loses not in names:
            raise CatalogError(
                f"{bench.id}: the wrong answer {one.name!r} loses {one.loses!r}, which is not "
                f"one of {', '.join(names)}"
            )
        one.text(bench.solution_cells())  # an edit that fits nowhere says so
    report = examine(bench.exercise, bench.answers(bench.solution_cells(), "solution"), SEED)
    if report.state != "solved":
        raise CatalogError(f"{bench.id}: the solution is {report.state}: {first_fault(report)}")


def _asked_on(stored: Iterable[StoredAnswer], name: str) -> set[str]:
    """The properties that a wrong answer is stored for, and those that say that they are like it.

    What it loses besides, others lose with the same result by another slip: its question is about
    its own property.
    """
    return {one.loses for one in stored if name in (one.name, one.like)}


def _on(mistake: KnownMistake, properties: set[str]) -> KnownMistake:
    """A wrong answer with these of the properties that it loses."""
    loses = {prop: place for prop, place in mistake.loses.items() if prop in properties}
    observed = {place: mistake.observed[place] for place in sorted({*loses.values()})}
    return KnownMistake(mistake.asks, loses, observed)


def _are_alike(one: KnownMistake, other: KnownMistake, prop: str) -> bool:
    """Whether two lose a property with the same result, and ask different questions."""
    place = one.loses.get(prop)
    return (
        place is not None
        and place == other.loses.get(prop)
        and one.asks != other.asks
        and one.observed[place].distance(other.observed[place]) <= _SAME
    )


def _mistake_of(bench: Bench, stored: StoredAnswer) -> KnownMistake:
    """What an answer gives on the first case on which it loses each property."""
    exercise, answers = bench.exercise, run_stored(bench, stored)
    cases = exercise.judge.cases(np.random.default_rng(SEED))
    outcomes = play_cases(exercise, answers, cases)
    results, _ = judge_outcomes(exercise, cases, outcomes)
    loses = {
        one.property.name: one.place
        for one in results
        if one.fault and one.place >= 0 and not isinstance(one.fault, Undecided)
    }
    observed = {
        place: observation_of(outcomes[place].observed, exercise.judge.varies)
        for place in sorted({*loses.values()})
    }
    return KnownMistake(stored.asks, loses, observed)
