"""Expressions that can be evaluated here: read, and refused with a place where they cannot be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import promql_parser as pp

from gpuedu.exercises.long_runs.promql.operators import (
    AGGREGATIONS,
    ARITHMETIC,
    COMPARISONS,
    INSTANT_FUNCTIONS,
    SETS,
)
from gpuedu.exercises.long_runs.promql.range_functions import RANGE_FUNCTIONS

MOST_CHARACTERS, _DEEPEST = 1_000, 40
_MOST_REPEATS = 4
OTHER_FUNCTIONS = (
    *("absent", "absent_over_time", "time", "timestamp", "scalar", "vector"),
    *("clamp", "clamp_min", "clamp_max"),
)
FUNCTIONS = (*RANGE_FUNCTIONS, *INSTANT_FUNCTIONS, *OTHER_FUNCTIONS)
AGGREGATED = (*AGGREGATIONS, "quantile")
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`|#.*")
"""What is no part of an expression: texts, and comments."""
_TIME = r"\s*[-+]?\s*(?:\d{1,6}(?:ms|[smhdwy])){1,7}(?![\w.])"
_NO_TIME = re.compile(rf"(?:\[|\boffset(?=\s*[-+.\d]|\s+(?:inf|nan)\b))(?!{_TIME})", re.IGNORECASE)
"""The beginning of a range, or of an offset, that is no time: of others, some crash the parser."""
_REPEAT = re.compile(r"(?<!\\)[*+?{]")
_REPEATED_GROUP = re.compile(r"(?<!\\)\)[*+{]")


class ExpressionError(ValueError):
    """An expression that PromQL's grammar refuses, or that is not evaluated here.

    Attributes:
        column: Of what is refused, counted from 1; 0 where the parser gives no place.
    """

    def __init__(self, message: str, column: int = 0) -> None:
        super().__init__(message)
        self.column = column


def read_expression(text: str) -> Any:
    """The tree of an expression, as promql-parser gives it.

    Raises:
        ExpressionError: It is no PromQL, too long, or outside of what is evaluated here.

    >>> read_expression("sum(predict_linear(train_loss[1h], 60))")
    Traceback (most recent call last):
    gpuedu.exercises.long_runs.promql.check.ExpressionError: `predict_linear` is no function that
        this course evaluates
    """
    if len(text) > MOST_CHARACTERS:
        raise ExpressionError(f"it has {len(text):,} characters, more than {MOST_CHARACTERS:,}")
    tree = _parsed(text)
    for node, depth in _nodes(tree, 0):
        if depth > _DEEPEST:
            raise ExpressionError(f"it is nested more than {_DEEPEST} deep")
        _require_known(node, text)
    if isinstance(without_parentheses(tree), (pp.MatrixSelector, pp.StringLiteral)):
        raise ExpressionError("it is a range, or a text, and no number for each series")
    return tree


def _parsed(text: str) -> Any:
    if found := _NO_TIME.search(_blanked(text)):
        told = "a range, or an offset, is written as a time here, such as 90s, 5m or 2d"
        raise ExpressionError(told, found.start() + 1)
    try:
        return pp.parse(text)
    except ValueError as fault:
        raise ExpressionError(f"Prometheus's grammar refuses it: {fault}") from None


def without_parentheses(node: Any) -> Any:
    """What stands inside of them."""
    while type(node) is pp.ParenExpr:
        node = node.expr
    return node


def _nodes(node: Any, depth: int) -> Iterator[tuple[Any, int]]:
    waiting = [(node, depth)]
    while waiting:
        one, deep = waiting.pop()
        yield one, deep
        parts = [getattr(one, name, None) for name in ("lhs", "rhs", "expr", "param")]
        parts.append(getattr(one, "vector_selector", None))
        parts += getattr(one, "args", None) or []
        waiting += [(part, deep + 1) for part in parts if part is not None]


def _require_known(node: Any, text: str) -> None:
    if isinstance(node, pp.Call) and node.func.name not in FUNCTIONS:
        name = node.func.name
        raise ExpressionError(
            f"`{name}` isn't a function that this course evaluates", place(text, name)
        )
    if isinstance(node, pp.AggregateExpr) and str(node.op) not in AGGREGATED:
        name = str(node.op)
        told = f"`{name}` isn't an aggregation that this course evaluates"
        raise ExpressionError(told, place(text, name))
    if isinstance(node, pp.BinaryExpr):
        _require_operator(node, text)
    if isinstance(node, pp.SubqueryExpr):
        raise ExpressionError(
            "subqueries, such as [10m:1m], are not evaluated here", place(text, ":")
        )
    if isinstance(node, pp.VectorSelector):
        _require_selector(node, text)


def _require_operator(node: Any, text: str) -> None:
    name = str(node.op)
    if name not in (*ARITHMETIC, *COMPARISONS, *SETS):
        raise ExpressionError(
            f"`{name}` isn't an operator that this course evaluates", place(text, name)
        )
    fill = getattr(node.modifier, "fill_values", None)
    if fill is not None and (fill.lhs is not None or fill.rhs is not None):
        raise ExpressionError("`fill` is not evaluated here", place(text, "fill"))


def _require_selector(node: Any, text: str) -> None:
    if node.at is not None:
        raise ExpressionError("`@` is not evaluated here", place(text, "@"))
    if node.matchers.or_matchers:
        raise ExpressionError("`or` within braces is not evaluated here", place(text, "or"))
    for one in node.matchers.matchers:
        if one.op in (pp.MatchOp.Re, pp.MatchOp.NotRe):
            _require_pattern(one.value, text)


def _require_pattern(pattern: str, text: str) -> None:
    """One that can't take long: a few repeats, of single characters."""
    where = text.find(pattern) + 1
    if len(_REPEAT.findall(pattern)) > _MOST_REPEATS or _REPEATED_GROUP.search(pattern):
        told = f"a pattern may have {_MOST_REPEATS} of * + ? {{ at most, and none after a group"
        raise ExpressionError(told, where)
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        raise ExpressionError("this pattern is not evaluated here", where) from None


def place(text: str, name: str) -> int:
    """The column, from 1, at which a name is written outside of quotes; 0 where it isn't.

    >>> place("a{b='topk'} + topk(3, c)", "topk")
    15
    """
    blank = _blanked(text)
    around = r"\b" if name[0].isalnum() else ""
    found = re.search(around + re.escape(name) + around, blank)
    return found.start() + 1 if found else 0


def _blanked(text: str) -> str:
    return _QUOTED.sub(lambda found: " " * len(found[0]), text)
