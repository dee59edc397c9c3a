"""A lesson's first cell: what it says, what it brings back, and that it never raises."""

import asyncio
import sys

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

from gpuedu import __version__
from gpuedu.course.tab import session
from gpuedu.course.tab.keeping import Keeping
from gpuedu.exercises import session as exercises
from tests import asynchronous


def notebook(text):
    return nbformat.writes(new_notebook(cells=[new_markdown_cell(text, id="words")]))


@pytest.fixture
def begin(monkeypatch, tmp_path):
    """Begins *First kernels* as in a tab, with a database and what the site serves."""
    monkeypatch.setattr(session, "_DRIVE", tmp_path)
    monkeypatch.setattr(session, "site_root", lambda: "https://example.org/")
    monkeypatch.setattr(session, "stand_in_for_numba", lambda: None)

    def run(database, released=None, **options):
        async def fetch(url):
            assert url == "https://example.org/files/02.ipynb"
            if released is None:
                raise OSError("no network")
            return released

        monkeypatch.setattr(session, "_fetch", fetch)
        monkeypatch.setattr(session, "Keeping", lambda: Keeping(database))

        async def all_of_it():
            await session.begin("02", **options)
            exercises.store().record_attempt("blocks", 3.0, 4, {"right": True}, 0.1)
            others = asyncio.all_tasks() - {asyncio.current_task()}
            await asyncio.gather(*others)

        asynchronous.run(all_of_it())

    return run


def test_progress_is_kept_and_comes_back(begin, database, capsys):
    begin(database)
    told = capsys.readouterr().out
    assert f"gpuedu {__version__} is ready" in told and "kept in this browser" in told
    assert len(database.stores["events"]) == 1
    exercises._stores.clear()
    begin(database)
    (attempt,) = [one for one in exercises.store().summary().exercises if one.exercise == "blocks"]
    assert attempt.attempts == 2


def test_without_storage_it_says_so_and_progress_lives_on_in_memory(
    begin, broken_database, capsys, monkeypatch, tmp_path
):
    monkeypatch.setenv("GPUEDU_HOME", str(tmp_path / "home"))
    begin(broken_database)
    told = capsys.readouterr().out
    assert "This window keeps nothing" in told and "kept in this browser" not in told
    assert not (tmp_path / "home").exists()


def test_a_new_release_is_told_until_the_learner_has_it(begin, database, capsys, tmp_path):
    path = tmp_path / "02.ipynb"
    begin(database, notebook("old"))
    path.write_text(notebook("old"), "utf-8")
    begin(database, notebook("new"))
    assert "A newer release changed this lesson" in capsys.readouterr().out
    assert path.read_text("utf-8").count("new") == 1
    path.write_text(notebook("old"), "utf-8")  # the page that is open was saved over it
    begin(database, notebook("new"))
    assert "A newer release changed this lesson" in capsys.readouterr().out
    begin(database, notebook("new"))
    assert "newer release" not in capsys.readouterr().out
    assert database.stores["released"]["02.ipynb"] == notebook("new")


def test_without_a_network_the_lesson_stays_as_it_is(begin, database, capsys, tmp_path):
    (tmp_path / "02.ipynb").write_text(notebook("old"), "utf-8")
    begin(database)
    assert "newer release" not in capsys.readouterr().out
    assert database.stores["released"] == {}


def test_numba_is_what_it_is_where_it_is_installed(begin, database):
    begin(database)
    assert "numba" not in sys.modules or sys.modules["numba"].__spec__ is not None
