"""Device functions, whose bodies are inlined at each call; overloads and references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpuedu.simt.cuda_c import methods
from gpuedu.simt.cuda_c.access import read, write
from gpuedu.simt.cuda_c.assignments import held
from gpuedu.simt.cuda_c.choosing import kinds_of, unreferred
from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.copies import has_array, source_of
from gpuedu.simt.cuda_c.declarations import Declared, declared_type_is_reference
from gpuedu.simt.cuda_c.dispatch import BUILDERS, evaluate, place_of
from gpuedu.simt.cuda_c.frames import argument
from gpuedu.simt.cuda_c.group_types import Group
from gpuedu.simt.cuda_c.initializers import initialized
from gpuedu.simt.cuda_c.lowerer import NOTHING, Alias, Frame, Lowerer, Memory, Typed, Variable
from gpuedu.simt.cuda_c.module import Function
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.objects import bound, new_object, own
from gpuedu.simt.cuda_c.parameters import (
    declared_parameters,
    for_arguments,
    is_reference,
    result_type,
    template_scope,
)
from gpuedu.simt.cuda_c.places import Local, PlaceOf, Temporary, is_in_memory
from gpuedu.simt.cuda_c.statements import address_taken, run_body
from gpuedu.simt.cuda_c.syntax import bare, field
from gpuedu.simt.cuda_c.types import AUTO, VOID, CType, Reference
from gpuedu.simt.cuda_c.variables import as_it_is, flag_of
from gpuedu.simt.values import Tuple, Value

MAX_DEPTH = 32


def call_device_function(
    k: Lowerer,
    node: Node,
    candidates: list[Function],
    given: list[Node],
    arguments: Sequence[Node],
) -> PlaceOf:
    """A call of a function of the source: the overload that fits.

    A reference that it returns is the place that it refers to.
    """
    function = _chosen(k, node, candidates, given)
    if function.is_kernel:
        raise k.refuse(
            node, f"`{function.name}` is a kernel: only the host can launch it", "`__device__`"
        )
    if any(frame.function is function for frame in k.frames) or len(k.frames) > MAX_DEPTH:
        raise k.refuse(node, f"`{function.name}` calls itself: recursion is not covered", "a loop")
    if declared_type_is_reference(function.node) and function.name not in k.module.chosen:
        passed = [argument(k, part) for part in given]
        return methods.call(k, node, function, None, passed, arguments)
    return inline(k, node, function, given, arguments)


def _chosen(k: Lowerer, node: Node, candidates: list[Function], given: list[Node]) -> Function:
    """The overload that takes so many arguments, and of those the one whose types agree."""
    fitting = [
        function
        for function in candidates
        if _required(function) <= len(given) <= len(function.parameters)
    ]
    if not fitting:
        wanted = len(candidates[0].parameters)
        raise k.refuse(node, f"`{candidates[0].name}` takes {wanted} arguments, got {len(given)}")
    if len(fitting) == 1:
        return fitting[0]
    return _overload(k, fitting, given)


def _required(function: Function) -> int:
    return sum(node.type == "parameter_declaration" for node in function.parameters)


def _overload(k: Lowerer, fitting: list[Function], given: list[Node]) -> Function:
    kinds = kinds_of(k, given)
    plain = [function for function in fitting if not function.template]
    for function in plain:
        if _takes(k, function, kinds):
            return function
    templates = [function for function in fitting if function.template]
    return (templates or plain)[0]


def takes_exactly(k: Lowerer, candidates: list[Function], given: list[Node]) -> bool:
    """Whether one of several overloads takes arguments of exactly these types, or any."""
    kinds = kinds_of(k, given)
    return any(
        _required(function) <= len(given) <= len(function.parameters)
        and (bool(function.template) or _takes(k, function, kinds))
        for function in candidates
    )


def _takes(k: Lowerer, function: Function, kinds: list[CType]) -> bool:
    """Whether an overload's first parameters are of just these types."""
    wanted = [unreferred(made.type) for made in declared_parameters(k, function, [{}])]
    return wanted[: len(kinds)] == kinds


@dataclass(frozen=True, eq=False)
class _Reference:
    """A parameter whose value goes back to a place of the caller; ``node`` names that place."""

    key: str
    type: CType
    place: PlaceOf
    node: Node


def inline(
    k: Lowerer, node: Node, function: Function, given: list[Node], arguments: Sequence[Node]
) -> PlaceOf:
    """The body of a device function at a call: its result, an object in memory as its place."""
    places = [_given(k, function, at, part) for at, part in enumerate(given)]
    scope = template_scope(k, node, function, arguments, [place.type for place in places])
    function, scope = for_arguments(k, node, function, scope)
    if not function.has_body:
        raise k.refuse(node, f"`{function.name}` is declared for these arguments, and not defined")
    frame = Frame(function, [scope, {}], VOID, in_memory=address_taken(k.module, function))
    names, back = _passed(k, node, frame, given, places)
    frame.references = [(reference.key, reference.type) for reference in back]
    k.frames.append(frame)
    try:
        frame.result = result_type(k, function)
        if function.source not in k.tables.sources:
            k.tables.add("sources", function.source)
        result = k.at(node, k.builder.inline, names, lambda: run_body(k, function), function.name)
    finally:
        k.frames.pop()
    return _with_references(k, node, frame, result, back)


def _passed(
    k: Lowerer, node: Node, frame: Frame, given: list[Node], places: list[PlaceOf]
) -> tuple[dict[str, Value], list[_Reference]]:
    """The parameters' values by the builder's names, and those that go back; all are bound."""
    names: dict[str, Value] = {}
    back: list[_Reference] = []
    for at, made in enumerate(declared_parameters(k, frame.function, frame.scopes[:1])):
        place = places[at] if at < len(places) else Temporary(_default(k, frame.function, at))
        is_place = at < len(places) and (is_in_memory(place) or is_reference(frame.function, at))
        if isinstance(made.type, Reference) and is_in_memory(place):
            frame.scopes[1][made.name] = Alias(place)
            continue
        if has_array(place.type):
            frame.scopes[1][made.name] = _object(k, node, made, place)
            continue
        type_ = unreferred(made.type)
        value = as_it_is(k, place.variable) if isinstance(place, Local) else read(k, node, place)
        type_ = value.type if type_ == AUTO else type_
        value = convert(k, node, value, type_)
        type_ = value.type if isinstance(type_, Group) else type_
        key = k.new_key(made.name)
        names[key] = k.builder.hold(value.value, key)
        frame.scopes[1][made.name] = variable = Variable(key, type_)
        names.update(_flag_handed_over(k, place, variable))
        if is_place:
            back.append(_Reference(key, type_, place, given[at]))
    return names, back


def _object(k: Lowerer, node: Node, made: Declared, place: PlaceOf) -> Memory:
    """A parameter that is an object in memory: a copy, or the object itself if it has no name."""
    if made.type not in (place.type, AUTO):
        raise k.refuse(node, f"a `{place.type}` cannot become a `{made.type}` here")
    return bound(own(k, node, made.name, place))


def _flag_handed_over(k: Lowerer, place: PlaceOf, parameter: Variable) -> dict[str, Value]:
    """For a reference to a variable: whether it is set is the same for both."""
    if not isinstance(place, Local) or k.builder.names is None:
        return {}
    flag = k.builder.names.get(flag_of(place.variable))
    return {} if flag is None else {flag_of(parameter): k.builder.hold(flag)}


def _given(k: Lowerer, function: Function, at: int, part: Node) -> PlaceOf:
    """An argument: the place that a reference refers to, or that an object is in; else a value."""
    if part.type == "initializer_list":
        type_ = unreferred(declared_parameters(k, function, [{}])[at].type)
        if has_array(type_):
            made = new_object(k, part, str(type_), type_)
            BUILDERS["fill"](k, part, made, part)
            return made
        return Temporary(initialized(k, part, type_))
    if is_reference(function, at):
        return held(k, place_of(k, part))
    is_named = bare(part).type in ("identifier", "subscript_expression", "field_expression")
    if is_named and is_reference(function, at, const=True):
        place = held(k, place_of(k, part))
        if is_in_memory(place):
            return place
        return _value(k, read(k, part, place))
    source = source_of(k, part)
    return _value(k, source.typed) if isinstance(source, Temporary) else held(k, source)


def _value(k: Lowerer, typed: Typed) -> Temporary:
    return Temporary(Typed(typed.type, k.builder.hold(typed.value)))


def _default(k: Lowerer, function: Function, at: int) -> Typed:
    return evaluate(k, field(function.parameters[at], "default_value"))


def _with_references(
    k: Lowerer, node: Node, frame: Frame, value: Value, back: list[_Reference]
) -> PlaceOf:
    """The result, after what the function did to its references is written back."""
    in_memory = has_array(frame.result)
    first = 0 if frame.result == VOID or in_memory else 1
    if back and isinstance(value, Tuple):  # of no value, no thread comes back
        for reference, item in zip(back, value.items[first:], strict=True):
            write(k, reference.node, reference.place, Typed(reference.type, item))
        value = value.items[0] if first else NOTHING
    if in_memory:
        return frame.place or new_object(k, node, frame.function.name, frame.result)
    return Temporary(Typed(frame.result, value))
