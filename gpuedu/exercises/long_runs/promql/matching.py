"""Operators of PromQL between two vectors: which series belong together, and what labels result."""

from __future__ import annotations

from typing import Any

import promql_parser as pp

from gpuedu.exercises.long_runs.promql.operators import ARITHMETIC, COMPARISONS, SETS
from gpuedu.exercises.long_runs.promql.series import NAME, Labels, labels_of

Vector = dict[Labels, float]


class EvaluationError(ValueError):
    """What Prometheus reports when it evaluates: such a rule doesn't fire."""


def combine(name: str, left: Vector, right: Vector, modifier: Any) -> Vector:
    """What an operator makes of two vectors, as its modifier says.

    Raises:
        EvaluationError: Several series match where one may.
    """
    if name in SETS:
        return _set_operation(name, left, right, modifier)
    cardinality = None if modifier is None else modifier.card
    is_swapped = cardinality == pp.VectorMatchCardinality.OneToMany
    is_grouped = is_swapped or cardinality == pp.VectorMatchCardinality.ManyToOne
    many, one = (right, left) if is_swapped else (left, right)
    by_key = _unique(one, modifier, "left" if is_swapped else "right")
    result: Vector = {}
    met = set()
    for labels, value in many.items():
        key = _key(labels, modifier)
        if key not in by_key:
            continue
        if not is_grouped and key in met:
            raise EvaluationError(
                "several series of the left side match one of the right: say so by `group_left`"
            )
        met.add(key)
        other_labels, other = by_key[key]
        sides = (other, value) if is_swapped else (value, other)
        found = _value(name, *sides, is_bool=modifier is not None and modifier.return_bool)
        if found is None:
            continue
        new = _labels(name, labels, other_labels, modifier, is_grouped=is_grouped)
        if new in result:
            raise EvaluationError("several results have the same labels: group by more of them")
        result[new] = found
    return result


def _value(name: str, left: float, right: float, *, is_bool: bool) -> float | None:
    if name in ARITHMETIC:
        return float(ARITHMETIC[name](left, right))
    holds = COMPARISONS[name](left, right)
    if is_bool:
        return float(holds)
    return left if holds else None


def _unique(vector: Vector, modifier: Any, side: str) -> dict[Labels, tuple[Labels, float]]:
    found: dict[Labels, tuple[Labels, float]] = {}
    for labels, value in vector.items():
        key = _key(labels, modifier)
        if key in found:
            told = ", ".join(f'{name}="{one}"' for name, one in key)
            raise EvaluationError(
                f"several series of the {side} side match for {{{told}}}, and only one may"
            )
        found[key] = labels, value
    return found


def _matching(modifier: Any) -> tuple[bool, list[str]]:
    """Whether names are listed by ``on``, and which."""
    if modifier is None or modifier.matching is None:
        return False, []
    is_on = modifier.matching.type == pp.LabelModifierType.Include
    return is_on, list(modifier.matching.labels)


def _key(labels: Labels, modifier: Any) -> Labels:
    is_on, names = _matching(modifier)
    if is_on:
        return tuple(pair for pair in labels if pair[0] in names)
    return tuple(pair for pair in labels if pair[0] != NAME and pair[0] not in names)


def _labels(name: str, labels: Labels, other: Labels, modifier: Any, *, is_grouped: bool) -> Labels:
    is_bool = modifier is not None and modifier.return_bool
    kept = dict(labels)
    if name in ARITHMETIC or is_bool:
        kept.pop(NAME, None)
    is_on, names = _matching(modifier)
    if is_grouped:
        for one in modifier.group_labels:
            kept[one] = dict(other).get(one, "")
    elif is_on:
        kept = {label: value for label, value in kept.items() if label in names}
    else:
        kept = {label: value for label, value in kept.items() if label not in names}
    return labels_of(kept)


def _set_operation(name: str, left: Vector, right: Vector, modifier: Any) -> Vector:
    keys = {_key(labels, modifier) for labels in (left if name == "or" else right)}
    if name == "or":
        new = {labels: one for labels, one in right.items() if _key(labels, modifier) not in keys}
        return {**left, **new}
    is_and = name == "and"
    return {
        labels: one for labels, one in left.items() if (_key(labels, modifier) in keys) is is_and
    }
