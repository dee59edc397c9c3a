"""Every exercise is proved: quickly in CI, and whole by ``make prove-all``; see ``tests.sampled``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from gpuedu.course import proof as proving
from gpuedu.course.proof import Bench, Proof, prove
from gpuedu.course.stored import StoredAnswer
from gpuedu.syllabus import Lesson, exercise_ids, lesson_of, ready_lessons
from tests.sampled import WHOLE, only_whole
from tests.work import Work, counted

ROOT = Path(__file__).resolve().parents[1]
BUDGET = Work(plays=1700, processes=75)
"""What a lesson's quick proofs may take: either of them is about 45 s of one core."""
LONG = frozenset(
    [
        "batch-job",
        "make-it-fast",
        "make-it-fast-too",
        "parallel-cpu",
        "reduction",
        "register-tile",
        "survive",
        "torch-ddp",
        "what-to-serve-on",
    ]
)
"""Those that take longest: their plays start processes, or train."""
IN_CI = frozenset(
    one
    for lesson in ready_lessons()
    for one in [name for name in lesson.exercises if name not in LONG][::2]
)
"""Every second exercise of a lesson, from its first; ``make prove-all`` proves all of them."""
EXERCISES = pytest.mark.parametrize(
    "exercise",
    [
        pytest.param(
            one, id=f"{lesson_of(one).slug}/{one}", marks=[] if one in IN_CI else [only_whole]
        )
        for one in exercise_ids()
    ],
)


@only_whole
def test_all_exercises_are_proved_by_the_command(root):
    done = subprocess.run(
        [sys.executable, "-m", "gpuedu", "prove", "--json"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    found = json.loads(done.stdout)
    assert [entry["id"] for entry in found["exercises"]] == list(exercise_ids())
    assert found["ok"] is True
    assert done.returncode == 0


@cache
def proof_of(exercise: str) -> tuple[Proof, Work]:
    """The proof of an exercise, and what it took."""
    with counted() as work:
        return prove(ROOT, exercise, quick=not WHOLE), work


@pytest.mark.filterwarnings("default")  # in a notebook a warning is no error
@EXERCISES
def test_the_exercise(exercise):
    entry = proof_of(exercise)[0].as_dict()
    assert entry["faults"] == []
    assert (entry["solution"], entry["stub"]) == (1.0, 0.0)
    assert entry["wrong"]["n"] >= 4
    assert entry["wrong"]["rejected"] == entry["wrong"]["n"]
    assert entry["right"]["n"] >= 1
    assert entry["right"]["accepted"] == entry["right"]["n"]


@pytest.mark.skipif(WHOLE, reason="whole proofs have no budget")
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("lesson", ready_lessons(), ids=lambda lesson: lesson.slug)
def test_the_quick_proofs_of_a_lesson_keep_to_its_budget(lesson: Lesson):
    """Whoever stores one more answer pays little; a case that starts processes for each, much."""
    took = [proof_of(exercise)[1] for exercise in lesson.exercises if exercise in IN_CI]
    plays, processes = sum(one.plays for one in took), sum(one.processes for one in took)
    assert plays <= BUDGET.plays, f"{plays} plays: fewer cases or seeds would do"
    assert processes <= BUDGET.processes, f"{processes} processes: one can serve several cases"


def variants_of(monkeypatch, wrong=None, right=None):
    """Let ``first-check`` have these stored answers instead of its own, all lose ``float32``."""
    stored = {
        name: StoredAnswer(name, "float32", statements=text) for name, text in (wrong or {}).items()
    }
    monkeypatch.setattr(Bench, "stored_wrong", lambda self: stored)
    monkeypatch.setattr(Bench, "right_texts", lambda self: right or {})


GOOD = "def copied_bytes(n, itemsize):\n    return n * itemsize * 2\n"
BAD = "def copied_bytes(n, itemsize):\n    return n * itemsize\n"


def test_a_wrong_answer_that_passes_fails_the_proof(root, monkeypatch):
    variants_of(monkeypatch, {f"wrong_{i}": GOOD for i in range(4)})
    found = prove(root, "first-check", seeds=1)
    assert not found.ok
    assert found.wrong == (4, 0)


def test_a_wrong_answer_that_loses_another_property_fails_the_proof(root, monkeypatch):
    only_float32 = "def copied_bytes(n, itemsize):\n    return 8 * n\n"
    variants_of(monkeypatch, {f"wrong_{i}": only_float32 for i in range(4)})
    assert prove(root, "first-check", seeds=1).wrong == (4, 0)


def test_a_wrong_answer_that_loses_what_there_is_not_fails_the_proof(root, monkeypatch):
    stored = {"wrong": StoredAnswer("wrong", "float16", statements=BAD)}
    monkeypatch.setattr(Bench, "stored_wrong", lambda self: stored)
    found = prove(root, "first-check", seeds=1)
    assert "it loses 'float16', which is not one of" in found.faults[0]


@pytest.mark.parametrize("quick", [True, False])
def test_a_card_that_asks_another_question_fails_the_proof(root, monkeypatch, quick):
    stored = StoredAnswer("wrong", "float32", "What is the weather?", statements=BAD)
    monkeypatch.setattr(Bench, "stored_wrong", lambda self: {"wrong": stored})
    found = prove(root, "first-check", seeds=1, quick=quick)
    assert found.wrong == (1, 1)
    assert "not 'What is the weather?'" in found.faults[0]


def test_with_a_wrong_solution_no_card_is_looked_at(root, monkeypatch):
    stored = {f"a{i}": StoredAnswer(f"a{i}", "float32", "Why?", statements=BAD) for i in range(4)}
    monkeypatch.setattr(Bench, "stored_wrong", lambda self: stored)
    cells = [text.replace("2 * n", "3 * n") for text in Bench(root, "first-check").solution_cells()]
    monkeypatch.setattr(Bench, "solution_cells", lambda self: cells)
    faults = prove(root, "first-check", seeds=1).faults
    assert faults[0].startswith("seed 0: the solution is wrong")
    assert [one for one in faults if "card" in one] == [
        "what its cards ask was not checked: that needs a right solution and `gpuedu build` first"
    ]


def test_a_property_that_no_wrong_answer_loses_fails_the_proof(root, monkeypatch):
    variants_of(monkeypatch, {f"wrong_{i}": BAD for i in range(4)}, {"other": GOOD})
    found = prove(root, "first-check", seeds=1)
    assert found.faults == ("no known wrong answer loses 'any-itemsize'",)


def test_too_few_wrong_answers_fail_the_proof(root, monkeypatch):
    variants_of(monkeypatch, {f"wrong_{i}": BAD for i in range(3)})
    found = prove(root, "first-check", seeds=1)
    assert found.wrong == (3, 3)
    assert found.faults[0] == "3 known wrong answers, at least 4"


def test_a_right_answer_that_is_rejected_fails_the_proof(root, monkeypatch):
    variants_of(
        monkeypatch,
        {f"wrong_{i}": BAD for i in range(4)},
        {"alternative": BAD},
    )
    found = prove(root, "first-check", seeds=1)
    assert found.right == (1, 0)
    assert "loses points" in found.faults[-1]


def test_a_quick_proof_plays_a_wrong_answer_until_it_loses_and_a_right_one_once(root, monkeypatch):
    wrong = {f"wrong_{i}": BAD for i in range(4)}
    variants_of(monkeypatch, wrong, {"alternative": GOOD})
    with counted() as work:
        assert len(prove(root, "first-check").faults) == 1  # nothing loses the other property
    with counted() as less:
        assert len(prove(root, "first-check", quick=True).faults) == 1
    cases = len(proving.load("first-check").judge.cases(np.random.default_rng(0)))
    # The solution on two seeds, the right answer on one, a wrong one until it loses `float32`.
    assert 3 * cases < less.plays <= 3 * cases + 4 * cases < work.plays


def test_a_quick_proof_of_a_costly_exercise_tries_one_wrong_answer_of_each_property(
    root, monkeypatch
):
    """Not only the first of all: a judge that lets the one answer of a property pass is seen."""
    monkeypatch.setattr(proving, "COSTLY_SEEDS", proving.load("first-check").judge.seeds)
    stored = {f"a{i}": StoredAnswer(f"a{i}", "float32", statements=BAD) for i in range(6)}
    stored["z"] = StoredAnswer("z", "any-itemsize", statements=GOOD)
    monkeypatch.setattr(Bench, "stored_wrong", lambda self: stored)
    monkeypatch.setattr(Bench, "right_texts", lambda self: {"other": GOOD})
    found = prove(root, "first-check", quick=True)
    assert found.wrong == (4, 3)
    assert found.faults == ("z: does not lose 'any-itemsize' (solved)",)
    assert prove(root, "first-check", seeds=1).wrong == (7, 6)


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize(
    ("text", "told"),
    [(GOOD, "solved"), ("copied_bytes = ...", "unsolved"), ("copied_bytes = 1", "refused")],
)
def test_what_is_not_wrong_is_no_wrong_answer(root, monkeypatch, quick, text, told):
    variants_of(monkeypatch, {f"wrong_{i}": text for i in range(4)})
    found = prove(root, "first-check", seeds=1, quick=quick)
    assert found.wrong == (4, 0)
    assert f"does not lose 'float32' ({told})" in found.faults[0]


LUCK = """
def copied_bytes(n, itemsize):
    return 2 * n * itemsize if n % 3 else n
"""


def test_a_verdict_that_changes_with_the_seed_fails_repeated_proofs(root, monkeypatch):
    """One seed may draw cases on which a wrong answer is right; a hundred do not."""
    judge = proving.load("first-check").judge

    def cases(rng):
        drawn = judge.cases(rng)
        return (
            drawn
            if rng.random() < 0.5
            else [replace(c, inputs={**c.inputs, "n": 4, "itemsize": 4}) for c in drawn]
        )

    changing = replace(proving.load("first-check"), judge=replace(judge, cases=cases))
    monkeypatch.setattr(proving, "load", lambda exercise: changing)
    variants_of(monkeypatch, {f"wrong_{i}": LUCK for i in range(4)})
    found = prove(root, "first-check", seeds=1, repeats=30)
    assert found.wrong == (4, 0)
    assert "does not lose 'float32' (solved)" in found.faults[0]


def test_a_judge_names_how_many_seeds_it_is_proved_on(root, monkeypatch):
    tried = []

    def cases(rng):
        tried.append(rng)
        return judge.cases(rng)

    judge = proving.load("first-check").judge
    few = replace(proving.load("first-check"), judge=replace(judge, cases=cases, seeds=2))
    monkeypatch.setattr(proving, "load", lambda exercise: few)
    variants_of(monkeypatch)
    prove(root, "first-check")
    by_name = len(tried)
    tried.clear()
    prove(root, "first-check", seeds=5)
    assert len(tried) == by_name + 3


def test_an_answer_that_cannot_run_is_no_proof(root, monkeypatch):
    variants_of(monkeypatch, {f"wrong_{i}": "raise OSError" for i in range(4)})
    found = prove(root, "first-check", seeds=1)
    assert found.wrong == (4, 0)
    assert "cannot be run: it raised OSError" in found.faults[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import sys; sys.exit(0)", "called `exit()`"),
        ("while True: pass", "did not finish"),
        ("def copied_bytes(:", "SyntaxError"),
        ("print('noise')\nraise OSError", "OSError"),
    ],
)
def test_a_stored_answer_cannot_end_or_stall_the_proofs(root, monkeypatch, text, said, capfd):
    monkeypatch.setattr(proving, "CELL_LIMIT_S", 0.3)
    variants_of(monkeypatch, {f"wrong_{i}": text for i in range(4)})
    found = prove(root, "first-check", seeds=1)
    assert not found.ok
    assert said in found.faults[0]
    assert "noise" not in capfd.readouterr().out


@pytest.mark.parametrize("cells", ["solution_cells", "stub_cells"])
def test_what_given_cells_print_stays_out_of_the_command_s_output(root, monkeypatch, cells, capfd):
    kept = getattr(Bench, cells)
    monkeypatch.setattr(Bench, cells, lambda self: ["print('for the learner')", *kept(self)])
    variants_of(monkeypatch)
    prove(root, "first-check", seeds=1)
    assert capfd.readouterr().out == ""


def test_a_judge_that_cannot_be_loaded_is_told_and_the_rest_goes_on(root, monkeypatch):
    def broken(root, exercise):
        raise SyntaxError("in a judge")

    monkeypatch.setattr(proving, "Bench", broken)
    first, second = proving.prove_all(root, ["first-check", "bandwidth"], 1)
    assert "SyntaxError: in a judge" in first.faults[0]
    assert second.id == "bandwidth"


def test_a_broken_solution_fails_the_proof(root, monkeypatch):
    monkeypatch.setattr(Bench, "solution_cells", lambda self: [BAD])
    variants_of(monkeypatch)  # edits would not fit this solution
    found = prove(root, "first-check", seeds=1)
    assert found.solution == 0
    assert any("the solution is wrong" in fault for fault in found.faults)


def test_a_stub_that_earns_points_fails_the_proof(root, monkeypatch):
    monkeypatch.setattr(Bench, "stub_cells", lambda self: [GOOD])
    found = prove(root, "first-check", seeds=1)
    assert found.stub == 1.0
    assert any("the stub earns 2" in fault for fault in found.faults)


def test_workers_give_the_same_proofs(root):
    ids = ["first-check", "bandwidth"]
    assert proving.prove_all(root, ids, 1, workers=2) == proving.prove_all(root, ids, 1)
