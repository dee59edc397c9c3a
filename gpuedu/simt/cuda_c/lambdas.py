"""Lambdas that are called in place or by their name: ``auto add = [&](int i) {...};``.

A body is lowered at each call with the names that the lambda sees. It captures by reference, so
these are the function's own variables. A lambda is not a value: it cannot be passed on.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.copies import source_of
from gpuedu.simt.cuda_c.dispatch import BUILDERS, place_of, run
from gpuedu.simt.cuda_c.frames import argument, parameters
from gpuedu.simt.cuda_c.lowerer import NOTHING, Binding, Lambda, Lowerer, Typed
from gpuedu.simt.cuda_c.module import Function
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.objects import own
from gpuedu.simt.cuda_c.parameters import declared_parameters
from gpuedu.simt.cuda_c.places import PlaceOf, Temporary, named
from gpuedu.simt.cuda_c.statements import returns_at_end
from gpuedu.simt.cuda_c.syntax import field, parts, short, text_of, walk
from gpuedu.simt.cuda_c.type_names import type_of
from gpuedu.simt.cuda_c.types import VOID, CType, Number


@BUILDERS.enter("lambda")
def made_lambda(k: Lowerer, node: Node) -> Lambda:
    """``[&](int i) {...}`` as what a name stands for."""
    captures = short(field(node, "captures")).replace(" ", "")
    if captures not in ("[&]", "[]"):
        raise k.refuse(node, f"a lambda that captures by `{captures}` is not covered", "`[&]`")
    if any(inner.type == "lambda_expression" for inner in walk(field(node, "body"))):
        raise k.refuse(node, "a lambda inside a lambda is not covered")
    source = k.frame.function.source
    function = Function(k.frame.function.name, node, source, False)
    if not returns_at_end(function):
        raise k.refuse(
            node, "a lambda that returns before its end is not covered", "a `__device__` function"
        )
    return Lambda(function, tuple(k.frame.scopes))


def call_lambda(k: Lowerer, node: Node, called: Lambda, given: Sequence[Node]) -> PlaceOf:
    """The body of a lambda at a call."""
    function, frame = called.function, k.frame
    declared = []
    if function.node.child_by_field_name("declarator") is not None:
        declared = declared_parameters(k, function, called.scopes[::-1])
    _refuse_other_variables(k, node, called, {made.name for made in declared})
    if len(given) != len(declared):
        raise k.refuse(node, f"this lambda takes {len(declared)} arguments, got {len(given)}")
    passed = [argument(k, part) for part in given]
    bound = parameters(k, node, function, declared, passed)
    scopes, loops = frame.scopes, frame.loops
    frame.scopes, frame.loops = [*called.scopes, bound, {}], []
    try:
        return _result(k, function)
    finally:
        frame.scopes, frame.loops = scopes, loops


def _result(k: Lowerer, function: Function) -> PlaceOf:
    *before, last = parts(function.body) or [None]
    if last is None or last.type != "return_statement" or not parts(last):
        run(k, [part for part in parts(function.body) if part.type != "return_statement"])
        return Temporary(Typed(VOID, NOTHING))
    run(k, before)  # type: ignore[arg-type]
    value, promised = parts(last)[0], _promised(k, function)
    if promised == VOID:
        place_of(k, value)
        return Temporary(Typed(VOID, NOTHING))
    source = source_of(k, value)
    if isinstance(source, Temporary):
        typed = source.typed if promised is None else convert(k, value, source.typed, promised)
        return Temporary(Typed(typed.type, k.builder.hold(typed.value)))
    if promised not in (None, source.type):
        raise k.refuse(value, f"a `{source.type}` cannot become a `{promised}` here")
    return own(k, value, str(source.type), named(source))


def _promised(k: Lowerer, function: Function) -> CType | None:
    """The type after ``->``; None where the value tells it."""
    for part in walk(function.node.child_by_field_name("declarator") or function.body):
        if part.type == "trailing_return_type":
            found = type_of(k, parts(part)[0])
            if not isinstance(found, Number) and found != VOID:
                raise k.refuse(part, f"a lambda that returns a `{found}` is not covered")
            return found
    return None


def _refuse_other_variables(k: Lowerer, node: Node, called: Lambda, own_names: set[str]) -> None:
    """Refuse a call where a name that the lambda sees stands for another variable by now."""
    for part in walk(called.function.body):
        if part.type == "identifier" and text_of(part) not in own_names:
            name = text_of(part)
            seen: list[Binding] = [scope[name] for scope in called.scopes if name in scope]
            if seen and k.find(name) is not seen[-1]:
                raise k.refuse(node, f"`{name}` hides a variable that this lambda uses")
