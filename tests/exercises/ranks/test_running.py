"""A learner's function on light ranks: results, exchanges and faults reach the play."""

from __future__ import annotations

import pytest
import torch
import torch.distributed as dist

from gpuedu.errors import AnswerError, DeadlockError
from gpuedu.exercises.ranks import run_ranks
from gpuedu.exercises.ranks.running import exchanges_of
from gpuedu.multi.exchanges import sent_bytes


def learner(code: str, name: str = "answer"):
    """A function as a notebook's cell defines it: its names are its own."""
    space: dict = {"torch": torch, "dist": dist}
    exec(compile(code, "<cell>", "exec"), space)
    return space[name]


SHIFT = """
from torch.distributed import get_rank, get_world_size, isend, recv
def answer(x):
    n, me = get_world_size(), get_rank()
    got = torch.empty_like(x)
    sending = isend(x, (me + 1) % n)
    recv(got, (me - 1) % n)
    sending.wait()
    return got
"""


def test_results_and_exchanges_come_back_as_plain_values():
    answer = learner(SHIFT)
    run = run_ranks(lambda rank: answer(torch.full((3,), float(rank))).tolist(), 3, [answer])
    assert run.results == ([2.0] * 3, [0.0] * 3, [1.0] * 3)
    plain = run.plain()
    assert sent_bytes(exchanges_of(plain["exchanges"]), 3) == [12, 12, 12]
    assert plain["time_s"] > 0
    assert answer.__globals__["isend"] is dist.isend  # what was lent is given back


def test_a_rank_that_fails_is_told_with_the_learners_line():
    answer = learner("def answer(x):\n    return x[7]\n")
    with pytest.raises(AnswerError, match=r"rank 0 failed: IndexError.*on line 2 of its cell"):
        run_ranks(lambda rank: answer(torch.zeros(2)), 2, [answer])


def test_a_rank_that_asks_for_another_that_is_not_there_is_told_with_a_remedy():
    answer = learner("def answer(x):\n    dist.send(x, 5)\n")
    with pytest.raises(AnswerError, match="there is no rank 5") as told:
        run_ranks(lambda rank: answer(torch.zeros(2)), 2, [answer])
    assert told.value.remedy


def test_a_deadlock_names_lines():
    answer = learner("def answer(x):\n    dist.recv(x, 1 - dist.get_rank())\n")
    with pytest.raises(DeadlockError, match="rank 0 waits for"):
        run_ranks(lambda rank: answer(torch.zeros(2)), 2, [answer])


def test_the_notebooks_random_state_is_kept():
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    run_ranks(lambda rank: torch.rand(3).tolist(), 2, [])
    assert torch.equal(torch.rand(1), expected)
