"""How many workers grade where nobody says it."""

from __future__ import annotations

import pytest

from gpuedu.grading.batch import running
from gpuedu.grading.batch.running import most_workers
from gpuedu.grading.sandbox.limits import MIB, PlayingLimits


@pytest.mark.parametrize(
    ("memory_mib", "workers"), [(None, 8), (100_000, 8), (8_000, 4), (3_999, 1), (100, 1)]
)
def test_each_could_have_the_memory_that_it_may_take(monkeypatch, memory_mib, workers):
    memory_bytes = None if memory_mib is None else memory_mib * MIB
    monkeypatch.setattr(running, "available_memory_bytes", lambda: memory_bytes)
    monkeypatch.setattr(running.os, "cpu_count", lambda: 8)
    assert most_workers(PlayingLimits(memory_bytes=2000 * MIB)) == workers
