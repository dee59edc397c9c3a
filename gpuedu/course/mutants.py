"""Tries every single-edit mutant of the solution and of other right answers.

One that earns all points is a survivor.

A survivor is an equal answer, listed in ``judge/equal.toml`` with the reason that a person wrote,
or a hole in the cases. That file has a line for each: the key of the mutant, and the reason. A key
that ends in ``-> any`` stands for every edit of what is before it.

``mutants.json`` beside the exercises lists those all of whose mutants were played, with none
surviving without a reason; what has changed since then has to be played again.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from gpuedu.course.mutation import Mutant, mutants_of, unchanged
from gpuedu.course.proof import Bench
from gpuedu.errors import CatalogError
from gpuedu.exercises.capture import captured
from gpuedu.exercises.contract import Exercise
from gpuedu.exercises.examine import is_solved

FILE = "equal.toml"
RECORD = Path("gpuedu", "exercises", "mutants.json")
ANY = " -> any"
LIMITS_S = (0.5, 3.0)
"""How long a mutant may run where the solution takes a fifth of it: many never end a loop."""
_FIFTH = 5
_DRAWS = re.compile(r"picture|^measure$")
"""Modules of an exercise that only draw and time."""


@dataclass(frozen=True)
class Mutants:
    """What happened to an exercise's mutants.

    ``survivors`` earned all points and have no reason; ``unneeded`` have a reason, and no mutant of
    that key earned all points.
    """

    exercise: str
    tried: int
    survivors: tuple[str, ...]
    unneeded: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether every survivor is explained, and every reason is needed."""
        return not self.survivors and not self.unneeded

    def as_dict(self) -> dict[str, object]:
        """For a program."""
        return {"ok": self.ok, **asdict(self)}


def try_mutants(root: Path, exercise: str, keys: Iterable[str] | None = None) -> Mutants:
    """Play an exercise's mutants, those with these keys or all.

    Raises:
        CatalogError: the list of equal answers is not what it must be, or the solution itself does
            not earn all points: then no mutant would, and that would say nothing.
    """
    bench = Bench(root, exercise)
    chosen = None if keys is None else set(keys)
    equal = read_equal(bench)
    tried = [one for one in every_mutant(bench) if chosen is None or one.key in chosen]
    played = _that_solves(bench)
    full = [one.key for one in tried if _earns_everything(bench, played, one.cells)]
    survivors = tuple(key for key in full if not any(_stands_for(one, key) for one in equal))
    unneeded = tuple(
        listed
        for listed in equal
        if not any(_stands_for(listed, key) for key in full)
        and (chosen is None or listed in chosen)
        and not _needs_longer(bench, [one for one in tried if _stands_for(listed, one.key)])
    )
    return Mutants(exercise, len(tried), survivors, unneeded)


def _needs_longer(bench: Bench, listed: Iterable[Mutant]) -> bool:
    """Whether one of them is right after all, in the time that the exercise itself gives."""
    return any(_earns_everything(bench, bench.exercise, one.cells) for one in listed)


def _stands_for(listed: str, key: str) -> bool:
    """Whether a line of the list explains a mutant."""
    return listed == key or (listed.endswith(ANY) and key.startswith(listed.removesuffix("any")))


def every_mutant(bench: Bench) -> Iterator[Mutant]:
    """Mutants as whole answers: of the solution, then of each stored right answer by its name."""
    given, answer = _parts(bench)
    for one in mutants_of(answer):
        yield replace(one, cells=(*given, *one.cells))
    below = bench.solution_cells()
    for name, text in bench.right_texts().items():
        for one in mutants_of([text]):
            yield Mutant(f"{name}: {one.key}", (*below, *one.cells))


def _parts(bench: Bench) -> tuple[list[str], list[str]]:
    """The exercise's given cells, and those of the answer."""
    given, answer = (bench.source.cells_of(bench.id, role) for role in ("given", "answer"))
    return [cell.text for cell in given], [cell.text for cell in answer]


def try_all(root: Path, exercises: Iterable[str], workers: int) -> list[Mutants]:
    """Each exercise's mutants, in several processes."""
    exercises = list(exercises)
    if workers <= 1:
        return [try_mutants(root, exercise) for exercise in exercises]
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(try_mutants, [root] * len(exercises), exercises))


def explained(root: Path) -> list[str]:
    """The exercises all of whose mutants were played, with a reason for each survivor."""
    return list(_read_record(root))


def changed(root: Path) -> list[str]:
    """Those of them that have changed since then."""
    played = _read_record(root)
    return [one for one, state in played.items() if state != _digest(Bench(root, one))]


def keep_record(root: Path, found: Iterable[Mutants]) -> None:
    """Note the exercises all of whose mutants were played and explained."""
    played = _read_record(root)
    for one in found:
        if one.ok:
            played[one.exercise] = _digest(Bench(root, one.exercise))
        else:
            played.pop(one.exercise, None)
    (root / RECORD).write_text(json.dumps(played, indent=0, sort_keys=True) + "\n", "utf-8")


def _read_record(root: Path) -> dict[str, str]:
    path = root / RECORD
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def _digest(bench: Bench) -> str:
    """Of what decides about an exercise's mutants: its sources, right answers and listed keys.

    Not of what several exercises share, nor of how mutants are made: ``make prove-all`` plays all
    of them. What is only read by people, comments, docstrings, a judge's sentences, pictures, may
    be written anew without playing them again.
    """
    parts = [_code(cell) for cell in bench.solution_cells()]
    for path in sorted(bench.folder.rglob("*.py")):
        name = path.relative_to(bench.folder)
        if "wrong" in name.parts or _DRAWS.search(path.stem):
            continue
        is_judges = name.parts[0] == "judge" and "right" not in name.parts
        parts += [name.as_posix(), _code(path.read_text("utf-8"), with_sentences=not is_judges)]
    parts += sorted(read_equal(bench))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _code(text: str, *, with_sentences: bool = True) -> str:
    """What a text in Python does, without comments and docstrings; another text as it is."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return text
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(
            node
        ):
            node.body[0].value.value = ""
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            is_said = " " in node.value.strip() and "\n" not in node.value  # no kernel's text
            node.value = "" if is_said and not with_sentences else node.value
    return repr(_plain(tree))


def _plain(part: object) -> object:
    """A syntax tree as tuples, the same in each Python: what is empty is left out."""
    if isinstance(part, ast.AST):
        fields = ((name, _plain(value)) for name, value in ast.iter_fields(part))
        kept = tuple((name, value) for name, value in fields if value not in (None, ()))
        return (type(part).__name__, *kept)
    return tuple(_plain(one) for one in part) if isinstance(part, list) else part


def read_equal(bench: Bench) -> Mapping[str, str]:
    """Reasons why mutants are right, by key; empty where there is no list.

    Raises:
        CatalogError: it is not TOML, or a reason is missing.
    """
    path = bench.folder / "judge" / FILE
    if not path.exists():
        return {}
    try:
        found = tomllib.loads(path.read_text("utf-8"))
    except tomllib.TOMLDecodeError as fault:
        raise CatalogError(f"{bench.id}: {FILE}: {fault}") from fault
    for key, reason in found.items():
        if not isinstance(reason, str) or len(reason.split()) < 2:
            raise CatalogError(
                f"{bench.id}: {FILE}: {key!r} has no reason", remedy="say why it is right"
            )
    return found


def _that_solves(bench: Bench) -> Exercise:
    """The exercise with a short time limit, or with its own where the solution needs that."""
    given, answer = _parts(bench)
    cells = [*given, *unchanged(answer).cells]
    for limit_s in LIMITS_S:
        if _earns_everything(bench, _limited(bench.exercise, limit_s / _FIFTH), cells):
            return _limited(bench.exercise, limit_s)
    if _earns_everything(bench, bench.exercise, cells):
        return bench.exercise
    raise CatalogError(
        f"{bench.id}: the solution does not earn all points, so its mutants say nothing",
        remedy=f"gpuedu prove {bench.id}",
    )


def _limited(exercise: Exercise, limit_s: float) -> Exercise:
    limit_s = min(limit_s, exercise.play.time_limit_s)
    return replace(exercise, play=replace(exercise.play, time_limit_s=limit_s))


def _earns_everything(bench: Bench, exercise: Exercise, cells: Iterable[str]) -> bool:
    try:
        with captured():
            return is_solved(exercise, bench.answers(cells, "mutant"))
    except Exception:  # a mutant that does not even run
        return False
