"""Functions of structures and operators, lowered where they are called.

The names of the object's members stand for places in it while a body is lowered. A body whose only
``return`` is its last statement is lowered right at the call, so a reference that it returns is the
caller's own place. A body that returns earlier is inlined like a device function, and what it
changed in the caller's variables comes back with its result.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpuedu.simt.cuda_c.access import read
from gpuedu.simt.cuda_c.assignments import held
from gpuedu.simt.cuda_c.choosing import (
    chosen,
    functions_of,
    kinds_of,
    only_operator,
)
from gpuedu.simt.cuda_c.copies import has_array
from gpuedu.simt.cuda_c.declarations import (
    declared_type_is_reference,
    is_const,
    type_node,
)
from gpuedu.simt.cuda_c.dispatch import (
    BUILDERS,
    OPERATORS,
    evaluate,
    place_of,
    run,
    unevaluated,
)
from gpuedu.simt.cuda_c.frames import argument, framed, inside, kept
from gpuedu.simt.cuda_c.locals import spill_parameters
from gpuedu.simt.cuda_c.lowerer import (
    NOTHING,
    Alias,
    Frame,
    Lowerer,
    Typed,
)
from gpuedu.simt.cuda_c.module import Function
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.objects import given_back, new_object, own
from gpuedu.simt.cuda_c.parameters import (
    result_type,
)
from gpuedu.simt.cuda_c.places import Local, Member, PlaceOf, Temporary
from gpuedu.simt.cuda_c.statements import returns_at_end, run_body
from gpuedu.simt.cuda_c.structures import CONVERSION
from gpuedu.simt.cuda_c.syntax import bare, field, parts, text_of, walk
from gpuedu.simt.cuda_c.type_names import type_of
from gpuedu.simt.cuda_c.types import AUTO, BOOLEAN, VOID, CType, Pointer, Reference, Struct
from gpuedu.simt.cuda_c.variables import flag_of
from gpuedu.simt.values import Tuple, Value

_MAX_DEPTH = 32


def call_method(
    k: Lowerer,
    node: Node,
    this: PlaceOf | None,
    candidates: Sequence[Function],
    given: Sequence[Node],
    arguments: Sequence[Node] = (),
    owner: Struct | None = None,
) -> PlaceOf:
    """``object.f(...)`` or ``owner::f(...)``; ``this`` is the object's place."""
    if owner is None:
        assert this is not None and isinstance(this.type, Struct)
        owner = this.type
    assert owner.members is not None
    function = chosen(k, node, candidates, kinds_of(k, given), owner.members.scope)
    if function is None:
        wanted = len(candidates[0].parameters)
        raise k.refuse(node, f"`{candidates[0].name}` takes {wanted} arguments, got {len(given)}")
    if this is None and not _is_static(function):
        raise k.refuse(node, f"`{function.name}` is called without an object")
    if isinstance(this, Temporary):
        this = kept(k, this.typed)
    this = None if this is None else held(k, this)
    return call(k, node, function, this, [argument(k, part) for part in given], arguments, owner)


def _is_static(function: Function) -> bool:
    return "static" in {text_of(part) for part in function.node.children}


def call(
    k: Lowerer,
    node: Node,
    function: Function,
    this: PlaceOf | None,
    given: Sequence[PlaceOf | Node],
    arguments: Sequence[Node] = (),
    owner: CType = VOID,
) -> PlaceOf:
    """A function's body at a call, its references the caller's places."""
    refuse_recursion(k, node, function)
    if k.builder.names is None:
        raise k.refuse(node, f"`{function.name}` is called where no thread gets to")
    frame = framed(k, node, function, this, given, arguments, owner)
    with inside(k, frame):
        frame.result = _result(k, function)
        if not returns_at_end(function):
            return _with_exits(k, node, frame)
        spill_parameters(k, function)
        *before, last = parts(function.body) or [None]
        is_return = last is not None and last.type == "return_statement"
        run(k, before if is_return else parts(function.body))
        value = parts(last)[0] if is_return and parts(last) else None
        return _returned(k, node, function, frame.result, value)


def refuse_recursion(k: Lowerer, node: Node, function: Function) -> None:
    """Refuse a function that is being lowered already."""
    if any(frame.function is function for frame in k.frames) or len(k.frames) > _MAX_DEPTH:
        raise k.refuse(node, f"`{function.name}` calls itself: recursion is not covered", "a loop")


def _with_exits(k: Lowerer, node: Node, frame: Frame) -> PlaceOf:
    """A body that returns before its end: what it changed of the caller's comes back with it."""
    function = frame.function
    if isinstance(frame.result, Reference) and _returns_object(function):
        frame.result = VOID
        inlined(k, node, frame)
        return frame.this
    if isinstance(frame.result, Reference):
        raise k.refuse(
            node,
            f"`{function.name}` returns a reference before its end, which is not covered",
            "one `return`, as the last statement",
        )
    value = inlined(k, node, frame)
    if has_array(frame.result):
        return frame.place or new_object(k, node, function.name, frame.result)
    return Temporary(Typed(frame.result, value))


def _returns_object(function: Function) -> bool:
    """Whether all that a body returns is ``*this``."""
    returns = [part for part in walk(function.body) if part.type == "return_statement"]
    return all(parts(part) and text_of(bare(parts(part)[0])) == "*this" for part in returns)


def inlined(k: Lowerer, node: Node, frame: Frame) -> Value:
    """Lower a function's body with everything that it may change in the caller's variables."""
    names = k.builder.names
    if names is None:
        return NOTHING
    frame.references = _reached(k, frame)
    body = frame.function
    result = k.at(node, k.builder.inline, names, lambda: run_body(k, body), body.name)
    if not frame.references or not isinstance(result, Tuple):  # of no value, no thread comes back
        return result
    first = 0 if frame.result == VOID or has_array(frame.result) else 1
    for (key, _), item in zip(frame.references, result.items[first:], strict=True):
        names[key] = item
    return result.items[0] if first else NOTHING


def _reached(k: Lowerer, frame: Frame) -> list[tuple[str, CType]]:
    """The caller's variables that a body reaches as its object or as references, and flags."""
    found: dict[str, CType] = {}
    aliases = [part.place for part in frame.scopes[1].values() if isinstance(part, Alias)]
    for place in (frame.this, *aliases):
        while isinstance(place, Member):
            place = place.base
        if isinstance(place, Local):
            found[place.variable.key] = place.type
            found[flag_of(place.variable)] = BOOLEAN
    return [(key, type_) for key, type_ in found.items() if key in (k.builder.names or {})]


def _result(k: Lowerer, function: Function) -> CType:
    whole = field(function.node, "declarator")
    if whole.type == "operator_cast":
        specifier = type_node(whole)
        assert specifier is not None
        found = type_of(k, specifier)
        pointers = [part for part in walk(whole) if part.type == "abstract_pointer_declarator"]
        for at, _ in enumerate(pointers):
            found = Pointer(found, is_const(whole) and not at)
        return found
    if function.node.child_by_field_name("type") is None:  # a constructor
        return VOID
    if declared_type_is_reference(function.node):
        return Reference(result_type(k, function, by_reference=True))
    return result_type(k, function)


def _returned(
    k: Lowerer, node: Node, function: Function, type_: CType, value: Node | None
) -> PlaceOf:
    if value is None:
        if type_ not in (VOID, AUTO):
            raise k.refuse(function.node, f"`{function.name}` reaches its end without `return`")
        return Temporary(Typed(VOID, NOTHING))
    if isinstance(type_, Reference):
        return held(k, place_of(k, value))
    if type_ == VOID:
        evaluate(k, value)
        return Temporary(Typed(VOID, NOTHING))
    source = given_back(k, value, type_)
    return source if isinstance(source, Temporary) else own(k, value, function.name, source)


@BUILDERS.enter("conversion")
def converted(k: Lowerer, node: Node, typed: Typed, target: CType) -> Typed:
    """``float* p = object;``, if the object has an ``operator float*()``."""
    functions = functions_of(typed.type, CONVERSION)
    if not functions or isinstance(target, Struct) or target == AUTO:
        return typed
    fitting = [function for function in functions if _converts_to(k, typed.type, function, target)]
    if not fitting:
        raise k.refuse(node, f"`{typed.type}` has no conversion to exactly `{target}`")
    made = call(k, node, fitting[0], kept(k, typed), [])
    return read(k, node, made)


def _converts_to(k: Lowerer, owner: CType, function: Function, target: CType) -> bool:
    """Whether a conversion gives this type; of one with ``const`` and one without, the latter."""
    assert isinstance(owner, Struct) and owner.members is not None
    with inside(k, Frame(function, [dict(owner.members.scope), {}], VOID)):
        return _result(k, function) == target


@OPERATORS.enter("compound")
def operator(k: Lowerer, node: Node, sign: str, left: Node, right: Node | None) -> PlaceOf | None:
    """A call of a source's own operator; None if both sides are numbers or there is none."""
    name = f"operator{sign}"
    if name in k.module.refused:
        raise k.module.refused[name]
    free = k.module.operators.get(name, [])
    if not free and not k.module.has_method(name):
        return None
    first = unevaluated(k, left, place_of)
    second = None if right is None else unevaluated(k, right, place_of)
    if not isinstance(first, Struct) and not isinstance(second, Struct):
        return None
    functions = functions_of(first, name)
    given = [] if right is None else [right]
    kinds = [kind for kind in (first, second) if kind is not None]
    if functions:
        return call_method(k, node, place_of(k, left), functions, given)
    exact = only_operator(k, free, kinds)
    if exact is None:
        if not free:
            return None
        shown = "` and `".join(map(str, kinds))
        raise k.refuse(node, f"no `{name}` here takes exactly `{shown}`", "convert the sides first")
    passed = [argument(k, part) for part in (left, *given)]
    return call(k, node, exact, None, passed)
