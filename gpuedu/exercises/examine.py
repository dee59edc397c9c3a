"""From a learner's objects to a Report: play every case, judge it, add up the points."""

from __future__ import annotations

import contextlib
import copy
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gpuedu.allowance import Allowance
from gpuedu.errors import AnswerError
from gpuedu.exercises.compiled import runs_compiled_code
from gpuedu.exercises.contract import Case, Exercise, Fault, Finding, Property, Undecided
from gpuedu.exercises.guard import TOO_LONG, Outcome, Problem, play_guarded, require_nothing_missing
from gpuedu.exercises.judging import faults_of
from gpuedu.exercises.mistakes import SEED, with_questions
from gpuedu.exercises.placeholder import has_placeholder
from gpuedu.needs import IN_TAB

_BEGUN = 1 / 2
"""The share of its cases on which a property is right before those ``after`` it count."""


@dataclass(frozen=True)
class PropertyResult:
    """Whether one property holds, on how many cases, and its first counterexample.

    ``place`` is that of the counterexample's case among all; -1 if nothing was observed there.
    ``near`` counts cases that did not pass, with a fault that is near.
    """

    property: Property
    passed: int
    decided: int
    fault: Fault | None = None
    case: str = ""
    place: int = -1
    near: int = 0

    @property
    def holds(self) -> bool:
        """True when every case that decides it was played and passed."""
        return self.fault is None and self.decided > 0

    @property
    def earned(self) -> float:
        """Its points, or none."""
        return self.property.points if self.holds else 0.0


@dataclass(frozen=True)
class Report:
    """The verdict on one answer. ``state``: solved, partly, wrong, unsolved or refused.

    ``blanks`` names those of several answers that still hold the placeholder.
    """

    exercise: str
    title: str
    max_points: float
    state: str
    results: tuple[PropertyResult, ...] = ()
    findings: tuple[Finding, ...] = ()
    refusal: str = ""
    remedy: str = ""
    blanks: str = ""
    printed: str = ""
    seconds: float = 0.0

    @property
    def points(self) -> float:
        """Points earned, a finite number between 0 and ``max_points``."""
        return float(sum(result.earned for result in self.results))

    def held(self) -> Mapping[str, bool]:
        """Property name to whether it holds."""
        return {result.property.name: result.holds for result in self.results}


def examine(exercise: Exercise, answers: Sequence[Any], seed: int = 0) -> Report:
    """Judge ``answers`` on the cases drawn from ``seed``. Never raises for what a learner wrote.

    Raises:
        MissingPackageError: the exercise needs a package that is not here.
    """
    started = time.perf_counter()
    if any(answer is ... for answer in answers):
        return report_without_cases(exercise, "unsolved", blanks=_blanks(exercise, answers))
    try:
        _require_answers(exercise, answers)
        cases = exercise.judge.cases(np.random.default_rng(seed))
        outcomes = play_cases(exercise, answers, cases)
        for outcome in outcomes:
            require_nothing_missing(outcome)
    except AnswerError as refusal:
        return report_without_cases(exercise, "refused", refusal.message, refusal.remedy)
    report = report_of(
        exercise,
        cases,
        outcomes,
        has_blanks=_has_blanks(exercise, answers),
        seed=seed,
        play=lambda case: play_cases(exercise, answers, [case])[0],
    )
    if report.state == "unsolved":
        return replace(report, blanks=_blanks(exercise, answers))
    return replace(report, seconds=time.perf_counter() - started)


def report_of(
    exercise: Exercise,
    cases: Sequence[Case],
    outcomes: Sequence[Outcome],
    *,
    has_blanks: bool,
    seed: int,
    play: Callable[[Case], Outcome],
) -> Report:
    """The verdict on played cases; an answer that is not right and has blanks left is unsolved.

    ``seed`` drew the cases, and ``play`` plays one more; see ``with_questions``.
    """
    results, findings = judge_outcomes(exercise, cases, outcomes)
    solved = all(result.holds for result in results)
    if not solved and has_blanks:
        return report_without_cases(exercise, "unsolved")
    if not solved:
        played = dict(enumerate(outcomes)) if seed == SEED else None
        results = with_questions(exercise, results, played, play)
    state = "solved" if solved else "partly" if any(r.holds for r in results) else "wrong"
    return Report(
        exercise.id,
        exercise.judge.title,
        exercise.judge.points,
        state,
        results,
        findings,
        printed="".join(outcome.printed for outcome in outcomes),
    )


def report_without_cases(
    exercise: Exercise, state: str, refusal: str = "", remedy: str = "", blanks: str = ""
) -> Report:
    """The report on what was not played: unsolved or refused, and why."""
    judge = exercise.judge
    nothing = tuple(PropertyResult(prop, 0, 0) for prop in judge.properties)
    return Report(
        exercise.id, judge.title, judge.points, state, nothing, (), refusal, remedy, blanks
    )


def _has_blanks(exercise: Exercise, answers: Sequence[Any]) -> bool:
    """Whether an answer that has to be given still holds the placeholder."""
    pairs = zip(exercise.play.answers, answers, strict=True)
    return any(has_placeholder(given) for one, given in pairs if not one.is_optional)


def _blanks(exercise: Exercise, answers: Sequence[Any]) -> str:
    """Which of several answers still hold the placeholder; "" where there is one answer."""
    wanted = exercise.play.answers
    if len(wanted) < 2 or len(wanted) != len(answers):
        return ""
    pairs = zip(wanted, answers, strict=True)
    return ", ".join(f"`{answer.name}`" for answer, given in pairs if has_placeholder(given))


def _require_answers(exercise: Exercise, answers: Sequence[Any]) -> None:
    wanted = exercise.play.answers
    if len(answers) != len(wanted):
        names = ", ".join(answer.name for answer in wanted)
        raise AnswerError(
            f"this exercise takes {len(wanted)} answer{'' if len(wanted) == 1 else 's'}, got "
            f"{len(answers)}",
            remedy=f'`check("{exercise.id}", {names})`',
        )
    for answer, given in zip(wanted, answers, strict=True):
        answer.require(given)


def play_cases(exercise: Exercise, answers: Sequence[Any], cases: Sequence[Case]) -> list[Outcome]:
    """An Outcome for each case that was reached before the time ran out."""
    return list(_played(exercise, answers, cases))


def _played(exercise: Exercise, answers: Sequence[Any], cases: Sequence[Case]) -> Iterator[Outcome]:
    """What ``play_cases`` gives, one after another: who stops asking plays no more."""
    # A tab has no processes: there the same check goes on in place.
    if not IN_TAB and (exercise.play.isolated or any(map(runs_compiled_code, answers))):
        from gpuedu.exercises.isolation import play_isolated

        yield from play_isolated(exercise, answers, cases)
        return
    allowance = Allowance(exercise.play.time_limit_s)
    for case in cases:
        inputs = copy.deepcopy(dict(case.inputs))
        left_s = allowance.left_s()
        outcome = play_guarded(lambda inputs=inputs: exercise.play.run(answers, inputs), left_s)
        if outcome.problem is not None and outcome.problem.cause == TOO_LONG:
            limit = f"it did not finish within {exercise.play.time_limit_s:.3g} s"
            late = Problem(f"{limit}, all cases together", TOO_LONG, ends_check=True)
            outcome = Outcome(problem=late, printed=outcome.printed, seconds=outcome.seconds)
        yield outcome
        if outcome.ends_check:
            return


def is_solved(exercise: Exercise, answers: Sequence[Any], seed: int = 0) -> bool:
    """Whether ``examine`` would call these answers solved; plays no case after the first fault."""
    if not _can_be_wrong(exercise, answers):
        return False
    cases = exercise.judge.cases(np.random.default_rng(seed))
    outcomes: list[Outcome] = []
    with contextlib.closing(_played(exercise, answers, cases)) as played:
        for case, outcome in zip(cases, played, strict=False):
            if faults_of(exercise, case, outcome)[0]:
                return False
            outcomes.append(outcome)
    results, _ = judge_outcomes(exercise, cases, outcomes)
    return all(result.holds for result in results)


def find_loss(
    exercise: Exercise, answers: Sequence[Any], name: str, seed: int, hint: int = 0
) -> int | None:
    """The place of a case on which these answers lose one property; None if none was found.

    Plays only cases that decide the property, that at ``hint`` first, and stops at the first loss:
    a small part of what ``examine`` does, for when only one property matters. None as well for
    answers that ``examine`` would call refused or unsolved.
    """
    if not _can_be_wrong(exercise, answers):
        return None
    cases = exercise.judge.cases(np.random.default_rng(seed))
    places = [place for place, case in enumerate(cases) if not case.decides or name in case.decides]
    for place in sorted(places, key=lambda place: place != hint):
        (outcome,) = play_cases(exercise, answers, [cases[place]])
        faults, _ = faults_of(exercise, cases[place], outcome)
        if name in faults:
            return place
    return None


def _can_be_wrong(exercise: Exercise, answers: Sequence[Any]) -> bool:
    """Whether ``examine`` plays these answers, rather than call them refused or unsolved."""
    try:
        _require_answers(exercise, answers)
    except AnswerError:
        return False
    return not _has_blanks(exercise, answers)


def first_loss(
    exercise: Exercise, answers: Sequence[Any], name: str, seed: int
) -> tuple[PropertyResult, Outcome] | None:
    """The first case on which these answers lose one property, as a result, and its observations.

    Plays only cases that decide the property. If it is wrong on none, the first that shows nothing
    yet; None if it holds on all, or if answers would be refused or are unsolved.
    """
    if not _can_be_wrong(exercise, answers):
        return None
    (prop,) = (one for one in exercise.judge.properties if one.name == name)
    undecided = None
    for place, case in enumerate(exercise.judge.cases(np.random.default_rng(seed))):
        if case.decides and name not in case.decides:
            continue
        (outcome,) = play_cases(exercise, answers, [case])
        fault = faults_of(exercise, case, outcome)[0].get(name)
        if fault is None:
            continue
        found = PropertyResult(prop, 0, 1, fault, case.label, -1 if outcome.problem else place)
        if not isinstance(fault, Undecided):
            return found, outcome
        undecided = undecided or (found, outcome)
    return undecided


def judge_outcomes(
    exercise: Exercise, cases: Sequence[Case], outcomes: Sequence[Outcome]
) -> tuple[tuple[PropertyResult, ...], tuple[Finding, ...]]:
    """What holds on every case, and what else was seen."""
    names = [prop.name for prop in exercise.judge.properties]
    first_fault: dict[str, tuple[Fault, str, int]] = {}
    decided, passed, near = (dict.fromkeys(names, 0) for _ in range(3))
    findings: list[Finding] = []
    for position, case in enumerate(cases):
        outcome = outcomes[position] if position < len(outcomes) else _not_reached(outcomes)
        faults, seen = faults_of(exercise, case, outcome)
        findings += [finding for finding in seen if finding not in findings]
        for name in case.decides or names:
            decided[name] += 1
            if name not in faults:
                passed[name] += 1
                continue
            near[name] += faults[name].is_near
            if name not in first_fault or _tells_more(faults[name], first_fault[name][0]):
                place = -1 if outcome.problem else position
                first_fault[name] = (faults[name], case.label, place)
    results = tuple(
        PropertyResult(
            prop,
            passed[prop.name],
            decided[prop.name],
            *first_fault.get(prop.name, (None, "", -1)),
            near[prop.name],
        )
        for prop in exercise.judge.properties
    )
    return tuple(_counted(result, results) for result in results), tuple(findings)


def _counted(result: PropertyResult, others: Sequence[PropertyResult]) -> PropertyResult:
    """A result, or that it shows nothing: what comes before it is not done, or is wrong."""
    wrong = [
        other
        for other in others
        if other.property.name in result.property.waits_for and not other.holds
    ]
    if wrong and not result.holds:
        told = f"that is judged once this is right: {wrong[0].property.says}"
        return replace(result, fault=Undecided(result.property.name, told), case="", place=-1)
    before = [other for other in others if other.property.name in result.property.after]
    if not (result.holds and before) or any(map(_is_begun, before)):
        return result
    where = "more cases" if any(other.passed for other in before) else "some case"
    told = f"that is judged once this is right on {where}: {before[0].property.says}"
    return replace(result, fault=Undecided(result.property.name, told))


def _is_begun(result: PropertyResult) -> bool:
    """Whether it is right, or near, on more cases than an answer that does nothing is."""
    begun = result.passed + result.near
    return begun > 0 and begun >= _BEGUN * result.decided


def _tells_more(fault: Fault, before: Fault) -> bool:
    """Whether a later counterexample is one, where the first only shows nothing yet."""
    return isinstance(before, Undecided) and not isinstance(fault, Undecided)


def _not_reached(outcomes: Sequence[Outcome]) -> Outcome:
    """What stands for a case behind the one that used up the time."""
    return Outcome(problem=outcomes[-1].problem if outcomes else Problem("it was not tried"))
