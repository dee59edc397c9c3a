"""Stored answers of an exercise, run as a check runs them."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from gpuedu.course.proof import Bench

ROOT = Path(__file__).resolve().parents[2]


def stored_text(exercise: str, kind: str, name: str) -> str:
    """A stored answer (``kind`` is "right" or "wrong") as statements below the solution's cells."""
    bench = Bench(ROOT, exercise)
    return (bench.wrong_texts() if kind == "wrong" else bench.right_texts())[name]


def stored_answers(exercise: str, kind: str, name: str) -> dict[str, Any]:
    """What is handed over to ``check``, by the names in the check cell."""
    bench = Bench(ROOT, exercise)
    answers = bench.answers([*bench.solution_cells(), stored_text(exercise, kind, name)], name)
    return dict(zip(map(ast.unparse, bench.arguments), answers, strict=True))


def solution_answers(exercise: str) -> dict[str, Any]:
    """What the solution hands over to ``check``, by the names in the check cell."""
    bench = Bench(ROOT, exercise)
    answers = bench.answers(bench.solution_cells(), "solution")
    return dict(zip(map(ast.unparse, bench.arguments), answers, strict=True))
