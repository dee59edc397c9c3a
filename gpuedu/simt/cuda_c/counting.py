"""Loops that count: ``for`` over a range whose bounds and step are known before it starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuedu.simt.cuda_c.changes import carried_names, changed_names
from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.declarations import type_node
from gpuedu.simt.cuda_c.dispatch import block, evaluate
from gpuedu.simt.cuda_c.folding import cast
from gpuedu.simt.cuda_c.fragments import Fragment
from gpuedu.simt.cuda_c.lowerer import Alias, Lowerer, Memory, Variable
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.syntax import bare, field, operator_of, parts, short, text_of, walk
from gpuedu.simt.cuda_c.type_names import type_of
from gpuedu.simt.cuda_c.types import Number, Pointer, arithmetic
from gpuedu.simt.program import INT64, Binary, Branch, Const, Expression, Loop
from gpuedu.simt.values import Scalar


@dataclass(frozen=True)
class Count:
    """``for (T i = start; i < stop; i += step)``, with nothing else changing ``i``."""

    name: str
    type: Number
    start: Expression
    stop: Expression
    step: Expression


@dataclass(frozen=True)
class _Header:
    """The parts of ``for (type name = ...; name < limit; name += by)``; ``by`` is None for 1."""

    name: str
    type: Node
    declared: Node
    test: Node
    sign: int
    by: Node | None

    @property
    def limit(self) -> Node:
        """What the counter is compared with."""
        return field(self.test, "right")

    @property
    def bounds(self) -> list[Node]:
        """What must stay as it is while the loop runs."""
        return [self.limit] if self.by is None else [self.limit, self.by]


def count_of(k: Lowerer, node: Node) -> Count | None:
    """What a loop counts over, None for a loop that must be run as it is written."""
    header = _header(node)
    if header is None or header.name in k.frame.in_memory:
        return None
    body = field(node, "body")
    changed = {root for part in walk(body) for root in changed_names(k, part)}
    if header.name in changed:
        return None
    changed.add(header.name)
    if not all(_is_fixed(part, changed) for part in header.bounds):
        return None
    return _bounds(k, header)


def _header(node: Node) -> _Header | None:
    begin, test = node.child_by_field_name("initializer"), node.child_by_field_name("condition")
    update = node.child_by_field_name("update")
    if begin is None or test is None or update is None or begin.type != "declaration":
        return None
    declared = begin.children_by_field_name("declarator")
    test, specifier = bare(test), type_node(begin)
    if len(declared) != 1 or declared[0].type != "init_declarator" or specifier is None:
        return None
    name_node = field(declared[0], "declarator")
    if name_node.type != "identifier" or test.type != "binary_expression":
        return None
    name = text_of(name_node)
    step = _step(update, name)
    if step is None or text_of(field(test, "left")) != name:
        return None
    return _Header(name, specifier, declared[0], test, *step)


def _step(update: Node, name: str) -> tuple[int, Node | None] | None:
    """The sign of a loop's step, and the step itself where it is not 1."""
    if update.type == "update_expression" and text_of(field(update, "argument")) == name:
        plus = any(text_of(child) == "++" for child in update.children)
        return (1 if plus else -1), None
    if update.type == "assignment_expression" and text_of(field(update, "left")) == name:
        operator = operator_of(update)
        if operator in ("+=", "-="):
            return (1 if operator == "+=" else -1), field(update, "right")
    return None


_FIXED = frozenset(
    {"identifier", "number_literal", "field_expression", "field_identifier", "binary_expression"}
) | {"parenthesized_expression", "cast_expression", "type_descriptor", "primitive_type"}


def _is_fixed(node: Node, changed: set[str]) -> bool:
    """True if an expression reads no memory and nothing that the loop changes."""
    if node.type not in _FIXED or text_of(node) in changed:
        return False
    if node.type == "field_expression":
        owner = field(node, "argument")
        return owner.type == "identifier" and text_of(node.children[1]) == "."
    return all(_is_fixed(part, changed) for part in parts(node))


def _bounds(k: Lowerer, header: _Header) -> Count | None:
    type_ = type_of(k, header.type)
    if not isinstance(type_, Number) or type_.dtype.kind not in "iu" or type_.dtype.itemsize < 4:
        return None
    operator = operator_of(header.test)
    rising = operator in ("<", "<=")
    if operator not in ("<", "<=", ">", ">=") or rising != (header.sign > 0):
        return None
    if type_.dtype.kind == "u" and not rising:
        return None  # it may wrap around zero
    if any(_has_memory(k, part) for part in header.bounds):
        return None
    stop = _stop(k, header, type_)
    if stop is None:
        return None
    start = evaluate(k, field(header.declared, "value"))
    first = cast(convert(k, header.declared, start, type_).expression, INT64)
    stride = _stride(k, header, type_)
    return None if stride is None else Count(header.name, type_, first, stop, stride)


def _stop(k: Lowerer, header: _Header, type_: Number) -> Expression | None:
    """The first number past the range, as int64."""
    mark, names = k.tables.mark(), k.builder.names
    stop = evaluate(k, header.limit)
    if not isinstance(stop.type, Number) or stop.type.dtype.kind not in "iub":
        k.tables.rewind(mark)
        k.builder.names = names
        return None
    compared = arithmetic(type_, stop.type)
    if compared.dtype.kind == "u":
        if type_.dtype.kind == "i" and not _never_negative(header.declared):
            return None  # a negative index would be compared as a large number
        stop = convert(k, header.limit, stop, compared)  # and so is a negative end
    last = cast(stop.expression, INT64)
    operator = operator_of(header.test)
    if operator in ("<", ">"):
        return last
    return Binary("+" if operator == "<=" else "-", last, Const(np.int64(1)), INT64)


def _stride(k: Lowerer, header: _Header, type_: Number) -> Expression | None:
    """The step as int64; None where it may lead away from the range's end."""
    if header.by is None:
        return Const(np.int64(header.sign))
    stride = cast(convert(k, header.by, evaluate(k, header.by), type_).expression, INT64)
    if not isinstance(stride, Const):
        return stride if header.sign > 0 else None
    return Const(np.int64(header.sign * stride.value)) if stride.value > 0 else None


def _never_negative(declared: Node) -> bool:
    """True if a loop begins at a number or at an index of threads, which are not below 0."""
    value = field(declared, "value")
    return all(
        part.type in ("number_literal", "binary_expression", "field_expression", "identifier")
        and not text_of(part).startswith("-")
        and (part.type != "identifier" or text_of(part) in ("threadIdx", "blockIdx", "blockDim"))
        and (part.type != "binary_expression" or operator_of(part) in "+*")
        for part in walk(value)
        if part.type not in ("field_identifier", "parenthesized_expression")
    )


def _has_memory(k: Lowerer, node: Node) -> bool:
    """True if a name in an expression stands for memory, which others may change."""
    for part in walk(node):
        if part.type == "identifier":
            found = k.find(text_of(part))
            if isinstance(found, Memory) and isinstance(found.type, Fragment):
                continue  # only its `num_elements` can stand in a bound
            if isinstance(found, Memory | Alias):
                return True
            if isinstance(found, Variable) and isinstance(found.type, Pointer):
                return True
    return False


def count_loop(k: Lowerer, node: Node, count: Count) -> None:
    """Run a loop over its range; each iteration has its own variable."""
    start, stop, step = (k.builder.keep(part) for part in (count.start, count.stop, count.step))
    text = short(field(node, "condition"))

    def lower(loop: Loop) -> None:
        index = k.builder.slot(count.name, INT64)
        loop.span = (index, start, stop, step)
        loop.branch = k.tables.add("branches", Branch(k.place(node), text))
        with k.builder.lowering(loop.body), k.scope():
            key = k.new_key(count.name)
            k.bind(count.name, Variable(key, count.type))
            k.builder.assign(key, Scalar(cast(index, count.type.dtype)))
            k.frame.loops.append(lambda: None)
            block(k, field(node, "body"))
            k.frame.loops.pop()

    k.at(node, k.builder.loop, lower, carried_names(k, field(node, "body")), k.place(node))
