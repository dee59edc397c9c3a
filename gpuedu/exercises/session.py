"""What a learner calls: check, hint, predict, reveal, measure, see, progress and setup.

None of them raises for what a learner wrote or for what the machine lacks: an exception would end a
"run all" and lose what comes after it. An interrupt does end it, as everywhere in a notebook.
"""

from __future__ import annotations

import contextlib
import inspect
import math
import os
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gpuedu.backend import has_gpu
from gpuedu.errors import AnswerError, GpueduError
from gpuedu.exercises import registry
from gpuedu.exercises.absent import prepare
from gpuedu.exercises.card import Card, report_card
from gpuedu.exercises.display import Points, draw, draw_figure, draw_text, in_notebook
from gpuedu.exercises.examine import examine
from gpuedu.exercises.guard import Outcome, learner_line, play_guarded, require_nothing_missing
from gpuedu.exercises.interruption import interrupts_heard
from gpuedu.exercises.patience import patience_for
from gpuedu.exercises.placeholder import has_placeholder
from gpuedu.exercises.predictions import (
    as_kept,
    as_said,
    prediction_value,
    require_truth,
    reveal_card,
    with_unit,
)
from gpuedu.exercises.sign import sign_of_life
from gpuedu.exercises.told_figures import Figures
from gpuedu.exercises.variants import require_code
from gpuedu.interrupts import quiet, unbroken
from gpuedu.needs import missing_in, missing_of

SEED_VARIABLE = "GPUEDU_SEED"
MEASURE_LIMIT_S = 180.0

prepare()

_stores: list[Any] = []
_codes: list[str] = [""]


def check(exercise: str, *answers: Any) -> float:
    """Judge an answer, draw its card, and return the points earned as a finite float.

    If a notebook shows the result, it is text that nbgrader reads; a person sees only the card.

    Args:
        exercise: the exercise's id, as in the lesson.
        *answers: the learner's functions or values, in the order that the lesson gives.

    Returns:
        Points between 0 and the exercise's maximum; 0.0 for an unsolved one, an unknown id, or an
        answer of the wrong kind. Wrong answers do not raise exceptions.
    """
    points = 0.0
    with learner_call("checking", exercise):
        report = examine(registry.load_varied(exercise, _codes[0]), answers, seed())
        points = report.points
        card = report_card(report)
        if report.state == "unsolved":
            draw(card)
        else:
            earned = (report.points, report.max_points, report.held(), report.seconds)
            _keep(lambda: store().record_attempt(report.exercise, *earned), card)
    return Points(points) if in_notebook() else points


@unbroken
def _keep(record: Callable[[], None], card: Card) -> None:
    """Record something and show its card: both, or neither where an interrupt comes before."""
    record()
    draw(card)


def hint(exercise: str) -> None:
    """Give the next hint of an exercise: first a question, last almost the answer."""
    with learner_call("getting a hint for", exercise):
        _give_hint(exercise, registry.load_varied(exercise, _codes[0]).judge.hints)


@unbroken
def _give_hint(exercise: str, hints: Sequence[str]) -> None:
    step = store().next_hint(exercise, len(hints))
    more = f'`hint("{exercise}")` again for the next.' if step < len(hints) else ""
    draw(Card(f"{exercise}: hint {step} of {len(hints)}", paragraphs=(hints[step - 1],), next=more))


def predict(key: str, value: float | str) -> None:
    """Store a prediction before the answer is revealed: a number, or one of the choices."""
    with learner_call("keeping your prediction for", key):
        prediction = registry.load_prediction(key, _codes[0])
        if value is ...:
            asked = f"Put your guess in place of `...`: {prediction.question}"
            if prediction.choices:
                asked += f" One of {', '.join(map(repr, prediction.choices))}."
            draw(Card(f"{key}: no prediction yet", paragraphs=(asked,)))
            return
        stored = prediction_value(prediction, value)
        # The last one before the answer counts.
        kept = store().prediction(key) if store().is_revealed(key) else None
        if kept is None:
            value = f'"{stored}"' if prediction.choices else with_unit(stored, prediction)
            shown, told = f"is {value}", "Kept. Now find out."
        else:
            shown = f"stays {with_unit(as_said(kept, prediction), prediction)}"
            told = "The answer is out."
        _keep(
            lambda: store().record_prediction(key, as_kept(stored, prediction)),
            Card(f"{key}: your prediction {shown}", next=told),
        )


def reveal(key: str, measured: float | None = None) -> None:
    """Compare the stored prediction with the truth, or with what the learner just measured."""
    with learner_call("revealing", key):
        prediction = registry.load_prediction(key, _codes[0])
        truth = prediction.truth if measured is None else require_truth(measured)
        if truth is None:
            draw(Card(f"{key}: nothing measured yet", paragraphs=("Run the cells above first.",)))
            return
        said = store().prediction(key)
        if said is None:
            text = f'Predict first: fill in `predict("{key}", ...)` above; a guess is enough.'
            draw(Card(f"{key}: no prediction yet", paragraphs=(text,)))
            return
        _keep(
            lambda: store().record_truth(key, as_kept(truth, prediction)),
            reveal_card(key, prediction, as_said(said, prediction), truth),
        )


def see(name: str, *answers: Any) -> None:
    """Show a picture: of the learner's own code, or one of the lesson's (``lesson/picture``).

    What is a text there (a listing, a page of facts) is printed.
    """
    with learner_call("drawing", name):
        draw_picture = registry.load_picture(name, _codes[0])
        if any(has_placeholder(answer) for answer in answers):
            draw(Card(f"{name}: nothing to draw yet", paragraphs=("Fill in the blank above.",)))
            return
        _require_as_many(name, draw_picture, answers)
        # What is ours ends; how soon depends on the machine. Without an answer all of it is.
        patience = patience_for(draw_picture)
        outcome = play_guarded(patience.first, math.inf) if patience.first else Outcome()
        if outcome.problem is None:
            limit_s = patience.limit_s if answers else math.inf
            outcome = play_guarded(lambda: draw_picture(*answers), limit_s)
        require_nothing_missing(outcome)
        if outcome.problem is not None:
            why = f"{outcome.problem.message}. {outcome.problem.cause}".strip()
            draw(Card(f"{name}: cannot be drawn yet", "wrong", paragraphs=(why,)))
            return
        if isinstance(outcome.observed, str):
            draw_text(outcome.observed)
        else:
            draw_figure(outcome.observed)


def _require_as_many(name: str, draw_picture: Callable[..., Any], answers: Sequence[Any]) -> None:
    """Raise AnswerError where a picture got more or fewer answers than it is drawn of."""
    taken = inspect.signature(draw_picture)
    try:
        taken.bind(*answers)
    except TypeError:
        wanted = sum(one.default is one.empty for one in taken.parameters.values())
        of_yours = "no answer" if not wanted else f"{wanted} answer{'s' if wanted > 1 else ''}"
        called = f'see("{name}"{", ..." if wanted else ""})'
        raise AnswerError(
            f"the picture `{name}` is drawn from {of_yours} of yours, got {len(answers)}",
            remedy=f"{called}, with what follows the name in the lesson's own cell",
        ) from None


def measure(name: str, *answers: Any) -> dict[str, float]:
    """Time something on this machine and return the figures; they are shown, never graded."""
    with learner_call("measuring", name, is_ticking=False):
        run = registry.load_measure(name)
        if any(has_placeholder(answer) for answer in answers):
            draw(Card(f"{name}: nothing to measure yet", paragraphs=("Fill in the blank above.",)))
            return Figures()
        outcome = play_guarded(lambda: run(*answers), MEASURE_LIMIT_S)
        require_nothing_missing(outcome)
        if outcome.problem is None:
            return Figures(outcome.observed)
        why = f"{outcome.problem.message}. {outcome.problem.cause}".strip()
        draw(Card(f"{name}: cannot be measured yet", paragraphs=(why[:1].upper() + why[1:],)))
    return Figures()


def progress() -> None:
    """Show what is solved, in how many attempts, how good predictions were, and what is next."""
    from gpuedu.exercises.progress import ProgressView

    with learner_call("adding up your progress"):
        draw(ProgressView(store().summary()))


def setup(lesson: str, variant: str = "") -> None:
    """Start a lesson: say what this machine has, in a line, and where progress is kept.

    Args:
        lesson: its name, as in the notebook.
        variant: the code of a class or a learner, if a teacher handed out numbers of their own.
    """
    from gpuedu.hardware.doctor import examine as look_at_machine
    from gpuedu.hardware.doctor import short_form
    from gpuedu.syllabus import lesson as find_lesson

    with learner_call("setting up", lesson):
        require_code(variant)
        _codes[0] = variant
        entry = find_lesson(lesson)
        store()
        draw_text(f"{entry.title}: {entry.question} (about {entry.minutes} minutes)")
        draw_text(short_form(look_at_machine(measure=False)))
        gone = missing_in(entry.slug, is_light=entry.tab)
        if gone is not None:
            draw(_refused(gone))
        if "triton" in sys.modules and not has_gpu():
            _interpret_triton()


def _interpret_triton() -> None:
    """Have ``kernel[grid](...)`` run without a GPU, and tell of its hazards."""
    from gpuedu.simt.host.hazards import tell as tell_hazards
    from gpuedu.triton.launching import interpret_from_now_on

    interpret_from_now_on(lambda trace: tell_hazards(trace, stacklevel=5))


def seed() -> int:
    """The seed of the cases: a teacher's ``GPUEDU_SEED`` (a number or any text), or 0."""
    given = os.environ.get(SEED_VARIABLE, "0")
    return int(given) if given.isdecimal() else zlib.crc32(given.encode())


def store() -> Any:
    """The learner's progress; kept only in memory while a class is graded."""
    from gpuedu.exercises.progress import open_store

    if not _stores:
        grading = bool(os.environ.get("NBGRADER_EXECUTION"))
        _stores.append(open_store(in_memory=grading, tell=tell))
    return _stores[0]


def reopen_store() -> Any:
    """The learner's progress, reopened because its folder was changed."""
    _stores.clear()
    return store()


def use_store(progress_store: Any) -> None:
    """Keep progress in this store from now on."""
    _stores[:] = [progress_store]


def tell(message: str) -> None:
    """Show what happened to the learner's progress, as a card."""
    draw(Card("Progress", paragraphs=(message,)))


@contextlib.contextmanager
def learner_call(doing: str, name: Any = "", *, is_ticking: bool = True) -> Iterator[None]:
    """Show what happens in a call: that it takes long, and any exception as a card.

    Only an interrupt goes on after its card. ``is_ticking``: whether the line counts the seconds;
    while something is timed, nothing else should wake up.
    """
    what = f"{doing} `{name}`" if name and isinstance(name, str) else doing
    with interrupts_heard(), sign_of_life(what, is_ticking=is_ticking):
        try:
            yield
        except KeyboardInterrupt as interrupt:
            draw(_interrupted(what))
            raise quiet(interrupt) from None
        except GpueduError as fault:
            draw(_refused(fault))
        except Exception as fault:
            missing = missing_of(fault)
            draw(_fault_of_ours(fault) if missing is None else _refused(missing))


def _refused(fault: GpueduError) -> Card:
    return Card(fault.message, "refused", next=f"Try: {fault.remedy}" if fault.remedy else "")


def _interrupted(what: str) -> Card:
    return Card(
        "Interrupted",
        paragraphs=(f"Stopped while {what}. Nothing was counted, and nothing is lost.",),
        next="Run the cell again whenever you like.",
    )


def _fault_of_ours(fault: Exception) -> Card:
    return Card(
        "This is a fault of the course, not of your code",
        "refused",
        paragraphs=(f"{type(fault).__name__}: {fault}"[:500], learner_line(fault)),
        next="Nothing was counted against you. Please report it with this card.",
    )
