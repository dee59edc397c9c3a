"""What all tests share: no test touches the learner's own progress, or the seed of a class."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.chromium import MISSING, chromium_path, launched
from tests.spread import Spread, place_of

# A worker of pytest has a core: PyTorch's threads on all cores would only be in each other's way.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# How long an example takes says more about what else the machine does.
settings.register_profile("gpuedu", deadline=None)
settings.load_profile("gpuedu")

ROOT = Path(__file__).resolve().parents[1]


@pytest.hookimpl(optionalhook=True)  # without xdist there is no such hook
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Spread:
    """Spread tests over the workers by ``tests.spread``."""
    return Spread(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest first; nothing else changes its place."""
    items.sort(key=lambda item: place_of(item.nodeid))


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A headless Chromium of the system; skipped where there is none."""
    if chromium_path() is None:
        pytest.skip(MISSING)
    pytest.importorskip("playwright.sync_api")
    with launched() as browser:
        yield browser


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    from gpuedu.exercises import session

    monkeypatch.setenv("GPUEDU_HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.delenv("GPUEDU_SEED", raising=False)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    session._stores.clear()
