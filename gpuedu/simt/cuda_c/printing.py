"""``printf``, ``assert`` and ``__trap`` in a kernel."""

from __future__ import annotations

import ast
import re

from gpuedu.simt.cuda_c.conversions import convert, truth
from gpuedu.simt.cuda_c.dispatch import evaluate
from gpuedu.simt.cuda_c.lowerer import NOTHING, Lowerer, Typed
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.syntax import parts, short, text_of
from gpuedu.simt.cuda_c.types import VOID, Number, number
from gpuedu.simt.program import Const, If, Print, Raise, Return, Statement

_DIRECTIVE = re.compile(r"%[-+ #0]{0,5}\d{0,3}(?:\.\d{1,3})?(?:hh|h|ll|l|z|j|t)?[diuoxXcfFeEgG]|%%")


def print_formatted(k: Lowerer, node: Node, given: list[Node], values: list[Typed]) -> Typed:
    """``printf(format, ...)``: what each thread prints, in the order of threads."""
    if not given or given[0].type not in ("string_literal", "concatenated_string"):
        raise k.refuse(node, "`printf` needs its format written out as a string")
    format_ = _text(k, given[0])
    if "%" in _DIRECTIVE.sub("", format_):
        raise k.refuse(given[0], "a place in this format of `printf` is not covered")
    wanted = [found for found in _DIRECTIVE.findall(format_) if found != "%%"]
    if len(wanted) != len(values):
        raise k.refuse(
            node, f"`printf` has {len(wanted)} places in its format and {len(values)} values"
        )
    for part, value in zip(given[1:], values, strict=True):
        if not isinstance(value.type, Number):
            raise k.refuse(part, f"`printf` prints numbers, not a `{value.type}`")
    pairs = zip(given[1:], wanted, values, strict=True)
    items = tuple(_printed(k, *pair).expression for pair in pairs)
    k.builder.emit(Print(items, re.sub(r"(hh|h|ll|l|z|j|t)(?=[diuoxX])", "", format_)))
    return Typed(VOID, NOTHING)


def _printed(k: Lowerer, node: Node, place: str, value: Typed) -> Typed:
    """A value as its place shows it: of a character's, C takes the lowest byte."""
    return convert(k, node, value, number("uint8")) if place.endswith("c") else value


def _text(k: Lowerer, node: Node) -> str:
    pieces = parts(node) if node.type == "concatenated_string" else [node]
    try:
        return "".join(ast.literal_eval(text_of(piece)) for piece in pieces)
    except (SyntaxError, ValueError):  # such as u8"...", or an escape that Python doesn't have
        raise k.refuse(node, "a string that is written like this is not covered") from None


def asserted(k: Lowerer, node: Node, given: list[Node]) -> Typed:
    """``assert(condition)``: threads for which it does not hold end the launch on a GPU."""
    condition = truth(k, given[0], evaluate(k, given[0]))
    if not (isinstance(condition, Const) and condition.value):
        failed: list[Statement] = [
            Raise(AssertionError, short(given[0]), k.place(node)),
            Return(),
        ]
        k.builder.emit(If(condition, [], failed, None))
    return Typed(VOID, NOTHING)


def trap(k: Lowerer, node: Node) -> Typed:
    """``__trap()``: the launch ends with an error."""
    k.builder.emit(Raise(RuntimeError, "__trap()", k.place(node)))
    return Typed(VOID, NOTHING)
