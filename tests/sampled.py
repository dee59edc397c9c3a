"""What CI runs of a large set: a fixed sample. ``make prove-all`` runs the whole.

A sample takes every mechanism at least once, and is the same in every run. What is left out is
skipped by name, so a run's count of skipped tests says how much that was.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest

VARIABLE = "GPUEDU_WHOLE"
WHOLE = os.environ.get(VARIABLE) == "1"
"""Whether everything is run, and nothing left out."""

only_whole = pytest.mark.skipif(not WHOLE, reason=f"`make prove-all` sets {VARIABLE}=1 for it")
"""Marks a test that CI leaves out, beside others that show the same mechanism."""


def sampled(cases: Iterable[Any], *, every: int = 0, chosen: Iterable[Any] = ()) -> list[Any]:
    """Cases of ``parametrize``, of which CI runs some: each ``every``-th from the first, and ``chosen``.

    A case is one value, a tuple of several, or a ``pytest.param``; ``chosen`` names the first value
    of a case. Raises ValueError where nothing would be left.
    """
    cases, chosen = list(cases), list(chosen)
    names = [_first_value(case) for case in cases]
    in_ci = [(every > 0 and at % every == 0) or name in chosen for at, name in enumerate(names)]
    if not any(in_ci) or not all(name in names for name in chosen):
        raise ValueError(f"nothing to run, or no case of this name: {chosen}")
    return [case if runs else _left_out(case) for case, runs in zip(cases, in_ci, strict=True)]


def _first_value(case: Any) -> Any:
    values = getattr(case, "values", case)
    return values[0] if isinstance(values, tuple) else values


def _left_out(case: Any) -> Any:
    if hasattr(case, "marks"):
        return pytest.param(*case.values, marks=[*case.marks, only_whole], id=case.id)
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=only_whole)
