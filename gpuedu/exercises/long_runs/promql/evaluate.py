"""The value of an expression at a moment: a number, or numbers by their labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import promql_parser as pp

from gpuedu.exercises.long_runs.promql.check import without_parentheses
from gpuedu.exercises.long_runs.promql.matching import EvaluationError, combine
from gpuedu.exercises.long_runs.promql.operators import (
    AGGREGATIONS,
    ARITHMETIC,
    COMPARISONS,
    INSTANT_FUNCTIONS,
    quantile,
)
from gpuedu.exercises.long_runs.promql.range_functions import RANGE_FUNCTIONS
from gpuedu.exercises.long_runs.promql.series import NAME, Labels, Matcher, Store, labels_of

Vector = dict[Labels, float]
Value = float | Vector
_OPERATORS = (
    (pp.MatchOp.Equal, "="),
    (pp.MatchOp.NotEqual, "!="),
    (pp.MatchOp.Re, "=~"),
    (pp.MatchOp.NotRe, "!~"),
)


def evaluate(tree: Any, store: Store, time_s: float) -> Value:
    """A number, or a dict from labels to numbers.

    Args:
        tree: What ``read_expression`` gives.
        store: The series.
        time_s: When.

    Raises:
        EvaluationError: Two series that should differ have the same labels.
    """
    return _Moment(store, time_s).value(tree)


def matchers_of(selector: Any) -> tuple[Matcher, ...]:
    """All of a selector, with the one of its name."""
    found = [Matcher(one.name, _operator(one.op), one.value) for one in selector.matchers.matchers]
    return tuple([Matcher(NAME, "=", selector.name), *found] if selector.name else found)


def _operator(op: Any) -> str:
    return next(sign for known, sign in _OPERATORS if op == known)


def without(labels: Labels, *names: str) -> Labels:
    """Labels without some of them."""
    return tuple(pair for pair in labels if pair[0] not in names)


@dataclass(frozen=True)
class _Moment:
    store: Store
    time_s: float

    def value(self, node: Any) -> Value:
        """Of any node that is no range."""
        kind = type(node)
        if kind is pp.NumberLiteral:
            return node.val
        if kind is pp.ParenExpr:
            return self.value(node.expr)
        if kind is pp.VectorSelector:
            return self._instant(node)
        if kind is pp.UnaryExpr:
            inner = self.value(node.expr)
            return -inner if not isinstance(inner, dict) else _mapped(inner, lambda one: -one)
        if kind is pp.AggregateExpr:
            return self._aggregate(node)
        if kind is pp.BinaryExpr:
            return self._binary(node)
        return self._call(node)

    def _instant(self, selector: Any) -> Vector:
        at_s = self.time_s - _offset_s(selector)
        found = {}
        for series in self.store.select(matchers_of(selector)):
            sample = self.store.at(series, at_s)
            if sample is not None:
                found[series.labels] = sample[1]
        return found

    def _over(self, node: Any, function: Callable[..., float | None], *, keeps: bool) -> Vector:
        matrix = without_parentheses(node)
        selector = matrix.vector_selector
        end_s = self.time_s - _offset_s(selector)
        start_s = end_s - matrix.range.total_seconds()
        found = []
        for series in self.store.select(matchers_of(selector)):
            value = function(self.store.within(series, start_s, end_s), start_s, end_s)
            if value is not None:
                found.append((series.labels if keeps else without(series.labels, NAME), value))
        return _as_vector(found)

    def _call(self, node: Any) -> Value:
        name, given = node.func.name, node.args
        if name in RANGE_FUNCTIONS:
            keeps = name == "last_over_time"
            return self._over(given[0], RANGE_FUNCTIONS[name], keeps=keeps)
        if name == "absent_over_time":
            is_there = self._over(given[0], RANGE_FUNCTIONS["present_over_time"], keeps=True)
            return (
                {}
                if is_there
                else {_absent_labels(without_parentheses(given[0]).vector_selector): 1.0}
            )
        if name == "absent":
            return {} if self.value(given[0]) else {_absent_labels(given[0]): 1.0}
        if name == "time":
            return self.time_s
        if name == "timestamp":
            return self._timestamps(given[0])
        if name == "scalar":
            inner = self.value(given[0])
            return next(iter(inner.values())) if len(inner) == 1 else math.nan
        if name == "vector":
            return {(): self.value(given[0])}
        inner, *limits = map(self.value, given)
        return _mapped(inner, _limited(name, limits))

    def _timestamps(self, node: Any) -> Vector:
        if type(node) is not pp.VectorSelector:
            return _mapped(self.value(node), lambda _: self.time_s)
        at_s = self.time_s - _offset_s(node)
        found = []
        for series in self.store.select(matchers_of(node)):
            sample = self.store.at(series, at_s)
            if sample is not None:
                found.append((without(series.labels, NAME), sample[0]))
        return _as_vector(found)

    def _aggregate(self, node: Any) -> Vector:
        name = str(node.op)
        share = self.value(node.param) if name == "quantile" else 0.0
        groups: dict[Labels, list[float]] = {}
        for labels, value in self.value(node.expr).items():
            groups.setdefault(_group(labels, node.modifier), []).append(value)
        if name == "quantile":
            return {labels: quantile(share, values) for labels, values in groups.items()}
        return {labels: AGGREGATIONS[name](values) for labels, values in groups.items()}

    def _binary(self, node: Any) -> Value:
        left, right = self.value(node.lhs), self.value(node.rhs)
        name, modifier = str(node.op), node.modifier
        is_bool = modifier is not None and modifier.return_bool
        if isinstance(left, dict) and isinstance(right, dict):
            return combine(name, left, right, modifier)
        if not isinstance(left, dict) and not isinstance(right, dict):
            return float(_result(name, left, right))
        found = []
        for labels, value in (left if isinstance(left, dict) else right).items():
            sides = (value, right) if isinstance(left, dict) else (left, value)
            result = _result(name, *sides)
            if name in ARITHMETIC or is_bool:
                found.append((without(labels, NAME), float(result)))
            elif result:
                found.append((labels, value))
        return _as_vector(found)


def _result(name: str, left: float, right: float) -> float | bool:
    return ARITHMETIC[name](left, right) if name in ARITHMETIC else COMPARISONS[name](left, right)


def _limited(name: str, limits: list[float]) -> Callable[[float], float]:
    if name in INSTANT_FUNCTIONS:
        return INSTANT_FUNCTIONS[name]
    low = limits[0] if name in ("clamp", "clamp_min") else -math.inf
    high = limits[-1] if name in ("clamp", "clamp_max") else math.inf
    return lambda value: value if math.isnan(value) else max(low, min(high, value))


def _offset_s(selector: Any) -> float:
    return selector.offset.total_seconds() if selector.offset is not None else 0.0


def _mapped(vector: Vector, function: Callable[[float], float]) -> Vector:
    return _as_vector((without(labels, NAME), function(one)) for labels, one in vector.items())


def _as_vector(pairs: Iterable[tuple[Labels, float]]) -> Vector:
    vector: Vector = {}
    for labels, value in pairs:
        if labels in vector:
            told = ", ".join(f'{name}="{one}"' for name, one in labels)
            raise EvaluationError(f"two series have the same labels {{{told}}} without their names")
        vector[labels] = value
    return vector


def _group(labels: Labels, modifier: Any) -> Labels:
    if modifier is None:
        return ()
    if modifier.type == pp.AggModifierType.By:
        return tuple(pair for pair in labels if pair[0] in modifier.labels)
    return without(labels, NAME, *modifier.labels)


def _absent_labels(node: Any) -> Labels:
    """Of the series that lacks: what its selector says that it equals."""
    node = without_parentheses(node)
    if type(node) is not pp.VectorSelector:
        return ()
    asked: Mapping[str, list[Matcher]] = {}
    for one in matchers_of(node):
        asked.setdefault(one.name, []).append(one)
    known = {
        name: ones[0].value
        for name, ones in asked.items()
        if name != NAME and len(ones) == 1 and ones[0].op == "="
    }
    return labels_of(known)
