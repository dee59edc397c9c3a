"""Device functions, whose bodies are inlined at each call; overloads and references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpuedu.simt.cuda_c.access import read, write
from gpuedu.simt.cuda_c.assignments import held
from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.dispatch import evaluate, evaluate_all, place_of, unevaluated
from gpuedu.simt.cuda_c.group_types import Group
from gpuedu.simt.cuda_c.initializers import initialised
from gpuedu.simt.cuda_c.lowerer import NOTHING, Alias, Frame, Lowerer, Typed, Variable
from gpuedu.simt.cuda_c.module import Function
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.parameters import (
    declared_parameters,
    for_arguments,
    is_reference,
    result_type,
    template_scope,
)
from gpuedu.simt.cuda_c.places import Local, PlaceOf, is_in_memory
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
) -> Typed:
    """A call of a function of the source: of its overloads, the one that fits."""
    function = _chosen(k, node, candidates, given)
    if function.is_kernel:
        raise k.refuse(
            node, f"`{function.name}` is a kernel: only the host can launch it", "`__device__`"
        )
    if any(frame.function is function for frame in k.frames) or len(k.frames) > MAX_DEPTH:
        raise k.refuse(node, f"`{function.name}` calls itself: recursion is not covered", "a loop")
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
    kinds = [unevaluated(k, part) for part in given]
    plain = [function for function in fitting if not function.template]
    for function in plain:
        wanted = [_plain(made.type) for made in declared_parameters(k, function, [{}])]
        if wanted[: len(kinds)] == kinds:
            return function
    templates = [function for function in fitting if function.template]
    return (templates or plain)[0]


def takes_exactly(k: Lowerer, candidates: list[Function], given: list[Node]) -> bool:
    """Whether one of several overloads takes arguments of just these types, or any."""
    kinds = [unevaluated(k, part) for part in given]
    for function in candidates:
        if not _required(function) <= len(given) <= len(function.parameters):
            continue
        if function.template:
            return True
        wanted = [_plain(made.type) for made in declared_parameters(k, function, [{}])]
        if wanted[: len(kinds)] == kinds:
            return True
    return False


def _plain(type_: CType) -> CType:
    return type_.target if isinstance(type_, Reference) else type_


@dataclass(frozen=True, eq=False)
class _Reference:
    """A parameter whose value goes back to a place of the caller; ``node`` names that place."""

    key: str
    type: CType
    place: PlaceOf
    node: Node


def inline(
    k: Lowerer, node: Node, function: Function, given: list[Node], arguments: Sequence[Node]
) -> Typed:
    """The body of a device function at a call."""
    places = [_referred(k, function, at, part) for at, part in enumerate(given)]
    values = [
        _argument(k, function, at, part, place)
        for at, (part, place) in enumerate(zip(given, places, strict=True))
    ]
    scope = template_scope(k, node, function, arguments, [value.type for value in values])
    function, scope = for_arguments(k, node, function, scope)
    frame = Frame(function, [scope, {}], VOID, in_memory=address_taken(function))
    names, back = _passed(k, node, frame, given, places, values)
    frame.references = [(reference.key, reference.type) for reference in back]
    k.frames.append(frame)
    try:
        frame.result = result_type(k, function)
        if function.source not in k.tables.sources:
            k.tables.add("sources", function.source)
        result = k.at(node, k.builder.inline, names, lambda: run_body(k, function), function.name)
    finally:
        k.frames.pop()
    return _with_references(k, frame, result, back)


def _passed(
    k: Lowerer,
    node: Node,
    frame: Frame,
    given: list[Node],
    places: list[PlaceOf | None],
    values: list[Typed],
) -> tuple[dict[str, Value], list[_Reference]]:
    """The parameters' values by the builder's names, and those that go back; all are bound."""
    names: dict[str, Value] = {}
    back: list[_Reference] = []
    for at, made in enumerate(declared_parameters(k, frame.function, frame.scopes[:1])):
        value = values[at] if at < len(values) else _default(k, frame.function, at)
        place = places[at] if at < len(places) else None
        is_reference_to_place = isinstance(made.type, Reference) and place is not None
        if is_reference_to_place and is_in_memory(place):
            frame.scopes[1][made.name] = Alias(place)
            continue
        type_ = _plain(made.type)
        type_ = value.type if type_ == AUTO else type_
        value = convert(k, node, value, type_)
        type_ = value.type if isinstance(type_, Group) else type_
        key = k.new_key(made.name)
        names[key] = k.builder.hold(value.value, key)
        frame.scopes[1][made.name] = variable = Variable(key, type_)
        names.update(_flag_handed_over(k, place, variable))
        if is_reference_to_place:
            back.append(_Reference(key, type_, place, given[at]))
    return names, back


def _flag_handed_over(k: Lowerer, place: PlaceOf | None, parameter: Variable) -> dict[str, Value]:
    """For a reference to a variable: whether it is set is the same for both."""
    if not isinstance(place, Local) or k.builder.names is None:
        return {}
    flag = k.builder.names.get(flag_of(place.variable))
    return {} if flag is None else {flag_of(parameter): k.builder.hold(flag)}


def _referred(k: Lowerer, function: Function, at: int, part: Node) -> PlaceOf | None:
    """The place that an argument passes to a reference; None where its value is all that counts."""
    if part.type == "initializer_list" or not is_reference(function, at, const=True):
        return None
    if is_reference(function, at):
        return held(k, place_of(k, part))
    if bare(part).type not in ("identifier", "subscript_expression", "field_expression"):
        return None
    place = held(k, place_of(k, part))
    return place if is_in_memory(place) else None


def _argument(k: Lowerer, function: Function, at: int, part: Node, place: PlaceOf | None) -> Typed:
    """The value of an argument; of a place in memory, only its type matters."""
    if part.type == "initializer_list":
        made = declared_parameters(k, function, [{}])[at]
        return initialised(k, part, _plain(made.type))
    if place is None:
        return evaluate_all(k, [part])[0]
    if is_in_memory(place):
        return Typed(place.type, NOTHING)
    if isinstance(place, Local):  # `inline` hands over whether it was set
        return as_it_is(k, place.variable)
    return read(k, part, place)


def _default(k: Lowerer, function: Function, at: int) -> Typed:
    return evaluate(k, field(function.parameters[at], "default_value"))


def _with_references(k: Lowerer, frame: Frame, value: Value, back: list[_Reference]) -> Typed:
    """The result, after what the function did to its references is written back."""
    if not back or not isinstance(value, Tuple):  # of no value, no thread comes back
        return Typed(frame.result, value)
    first = 0 if frame.result == VOID else 1
    for reference, item in zip(back, value.items[first:], strict=True):
        write(k, reference.node, reference.place, Typed(reference.type, item))
    return Typed(frame.result, value.items[0] if first else NOTHING)
