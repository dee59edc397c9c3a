"""The proofs of an exercise: right answers pass; unsolved and known wrong ones fail.

The solution is read from the lesson's source, the stub from the notebook that is released; answers
to reject and to accept are in the exercise's folder, in ``judge/wrong.diff`` and ``judge/wrong/``,
and in ``judge/right/``. A wrong one names the property that it must lose, and may have its own
question, which must then be what its card asks.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

import nbformat

from gpuedu.course.check_call import check_arguments
from gpuedu.course.notebook_texts import notebook_texts
from gpuedu.course.source import LessonSource, read_source
from gpuedu.course.stored import StoredAnswer, read_stored
from gpuedu.errors import CatalogError, GpueduError
from gpuedu.exercises.capture import captured
from gpuedu.exercises.contract import Exercise, Fault, Undecided
from gpuedu.exercises.examine import Report, examine, find_loss, first_loss, play_cases
from gpuedu.exercises.guard import play_guarded
from gpuedu.exercises.mistakes import FILE, SEED, with_questions
from gpuedu.exercises.registry import load, package_of
from gpuedu.syllabus import lesson_of

WRONG_AT_LEAST = 4
QUICK_SEEDS = 2
"""How many seeds a quick proof tries a solution on: the one of the notebooks, and one other."""
COSTLY_SEEDS = 3
"""A judge that is proved on this few seeds trains models or starts processes in each case."""
CELL_LIMIT_S = 20.0


@dataclass(frozen=True)
class Proof:
    """What was found about one exercise; shares are shares of its points."""

    id: str
    lesson: str
    points: float
    solution: float
    stub: float
    wrong: tuple[int, int]
    right: tuple[int, int]
    faults: tuple[str, ...] = field(default=())

    @property
    def ok(self) -> bool:
        """Whether everything holds that must hold."""
        return not self.faults

    def as_dict(self) -> dict[str, Any]:
        """The proof as JSON has it."""
        return {
            "id": self.id,
            "lesson": self.lesson,
            "points": self.points,
            "solution": self.solution,
            "stub": self.stub,
            "wrong": {"n": self.wrong[0], "rejected": self.wrong[1]},
            "right": {"n": self.right[0], "accepted": self.right[1]},
            "ok": self.ok,
            "faults": list(self.faults),
        }


@lru_cache(maxsize=2)
def _read(path: Path, changed_ns: int) -> LessonSource:
    """A lesson's source, which several exercises share, as long as its file is the same."""
    return read_source(path)


class Bench:
    """One exercise with its source, on which answers are tried."""

    def __init__(self, root: Path, exercise: str) -> None:
        self.root, self.id = root, exercise
        self.folder = root.joinpath(*package_of(exercise).split("."))
        self.lesson = lesson_of(exercise)
        folder = self.lesson.folder
        path = root / "solutions" / folder / f"{folder}.py"
        self.source = _read(path, path.stat().st_mtime_ns)
        (check,) = self.source.cells_of(exercise, "check")
        _, self.arguments = check_arguments(check.text) or ("", [])

    @cached_property
    def exercise(self) -> Exercise:
        """Its play and its judge, loaded where they are asked for."""
        return load(self.id)

    def solution_cells(self) -> list[str]:
        """The exercise's given and answer cells, with the answers."""
        return [cell.text for cell in self.source.cells_of(self.id, "given", "answer")]

    def stub_cells(self) -> list[str]:
        """The same cells as the learner gets them."""
        _, release = notebook_texts(self.root, self.lesson)
        cells = nbformat.reads(release, as_version=4).cells
        return [
            cell.source
            for cell in cells
            if cell.metadata["gpuedu"].get("exercise") == self.id
            and cell.metadata["gpuedu"]["role"] in ("given", "answer")
        ]

    def answers(self, cells: Iterable[str], name: str) -> list[Any]:
        """Run the lesson's imports and these cells, and take what the check cell hands over."""
        namespace: dict[str, Any] = {"__name__": "__lesson__"}
        (setup,) = (cell for cell in self.source.cells if cell.role == "setup")
        for number, text in enumerate([_imports_of(setup.text), *cells]):
            run_cell(text, f"<{self.id} {name} {number}>", namespace)
        return [
            eval(compile(ast.Expression(argument), "<check>", "eval"), namespace)
            for argument in self.arguments
        ]

    def try_answers(self, cells: Iterable[str], name: str, seed: int = 0) -> Report:
        """The verdict on these cells."""
        return examine(self.exercise, self.answers(cells, name), seed)

    def stored_wrong(self) -> Mapping[str, StoredAnswer]:
        """Known wrong answers by name."""
        return read_stored(self.folder / "judge")

    def wrong_texts(self) -> Mapping[str, str]:
        """Known wrong answers as statements below the solution's cells, by name."""
        cells = self.solution_cells()
        return {name: stored.text(cells) for name, stored in self.stored_wrong().items()}

    def right_texts(self) -> Mapping[str, str]:
        """Known right answers that are not the solution, in the same form."""
        paths = sorted((self.folder / "judge" / "right").glob("*.py"))
        return {path.stem: path.read_text("utf-8", errors="replace") for path in paths}


def _imports_of(setup: str) -> str:
    tree = ast.parse(setup)
    kept = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    return "\n".join(ast.unparse(node) for node in kept)


def run_cell(text: str, filename: str, namespace: dict[str, Any]) -> None:
    """Run a cell so that its source can be read back, as a notebook's can."""
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(compile(text, filename, "exec", dont_inherit=True), namespace)


def prove(
    root: Path, exercise: str, seeds: int | None = None, repeats: int = 1, *, quick: bool = False
) -> Proof:
    """Prove one exercise: the solution on ``seeds`` seeds and every stored answer.

    Args:
        root: the checkout.
        exercise: its id.
        seeds: how many the solution must pass; by default the number that its judge names.
        repeats: on how many seeds each wrong answer must lose its property, and each right one pass
            (right ones on 3 at least): a verdict that depends on luck would change.
        quick: whether a wrong answer is played only until its property is lost, and seeds are few:
            ``QUICK_SEEDS`` for the solution, one for a right answer. Costly cases are played on one
            seed, and a few answers stand in for all: of the wrong ones the first to lose each
            property, and at least four; of the right ones the first.
    """
    bench = Bench(root, exercise)
    seeds = bench.exercise.judge.seeds if seeds is None else seeds
    if quick:
        seeds = min(seeds, 1 if _is_costly(bench) else QUICK_SEEDS)
    faults: list[str] = []
    solution = _prove_solution(bench, max(seeds, repeats), faults)
    with captured():
        stub = bench.try_answers(bench.stub_cells(), "stub")
    if stub.points or stub.state != "unsolved":
        faults.append(f"the stub earns {stub.points:g} and is reported as {stub.state!r}")
    # A card asks by what a build has computed of a right solution.
    is_asking = solution == 1.0 and (bench.folder / "judge" / FILE).exists()
    wrong = _prove_wrong(bench, repeats, faults, quick, is_asking)
    if not is_asking:
        told = (
            "what its cards ask was not checked: that needs a right solution and `gpuedu "
            "build` first"
        )
        faults.append(told)
    right = _prove_right(bench, max(1 if quick else min(seeds, 3), repeats), faults, quick)
    points = bench.exercise.judge.points
    return Proof(
        exercise,
        bench.lesson.slug,
        points,
        solution,
        stub.points / points,
        wrong,
        right,
        tuple(faults),
    )


def _prove_solution(bench: Bench, seeds: int, faults: list[str]) -> float:
    with captured():  # given cells may print: that is for the learner, not for `--json`
        answers = bench.answers(bench.solution_cells(), "solution")
    share = 1.0
    for seed in range(seeds):
        report = examine(bench.exercise, answers, seed)
        share = min(share, report.points / report.max_points)
        if report.state != "solved":
            faults.append(f"seed {seed}: the solution is {report.state}: {first_fault(report)}")
            break
    return share


def _prove_wrong(
    bench: Bench, repeats: int, faults: list[str], quick: bool, is_asking: bool
) -> tuple[int, int]:
    known = bench.stored_wrong()
    names = [prop.name for prop in bench.exercise.judge.properties]
    tried = list(known)
    if quick and _is_costly(bench):
        tried = _some(known)
    rejected = 0
    for stored in (known[name] for name in tried):
        if stored.loses not in names:
            faults.append(f"{stored.name}: it loses {stored.loses!r}, which is not one of {names}")
            continue
        asks = stored.asks or (known[stored.like].asks if stored.like else "")
        rejected += _is_rejected(bench, stored, asks * is_asking, repeats, faults, quick)
    if len(known) < WRONG_AT_LEAST:
        faults.append(f"{len(known)} known wrong answers, at least {WRONG_AT_LEAST}")
    lost = {stored.loses for stored in known.values()}
    faults += [f"no known wrong answer loses {name!r}" for name in names if name not in lost]
    return len(tried), rejected


def _is_costly(bench: Bench) -> bool:
    return bench.exercise.judge.seeds <= COSTLY_SEEDS


def _some(known: Mapping[str, StoredAnswer]) -> list[str]:
    """The first stored answer that loses each property, then others up to ``WRONG_AT_LEAST``."""
    first = {stored.loses: name for name, stored in reversed(known.items())}
    named = sorted(known, key=lambda name: name not in first.values())
    return named[: max(len(first), WRONG_AT_LEAST)]


def _is_rejected(
    bench: Bench, stored: StoredAnswer, asks: str, repeats: int, faults: list[str], quick: bool
) -> bool:
    """Whether a stored answer loses its property on every seed, and its card asks its question.

    The whole check once, unless the proof is quick; on further seeds no more than shows the loss,
    where that is enough.
    """
    text = stored.text(bench.solution_cells())
    place: int | None = 0
    for seed in range(repeats):
        answers = _run_text(bench, stored.name, text, faults)
        if answers is None:
            return False
        if seed:
            place = find_loss(bench.exercise, answers, stored.loses, seed, place or 0)
            if place is not None:
                continue
            answers = _run_text(bench, stored.name, text, faults)  # those may have kept something
        loss = _loss(bench, answers or [], stored.loses, seed, quick)
        if isinstance(loss, str):
            told = f"{stored.name}: does not lose {stored.loses!r} ({loss})"
            faults.append(f"{told} on seed {seed}" if seed else told)
            return False
        if asks and isinstance(loss, Undecided):
            faults.append(
                f"{stored.name}: {stored.loses!r} is undecided ({loss.message}), so its card asks "
                "nothing there: which property does it lose?"
            )
            return False
        if asks and not seed and asks != loss.cause:
            faults.append(
                f"{stored.name}: its card asks {loss.cause!r}, not {asks!r}: "
                "does `gpuedu build` help?"
            )
    return True


def _loss(bench: Bench, answers: list[Any], name: str, seed: int, quick: bool) -> Fault | str:
    """The counterexample of a property that answers lose; what they lose where they do not."""
    exercise = bench.exercise
    if quick:
        found = first_loss(exercise, answers, name, seed)
        if found is None:
            return _told(examine(exercise, answers, seed))
        result, outcome = found
        played = {result.place: outcome} if seed == SEED else None
        (result,) = with_questions(
            exercise, [result], played, lambda case: play_cases(exercise, answers, [case])[0]
        )
    else:
        report = examine(exercise, answers, seed)
        if report.state not in ("partly", "wrong") or report.held()[name]:
            return _told(report)
        (result,) = (one for one in report.results if one.property.name == name)
    return result.fault or Fault(name, "it was not played")


def _told(report: Report) -> str:
    """The state of a report, with the properties that it calls lost."""
    lost = [name for name, holds in report.held().items() if not holds]
    return f"{report.state}: loses {', '.join(lost)}" if report.state == "partly" else report.state


def _prove_right(bench: Bench, seeds: int, faults: list[str], quick: bool) -> tuple[int, int]:
    known = bench.right_texts()
    tried = list(known.items())[: 1 if quick and _is_costly(bench) else None]
    accepted = 0
    for name, text in tried:
        for seed in range(seeds):
            answers = _run_text(bench, name, text, faults)
            report = None if answers is None else examine(bench.exercise, answers, seed)
            if report is None or report.state != "solved":
                why = first_fault(report) if report else "it does not run"
                faults.append(f"{name}: a right answer loses points on seed {seed}: {why}")
                break
        else:
            accepted += 1
    if not known:
        faults.append("no known right answer beside the solution")
    return len(tried), accepted


def run_stored(bench: Bench, stored: StoredAnswer) -> list[Any]:
    """The answers of a known wrong one, fresh.

    Raises:
        CatalogError: It cannot be run.
    """
    faults: list[str] = []
    answers = _run_text(bench, stored.name, stored.text(bench.solution_cells()), faults)
    if answers is None:
        raise CatalogError(f"{bench.id}: {faults[0]}")
    return answers


def _run_text(bench: Bench, name: str, text: str, faults: list[str]) -> list[Any] | None:
    """The answers of a stored text, fresh; None where it cannot be run."""
    cells = [*bench.solution_cells(), text]
    outcome = play_guarded(lambda: bench.answers(cells, name), CELL_LIMIT_S)
    if outcome.problem is not None:
        faults.append(f"{name}: cannot be run: {outcome.problem.message}")
        return None
    return outcome.observed


def first_fault(report: Report) -> str:
    """The first counterexample of a report, with its property and case, or why there is none."""
    for result in report.results:
        if result.fault is not None:
            return f"{result.property.name}: on {result.case}: {result.fault.message}"
    return report.refusal or report.state


def prove_all(
    root: Path,
    exercises: Iterable[str],
    seeds: int | None = None,
    workers: int = 1,
    repeats: int = 1,
    *,
    quick: bool = False,
) -> list[Proof]:
    """Prove exercises, in separate processes if ``workers`` is more than one."""
    exercises = list(exercises)
    proved = partial(_prove_or_report, root, seeds=seeds, repeats=repeats, quick=quick)
    if workers <= 1 or len(exercises) == 1:
        return [proved(exercise) for exercise in exercises]
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # Spawned, not forked: a fork of a process that ran parallel code can hang.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        return list(pool.map(proved, exercises))


def _prove_or_report(
    root: Path, exercise: str, seeds: int | None, repeats: int, quick: bool
) -> Proof:
    try:
        return prove(root, exercise, seeds, repeats, quick=quick)
    except Exception as fault:  # a judge that cannot be imported, say: the other proofs go on
        told = str(fault) if isinstance(fault, GpueduError) else f"{type(fault).__name__}: {fault}"
        return Proof(exercise, lesson_of(exercise).slug, 0, 0, 0, (0, 0), (0, 0), (told,))
