"""Whatever learners call their files, they hand in for themselves, now, and stop nobody."""

from __future__ import annotations

import io
import logging
import zipfile

import pytest
from nbgrader.apps import ZipCollectApp
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from gpuedu.course.nbgrader_settings import CANVAS_NAME, MOODLE_NAME, SUBMITTED_NAME, configure

LESSON = "01_why_gpus"
ADA = f"01_ada_attempt_2026-11-20-10-00-00_{LESSON}.ipynb"
BOB = f"01_bob_attempt_2026-11-20-11-30-15_{LESSON}.ipynb"
EVE = "01_eve_attempt_2026-11-20-12-00-00"
HONEST = {ADA: "ada's", BOB: "bob's"}


def packed(members):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        for name, text in members.items():
            file.writestr(name, text)
    return made.getvalue()


@pytest.fixture
def collect(tmp_path):
    """Collect files below ``archive``: who has what now, and what was said about the rest."""

    def collect(given, pattern=SUBMITTED_NAME):
        config, told = Config(), []
        configure(config)
        config.CourseDirectory.root = str(tmp_path)
        config.FileNameCollectorPlugin.named_regexp = pattern
        for name, data in given.items():
            path = tmp_path / "downloaded" / LESSON / "archive" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        app = ZipCollectApp(config=config)
        app.coursedir = CourseDirectory(parent=app)
        app.coursedir.assignment_id = LESSON
        app.log = logging.Logger("collect")
        handler = logging.Handler(logging.WARNING)
        handler.emit = lambda record: told.append(record.getMessage())
        app.log.addHandler(handler)
        app.init_plugins()
        app.extract_archive_files()
        app.process_extracted_files()
        found = {}
        for path in sorted((tmp_path / "submitted").rglob("*.*")):
            who, lesson, name = path.relative_to(tmp_path / "submitted").parts
            assert lesson == LESSON
            found.setdefault(who, {})[name] = path.read_bytes()
        return found, "\n".join(told)

    return collect


def texts(found):
    """The notebook of each learner."""
    return {who: files[f"{LESSON}.ipynb"].decode() for who, files in found.items()}


def test_an_honest_class_is_collected_with_its_times(collect):
    found, _ = collect({"all.zip": packed(HONEST)})
    assert texts(found) == {"ada": "ada's", "bob": "bob's"}
    assert found["bob"]["timestamp.txt"] == b"2026-11-20 11:30:15"


@pytest.mark.parametrize(
    "own",
    [
        "x_bob_attempt_2030-01-01-00-00-00_01_why_gpus.ipynb",
        "x_eve_attempt_99-99-99-99_01_why_gpus.ipynb",
        "x_eve_attempt_2026-01-01-00-00-00_01_why_gpus.ipynb",
        "02_first_kernels.ipynb",
        "notes.ipynb",
        "notes.zip",
        "notes.gz",
    ],
)
def test_a_name_that_is_not_the_lessons_is_skipped(collect, own):
    found, told = collect({"all.zip": packed({**HONEST, f"{EVE}_{own}": "eve's"})})
    assert texts(found) == {"ada": "ada's", "bob": "bob's"}
    assert found["bob"]["timestamp.txt"] == b"2026-11-20 11:30:15"
    assert f"{EVE}_{own}" in told


@pytest.mark.parametrize(
    ("pattern", "spoof", "honest"),
    [
        (
            MOODLE_NAME,
            "Ada L_4242_assignsubmission_file/x_4243_assignsubmission_file_01_why_gpus.ipynb",
            "Bo_4243_assignsubmission_file/01_why_gpus.ipynb",
        ),
        (
            MOODLE_NAME,
            "Ada L_4242_assignsubmission_file_x_4243_assignsubmission_file_01_why_gpus.ipynb",
            "Bo_4243_assignsubmission_file_01_why_gpus.ipynb",
        ),
        (
            MOODLE_NAME,
            "Default group_assignsubmission_file/x_4243_assignsubmission_file/01_why_gpus.ipynb",
            "Bo_4243_assignsubmission_file/01_why_gpus.ipynb",
        ),
        (
            CANVAS_NAME,
            "lovelaceada_4242_777_x_4243_1_01_why_gpus.ipynb",
            "bo_4243_778_01_why_gpus.ipynb",
        ),
        (
            CANVAS_NAME,  # her name there is `x_4243-_9-_01_why_gpus`
            "x_4243_9_01_why_gpus_4242_777_1.ipynb",
            "bo_4243_778_01_why_gpus.ipynb",
        ),
    ],
)
@pytest.mark.parametrize("has_bo", [True, False], ids=["both", "alone"])
@pytest.mark.parametrize("is_packed", [True, False], ids=["packed", "loose"])
def test_nobody_hands_in_for_another(collect, pattern, spoof, honest, is_packed, has_bo):
    """Also where the other has handed in nothing, and where the teacher has unpacked the archive."""
    members = {spoof: "spoof", **({honest: "bo's"} if has_bo else {})}
    given = {"all.zip": packed(members)}
    if not is_packed:
        given = {name: text.encode() for name, text in members.items()}
    found, told = collect(given, pattern)
    assert texts(found) == ({"4243": "bo's"} if has_bo else {})
    assert f"skipped '{'all/' * is_packed}{spoof}'" in told


def test_a_learners_folder_is_theirs_whatever_is_in_it(collect):
    members = {
        "Ada_4242_assignsubmission_file/Bo_4243_assignsubmission_file/01_why_gpus.ipynb": "ada's"
    }
    found, _ = collect({"all.zip": packed(members)}, MOODLE_NAME)
    assert texts(found) == {"4242": "ada's"}


def test_of_two_files_in_one_submission_that_with_the_lessons_own_name_counts(collect):
    folder = "Ada_4242_assignsubmission_file"
    members = {
        f"{folder}/01_why_gpus (1).ipynb": "another",
        f"{folder}/01_why_gpus.ipynb": "ada's",
        f"{folder}/01_why_gpus.zip": "packed",
        f"{folder}/old/01_why_gpus.ipynb": "old",
        "Bo_4243_assignsubmission_file/01_why_gpus (1).ipynb": "bo's",
    }
    found, told = collect({"all.zip": packed(members)}, MOODLE_NAME)
    assert texts(found) == {"4242": "ada's", "4243": "bo's"}
    assert "took '01_why_gpus.ipynb' of '4242'" in told


def test_of_two_attempts_the_newer_counts(collect):
    newer = "01_ada_attempt_2026-11-21-10-00-00_01_why_gpus-1.ipynb"
    found, _ = collect({"all.zip": packed({**HONEST, newer: "newer"})})
    assert texts(found) == {"ada": "newer", "bob": "bob's"}
    assert found["ada"]["timestamp.txt"] == b"2026-11-21 10:00:00"


def test_of_equal_ones_none_is_taken_and_the_class_goes_on(collect):
    members = {
        "Ada_4242_assignsubmission_file/01_why_gpus (1).ipynb": "one",
        "Ada_4242_assignsubmission_file/01_why_gpus (2).ipynb": "other",
        "Bo_4243_assignsubmission_file/01_why_gpus.ipynb": "bo's",
    }
    found, told = collect({"all.zip": packed(members)}, MOODLE_NAME)
    assert texts(found) == {"4243": "bo's"}
    assert "2 submissions of '4242', and neither is newer. Try: keep one of them" in told


def test_who_may_be_two_people_is_told_and_not_mixed(collect):
    """A user's name may have underscores there, and the title of an assignment, too."""
    other = BOB.replace("01_bob", "01_ann_bob")
    found, told = collect({"all.zip": packed({**HONEST, other: "ann_bob's"})})
    assert texts(found) == {"ada": "ada's"}
    assert "'bob', who may be several people" in told


def test_a_time_that_cannot_be_read_is_told_and_left_out(collect):
    members = {ADA: "ada's", BOB.replace("2026-11-20", "9999-99-99"): "bob's"}
    found, told = collect({"all.zip": packed(members)})
    assert texts(found) == {"ada": "ada's", "bob": "bob's"}
    assert "timestamp.txt" not in found["bob"]
    assert "taken without its time" in told


@pytest.mark.parametrize("is_packed", [True, False], ids=["packed", "loose"])
@pytest.mark.parametrize("is_whole", [True, False], ids=["whole", "broken"])
@pytest.mark.parametrize("name", [f"{LESSON}.zip", "notes.zip", "notes.gz"])
def test_a_learners_archive_stays_packed(collect, name, is_whole, is_packed):
    """It may be broken, and names inside it may be anything; ``gpuedu grade`` reads it."""
    inside = {"x_bob_attempt_2031-01-01-00-00-00_01_why_gpus.ipynb": "eve, for bob"}
    theirs = {f"{EVE}_{name}": packed(inside) if is_whole else b"no archive at all"}
    given = {"all.zip": packed({**HONEST, **theirs})}
    if not is_packed:  # the teacher, or their browser, has unpacked the platform's
        given = {**{own: text.encode() for own, text in HONEST.items()}, **theirs}
    found, _ = collect(given)
    eves = found.pop("eve", {})
    assert texts(found) == {"ada": "ada's", "bob": "bob's"}
    kept = theirs[f"{EVE}_{name}"] if name == f"{LESSON}.zip" else None
    assert eves.get(f"{LESSON}.zip") == kept


@pytest.mark.parametrize("name", ["anything.zip", "01_why_gpus_eve.smith_attempt_x_w.zip"])
def test_no_archive_among_learners_files_is_the_platforms(collect, name):
    """Its name may be one that the platform gives to none; what is inside is the learner's."""
    inside = packed({BOB.replace("2026", "2030"): "eve, for bob"})
    files = {own: text.encode() for own, text in HONEST.items()}
    found, told = collect({**files, name: inside})
    assert texts(found) == {"ada": "ada's", "bob": "bob's"}
    assert "which lies among learners' files" in told


def test_names_that_no_disk_can_have_stop_nobody(collect):
    folder = "Ada_4242_assignsubmission_file"
    members = {
        f"{folder}/{'x' * 300}.ipynb": "too long",
        f"{folder}/a": "a file",
        f"{folder}/a/01_why_gpus.ipynb": "below it",
        "Bo_4243_assignsubmission_file/01_why_gpus.ipynb": "bo's",
    }
    found, told = collect({"all.zip": packed(members)}, MOODLE_NAME)
    assert texts(found) == {"4243": "bo's"}
    assert "File name too long" in told


def test_what_the_teacher_has_unpacked_is_collected(collect):
    found, _ = collect(
        {
            "class/Ada_4242_assignsubmission_file/01_why_gpus.ipynb": b"ada's",
            "Bo_4243_assignsubmission_file/01_why_gpus.ipynb": b"bo's",
        },
        MOODLE_NAME,
    )
    assert texts(found) == {"4242": "ada's", "4243": "bo's"}


@pytest.mark.parametrize("name", ["all.zip", "all.tar.gz"])
def test_a_broken_archive_of_the_platform_ends_it(collect, name):
    with pytest.raises(SystemExit):
        collect({name: b"no archive at all"})
