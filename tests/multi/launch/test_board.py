"""The board of a launch: what is written is read, by whoever maps the file."""

from __future__ import annotations

import pytest

from gpuedu.multi.launch.board import Board, Standing


def test_what_a_rank_writes_everybody_reads(tmp_path):
    board = Board(tmp_path / "board", 3, create=True)
    theirs = Board(tmp_path / "board", 3)
    theirs.write(Standing(1, 4711, 0, "calls", "send", 2, 5, 12, "dist.send(x, 2)"))
    none, found, other = board.read()
    assert none is other is None
    assert (found.rank, found.pid, found.call, found.peer, found.number) == (1, 4711, "send", 2, 5)
    assert found.since_s > 0
    theirs.write(Standing(0, 12, 1, "starts"))
    assert [one and one.pid for one in board.read()] == [12, None, None]  # of the last attempt
    theirs.write(Standing(0, 12, 0, "runs"))
    theirs.write(Standing(1, 4711, 0, "done"))
    assert board.read()[1].state == "done"
    board.close()
    theirs.close()


def test_a_long_line_is_cut_and_half_a_line_is_none(tmp_path):
    board = Board(tmp_path / "board", 1, create=True)
    board.write(Standing(0, 1, 0, "calls", "send", 1, 1, 1, "x" * 10_000))
    assert board.read()[0].text == "x" * 200
    board._map[0:10] = b'{"rank": 0'
    board._map[10:1024] = b"\0" * 1014
    assert board.read() == [None]
    board.close()


@pytest.mark.parametrize(
    ("standing", "told"),
    [
        (Standing(0, 1, 0, "starts"), "rank 0 has not started yet"),
        (Standing(0, 1, 0, "runs"), "rank 0 computes"),
        (Standing(0, 1, 0, "done"), "rank 0 is done"),
        (
            Standing(2, 1, 0, "calls", "recv", 1, 7, 3, "dist.recv(x, 1)"),
            "rank 2 waits in call 7, recv with rank 1 (line 3: `dist.recv(x, 1)`)",
        ),
        (Standing(2, 1, 0, "calls", "barrier", None, 7), "rank 2 waits in call 7, barrier"),
    ],
)
def test_a_standing_is_a_sentence(standing, told):
    assert str(standing) == told
