"""Functions of structures: methods, constructors and operators, lowered where they are called.

The names of the object's members stand for places in it while a body is lowered. A body is
lowered right where the call stands, so that a reference that it returns is the caller's own place;
so its only ``return`` is its last statement, else it is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from typing import Any

from gpuedu.simt.cuda_c.access import read, write
from gpuedu.simt.cuda_c.assignments import held
from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.copies import has_array
from gpuedu.simt.cuda_c.declarations import declared_type_is_reference, is_const, type_node
from gpuedu.simt.cuda_c.dispatch import (
    BUILDERS,
    OPERATORS,
    PLACE_KINDS,
    evaluate,
    place_of,
    run,
    unevaluated,
)
from gpuedu.simt.cuda_c.group_types import Group
from gpuedu.simt.cuda_c.initializers import initialised
from gpuedu.simt.cuda_c.locals import spill_parameters
from gpuedu.simt.cuda_c.lowerer import (
    NOTHING,
    Alias,
    Binding,
    Frame,
    Lowerer,
    Method,
    Typed,
    Variable,
)
from gpuedu.simt.cuda_c.module import Function
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.parameters import declared_parameters, result_type, template_scope
from gpuedu.simt.cuda_c.places import Local, Member, PlaceOf, Temporary
from gpuedu.simt.cuda_c.statements import address_taken
from gpuedu.simt.cuda_c.structures import CONVERSION
from gpuedu.simt.cuda_c.syntax import bare, field, parts, short, text_of, walk
from gpuedu.simt.cuda_c.type_names import type_of
from gpuedu.simt.cuda_c.types import AUTO, VOID, ArrayOf, CType, Pointer, Reference, Struct
from gpuedu.simt.cuda_c.variables import zero
from gpuedu.simt.cuda_c.views import array_member

_MAX_DEPTH = 32


def is_made(type_: CType) -> bool:
    """Whether an object of a type is made by more than its fields' values."""
    return isinstance(type_, Struct) and type_.members is not None and type_.members.are_made


def functions_of(type_: CType, name: str) -> list[Function]:
    """The functions of a structure by name."""
    if not isinstance(type_, Struct) or type_.members is None:
        return []
    return type_.members.functions.get(name, [])


# Choosing


def chosen(
    k: Lowerer,
    node: Node,
    candidates: Sequence[Function],
    kinds: Sequence[CType],
    scope: dict[str, Binding],
) -> Function | None:
    """The overload whose parameters are of these types; a lone one by their number."""
    fitting = [
        function
        for function in candidates
        if _required(function) <= len(kinds) <= len(function.parameters)
    ]
    if len(fitting) < 2:
        return fitting[0] if fitting else None
    exact = []
    for function in fitting:
        if function.template:
            continue
        wanted = [_plain(made.type) for made in declared_parameters(k, function, [scope])]
        if wanted[: len(kinds)] == list(kinds):
            exact.append(function)
    if len({short(function.body) for function in exact}) == 1:
        return exact[0]  # perhaps once more for objects that are `const`
    if exact:
        raise k.refuse(node, f"which `{exact[0].name}` is meant depends on `const`: not covered")
    templates = [function for function in fitting if function.template]
    if len(templates) == 1:
        return templates[0]
    raise k.refuse(node, f"which `{fitting[0].name}` is meant is not told by exact types here")


def _required(function: Function) -> int:
    return sum(node.type == "parameter_declaration" for node in function.parameters)


def _plain(type_: CType) -> CType:
    return type_.target if isinstance(type_, Reference) else type_


def kinds_of(k: Lowerer, given: Sequence[Node]) -> list[CType]:
    """The types of arguments; of a list in braces, none that could choose."""
    return [VOID if part.type == "initializer_list" else unevaluated(k, part) for part in given]


# Calling


def call_method(
    k: Lowerer,
    node: Node,
    this: PlaceOf,
    candidates: Sequence[Function],
    given: Sequence[Node],
    arguments: Sequence[Node] = (),
) -> PlaceOf:
    """``object.f(...)``; ``this`` is the object's place."""
    assert isinstance(this.type, Struct) and this.type.members is not None
    scope = this.type.members.scope
    function = chosen(k, node, candidates, kinds_of(k, given), scope)
    if function is None:
        wanted = len(candidates[0].parameters)
        raise k.refuse(node, f"`{candidates[0].name}` takes {wanted} arguments, got {len(given)}")
    if isinstance(this, Temporary):
        this = _kept(k, this.typed)
    return call(k, node, function, held(k, this), [_argument(k, part) for part in given], arguments)


def _argument(k: Lowerer, part: Node) -> PlaceOf | Node:
    """An argument where it is, or a list in braces, whose type the parameter tells."""
    if part.type == "initializer_list":
        return part
    inner = bare(part)
    if inner.type in PLACE_KINDS:
        return held(k, place_of(k, inner))
    typed = evaluate(k, part)
    return Temporary(Typed(typed.type, k.builder.hold(typed.value)))


def _kept(k: Lowerer, typed: Typed) -> PlaceOf:
    """A value as a variable without a name."""
    key = k.new_key("$object")
    k.builder.assign(key, typed.value)
    return Local(Variable(key, typed.type), typed.type)


def call(
    k: Lowerer,
    node: Node,
    function: Function,
    this: PlaceOf | None,
    given: Sequence[PlaceOf | Node],
    arguments: Sequence[Node] = (),
) -> PlaceOf:
    """A function's body at a call, its references the caller's places."""
    if any(frame.function is function for frame in k.frames) or len(k.frames) > _MAX_DEPTH:
        raise k.refuse(node, f"`{function.name}` calls itself: recursion is not covered", "a loop")
    if k.builder.names is None:
        raise k.refuse(node, f"`{function.name}` is called where no thread comes")
    body = _straight(k, node, function)
    kinds = [part.type if not _is_node(part) else VOID for part in given]
    scope = {**_members(k, this), **template_scope(k, node, function, arguments, kinds)}
    frame = Frame(function, [scope, {}], VOID, in_memory=address_taken(function), this=this)
    declared = declared_parameters(k, function, frame.scopes[:1])
    for at, made in enumerate(declared):
        part = given[at] if at < len(given) else made.value
        frame.scopes[1][made.name] = _bound(k, node, made, part)
    with _inside(k, frame):
        frame.result = _result(k, function)
        spill_parameters(k, function)
        *before, last = body or [None]
        is_return = last is not None and last.type == "return_statement"
        run(k, before if is_return else body)
        value = parts(last)[0] if is_return and parts(last) else None
        return _returned(k, node, function, frame.result, value)


def _is_node(part: Any) -> bool:
    return not hasattr(part, "typed") and hasattr(part, "named_children")


def _bound(k: Lowerer, node: Node, made: Any, part: Any) -> Binding:
    """What a parameter stands for: the caller's place, or a copy of the value."""
    if part is None:
        raise k.refuse(node, f"the parameter `{made.name}` has no value")
    type_ = made.type
    if _is_node(part):
        if part.type == "initializer_list":
            typed = initialised(k, part, _plain(type_))
        else:  # a default value
            typed = evaluate(k, part)
        part = Temporary(typed)
    if isinstance(type_, Reference):
        same = type_.target in (part.type, AUTO)
        if not isinstance(part, Temporary) and same:
            return Alias(part)
        type_ = type_.target
    if has_array(part.type):
        raise k.refuse(
            node, f"`{made.name}`: a structure with an array is passed by reference here"
        )
    typed = read(k, node, part)
    type_ = typed.type if type_ == AUTO else type_
    typed = convert(k, node, typed, type_)
    key = k.new_key(made.name)
    k.builder.assign(key, typed.value)
    return Variable(key, typed.type if isinstance(type_, Group) else type_)


def _straight(k: Lowerer, node: Node, function: Function) -> list[Node]:
    """The statements of a body that only returns at its end."""
    body = parts(function.body)
    returns = [part for part in walk(function.body) if part.type == "return_statement"]
    lambdas = any(part.type == "lambda_expression" for part in walk(function.body))
    if lambdas or [part for part in returns if not body or part != body[-1]]:
        raise k.refuse(
            node,
            f"`{function.name}` returns before its end, which is not covered in a structure",
            "one `return`, as the last statement",
        )
    return body


@contextmanager
def _inside(k: Lowerer, frame: Frame) -> Any:
    k.frames.append(frame)
    if frame.function.source not in k.tables.sources:
        k.tables.add("sources", frame.function.source)
    try:
        yield
    finally:
        k.frames.pop()


def _members(k: Lowerer, this: PlaceOf | None) -> dict[str, Binding]:
    """What the names of an object's members stand for."""
    if this is None:
        return {}
    assert isinstance(this.type, Struct) and this.type.members is not None
    members = this.type.members
    found: dict[str, Binding] = dict(members.scope)
    for name, inner in this.type.fields:
        made = Member(this, name, inner)  # type: ignore[arg-type]
        found[name] = Alias(array_member(k, made) if isinstance(inner, ArrayOf) else made)
    for name, functions in members.functions.items():
        if name != members.own_name:
            found[name] = Method(this, this.type, functions)
    return found


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
            raise k.refuse(function.node, f"`{function.name}` comes to its end without `return`")
        return Temporary(Typed(VOID, NOTHING))
    if isinstance(type_, Reference):
        return held(k, place_of(k, value))
    if type_ == VOID:
        evaluate(k, value)
        return Temporary(Typed(VOID, NOTHING))
    if has_array(type_) or (type_ == AUTO and has_array(unevaluated(k, value, place_of))):
        place = place_of(k, value)
        if type_ not in (AUTO, place.type):
            raise k.refuse(node, f"a `{place.type}` cannot become a `{type_}` here")
        return place
    if value.type == "initializer_list":
        return Temporary(initialised(k, value, type_))
    typed = evaluate(k, value)
    if type_ != AUTO:
        typed = convert(k, value, typed, type_)
    return Temporary(Typed(typed.type, k.builder.hold(typed.value)))


@BUILDERS.enter("conversion")
def converted(k: Lowerer, node: Node, typed: Typed, target: CType) -> Typed:
    """``float* p = object;``, where the object has an ``operator float*()``."""
    functions = functions_of(typed.type, CONVERSION)
    if not functions or isinstance(target, Struct) or target == AUTO:
        return typed
    fitting = [function for function in functions if _converts_to(k, typed.type, function, target)]
    if not fitting:
        raise k.refuse(node, f"`{typed.type}` has no conversion to just `{target}`")
    made = call(k, node, fitting[0], _kept(k, typed), [])
    return read(k, node, made)


def _converts_to(k: Lowerer, owner: CType, function: Function, target: CType) -> bool:
    """Whether a conversion gives this type; of one with ``const`` and one without, the latter."""
    assert isinstance(owner, Struct) and owner.members is not None
    with _inside(k, Frame(function, [dict(owner.members.scope), {}], VOID)):
        return _result(k, function) == target


# Making objects


@BUILDERS.enter("structure")
def make(k: Lowerer, node: Node, type_: Struct, given: Sequence[Node], *, is_list: bool) -> Typed:
    """A new object: its fields' own values, then what the constructor does."""
    if has_array(type_):
        raise k.refuse(node, f"`{type_}` has an array and a constructor: not covered here")
    members = type_.members
    assert members is not None
    if not members.constructors and given and not is_list:
        if len(given) == 1:
            return convert(k, node, evaluate(k, given[0]), type_)
        raise k.refuse(node, f"`{type_}` has no constructor")
    this = _kept(k, Typed(type_, zero(k, type_)))
    function = None
    if members.constructors:
        kinds = kinds_of(k, given)
        if kinds == [type_]:
            return evaluate(k, given[0])
        function = chosen(k, node, members.constructors, kinds, members.scope)
        if function is None and given:
            raise k.refuse(node, f"`{type_}` has no constructor of {len(given)} arguments here")
    passed = [_argument(k, part) for part in given]
    if function is not None:
        _construct(k, node, function, this, type_, passed)
        return read(k, node, this)
    for at, (name, inner) in enumerate(type_.fields):
        if at < len(passed):
            write(k, node, Member(this, name, inner), _field_value(k, node, inner, passed[at]))
        elif name in members.defaults:
            _set_default(k, node, this, type_, name)
    return read(k, node, this)


def _field_value(k: Lowerer, node: Node, inner: CType, part: PlaceOf | Node) -> Typed:
    return initialised(k, part, inner) if _is_node(part) else read(k, node, part)


def _set_default(k: Lowerer, node: Node, this: PlaceOf, type_: Struct, name: str) -> None:
    """A field's own value, which sees the other members and nothing else."""
    assert type_.members is not None
    owner = Function(type_.name, node, k.frame.function.source, False)
    k.frames.append(Frame(owner, [_members(k, this), {}], VOID, this=this))
    try:
        _set_field(k, this, type_, name, type_.members.defaults[name])
    finally:
        k.frames.pop()


def _initializers(function: Function) -> list[Node]:
    listed = [part for part in parts(function.node) if part.type == "field_initializer_list"]
    return [part for one in listed for part in parts(one)]


def _construct(
    k: Lowerer,
    node: Node,
    function: Function,
    this: PlaceOf,
    type_: Struct,
    passed: Sequence[PlaceOf | Node],
) -> None:
    """Fields in the order in which they are declared, then the constructor's body."""
    assert type_.members is not None
    body = _straight(k, node, function)
    kinds = [part.type if not _is_node(part) else VOID for part in passed]
    scope = {**_members(k, this), **template_scope(k, node, function, (), kinds)}
    frame = Frame(function, [scope, {}], VOID, in_memory=address_taken(function), this=this)
    for at, made in enumerate(declared_parameters(k, function, frame.scopes[:1])):
        part = passed[at] if at < len(passed) else made.value
        frame.scopes[1][made.name] = _bound(k, node, made, part)
    given = {text_of(parts(part)[0]): part for part in _initializers(function)}
    names = {name for name, _ in type_.fields}
    with _inside(k, frame):
        spill_parameters(k, function)
        for name, part in given.items():
            if name not in names:
                raise k.refuse(part, f"`{short(part)}` in a constructor is not covered")
        for name, _ in type_.fields:
            if name in given:
                _set_field(k, this, type_, name, parts(given[name])[-1])
            elif name in type_.members.defaults:
                _set_default(k, node, this, type_, name)
        run(k, body)


def _field_type(type_: Struct, name: str) -> CType:
    found = type_.type_of(name)
    assert found is not None
    return found


def _set_field(k: Lowerer, this: PlaceOf, type_: Struct, name: str, value: Node) -> None:
    inner = _field_type(type_, name)
    if value.type in ("argument_list", "initializer_list"):
        given = parts(value)
        if not given:
            typed = Typed(inner, zero(k, inner))
        elif value.type == "initializer_list" or is_made(inner) or len(given) > 1:
            typed = initialised(k, value, inner)
        else:
            typed = evaluate(k, given[0])
    else:
        typed = evaluate(k, value)
    write(k, value, Member(this, name, inner), typed)  # type: ignore[arg-type]


# Operators


@OPERATORS.enter("compound")
def operator(k: Lowerer, node: Node, sign: str, left: Node, right: Node | None) -> PlaceOf | None:
    """A call of a source's own operator; None where both sides are numbers or it has none."""
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
    own = functions_of(first, name)
    given = [] if right is None else [right]
    kinds = [kind for kind in (first, second) if kind is not None]
    if own:
        return call_method(k, node, place_of(k, left), own, given)
    exact = [function for function in free if _fits(k, function, kinds)]
    if len(exact) > 1:
        exact = [function for function in exact if not function.template] or exact[:0]
    if len(exact) != 1:
        if not free:
            return None
        shown = "` and `".join(map(str, kinds))
        raise k.refuse(node, f"no `{name}` here takes exactly `{shown}`", "convert the sides first")
    passed = [_argument(k, part) for part in (left, *given)]
    return call(k, node, exact[0], None, passed)


def _fits(k: Lowerer, function: Function, kinds: Sequence[CType]) -> bool:
    if len(function.parameters) != len(kinds):
        return False
    if function.template:
        return True
    declared = declared_parameters(k, function, [{}])
    return all(_plain(made.type) == kind for made, kind in zip(declared, kinds, strict=True))
