"""Single-edit mutants: each edit is made once, in its place; survivors are told unless explained."""

from __future__ import annotations

import ast
import json
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from gpuedu.cli import app
from gpuedu.course import mutants
from gpuedu.course.habit_mutation import changing_its_arguments
from gpuedu.course.mutation import Mutant, mutants_of
from gpuedu.course.proof import Bench
from gpuedu.errors import CatalogError
from tests.sampled import sampled

ROOT = Path(__file__).parents[2]
DRAWN = 8
"""Mutants that CI plays of an exercise."""


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


def test_arguments_are_swapped_and_an_extent_is_hard_coded():
    assert "f(a, b) -> f(b, a)" in edits("return f(a, b)")
    assert "max(a, b) -> max(b, a)" not in edits("return max(a, b)")
    assert "cuda.blockDim.x -> 128" in edits("return cuda.blockDim.x")


def test_those_without_work_return_before_what_follows():
    wait = "if i < n:\n        a[i] = b[i]\n    cuda.syncthreads()"
    assert edits(wait).count("if i < n: ... -> return for all others") == 1
    assert "if i < n: ... -> return for all others" not in edits("if i < n:\n        a[i] = b[i]")


def test_equal_arguments_are_not_swapped():
    edits = [one.key for one in mutants_of(["def f(a):\n    return pow(a, a)\n"])]
    assert not any("pow" in edit for edit in edits)


def test_each_text_of_a_table_becomes_another_of_its_texts():
    table = 'chains = {"sum": ("n", "log n"), "map": ("1", "1")}'
    edits = {one.key.removeprefix("chains: "): one.cells[0] for one in mutants_of([table])}
    assert edits["'log n' -> 'n'"] == 'chains = {"sum": ("n", "n"), "map": ("1", "1")}'.replace(
        '"', "'"
    )
    assert list(edits) == ["'n' -> '1'", "'log n' -> 'n'", "'1' -> 'log n'", "'1' -> 'log n' (2)"]
    assert not list(mutants_of(['chains = {"map": ("1", "1")}']))


def test_a_function_keeps_its_result_or_changes_its_arguments():
    (text,) = (
        one.cells[0] for one in mutants_of(["def f(a):\n    return sum(a)"]) if "first" in one.key
    )
    names = {}
    exec(text, names)
    assert [names["f"]([1, 2]), names["f"]([5])] == [3, 3]
    given = [np.ones(2), [4], {"n": 1}, torch.zeros(2, requires_grad=True)]
    changing = changing_its_arguments(lambda *arguments, named: len(arguments))
    assert changing(*given[:2], named=given[2]) == 2
    assert changing(given[3], 7, named="text") == 2
    assert (given[0].tolist(), given[1], given[2]["changed"]) == ([0, 0], [4, None], None)
    assert given[3].tolist() == [1, 1]
    with pytest.raises(TypeError):
        changing(1.5, named="text")
    assert not any("first" in key for key in keys("@cuda.jit\ndef f(a):\n    a[0] = 1"))


C = """
code = r'''
extern "C" __global__ void f(float (*a)[4], float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // ### BEGIN SOLUTION
    __shared__ float s[33];
    if (i < n && i > 2) s[threadIdx.x] = fmaxf(a[i][1], 0.5f);
    __syncthreads();
    for (int k = 0; k < 8; k++) out[i] += s[k] - 1;
    // ### END SOLUTION
    out[n] = 7;
}'''
"""


@pytest.mark.parametrize(
    "edit",
    [
        "i < n -> i <= n",
        "i < n && i > 2 -> i < n || i > 2",
        "i < n && i > 2 -> i > 2",
        "if (i < n && i > 2) s[threadIdx.x] = fmaxf(a[i][1], 0.5f); -> nothing",
        "if (i < n && i > 2) s[threadIdx.x] = fmaxf(a[i][1], 0.5f); -> if (1) s[threadIdx.x] = fmaxf(a[i][1], 0.5f);",
        "__syncthreads(); -> nothing",
        "33 -> 32",
        "threadIdx.x -> threadIdx.y",
        "fmaxf -> fminf",
        "a[i][1] -> a[1][i]",
        "0.5f -> 1.0f",
        "0.5f -> 0.5",
        "k++ -> k += 2",
        "out[i] += s[k] - 1 -> out[i] = s[k] - 1",
        "s[k] - 1 -> 1 - s[k]",
        "float -> double",
    ],
)
def test_each_slip_is_made_in_cuda_c(edit):
    assert keys(C).count(f"code: {edit}") == 1


def test_what_is_given_in_cuda_c_stays():
    for one in mutants_of([C]):
        code = ast.literal_eval(ast.parse(one.cells[0]).body[0].value)
        assert "out[n] = 7;" in code
        assert "int i = blockIdx.x * blockDim.x + threadIdx.x;" in code
        assert code.count("\n") >= 9


def test_the_statements_of_an_elementwise_kernel_are_edited():
    (cell,) = (
        cell.text for cell in Bench(ROOT, "elementwise").source.cells_of("elementwise", "answer")
    )
    assert "gelu_operation: 0.5f -> 1.0f" in keys(cell)


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


@pytest.mark.filterwarnings("default")  # in a notebook a warning is no error
@pytest.mark.parametrize("exercise", sampled(mutants.explained(ROOT), every=12))
def test_no_drawn_mutant_earns_everything_unexplained(exercise):
    every = [one.key for one in mutants.every_mutant(Bench(ROOT, exercise))]
    chosen = random.Random(exercise).sample(every, min(DRAWN, len(every)))
    found = mutants.try_mutants(ROOT, exercise, chosen)
    assert (found.tried, found.survivors) == (len(chosen), ())


@pytest.mark.filterwarnings("default")
def test_no_mutant_of_what_has_changed_earns_everything_unexplained():
    """Where this is slow: `gpuedu prove --mutants` plays them, and keeps that it did."""
    found = [mutants.try_mutants(ROOT, one) for one in mutants.changed(ROOT)]
    assert {one.exercise: (one.survivors, one.unneeded) for one in found if not one.ok} == {}


def test_what_was_played_is_kept_until_the_exercise_changes(tmp_path, monkeypatch):
    for part in ("gpuedu/exercises/why_gpus/amdahl", "solutions/01_why_gpus"):
        shutil.copytree(ROOT / part, tmp_path / part)
    assert mutants.explained(tmp_path) == []
    mutants.keep_record(tmp_path, [mutants.Mutants("amdahl", 3, (), ())])
    assert (mutants.explained(tmp_path), mutants.changed(tmp_path)) == (["amdahl"], [])
    judge = tmp_path / "gpuedu/exercises/why_gpus/amdahl/judge/__init__.py"
    written = judge.read_text("utf-8")
    said = written.replace("the same work on n workers", "a work that n workers share")
    assert said != written
    judge.write_text(f"{said}\n# and a comment\n", "utf-8")
    assert mutants.changed(tmp_path) == []
    judge.write_text(f"{written}\nCASES = 3\n", "utf-8")
    assert mutants.changed(tmp_path) == ["amdahl"]
    mutants.keep_record(tmp_path, [mutants.Mutants("amdahl", 3, ("n -> n + 1",), ())])
    assert mutants.explained(tmp_path) == []


def test_a_survivor_is_told_and_a_reason_that_nothing_needs_too(monkeypatch):
    key = "cache_bytes: model['width'] // model['heads'] -> model['width'] / model['heads']"
    monkeypatch.setattr(mutants, "read_equal", lambda bench: {})
    assert mutants.try_mutants(ROOT, "does-it-fit", [key]).survivors == (key,)
    monkeypatch.setattr(mutants, "read_equal", lambda bench: {"gone: 1 -> 2": "it was equal"})
    found = mutants.try_mutants(ROOT, "does-it-fit", [key, "gone: 1 -> 2"])
    assert (found.unneeded, found.ok) == (("gone: 1 -> 2",), False)


def test_where_the_solution_does_not_earn_everything_no_mutant_tells_anything(monkeypatch):
    monkeypatch.setattr(mutants, "unchanged", lambda cells: Mutant("", ("state_bytes = 3",)))
    with pytest.raises(CatalogError, match="does-it-fit: the solution does not earn all points"):
        mutants.try_mutants(ROOT, "does-it-fit")


def test_a_solution_that_needs_longer_gives_its_mutants_longer(monkeypatch):
    bench = Bench(ROOT, "does-it-fit")
    limits = []

    def slow(bench, exercise, cells):
        limits.append(exercise.play.time_limit_s)
        return limits[-1] > max(mutants.LIMITS_S)

    monkeypatch.setattr(mutants, "_earns_everything", slow)
    key = "cache_bytes: 2 -> 3"
    assert mutants.try_mutants(ROOT, "does-it-fit", [key]).survivors == (key,)
    short = [limit_s / 5 for limit_s in mutants.LIMITS_S]
    assert limits == [*short, *[bench.exercise.play.time_limit_s] * 2]


def test_a_reason_is_needed_where_its_mutant_is_right_in_the_exercises_own_time(monkeypatch):
    bench, key = Bench(ROOT, "does-it-fit"), "cache_bytes: 2 -> 3"
    (mutant,) = (one for one in mutants.every_mutant(bench) if one.key == key)
    own_s = bench.exercise.play.time_limit_s
    right_in_s = [own_s]

    def slow(bench, exercise, cells):
        return tuple(cells) != mutant.cells or exercise.play.time_limit_s >= right_in_s[0]

    monkeypatch.setattr(mutants, "_earns_everything", slow)
    monkeypatch.setattr(mutants, "read_equal", lambda bench: {key: "it is slow and right"})
    assert mutants.try_mutants(ROOT, "does-it-fit", [key]).unneeded == ()
    right_in_s[0] = own_s + 1
    assert mutants.try_mutants(ROOT, "does-it-fit", [key]).unneeded == (key,)


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
    with pytest.raises(CatalogError, match="does-it-fit"):
        mutants.read_equal(bench)
