"""Parameters of kernels and device functions, and the arguments of templates."""

from __future__ import annotations

from collections.abc import Sequence

from gpuedu.simt.cuda_c.declarations import (
    Declared,
    UnknownTypeError,
    declare,
    is_const,
    specified,
    type_node,
)
from gpuedu.simt.cuda_c.lowerer import Binding, Fixed, Functions, Lowerer, TypeName, constant, known
from gpuedu.simt.cuda_c.module import Function
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.structures import template_name
from gpuedu.simt.cuda_c.syntax import field, parts, short, text_of
from gpuedu.simt.cuda_c.type_names import type_of
from gpuedu.simt.cuda_c.types import AUTO, INT, ArrayOf, CType, Pointer, Reference
from gpuedu.simt.cuda_c.whole_numbers import whole_number_of


def is_reference(function: Function, at: int, *, const: bool = False) -> bool:
    """True if a function's parameter is a reference that it may write through, or ``const``."""
    if at >= len(function.parameters):
        return False
    node = function.parameters[at]
    found = node.child_by_field_name("declarator")
    refers = found is not None and found.type == "reference_declarator"
    return refers and (const or not is_const(node))


Scopes = Sequence[dict[str, Binding]]


def declared_parameters(k: Lowerer, function: Function, scopes: Scopes) -> list[Declared]:
    """The parameters of a function; an array parameter is a pointer."""

    def names(name: str) -> CType | None:
        for scope in scopes:
            found = scope.get(name)
            if isinstance(found, TypeName):
                return found.type
        return k.module.types.get(name)

    made = []
    for node in function.parameters:
        specifier = type_node(node)
        assert specifier is not None
        try:
            base = specified(specifier, names, lambda size: whole_number_of(k, size))
            found = node.child_by_field_name("declarator")
            if found is None:
                made.append(Declared("_", base, node))
                continue
            one = declare(found, base, is_const(node), lambda size: whole_number_of(k, size))
        except UnknownTypeError as fault:
            raise k.module.refuse(fault.args[0], fault.told, function=function.name) from None
        type_ = one.type
        if isinstance(type_, ArrayOf):
            type_ = Pointer(type_.element, is_const(node))
        made.append(Declared(one.name, type_, one.node, node.child_by_field_name("default_value")))
    return made


def result_type(k: Lowerer, function: Function, *, by_reference: bool = False) -> CType:
    """What a function returns, or refers to; the scopes of its frame are in force."""
    specifier = field(function.node, "type")
    if specifier.type == "placeholder_type_specifier":
        return AUTO
    found = type_of(k, specifier)
    declarator = field(function.node, "declarator")
    while declarator.type != "function_declarator":
        if declarator.type == "pointer_declarator":
            found = Pointer(found, is_const(function.node))
        elif declarator.type == "reference_declarator" and not by_reference:
            raise k.refuse(function.node, f"`{function.name}` returns a reference: not covered")
        inner = declarator.child_by_field_name("declarator")
        declarator = inner if inner is not None else parts(declarator)[-1]
    return found


def template_scope(
    k: Lowerer,
    node: Node,
    function: Function,
    arguments: Sequence[Node],
    kinds: Sequence[CType],
) -> dict[str, Binding]:
    """What a template's parameters stand for: what is written, else what the arguments imply."""
    scope: dict[str, Binding] = {}
    for at, parameter in enumerate(function.template):
        name = template_name(parameter)
        if at < len(arguments):
            scope[name] = _written(k, parameter, arguments[at])
            continue
        found = _deduced(function, name, kinds)
        if found is None:
            found = _default(k, parameter)
        if found is None:
            raise k.refuse(
                node,
                f"the template argument `{name}` of `{function.name}` cannot be deduced from "
                "the call",
                f"`{function.name}<...>(...)`",
            )
        scope[name] = TypeName(found) if isinstance(found, CType) else found
    return scope


def for_arguments(
    k: Lowerer, node: Node, function: Function, scope: dict[str, Binding]
) -> tuple[Function, dict[str, Binding]]:
    """The template, or its specialization for these arguments, and its scope."""
    wanted = [_shown(scope[template_name(part)]) for part in function.template]
    for given, chosen in k.module.chosen.get(function.name, ()):
        if len(given) != len(function.template):
            raise k.refuse(
                node, f"`{function.name}` is instantiated for arguments that are not all given"
            )
        pairs = zip(function.template, given, strict=True)
        if [_shown(_written(k, part, argument)) for part, argument in pairs] == wanted:
            if len(k.module.functions[function.name]) > 1:
                raise k.refuse(node, f"`{function.name}` has overloads beside chosen arguments")
            return chosen, {}
    return function, scope


def _shown(binding: Binding) -> str:
    assert isinstance(binding, TypeName | Fixed | Functions)
    if isinstance(binding, Functions):
        return binding.name
    return str(binding.type if isinstance(binding, TypeName) else known(binding.value))


def _is_type(parameter: Node) -> bool:
    return "type_parameter" in parameter.type


def _written(k: Lowerer, parameter: Node, argument: Node) -> Binding:
    if _is_type(parameter):
        return TypeName(type_of(k, argument))
    told = _expression(argument)
    found = k.find(text_of(told))
    if isinstance(found, Functions):
        return found
    if found is None and text_of(told) in k.module.functions:
        return Functions(text_of(told), k.module.functions[text_of(told)])
    return Fixed(constant(INT, whole_number_of(k, told)))


def _expression(argument: Node) -> Node:
    """A number's name that the grammar takes for a type."""
    if argument.type == "type_descriptor":
        (inner,) = parts(argument)
        return inner
    return argument


def _default(k: Lowerer, parameter: Node) -> Binding | None:
    given = parameter.child_by_field_name("default_type") or parameter.child_by_field_name(
        "default_value"
    )
    return None if given is None else _written(k, parameter, given)


def _deduced(function: Function, name: str, kinds: Sequence[CType]) -> CType | None:
    """The type of the first argument whose parameter is spelled with the template's name."""
    for node, kind in zip(function.parameters, kinds, strict=False):
        specifier = type_node(node)
        if specifier is None or short(specifier) != name:
            continue
        declarator = node.child_by_field_name("declarator")
        while declarator is not None and declarator.type != "identifier":
            if declarator.type in ("pointer_declarator", "array_declarator"):
                if not isinstance(kind, Pointer):
                    return None
                kind = kind.target
            inner = declarator.child_by_field_name("declarator")
            declarator = inner if inner is not None else parts(declarator)[-1]
        return kind.target if isinstance(kind, Reference) else kind
    return None
