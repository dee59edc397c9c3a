"""A machine that records what it is given and does one thing to it, to test the host side alone."""

from __future__ import annotations

from typing import Any

import pytest

from gpuedu.simt.host import entry, transfers


class Recorder:
    """Stands in for the machine: ``calls`` are its launches, ``work`` what it does to arguments."""

    def __init__(self) -> None:
        self.calls: list[tuple] = []
        self.work = lambda *arguments: None
        self.trace: Any = None

    def __call__(self, kernel, grid, block, dynamic_shared_bytes, arguments, *, trace=True):
        self.calls.append((kernel, grid, block, dynamic_shared_bytes, arguments))
        self.traced = trace
        self.work(*arguments)
        return self.trace

    @property
    def arguments(self) -> list:
        return self.calls[-1][4]


@pytest.fixture
def machine(monkeypatch):
    recorder = Recorder()
    monkeypatch.setattr(entry, "machine", lambda: recorder)
    monkeypatch.setattr(entry, "compiler", lambda: lambda kernel, arguments: None)
    return recorder


@pytest.fixture(autouse=True)
def _fresh_account():
    transfers.reset_transfers()
    yield
    transfers.reset_transfers()
