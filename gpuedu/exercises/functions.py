"""Exercises that ask for plain functions: their play, and properties of what a call returns.

A case's inputs are ``call``, the name of the function that it asks for, and the arguments by their
names. Properties judge themselves, and each asks a question that names no cause: causes are those
of known wrong answers.
"""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.compare import NEAR_ZERO, number_fault, show_apart
from gpuedu.exercises.contract import Answer, Case, Fault, Inputs, Plain, Play, Property
from gpuedu.exercises.plain import describe, flag, names, number, numbers, text

Truth = float | str | bool | list[str] | Mapping[str, float]
"""The right result of a call: a number, a text, a flag, names, or the parts of a result by name."""

RESULT = "result"
_CALL = re.compile(r"(\w+)\((\w+(?:, \w+)*)\)(?: -> (.+))?")
_GIVES = re.compile(r"(float|int)(?: or (math\.\w+))?")
_OTHERS = {"text": text, "flag": flag, "names": names}
"""What a result may be that is no number, and who takes it from the learner."""

_NUMBER_AS_TEXT = ("inf", "nan", "infinity")
_FEW_ARGUMENTS = 3


@dataclass(frozen=True)
class _Function:
    """One of the learner's functions, and what it gives: the parts of a result, or a number."""

    name: str
    parameters: tuple[str, ...]
    parts: tuple[str, ...] = ()
    is_whole: bool = False
    instead: str = ""
    kind: str = ""

    def observe(self, given: Any) -> dict[str, Any]:
        """The result as plain numbers, or as the text, flag or names that it should be."""
        name = f"the result of `{self.name}`"
        if self.kind:
            return {RESULT: _OTHERS[self.kind](given, name)}
        if self.parts:
            values = numbers(given, len(self.parts), name)
            return dict(zip(self.parts, map(float, values), strict=True))
        value = number_or(given, name, self.instead) if self.instead else number(given, name)
        is_whole = self.is_whole and math.isfinite(value) and value == int(value)
        return {RESULT: int(value) if is_whole else float(value)}


def call_play(*calls: str, time_limit_s: float = 10.0) -> Play:
    """A play that calls the function that a case asks for.

    It observes ``result``, or the parts of the result by name, and each array that the function was
    given, by name, as it is after the call. A function that changes a list or a dictionary that it
    was given is reported, and has no result.

    Args:
        calls: How the exercise writes each function, in the order of ``check``, and what it
            returns. "amdahl(p, n)": a number. "steps(n) -> int": a number that should be whole,
            which is observed as an int if it is. "limit(p) -> float or math.inf": a number; an
            answer of None is told what to return for no number. "work(n) -> FLOP, bytes": two
            numbers. "limit(n) -> text", "fits(n) -> flag" and "good(n) -> names": a str, True or
            False, a list of str.
        time_limit_s: For all cases together.
    """
    functions = {one.name: one for one in map(_read_call, calls)}

    def run(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
        asked = functions[inputs["call"]]
        given = {name: inputs[name] for name in asked.parameters}
        answer = answers[list(functions).index(asked.name)]
        before = copy.deepcopy({n: one for n, one in given.items() if isinstance(one, list | dict)})
        observed = asked.observe(answer(*given.values()))
        for name, one in before.items():
            _require_unchanged(f"`{asked.name}`", f"`{name}`", one, given[name])
        arrays = {name: one for name, one in given.items() if isinstance(one, np.ndarray)}
        return {**observed, **arrays}

    answers = (Answer(one.name, signature=one.parameters) for one in functions.values())
    return Play(tuple(answers), run, time_limit_s=time_limit_s)


def _require_unchanged(function: str, name: str, before: Any, after: Any) -> None:
    if before != after:
        raise AnswerError(
            f"{function} changed {name}, which it was given",
            remedy="The caller may need it again: work on a copy.",
        )


def read_call(call: str) -> tuple[str, tuple[str, ...]]:
    """The name and parameters of a function, from a call as an exercise writes it.

    >>> read_call("amdahl(p, n)")
    ('amdahl', ('p', 'n'))
    """
    found = _CALL.fullmatch(call)
    if not found:
        raise ValueError(f"{call!r} is not a call like 'amdahl(p, n)'")
    return found[1], tuple(found[2].split(", "))


def _read_call(call: str) -> _Function:
    (name, parameters), gives = read_call(call), call.partition(" -> ")[2] or "float"
    if gives in _OTHERS:
        return _Function(name, parameters, kind=gives)
    kind = _GIVES.fullmatch(gives)
    if not kind:
        return _Function(name, parameters, parts=tuple(gives.split(", ")))
    return _Function(name, parameters, is_whole=kind[1] == "int", instead=kind[2] or "")


def number_or(value: Any, name: str, instead: str) -> float:
    """A number; if there is none, ``instead`` is expected, not None or its name as text.

    >>> number_or(None, "the share", "math.nan")
    Traceback (most recent call last):
    gpuedu.errors.AnswerError: the share should be a number, got None
    """
    if value is None:
        remedy = (
            f"Where there is no such number, return `{instead}`; without a `return`, the "
            "result is None, too."
        )
        raise AnswerError(f"{name} should be a number, got None", remedy=remedy)
    if type(value) is str and value.strip().lower() in _NUMBER_AS_TEXT:
        remedy = f"That is a text. Write `{instead}`."
        raise AnswerError(f"{name} should be a number, got {describe(value)}", remedy=remedy)
    return number(value, name)


def entry(given: Mapping[Any, Any], name: str, known: Sequence[str]) -> Any:
    """An entry of the learner's dict; if it is missing, the fault names an unexpected key.

    >>> entry({"t44": 40}, "t4", ["t4", "h100"])
    Traceback (most recent call last):
    gpuedu.errors.AnswerError: the dict has no entry for 't4'; it has 't44', which is not asked for
    """
    if name in given:
        return given[name]
    strangers = [describe(key).removesuffix(" (str)") for key in given if key not in known]
    beside = f"; it has {strangers[0]}, which is not asked for" if strangers else ""
    raise AnswerError(f"the dict has no entry for {name!r}{beside}")


def arguments_of(case: Case) -> dict[str, Any]:
    """The arguments of a case's call, by name."""
    return {name: value for name, value in case.inputs.items() if name != "call"}


def call_case(decides: str | tuple[str, ...], call: str, **given: Any) -> Case:
    """A case that asks for one call, and decides one or more properties.

    >>> call_case("limit", "amdahl", p=0.95, n=8).inputs
    {'call': 'amdahl', 'p': 0.95, 'n': 8}
    """
    names = (decides,) if isinstance(decides, str) else decides
    return Case(f"`{call}`", {"call": call, **given}, names)


def call_text(case: Case) -> str:
    """The call as the learner can type it in.

    >>> call_text(Case("", {"call": "amdahl", "p": 0.95, "n": 8}))
    'amdahl(0.95, 8)'
    >>> call_text(Case("", {"call": "sum_of", "spans": [(0.5, 2e9)], "per": {"W": 2e9}}))
    "sum_of([(0.5, 2e+09)], {'W': 2e+09})"
    """
    given = arguments_of(case)
    if len(given) > _FEW_ARGUMENTS:
        written = [f"{name}={_written(name, value)}" for name, value in given.items()]
    else:
        written = [_written(name, value) for name, value in given.items()]
    return f"{case.inputs['call']}({', '.join(written)})"


def _written(name: str, value: Any) -> str:
    if isinstance(value, np.ndarray):
        return name
    if isinstance(value, list):
        return f"[{', '.join(_written(name, one) for one in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_written(name, one)}' for key, one in value.items())}}}"
    if isinstance(value, tuple):
        return f"({', '.join(_written(name, one) for one in value)}{',' * (len(value) == 1)})"
    return exact(value) if isinstance(value, float) else repr(value)


def exact(value: float) -> str:
    """A number in the fewest digits that give it back exactly.

    >>> exact(5390000000000.0), exact(2.0**-21), exact(12)
    ('5.39e+12', '4.76837158203125e-07', '12')
    """
    short = f"{value:.6g}"
    return short if float(short) == value else repr(value)


def right_result(
    name: str,
    says: str,
    points: float,
    truths: Mapping[str, Callable[..., Truth]],
    *,
    asks: str,
    unit: str = "",
    rel: float = 1e-6,
    near_zero: float = NEAR_ZERO,
    after: tuple[str, ...] = (),
    waits_for: tuple[str, ...] = (),
) -> Property:
    """A call returns what it should; see ``result_faults``.

    Args:
        name: The property's.
        says: What the card says of it.
        points: Its points.
        truths: For each function that the property's cases call, what it should return, from the
            arguments by name.
        asks: The question below a counterexample.
        after: Properties of which one has to be right on some case first; see ``Property``.
        waits_for: Properties that have to be right before a fault of this one is told.
        unit: Of a result that is one number.
        rel: How far off a number may be, relative.
        near_zero: How far off where 0 is expected, absolute.
    """

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        truth = truths[case.inputs["call"]](**arguments_of(case))
        yield from result_faults(
            name, case, observed, truth, unit=unit, rel=rel, near_zero=near_zero
        )

    return Property(name, says, points, asks, test, after, waits_for)


def result_faults(
    name: str,
    case: Case,
    observed: Plain,
    truth: Truth,
    *,
    unit: str = "",
    rel: float = 1e-6,
    near_zero: float = NEAR_ZERO,
) -> Iterable[Fault]:
    """A fault if a call does not return what it should; the message says what that is.

    Whole numbers, and anything but a number, must be matched exactly. In a result of several parts
    those that ``truth`` names are compared, and the names are written after the numbers.
    """
    if isinstance(truth, (str, bool, list)):
        if observed[RESULT] != truth:
            yield Fault(name, f"`{call_text(case)}` gave {observed[RESULT]!r}, expected {truth!r}")
        return
    parts = truth if isinstance(truth, Mapping) else {RESULT: truth}
    for part, wanted in parts.items():
        got = observed[part]
        if math.isnan(got) and math.isnan(wanted):
            continue
        told = unit if part == RESULT else part
        yield from number_fault(
            name, call_text(case), got, wanted, unit=told, rel=rel, near_zero=near_zero
        )


def left_alone(
    points: float,
    arrays: Sequence[str],
    name: str = "inputs",
    says: str = "its arguments are left alone",
    *,
    asks: str = "The caller may need its arguments again. Where does the result go?",
) -> Property:
    """Arrays are unchanged after the call."""

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        for one in arrays:
            before, after = case.inputs[one], observed[one]
            changed = np.flatnonzero(before != after)
            if changed.size:
                place = np.unravel_index(changed[0], before.shape)
                was, now = show_apart(float(before[place]), float(after[place]))
                at = ", ".join(map(str, place))
                yield Fault(name, f"`{one}[{at}]` was {was} before the call and is {now} after it")

    return Property(name, says, points, asks, test)
