"""Rule files of Prometheus: YAML, read strictly and with limits, each fault with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from gpuedu.exercises.long_runs.promql.alerts import Alert
from gpuedu.exercises.long_runs.promql.check import ExpressionError, read_expression

_DEEPEST, _MOST_EVENTS, _MOST_RULES = 12, 2_000, 30
_UNITS_S = {"y": 31_536_000, "w": 604_800, "d": 86_400, "h": 3600, "m": 60, "s": 1, "ms": 0.001}
_DURATION = re.compile("".join(rf"(?:(\d+){unit})?" for unit in _UNITS_S))
_BARE_TEMPLATE = re.compile(r":\s+\{\{")
_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_RULE_KEYS = ("alert", "expr", "for", "labels", "annotations")
_LEFT_OUT = ("record", "keep_firing_for")


class RuleFileError(ValueError):
    """A rule file that Prometheus refuses, or of which this course doesn't evaluate a part.

    Attributes:
        line: Where, from 1.
    """

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def read_rules(text: str) -> list[Alert]:
    r"""All alerts of a rule file, in order.

    Raises:
        RuleFileError: It is no YAML, no rule file, or an expression is refused.

    >>> read_rules("groups:\n- name: g\n  rules:\n  - alert: Up\n    expr: up ==\n")
    Traceback (most recent call last):
    gpuedu.exercises.long_runs.promql.rule_file.RuleFileError: the expression of `Up`: Prometheus's
        grammar refuses it: invalid promql query
    """
    top = _mapping(_document(text), "the file", ("groups",))
    alerts: list[Alert] = []
    names: set[str] = set()
    for group in _items(top.get("groups"), "`groups`", 1):
        inside = _mapping(group, "a group", ("name", "interval", "rules"))
        if "interval" in inside:
            _refuse(inside["interval"], "`interval` is not evaluated here: leave it out")
        name = _text(inside.get("name"), "the group's `name`", group)
        if name in names:
            _refuse(group, f"two groups are named {name!r}")
        names.add(name)
        alerts += [_alert(one) for one in _items(inside.get("rules"), "`rules`", _line(group))]
    if len(alerts) > _MOST_RULES:
        raise RuleFileError(f"{len(alerts)} rules, more than {_MOST_RULES}", alerts[-1].line)
    return alerts


def duration_s(text: str) -> float | None:
    """A duration as Prometheus writes it, in seconds; None where it is none.

    >>> duration_s("1h30m"), duration_s("90s"), duration_s("0"), duration_s("5 min")
    (5400.0, 90.0, 0.0, None)
    """
    if text == "0":
        return 0.0
    found = _DURATION.fullmatch(text)
    if not found or not text or len(text) > 20:
        return None
    pairs = zip(found.groups(), _UNITS_S.values(), strict=True)
    return float(sum(int(count) * unit for count, unit in pairs if count))


def _document(text: str) -> Any:
    depth = 0
    try:
        for count, event in enumerate(yaml.parse(text, Loader=yaml.SafeLoader)):
            line = event.start_mark.line + 1
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise RuleFileError("anchors (&) and aliases (*) are not read here", line)
            if getattr(event, "tag", None):
                raise RuleFileError("tags (!) are not read here", line)
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST or count > _MOST_EVENTS:
                raise RuleFileError("that is nested too deeply, or too long", line)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        told = f"this isn't YAML: {fault.problem or fault.context}"
        if mark and any(map(_BARE_TEMPLATE.search, text.splitlines()[mark.line : mark.line + 1])):
            told += "; text with {{ needs quotes"
        raise RuleFileError(told, mark.line + 1 if mark else 1) from None
    except yaml.YAMLError as fault:
        raise RuleFileError(f"this isn't YAML: {str(fault).splitlines()[0]}", 1) from None
    if node is None:
        raise RuleFileError("the file is empty", 1)
    return node


def _line(node: Any) -> int:
    return node.start_mark.line + 1


def _refuse(node: Any, message: str) -> None:
    raise RuleFileError(message, _line(node))


def _mapping(node: Any, what: str, known: tuple[str, ...] = ()) -> Mapping[str, Any]:
    """Keys and values of a mapping; without ``known``, any keys."""
    if not isinstance(node, yaml.MappingNode):
        _refuse(node, f"{what} should be a mapping, lines of `key: value`")
    found: dict[str, Any] = {}
    for key, value in node.value:
        name = _text(key, f"a key of {what}", key)
        if name in found:
            _refuse(key, f"`{name}` is there twice in {what}")
        if known and name in _LEFT_OUT and "alert" in known:
            _refuse(key, f"`{name}` is not evaluated here")
        if known and name not in known:
            _refuse(key, f"{what} has no field `{name}`; there is {', '.join(known)}")
        found[name] = value
    return found


def _items(node: Any, what: str, line: int) -> list[Any]:
    if node is None:
        raise RuleFileError(f"{what} is missing", line)
    if not isinstance(node, yaml.SequenceNode):
        _refuse(node, f"{what} should be a list, items that start with `- `")
    return node.value


def _text(node: Any, what: str, parent: Any) -> str:
    if node is None:
        _refuse(parent, f"{what} is missing")
    if not isinstance(node, yaml.ScalarNode):
        _refuse(node, f"{what} should be text")
    if not node.value.strip():
        _refuse(node, f"{what} is empty")
    return node.value


def _alert(node: Any) -> Alert:
    fields = _mapping(node, "a rule", _RULE_KEYS)
    name = _text(fields.get("alert"), "`alert`, the rule's name,", node)
    expression = _text(fields.get("expr"), f"`expr` of `{name}`", node)
    try:
        tree = read_expression(expression)
    except ExpressionError as fault:
        line, column = _place(fields["expr"], expression, fault.column)
        at = f" (column {column} of the expression)" if column else ""
        raise RuleFileError(f"the expression of `{name}`: {fault}{at}", line) from None
    lasts = _text(fields["for"], f"`for` of `{name}`", node) if "for" in fields else "0"
    for_s = duration_s(lasts)
    if for_s is None:
        _refuse(fields["for"], f"`for` of `{name}` is {lasts!r}, and durations are like 90s or 5m")
    labels = dict(_texts(fields.get("labels"), f"`labels` of `{name}`"))
    annotations = dict(_texts(fields.get("annotations"), f"`annotations` of `{name}`"))
    return Alert(name, tree, for_s, labels, annotations, _line(node))


def _place(node: Any, expression: str, column: int) -> tuple[int, int]:
    """Line of the file, and column in that line of the expression."""
    is_block = node.style in ("|", ">")
    before = expression[: max(0, column - 1)]
    if not is_block or node.style == ">":
        return _line(node) + is_block, column
    return _line(node) + 1 + before.count("\n"), column and column - before.rfind("\n") - 1


def _texts(node: Any, what: str) -> Iterator[tuple[str, str]]:
    if node is None:
        return
    for name, value in _mapping(node, what).items():
        if not _LABEL.fullmatch(name):
            _refuse(value, f"{name!r} in {what} isn't a name: letters, digits and _ are allowed")
        told = _text(value, f"`{name}` in {what}", value)
        if told.count("{{") != told.count("}}"):
            _refuse(value, f"`{name}` in {what} has a {{{{ without }}}}, or the other way round")
        yield name, told
