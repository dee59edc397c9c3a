"""Submissions of every form: what is taken, what is repaired, what is refused, and why."""

from __future__ import annotations

import json
import os
import random
import stat
import zipfile
from pathlib import Path

import nbformat
import pytest

from gpuedu.course.checkout import release_folder
from gpuedu.grading.judge.cells import cells_of, course_cells
from gpuedu.grading.reading import ReadingLimits, SubmissionError, read_submission
from gpuedu.grading.reading import released as released_module
from gpuedu.grading.verdict import GradingTask, State

LESSON = "01_why_gpus"
ANSWER = "amdahl-answer"
MINE = "def amdahl(p, n):\n    return 1 / (1 - p + p / n)"


@pytest.fixture(scope="module")
def released():
    return nbformat.read(release_folder() / LESSON / f"{LESSON}.ipynb", as_version=4)


@pytest.fixture
def notebook(released):
    """The released notebook with one answer in it, as plain JSON."""
    mine = json.loads(nbformat.writes(released))
    cell_of(mine, ANSWER)["source"] = MINE
    return mine


def cell_of(notebook, cell_id):
    return next(cell for cell in notebook["cells"] if cell.get("id") == cell_id)


def hand_in(folder, notebook, name=f"{LESSON}.ipynb"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(notebook if isinstance(notebook, bytes) else json.dumps(notebook).encode())
    return path


def read(path, released, **limits):
    return read_submission(path, LESSON, released, ReadingLimits(**limits))


def test_only_answers_are_taken_from_a_notebook(tmp_path, notebook, released):
    got = read(hand_in(tmp_path, notebook), released)
    assert got.answers[ANSWER] == MINE
    assert got.repairs == ()
    answers = {cell.id for cell in released.cells if cell.metadata.gpuedu.role == "answer"}
    assert got.answers.keys() == answers


# Forms of the notebook


def deleted_check(notebook):
    notebook["cells"].remove(cell_of(notebook, "amdahl-check"))


def edited_check(notebook):
    cell_of(notebook, "amdahl-check")["source"] = "5.0"


def doubled_check(notebook):
    notebook["cells"].append(dict(cell_of(notebook, "amdahl-check"), source="5.0"))


def edited_setup(notebook):
    setup = next(c for c in notebook["cells"] if c["metadata"]["gpuedu"]["role"] == "setup")
    setup["source"] = "check = lambda *_: 100.0"


def stripped_metadata(notebook):
    for cell in notebook["cells"]:
        cell["metadata"] = {}


def ids_gone(notebook):
    notebook["nbformat_minor"] = 4
    for cell in notebook["cells"]:
        del cell["id"]
        cell["metadata"] = {}


def ids_drawn_anew(notebook):
    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = f"new{number}"


def as_colab_saves(notebook):
    for cell in notebook["cells"]:
        cell["metadata"]["id"] = cell.pop("id")
    notebook["nbformat_minor"] = 0


def reordered(notebook):
    random.Random(1).shuffle(notebook["cells"])


def points_changed(notebook):
    for cell in notebook["cells"]:
        if "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"] |= {"points": 1000, "locked": False, "solution": True}


def type_changed(notebook):
    check = cell_of(notebook, "amdahl-check")
    check["cell_type"] = "markdown"
    del check["outputs"], check["execution_count"]


def another_kernel(notebook):
    notebook["metadata"]["kernelspec"] = {"name": "ir", "language": "R", "display_name": "R"}


FORMS = {
    deleted_check: "put back, as released: amdahl-check",
    edited_check: "changed by the learner, run as released: amdahl-check",
    doubled_check: "there more than once, one of each used: amdahl-check",
    edited_setup: "changed by the learner, run as released",
    stripped_metadata: None,
    ids_gone: None,
    ids_drawn_anew: None,
    as_colab_saves: None,
    reordered: "cells are in a different order",
    points_changed: None,
    type_changed: "changed by the learner, run as released: amdahl-check",
    another_kernel: "'R'",
}


@pytest.mark.parametrize("change", FORMS, ids=lambda change: change.__name__)
def test_whatever_form_it_has_the_answer_arrives(change, tmp_path, notebook, released):
    change(notebook)
    got = read(hand_in(tmp_path, notebook), released)
    assert got.answers[ANSWER] == MINE
    cells = cells_of(course_cells(LESSON), got.answers, "amdahl")
    assert (ANSWER, MINE) in cells.sources
    assert cells == cells_of(course_cells(LESSON), {ANSWER: MINE}, "amdahl")
    told = FORMS[change]
    assert any(told in line for line in got.repairs) if told else got.repairs == ()


def test_a_missing_answer_is_the_blank_that_was_released(tmp_path, notebook, released):
    notebook["cells"].remove(cell_of(notebook, ANSWER))
    got = read(hand_in(tmp_path, notebook), released)
    assert ANSWER not in got.answers
    blank = next(cell for cell in released.cells if cell.id == ANSWER)
    cells = cells_of(course_cells(LESSON), got.answers, "amdahl")
    assert (ANSWER, blank.source) in cells.sources


def test_own_cells_are_not_run_and_what_they_define_is_told(tmp_path, notebook, released):
    own = {"cell_type": "code", "id": "mine", "metadata": {}, "outputs": [], "execution_count": 1}
    notebook["cells"].insert(3, {**own, "source": "def twice(x):\n    return 2 * x"})
    got = read(hand_in(tmp_path, notebook), released)
    assert got.repairs == (
        "1 code cell of the learner's own not run",
        "they define twice: an answer that uses this needs it in its own cell",
    )


def test_an_older_format_is_read(tmp_path, notebook, released):
    old = nbformat.convert(nbformat.reads(json.dumps(notebook), as_version=4), 3)
    got = read(hand_in(tmp_path, nbformat.writes(old, version=3).encode()), released)
    assert got.answers[ANSWER] == MINE


def of_format_3(cells):
    return {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": cells}]}


def old_cell(source, outputs=()):
    told = {"cell_type": "code", "language": "python", "input": source, "prompt_number": 1}
    return {**told, "outputs": list(outputs), "metadata": {}}


def test_outputs_of_an_older_format_are_not_converted(tmp_path, notebook, released, monkeypatch):
    """That takes as long for each as ten cells of today's format take."""
    old = nbformat.convert(nbformat.reads(json.dumps(notebook), as_version=4), 3)
    shown = {"output_type": "pyout", "text": "1", "prompt_number": 1, "metadata": {}}
    for cell in old.worksheets[0].cells:
        cell |= {"outputs": [shown] * 50} if cell.cell_type == "code" else {}
    seen, convert = [], nbformat.convert

    def counting(found, to):
        seen.extend(cell.get("outputs", []) for cell in found.worksheets[0].cells)
        return convert(found, to)

    monkeypatch.setattr(nbformat, "convert", counting)
    path = hand_in(tmp_path, json.dumps(old).encode())
    assert read(path, released).answers[ANSWER] == MINE
    assert seen and not any(seen)


def test_many_cells_of_an_older_format_are_refused_before_they_are_converted(tmp_path, released):
    with pytest.raises(SubmissionError, match="2,001 cells"):
        read(hand_in(tmp_path, of_format_3([old_cell("x = 1")] * 2_001)), released)


@pytest.mark.parametrize("level", [10**12, [], "9" * 1000])
def test_a_heading_of_an_older_format_is_not_made_as_long_as_it_says(level, tmp_path, released):
    heading = {"cell_type": "heading", "level": level, "metadata": {}, "source": "mine"}
    got = read(hand_in(tmp_path, of_format_3([heading] * 100)), released)
    assert not any(got.answers.values())


def test_half_a_character_costs_nothing(tmp_path, notebook, released):
    cell_of(notebook, ANSWER)["source"] = MINE + "  # \ud800"
    got = read(hand_in(tmp_path, json.dumps(notebook).encode()), released)
    assert got.answers[ANSWER] == MINE + "  # ?"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_other_encodings_are_read(encoding, tmp_path, notebook, released):
    cell_of(notebook, ANSWER)["source"] = MINE + "  # schön"
    raw = json.dumps(notebook, ensure_ascii=False)
    raw = "".join(one if ord(one) < 256 else "?" for one in raw).encode(encoding)
    got = read(hand_in(tmp_path, raw), released)
    assert got.answers[ANSWER] == MINE + "  # schön"


# Files


@pytest.mark.parametrize(
    "name", [f"{LESSON} (1).ipynb", f"{LESSON} - Copy.ipynb", f"ann_{LESSON}.ipynb", "x.ipynb"]
)
def test_the_notebook_is_found_under_other_names(name, tmp_path, notebook, released):
    hand_in(tmp_path / "in", notebook, name)
    assert read(tmp_path / "in", released).answers[ANSWER] == MINE


def test_of_several_notebooks_that_with_the_name_is_taken(tmp_path, notebook, released):
    hand_in(tmp_path, notebook, f"deep/{LESSON}.ipynb")
    hand_in(tmp_path, b"{}", "scratch.ipynb")
    hand_in(tmp_path, b"{}", f".ipynb_checkpoints/{LESSON}.ipynb")
    assert read(tmp_path, released).answers[ANSWER] == MINE


def test_of_two_submitted_ones_the_newer_is_taken(tmp_path, notebook, released):
    old, new = (hand_in(tmp_path, notebook, f"{LESSON} ({n}).ipynb") for n in (1, 2))
    cell_of(notebook, ANSWER)["source"] = MINE + "\n# old"
    old.write_text(json.dumps(notebook))
    os.utime(old, (1e9, 1e9))
    os.utime(new, (2e9, 2e9))
    got = read(tmp_path, released)
    assert got.answers[ANSWER] == MINE
    assert "the newest; not 01_why_gpus (1).ipynb" in got.repairs[0]


def test_that_which_nbgrader_shows_is_taken_however_new_another_one_is(
    tmp_path, notebook, released
):
    shown = hand_in(tmp_path, notebook, f"{LESSON}.ipynb")
    cell_of(notebook, ANSWER)["source"] = "def amdahl(p, n): ..."
    hidden = hand_in(tmp_path, notebook, f"sub/{LESSON}.ipynb")
    os.utime(shown, (1e9, 1e9))
    os.utime(hidden, (2e9, 2e9))
    got = read(tmp_path, released)
    assert got.answers[ANSWER] == MINE
    assert got.repairs[0] == f"took {LESSON}.ipynb, which nbgrader shows; not sub/{LESSON}.ipynb"


def archive(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, data in members.items():
            bundle.writestr(name, data)
    return path


def test_an_archive_is_read_and_nothing_leads_out_of_it(tmp_path, notebook, released):
    link = zipfile.ZipInfo("link.ipynb")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    members = {f"my/{LESSON}.ipynb": json.dumps(notebook), link: "/etc/passwd"}
    members |= {"../out.ipynb": "{}", "/abs.ipynb": "{}", "C:\\x.ipynb": "{}"}
    path = archive(tmp_path / "all.zip", members)
    got = read(path, released)
    assert got.answers[ANSWER] == MINE
    passed = "\n".join(got.repairs)
    assert "'link.ipynb': a symbolic link" in passed
    assert passed.count("leads out of the archive") == 3
    assert sorted(one.name for one in tmp_path.iterdir()) == ["all.zip"]


def test_a_folder_with_an_archive_alone_is_read(tmp_path, notebook, released):
    archive(tmp_path / "mine.zip", {f"{LESSON}.ipynb": json.dumps(notebook)})
    assert read(tmp_path, released).answers[ANSWER] == MINE


def test_links_pipes_and_devices_are_passed_over(tmp_path, notebook, released):
    hand_in(tmp_path / "in", notebook)
    secret = hand_in(tmp_path, notebook, "gradebook.ipynb")
    (tmp_path / "in" / "a.ipynb").symlink_to(secret)
    (tmp_path / "in" / "folder").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "in" / "pipe.ipynb")
    got = read(tmp_path / "in", released)
    assert got.answers[ANSWER] == MINE
    assert got.repairs == (
        "skipped a.ipynb: a symbolic link",
        "skipped folder: a symbolic link",
        "skipped pipe.ipynb: a pipe",
    )


def test_a_folder_that_may_not_be_read_is_refused(tmp_path, notebook, released, monkeypatch):
    hand_in(tmp_path, notebook)
    (tmp_path / "mine").mkdir()
    look = os.scandir

    def refused(path):
        if Path(path).name == "mine":
            raise PermissionError(13, "Permission denied")
        return look(path)

    monkeypatch.setattr(os, "scandir", refused)
    with pytest.raises(SubmissionError, match="cannot be read: Permission denied"):
        read(tmp_path, released)


def linked(folder, notebook):
    secret = hand_in(folder, notebook, "secret.txt")
    (folder / "in").mkdir()
    (folder / "in" / f"{LESSON}.ipynb").symlink_to(secret)
    return folder / "in"


def hard_linked(folder, notebook):
    secret = hand_in(folder, notebook, "secret.txt")
    (folder / "in").mkdir()
    (folder / "in" / f"{LESSON}.ipynb").hardlink_to(secret)
    return folder / "in"


def link_itself(folder, notebook):
    secret = hand_in(folder, notebook, "secret.txt")
    (folder / "in").symlink_to(secret)
    return folder / "in"


def pipe_itself(folder, notebook):
    os.mkfifo(folder / "in")
    return folder / "in"


def empty(folder, notebook):
    return hand_in(folder, b"")


def truncated(folder, notebook):
    return hand_in(folder, json.dumps(notebook).encode()[:-500])


def a_list(folder, notebook):
    return hand_in(folder, b"[1, 2]")


def of_the_future(folder, notebook):
    return hand_in(folder, notebook | {"nbformat": 9})


def deep(folder, notebook):
    return hand_in(folder, b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}")


def wide(folder, notebook):
    return hand_in(folder, b'{"cells": [' + b"[]," * 600_000 + b"[]]}")


def large(folder, notebook):
    return hand_in(folder, b" " * 40_000_000)


def zip_bomb(folder, notebook):
    return archive(folder / "x.zip", {f"{LESSON}.ipynb": b" " * 250_000_000})


def lying_archive(folder, notebook):
    """Says that it has 100 bytes, and has 60 million."""
    path = archive(folder / "x.zip", {f"{LESSON}.ipynb": b" " * 60_000_000})
    raw = path.read_bytes()
    path.write_bytes(raw.replace((60_000_000).to_bytes(4, "little"), (100).to_bytes(4, "little")))
    return path


def small_archive_of_gigabytes(folder, notebook, packed=zipfile.ZIP_BZIP2):
    """Says that it has 100 bytes, too; what follows is unpacked in one piece."""
    path, zeros = folder / "x.zip", bytes(2**20)
    with zipfile.ZipFile(path, "w", packed) as made, made.open(f"{LESSON}.ipynb", "w") as member:
        for _ in range(64):
            member.write(zeros)
    raw = path.read_bytes()
    path.write_bytes(raw.replace((2**26).to_bytes(4, "little"), (100).to_bytes(4, "little")))
    return path


def small_archive_of_gigabytes_by_lzma(folder, notebook):
    return small_archive_of_gigabytes(folder, notebook, zipfile.ZIP_LZMA)


def broken_archive(folder, notebook):
    path = archive(folder / "x.zip", {f"{LESSON}.ipynb": json.dumps(notebook)})
    raw = bytearray(path.read_bytes())
    raw[200:2000] = bytes(1800)
    path.write_bytes(raw)
    return path


def archive_in_an_archive(folder, notebook):
    inner = archive(folder / "inner.zip", {f"{LESSON}.ipynb": json.dumps(notebook)})
    return archive(folder / "x.zip", {"inner.zip": inner.read_bytes()})


def archive_in_an_archive_in_a_folder(folder, notebook):
    made = archive_in_an_archive(folder, notebook)
    (folder / "in").mkdir()
    made.rename(folder / "in" / "x.zip")
    return folder / "in"


def many_files(folder, notebook):
    for number in range(2_100):
        (folder / f"{number}.txt").touch()
    return folder


def deep_folders(folder, notebook):
    hand_in(folder, notebook, "/".join("abcdefghijklmnop") + f"/{LESSON}.ipynb")
    return folder


def nothing(folder, notebook):
    (folder / "readme.txt").touch()
    return folder


def missing(folder, notebook):
    return folder / "none"


def huge_number(folder, notebook):
    return hand_in(folder, b'{"nbformat": ' + b"9" * 10_000 + b', "cells": []}')


def many_cells(folder, notebook):
    cell = {"cell_type": "markdown", "metadata": {}, "source": ""}
    return hand_in(folder, notebook | {"cells": [cell] * 3_000})


REFUSED = {
    linked: "there is no 01_why_gpus.ipynb in it",
    hard_linked: "a hard link",
    link_itself: "a symbolic link: regular files only",
    pipe_itself: "a pipe: regular files only",
    empty: "the notebook is empty",
    truncated: "this is not a notebook",
    a_list: "this is not a notebook",
    of_the_future: "this is not a notebook",
    deep: "this is not a notebook",
    wide: "too many values",
    large: "38.1 MiB, at most 30 MiB",
    zip_bomb: "at most",
    lying_archive: "cannot be unpacked|at most|this is not a notebook",
    small_archive_of_gigabytes: "compressed in a way that cannot be read",
    small_archive_of_gigabytes_by_lzma: "compressed in a way that cannot be read",
    broken_archive: "cannot be unpacked|broken archive",
    archive_in_an_archive: "there is no 01_why_gpus.ipynb in it, but inner.zip",
    archive_in_an_archive_in_a_folder: "there is no 01_why_gpus.ipynb in it, but inner.zip",
    many_files: "more than 2000 files",
    deep_folders: "12 deep",
    nothing: "there is no 01_why_gpus.ipynb in it, but readme.txt",
    missing: "cannot be read: No such file",
    huge_number: "this is not a notebook",
    many_cells: "3000 cells",
}


@pytest.mark.parametrize("make", REFUSED, ids=lambda make: make.__name__)
def test_what_cannot_be_read_is_refused_with_a_reason(make, tmp_path, notebook, released):
    path = make(tmp_path, notebook)
    with pytest.raises(SubmissionError, match=REFUSED[make]):
        read(path, released)


def test_an_endless_answer_is_not_taken_and_the_rest_is(tmp_path, notebook, released):
    cell_of(notebook, ANSWER)["source"] = "x = 1\n" * 100_000
    got = read(hand_in(tmp_path, notebook), released)
    assert ANSWER not in got.answers
    assert "it is 600,000 long" in got.repairs[0]
    assert len(got.answers) > 2


def test_remarks_are_few_and_short_whatever_is_in_them(tmp_path, notebook, released):
    for _ in range(2):
        notebook["cells"].append({**cell_of(notebook, ANSWER), "id": "\x7f" * 100_000})
    told = read(hand_in(tmp_path / "a", notebook), released).repairs
    assert any(one.startswith("there more than once") for one in told)
    for number in range(300):
        (tmp_path / "a" / f"{number}").symlink_to("a")
    told = read(tmp_path / "a", released).repairs
    assert "more like the first of these" in told[0]
    assert len(told) < 120 and max(map(len, told)) < 5_000
    assert any(one.startswith("there more than once") for one in told)


def test_a_reason_is_short_whatever_an_archive_calls_its_files(tmp_path):
    path = archive(tmp_path / "a.zip", {"\x7f" * 60_000: b"", "\x7f" * 59_999: b""})
    verdict = released_module.read(GradingTask("ann", LESSON, str(path), 1))
    assert verdict.state == State.FAILED_BY_LEARNER and len(verdict.reason) < 20_000
