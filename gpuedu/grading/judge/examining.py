"""From a learner's cells to a Report: the same verdict as ``check`` gives, from a trusted process.

Cases are drawn here, after the learner's code was loaded; results come back as plain values, and
are compared here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Case, Exercise
from gpuedu.exercises.examine import Report, report_of, report_without_cases
from gpuedu.exercises.guard import TOO_LONG, Outcome, Problem, without_cause
from gpuedu.exercises.registry import load_measure
from gpuedu.grading.judge.cells import Cells
from gpuedu.grading.judge.players import PlayerGoneError
from gpuedu.grading.judge.relaying import Relay
from gpuedu.grading.judge.stage import Stage
from gpuedu.grading.judge.wary import wary
from gpuedu.grading.sandbox.limits import PlayingLimits

_MOST_TEXT = 4_000

Ask = Callable[[Any, float], Any]
"""Asks a player, with a limit in seconds; see ``Player.ask``."""


class _NothingToPlayError(Exception):
    """There is nothing to play; the report says why."""

    def __init__(self, report: Report) -> None:
        self.report = report


def examine_cells(stage: Stage, exercise: Exercise, cells: Cells, seed: int) -> Report:
    """Judge a learner's cells on the cases drawn from ``seed``. What they do never makes it raise.

    Args:
        stage: where they are played.
        exercise: which one.
        cells: the learner's, and what was given.
        seed: of the cases.

    Raises:
        SandboxError: no player could be had: a fault of ours.
    """
    stage.prepare(exercise.lesson, cells.imports)
    began_s = time.perf_counter()
    relay = Relay(stage.learner(), stage.machine, stage.own_times)
    try:
        ask, has_blanks = _set_up(relay, exercise, cells, stage.limits)
    except _NothingToPlayError as told:
        if relay.asked_machine:
            stage.drop_machine()
        return told.report
    cases = exercise.judge.cases(np.random.default_rng(seed))
    table = _Table(exercise, stage.limits, ask, relay)
    outcomes = table.play(cases)
    table.begin_round()  # what is played for questions may take as long as the cases, and no longer
    report = report_of(
        wary(exercise), cases, outcomes, has_blanks=has_blanks, seed=seed, play=table.play_next
    )
    # What a learner's program, or compiled code, did there is no longer the course's alone.
    play = exercise.play
    is_used_up = relay.used_device or play.compiles or play.compiles_kernel
    if is_used_up or any(outcome.problem for outcome in outcomes):
        stage.drop_machine()
    return replace(report, seconds=time.perf_counter() - began_s)


def _set_up(
    relay: Relay, exercise: Exercise, cells: Cells, limits: PlayingLimits
) -> tuple[Ask, bool]:
    """Have all ready for the cases; who plays them, and whether blanks are left in the answers."""
    if not exercise.play.on_machine:
        return relay.learner.ask, _load(relay.learner.ask, exercise, cells, limits)
    has_blanks = _load(relay.ask_learner, exercise, cells, limits)
    try:
        _hand_over(relay, exercise, limits)
    except _NothingToPlayError as told:
        if has_blanks:  # that is why: a dict with a blank in it is no plain one
            raise _NothingToPlayError(report_without_cases(exercise, "unsolved")) from told
        raise
    return relay.ask_machine, has_blanks


def _load(ask: Ask, exercise: Exercise, cells: Cells, limits: PlayingLimits) -> bool:
    """Have the cells run; whether blanks are left in the answers.

    Raises:
        _NothingToPlayError: they cannot be run, or there is no answer.
    """
    request = {
        "do": "load",
        "lesson": exercise.lesson,
        "exercise": exercise.id,
        "cells": [list(one) for one in cells.sources],
        "arguments": list(cells.arguments),
        "measured": {name: _measured(name) for name in cells.measured},
        "limit_s": limits.cells_s,
    }
    reply = _prepare(ask, exercise, request, limits)
    if any(one is True for one in _list(reply.get("given"))):
        raise _NothingToPlayError(report_without_cases(exercise, "unsolved"))
    pairs = zip(exercise.play.answers, _list(reply.get("blanks")), strict=False)
    return any(blank is True for one, blank in pairs if not one.is_optional)


@cache
def _measured(name: str) -> Any:
    """What a given cell measures, which answers may use; a player has not what measures it."""
    return load_measure(name)()


def _hand_over(relay: Relay, exercise: Exercise, limits: PlayingLimits) -> None:
    """Send the answers, as text, from where they were made to where they are played."""
    describe = {"do": "describe", "limit_s": limits.cells_s}
    described = _prepare(relay.ask_learner, exercise, describe, limits)
    answers = _list(described.get("observed"))
    if len(answers) != len(exercise.play.answers):
        message = "your cells cannot be run: the answers did not arrive"
        raise _NothingToPlayError(report_without_cases(exercise, "refused", message))
    request = {"do": "rebuild", "lesson": exercise.lesson, "exercise": exercise.id}
    request |= {"answers": answers, "limit_s": limits.cells_s}
    _prepare(relay.ask_machine, exercise, request, limits)


def _prepare(
    ask: Ask, exercise: Exercise, request: dict[str, Any], limits: PlayingLimits
) -> dict[str, Any]:
    """A reply before anything is played; raises where it tells of a problem, or none came."""
    try:
        reply = ask(request, limits.cells_s + limits.grace_s)
        problem = _problem_of(reply)
    except TimeoutError:
        problem = Problem(f"your cells did not finish within {limits.cells_s:.3g} s")
    except PlayerGoneError as fault:
        problem = Problem(f"your cells cannot be run: {fault}")
    if problem is None:
        return reply
    refused = report_without_cases(exercise, "refused", problem.message, problem.cause)
    raise _NothingToPlayError(refused)


class _Table:
    """Where cases are played: in the player that ``ask`` asks.

    What counts is the time in which a player computes. What the judge takes, and what a player
    waits for a processor, is not the learner's.
    """

    def __init__(
        self,
        exercise: Exercise,
        limits: PlayingLimits,
        ask: Ask,
        relay: Relay,
    ) -> None:
        self._limits, self._ask, self._play = limits, ask, exercise.play
        self._limit_s, self._relay, self._exercise = exercise.play.time_limit_s, relay, exercise
        self.begin_round()

    def begin_round(self) -> None:
        """Give what is played next the whole limit on time, all of it together."""
        self._left_s = self._again_left_s = self._limit_s
        self._ended: Outcome | None = None

    def play(self, cases: Sequence[Case]) -> list[Outcome]:
        """An Outcome for each case that was reached before the time ran out."""
        outcomes: list[Outcome] = []
        for case in cases:
            outcomes.append(self.play_next(case))
            if self._ended is not None:
                break
        return outcomes

    def play_next(self, case: Case) -> Outcome:
        """What comes of one more case of a round; once its time ran out, that it did."""
        if self._ended is not None:
            return self._ended
        allowance = self._relay.allowance(self._left_s)
        outcome = self._play_one(case, self._left_s)
        self._left_s = max(allowance.left_s(), 0.0)
        if outcome.observed is not None and self._play.is_repeatable:
            outcome = self._repeated(case, outcome)
        if outcome.ends_check:
            self._ended = outcome
        return outcome

    def _repeated(self, case: Case, outcome: Outcome) -> Outcome:
        """What came of a case, by what the machine makes of its record.

        Of a play that failed it has the same problem, and the course's own words for its cause.
        """
        again = self._again(case, outcome.observed)
        if outcome.problem is None:
            return replace(again, printed=outcome.printed)
        is_same = again.problem is not None and without_cause(again.problem) == outcome.problem
        return replace(
            outcome, observed=None, problem=again.problem if is_same else outcome.problem
        )

    def _again(self, case: Case, recorded: Any) -> Outcome:
        """What a case gives with what was recorded, on the machine.

        A record may ask for any amount of work and memory, which is the learner's, as it was when
        they were recorded.
        """
        request = {"do": "again", "lesson": self._exercise.lesson, "exercise": self._exercise.id}
        request |= {"inputs": dict(case.inputs), "recorded": recorded}
        request["limit_s"] = self._again_left_s
        ours = not self._play.compiles
        self._relay.used_device = True  # what was done there is no longer the course's alone
        self._relay.start_machine()
        allowance = self._relay.allowance(self._again_left_s)
        outcome = self._reply_of(self._relay.ask_machine, request, self._again_left_s, ours=ours)
        self._again_left_s = max(allowance.left_s(), 0.0)
        return outcome

    def _play_one(self, case: Case, left_s: float) -> Outcome:
        request = {"do": "play", "inputs": dict(case.inputs), "limit_s": left_s}
        ours = self._play.on_machine and not self._play.compiles
        return self._reply_of(self._ask, request, left_s, ours=ours)

    def _reply_of(
        self, ask: Ask, request: dict[str, Any], limit_s: float, *, ours: bool
    ) -> Outcome:
        """What came of a request; ``ours``: none of the learner's code runs in who answers."""
        try:
            return self._outcome(ask(request, limit_s + self._limits.grace_s), ours=ours)
        except TimeoutError:
            return Outcome(problem=self._too_long())
        except PlayerGoneError as fault:
            return Outcome(problem=Problem(str(fault), ends_check=True))

    def _outcome(self, reply: Any, *, ours: bool) -> Outcome:
        problem = _problem_of(reply)
        if problem is not None and problem.ends_check:
            problem = self._too_long()
        elif problem is not None and not ours:
            problem = without_cause(problem)
        observed = reply.get("observed")
        observed = observed if type(observed) is dict else None
        if problem is None and observed is None:
            problem = Problem("no result came", "Its reply has no known form.")
        elif problem is not None and (problem.ends_check or ours or not self._play.is_repeatable):
            observed = None
        printed = reply.get("printed")
        return Outcome(observed, problem, printed[:_MOST_TEXT] if type(printed) is str else "")

    def _too_long(self) -> Problem:
        return Problem(
            f"it did not finish within {self._limit_s:.3g} s, all cases together",
            TOO_LONG,
            ends_check=True,
        )


def _problem_of(reply: Any) -> Problem | None:
    """The problem that a reply tells of.

    Raises:
        PlayerGoneError: it has no known form.
    """
    problem = reply.get("problem", "") if type(reply) is dict else ""
    if problem is None:
        return None
    message, cause, ends = (
        problem if type(problem) is list and len(problem) == 3 else ("", "", False)
    )
    if not (type(message) is type(cause) is str and message):
        raise PlayerGoneError("its reply has no known form")
    return Problem(message[:_MOST_TEXT], cause[:_MOST_TEXT], ends_check=ends is True)


def _list(value: Any) -> list:
    return value if type(value) is list else []
