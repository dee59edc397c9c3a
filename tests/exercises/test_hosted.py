"""The start of a hosted session: where progress is kept, and what is said of it."""

from __future__ import annotations

import os
import sys
import types

import pytest

import gpuedu
from gpuedu.exercises import session
from gpuedu.exercises.hosted import begin


@pytest.fixture
def drive(tmp_path, monkeypatch):
    """Colab's Drive, planted: mounting makes the folder."""
    mount = tmp_path / "drive"

    def make(path):
        assert path == str(mount)
        (mount / "MyDrive").mkdir(parents=True)

    module = types.ModuleType("google.colab.drive")
    module.mount = make
    monkeypatch.setitem(sys.modules, "google", types.ModuleType("google"))
    monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    monkeypatch.setitem(sys.modules, "google.colab.drive", module)
    monkeypatch.setenv("GPUEDU_HOME", os.environ["GPUEDU_HOME"])  # put back afterwards
    return mount


def said_by(*arguments):
    lines = []
    begin(*arguments, tell=lines.append)
    return "\n".join(lines)


def test_it_says_what_is_there_and_that_progress_is_lost(tmp_path):
    said = said_by(False, tmp_path / "drive")
    assert f"gpuedu {gpuedu.__version__} is ready" in said and "numpy " in said
    assert "lost when this session ends" in said and "progress --export" in said
    assert "Save a copy in Drive" in said


def test_the_drive_is_asked_for_and_keeps_what_was_done_before(drive):
    session.store().record_prediction("blocks", 24)
    said = said_by(True, drive)
    assert "kept in your Google Drive" in said and "lost" not in said
    kept = drive / "MyDrive" / "gpuedu"
    assert session.store().path.parent == kept
    assert session.store().prediction("blocks") == 24
    session._stores.clear()  # another session, which finds the folder by its name alone
    assert session.store().prediction("blocks") == 24


def test_a_drive_that_is_mounted_already_is_used_unasked_and_once(drive):
    (drive / "MyDrive").mkdir(parents=True)
    for _ in range(2):
        assert "kept in your Google Drive" in said_by(False, drive)
    assert os.environ["GPUEDU_HOME"] == str(drive / "MyDrive" / "gpuedu")


def test_a_drive_that_cannot_be_had_is_told_and_the_session_goes_on(drive, monkeypatch):
    def refuse(_):
        raise ValueError("mount failed")

    monkeypatch.setattr(sys.modules["google.colab.drive"], "mount", refuse)
    said = said_by(True, drive)
    assert "could not be mounted (mount failed)" in said and "lost when this session ends" in said


def test_elsewhere_there_is_no_drive(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab.drive", None)
    said = said_by(True, tmp_path / "drive")
    assert "not a Colab session" in said and "lost when this session ends" in said
