"""Single-edit mutants: each edit is made once, in its place; survivors are told unless explained."""

from __future__ import annotations

import ast
import json
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gpuedu.cli import app
from gpuedu.course import mutants
from gpuedu.course.mutation import Mutant, mutants_of
from gpuedu.course.proof import Bench
from gpuedu.errors import CatalogueError

ROOT = Path(__file__).parents[2]
SAMPLED, EXPLAINED = 12, ("does-it-fit", "step-time", "feature-gate", "throttle", "mig-or-whole")


def keys(text):
    return [one.key for one in mutants_of([text])]


def edits(line):
    """What the edits of a statement in a function make of it, without the function's name."""
    return [key.removeprefix("f: ") for key in keys(f"def f(a, b, i, n):\n    {line}\n")]


@pytest.mark.parametrize(
    ("line", "edit"),
    [
        ("return i < n", "i < n -> i <= n"),
        ("return i == n", "i == n -> i != n"),
        ("return i in a", "i in a -> i not in a"),
        ("return i + n", "i + n -> i - n"),
        ("return i - n", "i - n -> n - i"),
        ("return i // n", "i // n -> i / n"),
        ("return i % n", "i % n -> i // n"),
        ("return a[3]", "3 -> 4"),
        ("return a[3]", "3 -> 2"),
        ("return 0.5", "0.5 -> 1.0"),
        ("return True", "True -> False"),
        ("return min(a, b)", "min -> max"),
        ("return math.ceil(a)", "math.ceil -> math.floor"),
        ("return cuda.threadIdx.x", "cuda.threadIdx.x -> cuda.threadIdx.y"),
        ("return np.zeros(n, np.float32)", "np.float32 -> np.float64"),
        ("return a and b", "a and b -> a or b"),
        ("return a and b", "a and b -> b"),
        ("return not a", "not a -> a"),
        ("return -a", "-a -> a"),
        ("return a.copy()", "a.copy() -> a"),
        ("return sorted(a)", "sorted(a) -> a"),
        ("cuda.syncthreads()", "cuda.syncthreads() -> nothing"),
        ("a[i] = b[i]", "a[i] = b[i] -> nothing"),
        ("a += b", "a += b -> a -= b"),
        ("a += b", "a += b -> a = b"),
        ("return a if n else b", "a if n else b -> a if True else b"),
        ("return sum(range(n))", "range(n) -> range(n + 1)"),
        ("return sum(range(i, n))", "range(i, n) -> range(i, n - 1)"),
    ],
)
def test_each_slip_is_made(line, edit):
    assert edits(line).count(edit) == 1


def test_a_guard_is_dropped_and_a_loop_too():
    told = edits("if i < n:\n        a[i] = b[i]\n    for k in range(n):\n        a[k] += 1")
    assert "if i < n: ... -> if True: ..." in told
    assert "if i < n: ... -> nothing" in told
    assert "for k in range(n): ... -> nothing" in told


def test_every_mutant_differs_in_one_place_and_parses():
    text = "@cuda.jit\ndef f(a, n):\n    i = cuda.grid(1)\n    if i < n:\n        a[i] = 2 * a[i]\n"
    made = list(mutants_of([text]))
    assert len({one.key for one in made}) == len(made)
    assert len({one.cells for one in made}) == len(made)
    for one in made:
        assert ast.parse(one.cells[0])
        assert one.cells[0].startswith("@cuda.jit\ndef f(a, n):")
    assert text.strip() not in {one.cells[0].strip() for one in made}


def test_a_docstring_a_decorator_and_parameters_stay():
    assert keys('@jit(3)\ndef f(a, n=3):\n    """Says 3."""\n    return a\n') == []


def test_the_same_edit_in_two_places_has_two_keys():
    assert {"f: a + 1 -> a - 1", "f: a + 1 -> a - 1 (2)"} <= set(
        keys("def f(a):\n    return (a + 1) * (a + 1)\n")
    )


@pytest.mark.parametrize("exercise", EXPLAINED)
def test_no_sampled_mutant_of_these_earns_everything_unexplained(exercise):
    bench = Bench(ROOT, exercise)
    cells = [cell.text for cell in bench.source.cells_of(exercise, "answer")]
    every = [one.key for one in mutants_of(cells)]
    chosen = random.Random(exercise).sample(every, min(SAMPLED, len(every)))
    found = mutants.try_mutants(ROOT, exercise, chosen)
    assert (found.tried, found.survivors) == (len(chosen), ())


def test_a_survivor_is_told_and_a_reason_that_nothing_needs_too(monkeypatch):
    key = "cache_bytes: model['width'] // model['heads'] -> model['width'] / model['heads']"
    monkeypatch.setattr(mutants, "read_equal", lambda bench: {})
    assert mutants.try_mutants(ROOT, "does-it-fit", [key]).survivors == (key,)
    monkeypatch.setattr(mutants, "read_equal", lambda bench: {"gone: 1 -> 2": "it was equal"})
    found = mutants.try_mutants(ROOT, "does-it-fit", [key, "gone: 1 -> 2"])
    assert (found.unneeded, found.ok) == (("gone: 1 -> 2",), False)


def test_where_the_solution_does_not_earn_everything_no_mutant_tells_anything(monkeypatch):
    monkeypatch.setattr(mutants, "unchanged", lambda cells: Mutant("", ("state_bytes = 3",)))
    with pytest.raises(CatalogueError, match="does-it-fit: the solution does not earn all points"):
        mutants.try_mutants(ROOT, "does-it-fit")


def test_a_solution_that_needs_longer_gives_its_mutants_longer(monkeypatch):
    bench = Bench(ROOT, "does-it-fit")
    limits = []

    def slow(bench, exercise, given, mutant):
        limits.append(exercise.play.time_limit_s)
        return limits[-1] > mutants.LIMIT_S

    monkeypatch.setattr(mutants, "_earns_everything", slow)
    key = "cache_bytes: 2 -> 3"
    assert mutants.try_mutants(ROOT, "does-it-fit", [key]).survivors == (key,)
    assert limits == [mutants.LIMIT_S, *[bench.exercise.play.time_limit_s] * 2]


def test_mutants_are_told_as_json_too(monkeypatch):
    found = [mutants.Mutants("a", 2, ("f: 1 -> 2",), ())]
    monkeypatch.setattr(mutants, "try_all", lambda root, ids, workers: found)
    said = CliRunner().invoke(app, ["prove", "--mutants", "--json", "does-it-fit"])
    told = json.loads(said.stdout)
    assert (said.exit_code, told["ok"], told["exercises"][0]["survivors"]) == (
        1,
        False,
        ["f: 1 -> 2"],
    )


@pytest.mark.parametrize("text", ["not toml", '"f: 1 -> 2" = ""', '"f: 1 -> 2" = 3'])
def test_a_list_that_explains_nothing_is_refused(tmp_path, text):
    bench = Bench(ROOT, "does-it-fit")
    (tmp_path / "judge").mkdir()
    (tmp_path / "judge" / mutants.FILE).write_text(text)
    bench.folder = tmp_path
    with pytest.raises(CatalogueError, match="does-it-fit"):
        mutants.read_equal(bench)
