"""The learner's own folder, wherever it is."""

from __future__ import annotations

import sys
from pathlib import Path

from gpuedu.hardware.home import data_folder


def test_the_learner_chooses_it(monkeypatch, tmp_path):
    monkeypatch.setenv("GPUEDU_HOME", str(tmp_path))
    assert data_folder() == tmp_path


def test_else_the_system_does(monkeypatch, tmp_path):
    monkeypatch.delenv("GPUEDU_HOME")
    monkeypatch.setattr("platformdirs.user_data_dir", lambda *_, **__: str(tmp_path / "data"))
    assert data_folder() == tmp_path / "data"


def test_a_bare_checkout_finds_one_too(monkeypatch, tmp_path):
    monkeypatch.delenv("GPUEDU_HOME")
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert data_folder() == tmp_path / "gpuedu"
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_folder() == Path(tmp_path, ".local", "share", "gpuedu")
