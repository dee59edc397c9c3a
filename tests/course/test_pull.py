"""A clone pulls a newer release where nothing of its owner's is at stake, and says so otherwise."""

from __future__ import annotations

import subprocess

import pytest

from gpuedu.course.pull import pull


def git(folder, *command):
    identity = ["-c", "user.name=ada", "-c", "user.email=ada@example.org"]
    subprocess.run(["git", *identity, *command], cwd=folder, check=True, capture_output=True)


def release(public, text):
    (public / "lesson").write_text(text)
    git(public, "add", "lesson")
    git(public, "commit", "-m", text)


@pytest.fixture
def public(tmp_path):
    folder = tmp_path / "public"
    folder.mkdir()
    git(folder, "init", "--initial-branch=main")
    release(folder, "first")
    return folder


@pytest.fixture
def clone(public, tmp_path):
    git(tmp_path, "clone", str(public), "mine")
    return tmp_path / "mine"


def test_a_clean_clone_gets_the_newer_release(public, clone):
    assert "up to date" in pull(clone)
    release(public, "second")
    (clone / "notes").write_text("a file of one's own is no change of the course")
    assert pull(clone).startswith("Pulled: ")
    assert (clone / "lesson").read_text() == "second"


def test_what_was_changed_is_kept_and_named(public, clone):
    release(public, "second")
    (clone / "lesson").write_text("mine")
    said = pull(clone)
    assert "Nothing was pulled" in said and "lesson" in said and "git stash pop" in said
    assert (clone / "lesson").read_text() == "mine"


def test_what_it_says_of_changes_works(public, clone):
    (public / "settings").write_text("first\n")
    git(public, "add", "settings")
    release(public, "second")
    pull(clone)
    with (clone / "settings").open("a") as settings:
        settings.write("mine\n")
    release(public, "third")
    assert "(settings): `git stash`" in pull(clone)
    git(clone, "stash")
    assert pull(clone).startswith("Pulled: ")
    git(clone, "stash", "pop")
    assert (clone / "settings").read_text() == "first\nmine\n"
    assert (clone / "lesson").read_text() == "third"


def test_a_folder_that_is_no_clone(tmp_path):
    assert "not a clone" in pull(tmp_path)


def test_a_branch_of_ones_own(clone):
    git(clone, "switch", "-c", "mine")
    assert "has no upstream" in pull(clone)


def test_commits_of_ones_own_are_not_merged(public, clone):
    release(clone, "mine")
    (public / "other").write_text("")
    git(public, "add", "other")
    git(public, "commit", "-m", "second")
    said = pull(clone)
    assert said.startswith("Nothing was pulled: ") and "fast-forward" in said
    assert (clone / "lesson").read_text() == "mine"


def test_an_address_that_does_not_answer(public, clone):
    public.rename(public.with_name("gone"))
    said = pull(clone)
    assert said.startswith("Nothing was pulled: ") and "\n" not in said


def test_a_machine_without_git(clone, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert "git does not work here" in pull(clone)
