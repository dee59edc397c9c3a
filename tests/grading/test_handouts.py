"""Numbers of a class's own: handed out, handed in, judged by the secret and not by the notebook."""

from __future__ import annotations

import subprocess
import sys

import nbformat
import pytest

from gpuedu.course.checkout import release_folder
from gpuedu.course.demo import fill_in
from gpuedu.errors import GpueduError
from gpuedu.exercises.registry import load_variant
from gpuedu.grading.batch.secret import class_secret
from gpuedu.grading.batch.variants import Variants, choose_variants, code_for, variants_in
from gpuedu.grading.handouts import write_handouts
from gpuedu.grading.verdict import GradingTask, State, Verdict, read_verdicts, write_verdict
from tests.grading.batch.class_of import solutions_of
from tests.grading.classroom import exported, hand_in, make_course, nbgrader

LESSON, EXERCISE = "01_why_gpus", "check-the-claim"
LEARNERS = ("ann", "bob", "cleo", "dora", "eve")


def own_answer(notebook):
    """The right values for a notebook that was handed out, by the code in its setup cell."""
    (setup,) = (one for one in notebook.cells if one.metadata["gpuedu"]["role"] == "setup")
    name, values = load_variant(EXERCISE, setup.source.split('variant="')[1][:12]).values
    return f"{name} = {dict(values)!r}"


@pytest.fixture(scope="module")
def course(tmp_path_factory, zygote):
    """A class in which each learner has numbers of their own, and what they handed in."""
    folder = make_course(tmp_path_factory.mktemp("class"), LESSON)
    nbgrader(folder, "generate_assignment", LESSON)
    named = [part for name in LEARNERS for part in ("--learner", name)]
    command = ["variants", "handouts", "--verdicts", "verdicts", "--lesson", LESSON, *named]
    subprocess.run(
        [sys.executable, "-m", "gpuedu", *command], cwd=folder, check=True, capture_output=True
    )
    texts = {
        name: (folder / "handouts" / name / LESSON / f"{LESSON}.ipynb").read_text("utf-8")
        for name in LEARNERS
    }
    own = {name: own_answer(nbformat.reads(texts[name], as_version=4)) for name in LEARNERS}
    public = solutions_of(LESSON)[f"{EXERCISE}-answer"]
    published = (release_folder() / LESSON / f"{LESSON}.ipynb").read_text("utf-8")
    answers = {
        "ann": (texts["ann"], own["ann"]),
        "bob": (texts["ann"], own["ann"]),  # her notebook as it is, code and all
        "cleo": (texts["cleo"], public),
        "dora": (texts["dora"], own["bob"]),  # somebody else's values in her own notebook
        "eve": (published, public),  # not what she was handed
    }
    for learner, (text, answer) in answers.items():
        filled = fill_in(text, {f"{EXERCISE}-answer": answer})
        hand_in(folder, learner, nbformat.reads(filled, as_version=4), lesson=LESSON)
    nbgrader(folder, "autograde", LESSON)
    return folder


def test_only_a_learners_own_values_earn_the_points(course):
    scores = {who: float(row["score"]) for (_, who), row in exported(course).items()}
    assert scores["ann"] == 6
    assert max(scores[name] for name in ("bob", "cleo", "dora", "eve")) < 6
    assert scores["cleo"] == 0
    verdicts = {one["learner"]: one for one in read_verdicts(course / "verdicts")}
    assert len({one["variant"] for one in verdicts.values()}) == len(LEARNERS)
    assert verdicts["ann"]["repairs"] == verdicts["cleo"]["repairs"] == []
    judged = "it was judged by those that this learner was given"
    assert verdicts["bob"]["repairs"] == [
        f"the notebook has numbers of another class or learner: {judged}"
    ]
    assert verdicts["eve"]["repairs"] == [f"the notebook has the published numbers: {judged}"]


def test_feedback_shows_what_the_learner_was_given(course):
    nbgrader(course, "generate_feedback", LESSON)
    for name in ("ann", "bob", "eve"):
        page = (course / "feedback" / name / LESSON / f"{LESSON}.html").read_text("utf-8")
        secret = class_secret(course / "verdicts")
        assert code_for(secret, name, Variants.LEARNER) in page
        assert "changed by the learner" not in page
        assert "before the update" not in page  # of a cell in which the course's numbers differ

    path = course / "autograded" / "ann" / LESSON / f"{LESSON}.ipynb"
    shown = nbformat.read(path, as_version=4).cells
    handed_out = course / "handouts" / "ann" / LESSON / f"{LESSON}.ipynb"
    given = {one.id: one for one in nbformat.read(handed_out, as_version=4).cells}
    assert [one.id for one in shown] == list(given)
    other = [one.id for one in shown if one.source != given[one.id].source]
    assert other == [f"{EXERCISE}-answer"]


def test_what_the_grader_had_made_is_not_graded_again(course):
    before = {path: path.stat().st_mtime_ns for path in (course / "verdicts").iterdir()}
    command = ["grade", "submitted", "--out", "verdicts", "--workers", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "gpuedu", *command],
        cwd=course,
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.count(": there") == len(LEARNERS)
    assert {path: path.stat().st_mtime_ns for path in (course / "verdicts").iterdir()} == before


def test_a_class_has_one_code_and_the_published_course_none(tmp_path):
    codes = {kind: {code_for("secret", name, kind) for name in LEARNERS} for kind in Variants}
    assert codes[Variants.PUBLISHED] == {""}
    assert len(codes[Variants.CLASS]) == 1
    assert len(codes[Variants.LEARNER]) == len(LEARNERS)
    assert code_for("another", "ann", Variants.LEARNER) not in codes[Variants.LEARNER]
    assert variants_in(tmp_path) is Variants.PUBLISHED


def test_one_class_is_handed_out_one_way(tmp_path):
    written = write_handouts(tmp_path / "out", tmp_path, "secret", lessons=[LESSON])
    assert [path.relative_to(tmp_path).as_posix() for path in written] == [
        f"out/{LESSON}/{LESSON}.ipynb"
    ]
    assert code_for("secret", "ann", Variants.CLASS) in written[0].read_text("utf-8")
    with pytest.raises(GpueduError, match="by class before, but learner is asked for now"):
        write_handouts(tmp_path / "out", tmp_path, "secret", ["ann"], [LESSON])
    with pytest.raises(GpueduError, match="name of a folder"):
        write_handouts(tmp_path / "out", tmp_path / "other", "secret", ["../ann"], [LESSON])
    assert variants_in(tmp_path / "other") is Variants.PUBLISHED
    choose_variants(tmp_path, Variants.CLASS)
    (tmp_path / "variants.txt").write_text("everybody\n")
    with pytest.raises(GpueduError, match="says 'everybody'"):
        variants_in(tmp_path)


def judged(out, learner="ann", lesson=LESSON, variant="", state=State.GRADED):
    """A verdict in a folder, by the numbers of a code."""
    verdict = Verdict(GradingTask(learner, lesson, "", 1, variant), state)
    write_verdict(out, f"{learner}{lesson}.verdict.json", verdict)


@pytest.mark.parametrize("learners", [(), ("ann",)])
@pytest.mark.parametrize("state", [State.GRADED, State.FAILED_BY_LEARNER])
def test_a_class_that_was_judged_by_published_numbers_keeps_them(tmp_path, learners, state):
    judged(tmp_path, state=state)
    judged(tmp_path, "bob", "00_welcome")
    with pytest.raises(GpueduError, match=f"on {LESSON} by the published numbers") as refused:
        write_handouts(tmp_path / "out", tmp_path, "secret", learners, ["04_memory"])
    assert "another folder of verdicts" in refused.value.remedy
    assert variants_in(tmp_path) is Variants.PUBLISHED
    assert not (tmp_path / "out").exists()


def test_a_class_that_was_judged_with_another_secret_keeps_its_numbers(tmp_path):
    write_handouts(tmp_path / "out", tmp_path, "secret", lessons=[LESSON])
    judged(tmp_path, variant=code_for("secret", "ann", Variants.CLASS))
    with pytest.raises(GpueduError, match="by other numbers"):
        write_handouts(tmp_path / "out", tmp_path, "another", lessons=[LESSON])


def test_numbers_are_handed_out_where_no_verdict_changes(tmp_path):
    judged(tmp_path, lesson="00_welcome")
    judged(tmp_path, lesson="05_cooperation")  # nothing is drawn there
    write_handouts(tmp_path / "out", tmp_path, "secret", ["ann"], [LESSON])
    judged(tmp_path, variant=code_for("secret", "ann", Variants.LEARNER))
    write_handouts(tmp_path / "out", tmp_path, "secret", ["ann", "bob"], [LESSON, "04_memory"])
    assert variants_in(tmp_path) is Variants.LEARNER
    assert (tmp_path / "out" / "bob" / "04_memory").is_dir()
