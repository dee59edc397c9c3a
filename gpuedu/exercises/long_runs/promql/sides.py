"""What the two sides of an expression's comparisons are at a moment, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import promql_parser as pp

from gpuedu.exercises.long_runs.promql.evaluate import Value, evaluate
from gpuedu.exercises.long_runs.promql.matching import EvaluationError, combine
from gpuedu.exercises.long_runs.promql.operators import COMPARISONS, SETS
from gpuedu.exercises.long_runs.promql.series import NAME, Store

_MOST_COMPARISONS = 3


def compared(tree: Any, store: Store, time_s: float) -> str:
    """What each comparison compares, "" if there is none.

    Only comparisons that decide whether an alert is active count: those at the top of the
    expression, or joined there by ``and``, ``or`` and ``unless``; the first three of them.

    Raises:
        EvaluationError: As ``evaluate`` does.
    """
    found = list(_comparisons(tree))[:_MOST_COMPARISONS]
    return "; ".join(_told(one, store, time_s) for one in found)


def _comparisons(node: Any) -> Iterator[Any]:
    if type(node) is pp.ParenExpr:
        yield from _comparisons(node.expr)
    elif type(node) is pp.BinaryExpr and str(node.op) in SETS:
        yield from _comparisons(node.lhs)
        yield from _comparisons(node.rhs)
    elif type(node) is pp.BinaryExpr and str(node.op) in COMPARISONS:
        yield node


def _told(node: Any, store: Store, time_s: float) -> str:
    left, right = (evaluate(one, store, time_s) for one in (node.lhs, node.rhs))
    told = f"left of `{node.op}`: {_side(left)}, right of it: {_side(right)}"
    if isinstance(left, dict) and isinstance(right, dict) and left and right:
        try:
            is_paired = bool(combine("+", left, right, node.modifier))
        except EvaluationError:
            is_paired = True
        if not is_paired:
            told += ", and none has a partner"
    return told


def _side(value: Value) -> str:
    if not isinstance(value, dict):
        return _number(value)
    if not value:
        return "nothing"
    names = sorted({name for labels in value for name, _ in labels} - {NAME})
    labels = f"(labels {', '.join(names)})" if names else "(no labels)"
    numbers = sorted(value.values(), key=lambda one: (math.isnan(one), one))
    first, last = _number(numbers[0]), _number(numbers[-1])
    if len(numbers) == 1:
        return f"{first} {labels}"
    span = f"all {first}" if first == last else f"{first} to {last}"
    return f"{len(numbers)} values, {span} {labels}"


def _number(value: float) -> str:
    """As PromQL writes NaN and infinity.

    >>> _number(1.0234), _number(float("-inf")), _number(float("nan"))
    ('1.02', '-Inf', 'NaN')
    """
    if math.isnan(value):
        return "NaN"
    return f"{value:.3g}".replace("inf", "Inf")
