"""The exercise contract: what an exercise is, in dataclasses that travel between the parts.

An exercise has two halves that share an id. The *play* runs beside the learner's code: it calls the
learner's object on one case and returns plain arrays and numbers. The *judge* holds the cases, the
oracle and the verdict, and is never importable where a learner's code is graded.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe

Inputs = Mapping[str, Any]
"""Of one case, by name."""

Plain = Mapping[str, Any]
"""What a play returns: a mapping from names to numbers, strings, booleans, None, lists of those, or
arrays."""


class Level(StrEnum):
    """How much a finding matters: wrong or unsafe, slower than need be, worth knowing."""

    HAZARD = "hazard"
    COST = "cost"
    NOTE = "note"


@dataclass(frozen=True)
class Property:
    """One thing a right answer does: a slug, a line that a learner understands, its points.

    ``asks`` is the question below a counterexample where no known wrong answer is recognized: it
    names no cause. ``test(case, observed)`` yields the faults of a property that judges itself.
    ``after`` names properties of which one has to be right, or near, on half of its cases before
    this one counts: an answer that does nothing, or is right where there is nothing to do, would
    pass everything that forbids something. ``waits_for`` names properties that have to be right on
    all cases before a fault of this one is reported: until then it would only show their mistake
    once more.
    """

    name: str
    says: str
    points: float
    asks: str = ""
    test: Test | None = field(default=None, compare=False)
    after: tuple[str, ...] = ()
    waits_for: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """One set of inputs for the learner's object.

    ``inputs`` holds plain values and arrays. ``decides`` names the properties that this case can
    decide; empty means all of them. A case that raises fails only the properties it decides.
    ``truth`` is what the judge also knows: ``inputs`` are visible where a learner's code runs.
    """

    label: str
    inputs: Inputs
    decides: tuple[str, ...] = ()
    truth: Any = None


@dataclass(frozen=True)
class Fault:
    """A property that does not hold, with its counterexample.

    ``cause`` is a question about what the machine itself has named, if it has. A fault ``is_near``
    if what came out is close to right, or was left to chance: then what was done to get there is
    judged all the same (see ``Property``).
    """

    property: str
    message: str
    cause: str = ""
    is_near: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Undecided(Fault):
    """A property that this case shows nothing about yet: it earns nothing, and is not wrong.

    ``message`` says why: nothing was written, say, or a race decides what is read.
    """


@dataclass(frozen=True)
class Finding:
    """Something seen that takes no points."""

    level: Level
    message: str


Test = Callable[[Case, Plain], Iterable[Fault | Finding]]


@dataclass(frozen=True)
class Prediction:
    """A question with an answer that is revealed later.

    ``truth`` is a number, one of ``choices``, or None when the learner's own measurement is the
    truth. ``unit`` is written after numbers. ``because`` explains the truth in a sentence.
    ``exact``: a number counts as right only if it is the truth itself, not if it is near.
    """

    question: str
    truth: float | str | None = None
    unit: str = ""
    choices: tuple[str, ...] = ()
    because: str = ""
    exact: bool = False


@dataclass(frozen=True)
class Answer:
    """What the learner hands to ``check``, by position: a function, or a value.

    ``signature`` lists the parameters that the play passes by position, ``()`` for a value.
    ``is_opaque``: what the function returns is the learner's own, and is only handed back to them.
    ``is_optional``: left blank, it costs what it would earn, and the others are judged.
    """

    name: str
    kind: type | str = "function"
    signature: tuple[str, ...] = ()
    is_opaque: bool = False
    is_optional: bool = False

    def require(self, given: Any) -> None:
        """Raise AnswerError if ``given`` is not what the exercise asks for."""
        if self.kind == "function":
            self._require_function(given)
        elif not isinstance(given, self.kind):
            raise AnswerError(
                f"`{self.name}` should be a {self.kind.__name__}, got {describe(given)}"
            )

    def _require_function(self, given: Any) -> None:
        if not callable(given):
            called = f"`check` got {describe(given)} where it expects the function `{self.name}`"
            raise AnswerError(
                called, remedy=f"pass `{self.name}` itself, without calling it: no parentheses"
            )
        if isinstance(given, type):
            raise AnswerError(f"`{self.name}` should be a function, got the class {given.__name__}")
        function = inspect.getattr_static(given, "py_func", given)
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):
            return
        try:
            signature.bind(*self.signature)
        except TypeError:
            count = len(self.signature)
            raise AnswerError(
                f"the exercise calls `{self.name}({', '.join(self.signature)})`, with {count} "
                f"argument{'' if count == 1 else 's'}; yours is `{self.name}{signature}`"
            ) from None


@dataclass(frozen=True)
class Play:
    """The half that runs beside the learner's code.

    A play that neither is on the machine nor observes anything is repeated when a class is graded:
    what the learner's functions did is recorded beside them, and it is run again on the machine.

    Attributes:
        answers: what the learner hands in, in order.
        run: ``run(answers, inputs)`` calls the learner's objects on one case and returns ``Plain``.
        time_limit_s: bounds all cases together.
        isolated: they run in a separate process, which can be ended even inside compiled code.
        on_machine: the answers are kernels, values, or functions that take and give plain values,
            arrays of ``cp`` or things of a simulated device. So a class can be graded where kernels
            arrive as text, device arrays are, and none of the learner's Python runs. Functions and
            iterators that the play hands to theirs stay with it then, a ``StreamDevice`` or
            ``GraphDevice`` with all that is made by it, and a clock that it lends to their threads.
        by_operations: of one that is repeated: the functions take and return PyTorch tensors, and
            what each call did is sent as the operations that it carried out. They are carried out
            again on the play's own tensors, where watches that it enters (modes of PyTorch's
            dispatcher) see them. How often it calls theirs may not hang on what a watch sees. Where
            what they do may not hang on values, ``likewise`` tells those that do.
        compiles: of one on the machine: functions that Numba compiles for the CPU arrive as text,
            too, and are compiled and called there; or it runs a text in processes, such as a
            script of bash. They can write outside of arrays, or to files, so that machine serves
            no other exercise.
        compiles_kernel: of one on the machine: a real compiler reads the kernel there (Numba's for
            GPUs, NVRTC, Triton's). It is no part of the course, and may have holes of its own, so
            that machine serves no other exercise either.
        launches: it starts processes that talk to each other, which takes what the kernel counts by
            user.
        observes: in words, what a play trusts the learner's process about, such as how often it
            waited; empty if there is nothing like that.
        observed_in: names of the properties that depend on that; without names, all of them.
        attests: what it observes, or only remarks upon, it asks for by ``attested``; all else is
            repeated.
        lends: functions that the play hands to theirs note something, or change it. Their calls,
            those of the ``step`` of an optimizer, and those of methods of an object whose class is
            marked by ``gpuedu.exercises.lent_methods``, are repeated, too.
        draws: it asks the global random generators for numbers, or for their state: what theirs did
            with these is repeated, too.
        calls_later: it calls functions that theirs gave, or PyTorch does, on whose tensors they
            hung them as hooks.
    """

    answers: tuple[Answer, ...]
    run: Callable[[Sequence[Any], Inputs], Plain]
    time_limit_s: float = 10.0
    isolated: bool = False
    on_machine: bool = False
    by_operations: bool = False
    compiles: bool = False
    compiles_kernel: bool = False
    launches: bool = False
    observes: str = ""
    observed_in: tuple[str, ...] = ()
    lends: bool = False
    draws: bool = False
    calls_later: bool = False
    attests: bool = False

    @property
    def forgeable(self) -> str:
        """What a learner's code could forge where it is graded: what is observed beside it."""
        return self.observes

    def can_forge(self, prop: str) -> bool:
        """Whether a learner's code could forge a property, by name, where it is graded."""
        return bool(self.observes) and (not self.observed_in or prop in self.observed_in)

    @property
    def is_repeatable(self) -> bool:
        """Whether it gives the same with other functions that return what the learner's returned.

        When a class is graded, it is then run again with such functions, in a process that runs
        none of the learner's code, within its own time limit.
        """
        return not self.on_machine and (self.attests or not self.observes)


def on_machine(plays: Mapping[str, Play]) -> dict[str, Play]:
    """The plays of a lesson of which none needs the learner's Python beside it; see ``Play``."""
    return {name: replace(play, on_machine=True) for name, play in plays.items()}


@dataclass(frozen=True)
class Judge:
    """The half that knows the cases and the truth.

    ``cases(rng)`` draws the cases; ``verdict(case, observed)`` yields a Fault for each property
    that fails on this case, and Findings for the rest worth saying: beside those of properties that
    judge themselves, and before them. ``seeds`` is the number of seeds that the solution is proved
    on: fewer if each of them trains a model, and at most 3 if CI should play little of it (see
    ``gpuedu.course.proof.prove``). ``results`` names the properties that are about what comes out:
    all others are judged after these, except ``apart`` and those that name some themselves.
    ``varies`` names what a play observes that differs from one run to the next, such as times, or
    with how one and the same mistake is written: known wrong answers are recognized by the rest.
    """

    title: str
    properties: tuple[Property, ...]
    hints: tuple[str, str, str]
    cases: Callable[[np.random.Generator], Sequence[Case]]
    verdict: Test = lambda case, observed: ()
    predictions: Mapping[str, Prediction] = field(default_factory=dict)
    seeds: int = 20
    results: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    varies: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        kept = {*self.results, *self.apart}
        properties = (
            prop if prop.after or prop.name in kept else replace(prop, after=self.results)
            for prop in self.properties
        )
        object.__setattr__(self, "properties", tuple(properties))

    def seen(self, case: Case, observed: Plain) -> Iterator[Fault | Finding]:
        """All faults and findings of one case."""
        yield from self.verdict(case, observed)
        for prop in self.properties:
            if prop.test and prop.name in (case.decides or (prop.name,)):
                yield from prop.test(case, observed)

    @property
    def points(self) -> float:
        """Points of all properties together."""
        return sum(prop.points for prop in self.properties)


@dataclass(frozen=True)
class Exercise:
    """Both halves under one id, with the slug of the lesson they belong to.

    ``is_variant``: some of it is drawn for a class or a learner. ``topic``: its package's, where
    that is not named after the lesson.
    """

    id: str
    lesson: str
    play: Play
    judge: Judge
    is_variant: bool = False
    topic: str = ""

    @property
    def package(self) -> str:
        """The package that holds the exercise."""
        return f"gpuedu.exercises.{self.topic or self.lesson}.{self.id}".replace("-", "_")
