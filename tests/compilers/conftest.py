"""A cache folder of its own for each test, and the compiler, where it is installed."""

from __future__ import annotations

import pytest

from gpuedu.compilers import CompilerMissingError, storage
from gpuedu.compilers.frontend import require_compiler
from gpuedu.compilers.nvrtc_library import version
from gpuedu.compilers.ptxas import find_ptxas


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """The folder that facts are kept in during the test; it does not exist yet."""
    folder = tmp_path / "cache" / "compiled"
    monkeypatch.setattr(storage, "cache_folder", lambda: folder)
    return folder


@pytest.fixture(scope="session")
def compiler():
    """Skip where NVIDIA's compiler is not installed."""
    try:
        require_compiler()
        find_ptxas()
    except CompilerMissingError as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def nvrtc_compiler():
    """Skip where NVRTC is not installed."""
    try:
        version()
    except CompilerMissingError as missing:
        pytest.skip(str(missing))
