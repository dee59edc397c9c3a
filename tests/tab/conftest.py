"""Pyodide under Node; skipped where it is not there."""

import pytest

from tests.tab import node


@pytest.fixture(scope="session")
def tab():
    """What runs scripts in a tab's Python."""
    reason = node.why_not()
    if reason:
        pytest.skip(reason)
    return node
