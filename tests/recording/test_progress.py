"""What is seen while a run goes on: a bar with rich, lines without."""

from __future__ import annotations

import sys

from rich import progress as rich_progress

from gpuedu.recording.progress import Bar, Lines, open_progress


def show(progress):
    with progress:
        progress.begin("copy-by-size", 1, 2, 12.0)
        progress.point("size_bytes 64 [red]: 1 µs")
        progress.begin("atomics", 2, 2, 8.0)
        progress.say("done")


def test_lines_name_the_series_and_its_points(capsys):
    show(Lines())
    assert capsys.readouterr().out == (
        "[1/2] copy-by-size, at most 12 s\n    size_bytes 64 [red]: 1 µs\n"
        "[2/2] atomics, at most 8 s\ndone\n"
    )


def test_the_bar_says_the_same_and_takes_no_text_for_markup(capsys):
    show(Bar(rich_progress))
    said = capsys.readouterr().out
    assert "    size_bytes 64 [red]: 1 µs\n" in said and "done\n" in said
    assert "atomics" in said and "1/2" in said


def test_a_bar_is_for_a_terminal_with_rich(monkeypatch):
    assert isinstance(open_progress(), Lines)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert isinstance(open_progress(), Bar)
    monkeypatch.setitem(sys.modules, "rich", None)
    assert isinstance(open_progress(), Lines)
