"""What all tests share: no test touches the learner's own progress, or the seed of a class."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from gpuedu.exercises.modes import drop_saving_hooks, leave_modes, open_modes, saving_hooks
from tests.chromium import MISSING, chromium_path, launched
from tests.spread import place_of

# A worker of pytest has a core: PyTorch's threads on all cores would only be in each other's way.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# How long an example takes says more about what else the machine does.
settings.register_profile("gpuedu", deadline=None)
settings.load_profile("gpuedu")

ROOT = Path(__file__).resolve().parents[1]


@pytest.hookimpl(optionalhook=True)  # without xdist there is no such hook
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Spread tests over the workers by ``tests.spread``."""
    from tests.scheduling import Spread

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


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders, one after another; ``mktemp`` would look through all that are there for each."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def _no_mode_stays() -> Iterator[None]:
    """A mode of PyTorch that a test leaves on would be seen by all tests after it."""
    yield
    left, hooks = open_modes(), saving_hooks()
    leave_modes()
    drop_saving_hooks()
    assert left == (0, 0), "modes of PyTorch, of dispatch and of functions, that are still on"
    assert hooks is None, "hooks for tensors saved for backward, that are still in place"


@pytest.fixture(autouse=True)
def _own_home(_homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    from gpuedu.exercises import session

    home = next(_homes)
    home.mkdir()
    monkeypatch.setenv("GPUEDU_HOME", str(home))
    monkeypatch.delenv("GPUEDU_SEED", raising=False)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    session._stores.clear()
