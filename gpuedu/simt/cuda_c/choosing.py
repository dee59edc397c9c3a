"""Which function of a structure, constructor or operator of the source a call means."""

from __future__ import annotations

from collections.abc import Sequence

from gpuedu.simt.cuda_c.copies import source_of
from gpuedu.simt.cuda_c.dispatch import unevaluated
from gpuedu.simt.cuda_c.lowerer import Binding, Lowerer
from gpuedu.simt.cuda_c.module import Function
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.parameters import declared_parameters
from gpuedu.simt.cuda_c.syntax import short
from gpuedu.simt.cuda_c.types import VOID, CType, Number, Reference, Struct


def functions_of(type_: CType, name: str) -> list[Function]:
    """The functions of a structure by name."""
    if not isinstance(type_, Struct) or type_.members is None:
        return []
    return type_.members.functions.get(name, [])


def chosen(
    k: Lowerer,
    node: Node,
    candidates: Sequence[Function],
    kinds: Sequence[CType],
    scope: dict[str, Binding],
) -> Function | None:
    """The overload whose parameters have these types; a lone one by their number."""
    fitting = [
        function
        for function in candidates
        if _required(function) <= len(kinds) <= len(function.parameters)
    ]
    if len(fitting) < 2:
        return fitting[0] if fitting else None
    written = [(f, _wanted(k, f, scope)) for f in fitting if not f.template]
    exact = [f for f, wanted in written if wanted[: len(kinds)] == list(kinds)]
    if not exact and len(written) == len(fitting) and all(w == written[0][1] for _, w in written):
        exact = fitting  # all take the same
    if len({short(function.body) for function in exact}) == 1:
        return exact[0]  # perhaps once more for objects that are `const`
    if exact:
        raise k.refuse(node, f"which `{exact[0].name}` is meant depends on `const`: not covered")
    templates = [function for function in fitting if function.template]
    if len(templates) == 1:
        return templates[0]
    raise k.refuse(node, f"exact types do not decide which `{fitting[0].name}` is meant here")


def _wanted(k: Lowerer, function: Function, scope: dict[str, Binding]) -> list[CType]:
    return [unreferred(made.type) for made in declared_parameters(k, function, [scope])]


def only_operator(k: Lowerer, free: Sequence[Function], kinds: Sequence[CType]) -> Function | None:
    """The operator outside structures that takes exactly these types, or numbers for numbers."""
    exact = [function for function in free if _fits(k, function, kinds, converted=False)]
    if len(exact) > 1:
        exact = [function for function in exact if not function.template] or exact[:0]
    found = exact or [one for one in free if _fits(k, one, kinds, converted=True)]
    return found[0] if len(found) == 1 else None


def _fits(k: Lowerer, function: Function, kinds: Sequence[CType], *, converted: bool) -> bool:
    if len(function.parameters) != len(kinds):
        return False
    if function.template:
        return not converted
    declared = declared_parameters(k, function, [{}])
    pairs = [(unreferred(made.type), kind) for made, kind in zip(declared, kinds, strict=True)]
    return all(
        wanted == kind or (converted and isinstance(wanted, Number) and isinstance(kind, Number))
        for wanted, kind in pairs
    )


def _required(function: Function) -> int:
    return sum(node.type == "parameter_declaration" for node in function.parameters)


def unreferred(type_: CType) -> CType:
    """A type without its reference."""
    return type_.target if isinstance(type_, Reference) else type_


def kinds_of(k: Lowerer, given: Sequence[Node]) -> list[CType]:
    """The types of arguments; a list in braces has none that could decide."""
    return [
        VOID if part.type == "initializer_list" else unevaluated(k, part, source_of)
        for part in given
    ]
