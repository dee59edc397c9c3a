"""A real browser on a real JupyterLab, as `make lab` sets it up; skipped where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuedu.course.demo import run_demo
from gpuedu.course.workspace.folder import start
from tests.browser.server import jupyter_lab


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/browser" in str(item.path):
            item.add_marker(pytest.mark.browser)


@pytest.fixture
def page(chromium):
    opened = chromium.new_page(viewport={"width": 1280, "height": 1000})
    opened.set_default_timeout(60_000)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def screenshots(root: Path) -> Path:
    folder = root / "screenshots"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def workspace(tmp_path_factory) -> Path:
    """A learner's workspace, laid out as `make lab` does."""
    folder = tmp_path_factory.mktemp("learner") / "workspace"
    start(folder)
    return folder


@pytest.fixture(scope="session")
def lab(chromium, workspace, tmp_path_factory) -> Iterator[str]:
    with jupyter_lab(workspace, tmp_path_factory.mktemp("lab-home")) as address:
        yield address


@pytest.fixture(scope="session")
def dark_lab(chromium, workspace, tmp_path_factory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("dark-home")
    with jupyter_lab(workspace, home, "JupyterLab Dark") as address:
        yield address


@pytest.fixture(scope="session")
def graded_class(root, tmp_path_factory):
    """The classroom cycle, walked once: the course's folder, the grades, the feedback page."""
    folder = tmp_path_factory.mktemp("class")
    grades, feedback = run_demo(root, folder, lambda line: None)
    return folder, grades, feedback


@pytest.fixture(scope="session")
def formgrader(chromium, graded_class, tmp_path_factory) -> Iterator[str]:
    with jupyter_lab(graded_class[0], tmp_path_factory.mktemp("teacher-home")) as address:
        yield address
