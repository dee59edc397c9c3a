"""Functions that are about to be lowered at a call: what the names in them stand for.

A parameter is a copy of the value, or for a reference the caller's place; the members of an object
are places in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from typing import Any

from gpuedu.simt.cuda_c.access import read
from gpuedu.simt.cuda_c.assignments import held
from gpuedu.simt.cuda_c.choosing import (
    unreferred,
)
from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.copies import has_array, source_of
from gpuedu.simt.cuda_c.declarations import (
    Declared,
)
from gpuedu.simt.cuda_c.dispatch import (
    BUILDERS,
    PLACE_KINDS,
    evaluate,
    place_of,
)
from gpuedu.simt.cuda_c.group_types import Group
from gpuedu.simt.cuda_c.initializers import initialized
from gpuedu.simt.cuda_c.lowerer import (
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
from gpuedu.simt.cuda_c.objects import bound, new_object, own
from gpuedu.simt.cuda_c.parameters import (
    declared_parameters,
    is_reference,
    template_scope,
)
from gpuedu.simt.cuda_c.places import Local, Member, PlaceOf, Temporary
from gpuedu.simt.cuda_c.statements import address_taken
from gpuedu.simt.cuda_c.syntax import bare, text_of
from gpuedu.simt.cuda_c.types import AUTO, VOID, ArrayOf, CType, Reference, Struct
from gpuedu.simt.cuda_c.views import array_member


def argument(k: Lowerer, part: Node) -> PlaceOf | Node:
    """An argument where it is, or a list in braces, whose type the parameter gives."""
    if part.type == "initializer_list":
        return part
    inner = bare(part)
    if inner.type in PLACE_KINDS:
        return held(k, place_of(k, inner))
    source = source_of(k, part)
    if not isinstance(source, Temporary):
        return held(k, source)
    return Temporary(Typed(source.type, k.builder.hold(source.typed.value)))


def kept(k: Lowerer, typed: Typed) -> PlaceOf:
    """A value as a variable without a name."""
    key = k.new_key("$object")
    k.builder.assign(key, typed.value)
    return Local(Variable(key, typed.type), typed.type)


def framed(
    k: Lowerer,
    node: Node,
    function: Function,
    this: PlaceOf | None,
    given: Sequence[PlaceOf | Node],
    arguments: Sequence[Node] = (),
    owner: CType = VOID,
) -> Frame:
    """The function with its members, template and parameters in scope."""
    kinds = [part.type if not is_node(part) else VOID for part in given]
    owner = owner if this is None else this.type
    scope = {**members_of(k, this, owner), **template_scope(k, node, function, arguments, kinds)}
    frame = Frame(
        function, [scope, {}], VOID, in_memory=address_taken(k.module, function), this=this
    )
    declared = declared_parameters(k, function, frame.scopes[:1])
    frame.scopes[1].update(parameters(k, node, function, declared, given))
    return frame


def parameters(
    k: Lowerer,
    node: Node,
    function: Function,
    declared: Sequence[Declared],
    given: Sequence[PlaceOf | Node],
) -> dict[str, Binding]:
    """What the parameters of a call stand for."""
    found: dict[str, Binding] = {}
    for at, made in enumerate(declared):
        part = given[at] if at < len(given) else made.value
        if isinstance(part, Temporary) and _refers(function, at):
            raise k.refuse(node, f"`{made.name}` of `{function.name}` refers to no variable here")
        found[made.name] = _parameter(k, node, made, part)
    return found


def _refers(function: Function, at: int) -> bool:
    """Whether a parameter is a reference that is written through, and not one to a mere value."""
    declarator = function.parameters[at].child_by_field_name("declarator")
    is_value = declarator is not None and text_of(declarator).startswith("&&")
    return is_reference(function, at) and not is_value


def is_node(part: Any) -> bool:
    """Whether an argument is still what is written."""
    return not hasattr(part, "typed") and hasattr(part, "named_children")


def _parameter(k: Lowerer, node: Node, made: Declared, part: Any) -> Binding:
    """What a parameter stands for: the caller's place, or a copy of the value."""
    if part is None:
        raise k.refuse(node, f"the parameter `{made.name}` has no value")
    type_ = made.type
    if is_node(part):
        part = _written(k, part, unreferred(type_))
    if isinstance(type_, Reference):
        same = type_.target in (part.type, AUTO)
        if not isinstance(part, Temporary) and same:
            return Alias(part)
        type_ = type_.target
    if has_array(part.type):
        if type_ not in (part.type, AUTO):
            raise k.refuse(node, f"a `{part.type}` cannot become a `{type_}` here")
        return bound(own(k, node, made.name, part))
    typed = read(k, node, part)
    type_ = typed.type if type_ == AUTO else type_
    typed = convert(k, node, typed, type_)
    key = k.new_key(made.name)
    k.builder.assign(key, typed.value)
    return Variable(key, typed.type if isinstance(type_, Group) else type_)


def _written(k: Lowerer, part: Node, type_: CType) -> PlaceOf:
    """A list in braces, or a default value."""
    if has_array(type_):
        place = new_object(k, part, str(type_), type_)
        BUILDERS["fill"](k, part, place, part)
        return place
    if part.type == "initializer_list":
        return Temporary(initialized(k, part, type_))
    return Temporary(evaluate(k, part))


@contextmanager
def inside(k: Lowerer, frame: Frame) -> Any:
    """What is lowered inside belongs to a function."""
    k.frames.append(frame)
    if frame.function.source not in k.tables.sources:
        k.tables.add("sources", frame.function.source)
    try:
        yield
    finally:
        k.frames.pop()


def members_of(k: Lowerer, this: PlaceOf | None, owner: CType) -> dict[str, Binding]:
    """What the names of a structure's members stand for; ``static`` ones need no object."""
    if not isinstance(owner, Struct) or owner.members is None:
        return {}
    members = owner.members
    found: dict[str, Binding] = dict(members.scope)
    for name, inner in owner.fields if this is not None else ():
        made = Member(this, name, inner)  # type: ignore[arg-type]
        found[name] = Alias(array_member(k, made) if isinstance(inner, ArrayOf) else made)
    for name, functions in members.functions.items():
        if name != members.own_name:
            found[name] = Method(this, owner, functions)
    return found
