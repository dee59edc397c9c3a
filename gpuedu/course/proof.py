"""The proofs of an exercise: right answers pass, unsolved and known wrong ones fail.

The solution is read from the lesson's source, the stub from the notebook that is released, answers
to reject from ``tests/wrong_answers/<id>/``, answers to accept from ``tests/right_answers/<id>/``.
Each of those is a few lines that replace what the solution defines; the first line of a wrong one
names the property that it must lose: ``# loses: waits``.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import nbformat

from gpuedu.course.build import notebook_texts
from gpuedu.course.check_call import check_arguments
from gpuedu.course.source import read_source
from gpuedu.errors import GpueduError
from gpuedu.exercises.capture import captured
from gpuedu.exercises.examine import Report, examine, find_loss
from gpuedu.exercises.guard import play_guarded
from gpuedu.exercises.registry import load
from gpuedu.syllabus import lesson_of

WRONG_AT_LEAST = 4
QUICK_SEEDS = 2
"""On how many seeds a quick proof tries a solution: the seed of notebooks, and one other."""
CELL_LIMIT_S = 20.0
_LOSES = re.compile(r"# loses: ([a-z0-9-]+)\s*$")


@dataclass(frozen=True)
class Proof:
    """What was found about one exercise; shares are of its points."""

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
        """Whether everything that must hold does."""
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


class Bench:
    """One exercise with its source, on which answers are tried."""

    def __init__(self, root: Path, exercise: str) -> None:
        self.root, self.id = root, exercise
        self.exercise = load(exercise)
        self.lesson = lesson_of(exercise)
        folder = self.lesson.folder
        self.source = read_source(root / "solutions" / folder / f"{folder}.py")
        (check,) = self.source.cells_of(exercise, "check")
        _, self.arguments = check_arguments(check.text) or ("", [])

    def solution_cells(self) -> list[str]:
        """Given and answer cells of the exercise, with the answers."""
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

    def variants(self, kind: str) -> Mapping[str, str]:
        """Stored answers of a kind (``wrong`` or ``right``): file name to source."""
        folder = self.root / "tests" / f"{kind}_answers" / self.id
        return {
            path.name: path.read_text("utf-8", errors="replace")
            for path in sorted(folder.glob("*.py"))
        }


def _imports_of(setup: str) -> str:
    tree = ast.parse(setup)
    kept = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    return "\n".join(ast.unparse(node) for node in kept)


def run_cell(text: str, filename: str, namespace: dict[str, Any]) -> None:
    """Run a cell so that its source can be read back, as a notebook's can."""
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(compile(text, filename, "exec"), namespace)


def prove(
    root: Path, exercise: str, seeds: int | None = None, repeats: int = 1, *, quick: bool = False
) -> Proof:
    """Prove one exercise: the solution on ``seeds`` seeds and every stored answer.

    Args:
        root: the checkout.
        exercise: its id.
        seeds: how many the solution must pass; as many as its judge names by default.
        repeats: on how many seeds each wrong answer must lose its property, and each right one pass
            (right ones on 3 at least): a verdict that depends on luck would change.
        quick: whether a wrong answer is played only until its property is lost, and seeds are few:
            ``QUICK_SEEDS`` for the solution, one for a right answer.
    """
    bench = Bench(root, exercise)
    seeds = bench.exercise.judge.seeds if seeds is None else seeds
    seeds = min(seeds, QUICK_SEEDS) if quick else seeds
    faults: list[str] = []
    solution = _prove_solution(bench, max(seeds, repeats), faults)
    with captured():
        stub = bench.try_answers(bench.stub_cells(), "stub")
    if stub.points or stub.state != "unsolved":
        faults.append(f"the stub earns {stub.points:g} and is told as {stub.state!r}")
    wrong = _prove_wrong(bench, repeats, faults, quick)
    right = _prove_right(bench, max(1 if quick else min(seeds, 3), repeats), faults)
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
            faults.append(f"seed {seed}: the solution is {report.state}: {_first_fault(report)}")
            break
    return share


def _prove_wrong(bench: Bench, repeats: int, faults: list[str], quick: bool) -> tuple[int, int]:
    variants = bench.variants("wrong")
    names = [prop.name for prop in bench.exercise.judge.properties]
    rejected = 0
    for file, text in variants.items():
        named = _LOSES.match(text.splitlines()[0] if text else "")
        if named is None or named.group(1) not in names:
            faults.append(f"{file}: the first line should be `# loses: ` and one of {names}")
            continue
        rejected += _is_rejected(bench, file, text, named.group(1), repeats, faults, quick)
    if len(variants) < WRONG_AT_LEAST:
        faults.append(f"{len(variants)} known wrong answers, at least {WRONG_AT_LEAST}")
    return len(variants), rejected


def _is_rejected(
    bench: Bench, file: str, text: str, name: str, repeats: int, faults: list[str], quick: bool
) -> bool:
    """Whether a stored answer loses its property on every seed.

    The whole check once, unless the proof is quick; on further seeds no more than shows the loss,
    where that is enough.
    """
    place: int | None = 0
    for seed in range(repeats):
        answers = _run_variant(bench, file, text, faults)
        if (seed or quick) and answers is not None:
            place = find_loss(bench.exercise, answers, name, seed, place or 0)
            if place is not None:
                continue
            answers = _run_variant(bench, file, text, faults)  # those may have kept something
        if answers is None:
            return False
        report = examine(bench.exercise, answers, seed)
        if report.state not in ("partly", "wrong") or report.held()[name]:
            told = f"{file}: does not lose {name!r} ({report.state})"
            faults.append(f"{told} on seed {seed}" if seed else told)
            return False
    return True


def _prove_right(bench: Bench, seeds: int, faults: list[str]) -> tuple[int, int]:
    variants = bench.variants("right")
    accepted = 0
    for file, text in variants.items():
        for seed in range(seeds):
            answers = _run_variant(bench, file, text, faults)
            report = None if answers is None else examine(bench.exercise, answers, seed)
            if report is None or report.state != "solved":
                why = _first_fault(report) if report else "it does not run"
                faults.append(f"{file}: a right answer loses points on seed {seed}: {why}")
                break
        else:
            accepted += 1
    return len(variants), accepted


def _run_variant(bench: Bench, file: str, text: str, faults: list[str]) -> list[Any] | None:
    """The answers of a stored file, fresh; None where it cannot be run."""
    cells = [*bench.solution_cells(), text]
    outcome = play_guarded(lambda: bench.answers(cells, file), CELL_LIMIT_S)
    if outcome.problem is not None:
        faults.append(f"{file}: cannot be run: {outcome.problem.message}")
        return None
    return outcome.observed


def _first_fault(report: Report) -> str:
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
    """Prove exercises, in processes of their own where ``workers`` is more than one."""
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
