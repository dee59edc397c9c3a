"""What a learner calls in a notebook: nothing raises, everything is told."""

from __future__ import annotations

import inspect
import math
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import gpuedu
from gpuedu.exercises import registry, session
from gpuedu.exercises.patience import takes_long
from tests.notebook_kernels import runner


def right(n, itemsize):
    return 2 * n * itemsize


def test_check_draws_a_card_and_returns_a_plain_float(capsys):
    points = gpuedu.check("first-check", right)
    assert (type(points), points) == (float, 2.0)
    assert "first-check: 2 of 2" in capsys.readouterr().out


def test_a_notebook_hands_the_number_to_nbgrader_and_shows_none():
    from nbformat import v4
    from nbgrader.utils import determine_grade

    code = "import gpuedu\ngpuedu.check('first-check', lambda n, i: n * i)"
    settings = {"grade": True, "solution": False, "points": 2, "schema_version": 3}
    cell = v4.new_code_cell(code, metadata={"nbgrader": {"grade_id": "a", **settings}})
    runner(v4.new_notebook(cells=[cell]), timeout=120).execute()
    result = cell.outputs[-1]
    assert result.output_type == "execute_result"
    assert result.data["text/plain"] == "0.0"
    assert "0.0" not in result.data["text/html"]
    assert determine_grade(cell) == (0.0, 2.0)


@pytest.mark.parametrize("answer", [lambda n, i: n * i, lambda n, i: "x", 3, None, ..., len])
def test_whatever_is_checked_gives_a_finite_float(answer, capsys):
    points = gpuedu.check("first-check", answer)
    assert type(points) is float
    assert 0.0 <= points < 2.0
    assert math.isfinite(points)
    assert "first-check" in capsys.readouterr().out


def test_an_unknown_exercise_names_the_nearest(capsys):
    assert gpuedu.check("frist-check", right) == 0.0
    out = capsys.readouterr().out
    assert "no exercise is called 'frist-check'" in out
    assert "first-check" in out


def test_hints_go_from_a_question_to_almost_the_answer_and_stay_there(capsys):
    said = []
    for _ in range(4):
        gpuedu.hint("first-check")
        said.append(capsys.readouterr().out)
    assert "hint 1 of 3" in said[0]
    assert "?" in said[0]
    assert "hint 3 of 3" in said[2]
    assert said[2] == said[3]


def test_a_prediction_is_kept_and_set_against_the_truth(capsys):
    gpuedu.predict("launch-bound", 1e6)
    gpuedu.reveal("launch-bound")
    out = capsys.readouterr().out
    assert "You said 1,000,000 elements; it is 27,000,000 elements" in " ".join(out.split())
    assert "27 times too low" in out
    gpuedu.predict("launch-bound", 27e6)
    out = " ".join(capsys.readouterr().out.split())
    assert "your prediction stays 1,000,000 elements" in out
    assert "The answer is out." in out
    gpuedu.reveal("launch-bound")
    assert "You said 1,000,000 elements" in " ".join(capsys.readouterr().out.split())


def test_a_choice_is_set_against_the_truth_as_a_quotation(capsys):
    gpuedu.predict("naive-ddp-apart", "it grows")
    gpuedu.reveal("naive-ddp-apart")
    out = " ".join(capsys.readouterr().out.split())
    assert 'You said "it grows"; the answer is "it stays".' in out


@pytest.mark.parametrize(
    ("said", "verdict"), [(1006, "close"), (1007, "right"), (1008, "close"), (900, "factor of two")]
)
def test_a_count_is_right_where_it_is_exact(capsys, said, verdict):
    gpuedu.predict("stay-on-device", said)
    gpuedu.reveal("stay-on-device")
    assert f"stay-on-device: {verdict}" in capsys.readouterr().out.replace("within a ", "")


@pytest.mark.parametrize(
    ("said", "shown", "verdict", "counts"),
    [
        (2050, "2,050", "right", 1),
        (2049, "2,049", "not right", 0),
        (2048.5, "2,048.5", "not right", 0),
        (4100, "4,100", "not right", 0),
        (64, "64", "32 times too low", 0),
    ],
)
def test_where_only_the_number_itself_counts_no_other_is_near(capsys, said, shown, verdict, counts):
    gpuedu.predict("float-anatomy", said)
    gpuedu.reveal("float-anatomy")
    out = " ".join(capsys.readouterr().out.split())
    assert f"float-anatomy: {verdict}" in out.replace("float-anatomy: your", "")
    assert f"You said {shown}; it is 2,050." in out
    gpuedu.progress()
    line = f"Predictions: {counts} of 1 choices and exact numbers right"
    assert line in capsys.readouterr().out


@pytest.mark.parametrize("answers", [(), (len, len, len)])
def test_a_picture_says_how_many_answers_it_is_drawn_from(capsys, answers):
    gpuedu.see("no-loops", *answers)
    out = " ".join(capsys.readouterr().out.split())
    assert f"is drawn from 2 answers of yours, got {len(answers)}" in out
    assert 'see("no-loops", ...)' in out and "positional" not in out


def test_a_picture_of_the_lesson_takes_no_answer(capsys):
    gpuedu.see("cupy/asynchrony", len)
    assert "drawn from no answer of yours, got 1" in " ".join(capsys.readouterr().out.split())


def test_a_measured_truth(capsys):
    gpuedu.predict("bandwidth", 10)
    gpuedu.reveal("bandwidth", 12.5)
    assert "within a factor of two" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: gpuedu.predict("launch-bound", ...), "no prediction yet"),
        (lambda: gpuedu.predict("launch-bound", "many"), "should be a number, got 'many'"),
        (lambda: gpuedu.predict("launch-bound", math.nan), "finite"),
        (lambda: gpuedu.predict("break-even", "soon"), "one of the choices"),
        (lambda: gpuedu.predict("first-check", 3), "'first-check' has no prediction"),
        (lambda: gpuedu.predict("nothing", 3), "no prediction is called 'nothing'"),
        (lambda: gpuedu.reveal("launch-bound"), "Predict first"),
        (lambda: gpuedu.reveal("bandwidth"), "nothing measured yet"),
        (lambda: gpuedu.reveal("bandwidth", None), "nothing measured yet"),
        (lambda: gpuedu.hint("nothing"), "no exercise is called 'nothing'"),
        (lambda: gpuedu.see("nothing"), "no exercise is called 'nothing'"),
        (lambda: gpuedu.see("welcome/nothing"), "no picture is called"),
        (lambda: gpuedu.measure("welcome/nothing"), "no measurement is called"),
        (lambda: gpuedu.setup("nothing"), "no lesson is called 'nothing'"),
    ],
)
def test_a_slip_is_told_in_a_card(call, said, capsys):
    call()
    assert said in " ".join(capsys.readouterr().out.split())


def test_a_measured_truth_that_is_no_number_is_told(capsys):
    gpuedu.predict("bandwidth", 10)
    gpuedu.reveal("bandwidth", "fast")
    assert "should be a number" in capsys.readouterr().out


def test_a_picture_of_a_stub_says_what_to_do(capsys):
    def median_time_s(launch, sync, warmup, repeats, now=None):
        # YOUR CODE HERE (about 9 lines)
        ...

    gpuedu.see("honest-timer", median_time_s)
    assert "nothing to draw yet" in capsys.readouterr().out


def test_a_picture_of_code_that_raises_says_why(capsys):
    def median_time_s(launch, sync, warmup, repeats, now):
        raise ValueError("not today")

    gpuedu.see("honest-timer", median_time_s)
    assert "ValueError: not today" in capsys.readouterr().out


def test_a_picture_outside_a_notebook_is_its_text(capsys):
    gpuedu.see("launch-bound", lambda launch, rate, n: 0.5, lambda launch, rate, share: 1000)
    assert "[figure] The launch's share" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("limit_s", "told"), [(5.0, "[figure] a program"), (0.05, "within 0.05 s")]
)
def test_what_a_picture_computes_first_is_not_in_its_limit(monkeypatch, capsys, limit_s, told):
    seen = []

    def first():
        end = time.perf_counter() + 0.2
        while time.perf_counter() < end:
            pass
        seen.append("first")

    @takes_long(first, limit_s)
    def draw(answer):
        end = time.perf_counter() + 0.2
        while time.perf_counter() < end:
            pass
        return "[figure] a program"

    monkeypatch.setattr(registry, "load_picture", lambda name, code: draw)
    gpuedu.see("make-it-fast", right)
    assert seen == ["first"]
    assert told in capsys.readouterr().out


def test_a_fault_of_the_course_is_told_as_such(monkeypatch, capsys):
    def broken(name):
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr(registry, "load", broken)
    assert gpuedu.check("first-check", right) == 0.0
    out = capsys.readouterr().out
    assert "a fault of the course, not of your code" in out
    assert "a bug of ours" in out


def test_a_progress_folder_that_cannot_be_written_does_not_stop_the_lesson(
    tmp_path, monkeypatch, capsys
):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("GPUEDU_HOME", str(tmp_path / "file"))
    assert gpuedu.check("first-check", right) == 2.0
    assert gpuedu.check("first-check", right) == 2.0
    out = capsys.readouterr().out
    assert out.count("Progress is kept in memory only") == 1
    assert out.count("first-check: 2 of 2") == 2


def test_nothing_is_written_while_a_class_is_graded(tmp_path, monkeypatch):
    monkeypatch.setenv("GPUEDU_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert gpuedu.check("first-check", right) == 2.0
    assert not (tmp_path / "home").exists()


def test_progress_shows_what_was_solved(capsys):
    gpuedu.check("first-check", right)
    capsys.readouterr()
    gpuedu.progress()
    assert "first-check" in capsys.readouterr().out


def test_setup_says_the_lesson_and_the_tier(capsys):
    gpuedu.setup("welcome")
    out = capsys.readouterr().out
    assert "What is in this machine?" in out
    assert "tier" in out


@pytest.mark.parametrize(("given", "same"), [("7", 7), ("0", 0)])
def test_the_seed_is_the_teachers(given, same, monkeypatch):
    monkeypatch.setenv("GPUEDU_SEED", given)
    assert session.seed() == same
    monkeypatch.setenv("GPUEDU_SEED", "a class of 2026")
    assert session.seed() == session.seed() != same


def test_nothing_reaches_stderr(capfd):
    gpuedu.check("first-check", lambda n, itemsize: np.log(-1.0))
    assert capfd.readouterr().err == ""


def test_import_is_lean():
    code = textwrap.dedent("""
        import sys
        import gpuedu
        heavy = {"torch", "numba", "cupy", "matplotlib", "IPython", "numpy", "jinja2"} & set(sys.modules)
        assert not heavy, heavy
        gpuedu.check
        heavy = {"torch", "numba", "cupy", "matplotlib", "IPython", "nbgrader"} & set(sys.modules)
        assert not heavy, heavy
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_public_names_are_all_there():
    for name in gpuedu.__all__:
        value = getattr(gpuedu, name)
        assert callable(value) or inspect.ismodule(value), name
    assert callable(gpuedu.cuda.jit) and callable(gpuedu.cp.asarray)
    with pytest.raises(AttributeError, match="has no attribute 'chekc'"):
        gpuedu.chekc  # noqa: B018


def test_a_card_that_cannot_be_drawn_costs_no_points(monkeypatch, capsys):
    def broken(card):
        if "2 of 2" in card.heading:
            raise UnicodeEncodeError("utf-8", "x", 0, 1, "surrogates not allowed")
        print(card)

    monkeypatch.setattr(session, "draw", broken)
    assert gpuedu.check("first-check", right) == 2.0
    assert "a fault of the course" in capsys.readouterr().out


def test_half_a_character_in_the_output_reaches_the_card_as_an_escape():
    from gpuedu.exercises.card import Card

    card = Card("a", printed="\ud83d", paragraphs=("\ud800",))
    assert "\\ud83d" in card._repr_html_().encode("utf-8").decode()
    assert "\\ud800" in str(card).encode("utf-8").decode()


def test_a_compiled_stub_is_unsolved():
    from numba import njit

    from gpuedu.exercises.placeholder import has_placeholder

    @njit
    def saxpy(a, x, y, out):
        # YOUR CODE HERE (about 2 lines)
        ...

    assert has_placeholder(saxpy)
