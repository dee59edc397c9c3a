"""Time in which the machine did other work does not count against a launch."""

from __future__ import annotations

import multiprocessing
import os
import time
from pathlib import Path

import pytest

from gpuedu.multi.launch import watch
from gpuedu.multi.launch.board import Board, Standing

HAS_SCHEDSTAT = Path(f"/proc/{os.getpid()}/schedstat").exists()


@pytest.mark.parametrize(("starved_s", "reason"), [(0.0, "time"), (3600.0, "")])
def test_a_rank_without_a_processor_uses_up_no_time(starved_s, reason, tmp_path, monkeypatch):
    monkeypatch.setattr(watch, "waited_for_a_processor_s", lambda _: starved_s)
    board = Board(tmp_path / "board", 1, create=True)
    board.write(Standing(0, os.getpid(), 0, "runs"))
    with watch.Watch(
        tmp_path, board, time_limit_s=0.3, stall_s=60.0, show=lambda *_: None
    ) as watched:
        time.sleep(0.6)
    assert watched.reason == reason


def test_a_launch_ends_however_long_its_ranks_say_they_waited(tmp_path, monkeypatch):
    monkeypatch.setattr(watch, "waited_for_a_processor_s", lambda _: 1e9)
    board = Board(tmp_path / "board", 1, create=True)
    board.write(Standing(0, os.getpid(), 0, "runs"))
    with watch.Watch(
        tmp_path, board, time_limit_s=0.1, stall_s=60.0, show=lambda *_: None
    ) as watched:
        time.sleep(1.0)
    assert watched.reason == "time"


def _spin(seconds: float, cpu: int) -> None:
    os.sched_setaffinity(0, {cpu})
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s:
        pass


@pytest.mark.skipif(not HAS_SCHEDSTAT, reason="the system does not tell who waits for a processor")
def test_two_processes_on_one_processor_wait_for_each_other():
    cpu = min(os.sched_getaffinity(0))
    context = multiprocessing.get_context("spawn")
    both = [context.Process(target=_spin, args=(1.0, cpu)) for _ in range(2)]
    for process in both:
        process.start()
    longest_s = 0.0
    while any(process.is_alive() for process in both):
        longest_s = max(longest_s, *(watch.waited_for_a_processor_s(p.pid) for p in both))
        time.sleep(0.05)
    assert longest_s > 0.05


def test_a_process_that_is_gone_has_not_waited():
    assert watch.waited_for_a_processor_s(2**22 + 1) == 0.0
