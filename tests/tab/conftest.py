"""Pyodide under Node; skipped where it is not there."""

import pytest

from tests.sampled import VARIABLE, WHOLE
from tests.tab import node


@pytest.fixture(scope="session")
def tab():
    """What runs scripts in a tab's Python."""
    reason = node.why_not()
    if reason:
        pytest.skip(reason)
    return node


@pytest.fixture(scope="session")
def whole():
    """Asked for by what takes a browser minutes: CI leaves that to ``make prove-all``."""
    if not WHOLE:
        pytest.skip(f"part of `make prove-all`, which sets {VARIABLE}=1")
