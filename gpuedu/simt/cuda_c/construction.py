"""New objects: by a constructor, by lists in braces, or by their fields' default values.

An object without an array is a value in registers; one with an array is made in its own memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpuedu.simt.cuda_c.access import read, write
from gpuedu.simt.cuda_c.choosing import chosen, kinds_of
from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.copies import copy, element_of, has_array, member_of, source_of
from gpuedu.simt.cuda_c.dispatch import BUILDERS, evaluate, run
from gpuedu.simt.cuda_c.frames import argument, framed, inside, is_node, kept, members_of
from gpuedu.simt.cuda_c.initializers import initial_value, initialized
from gpuedu.simt.cuda_c.locals import spill_parameters
from gpuedu.simt.cuda_c.lowerer import Frame, Lowerer, Typed
from gpuedu.simt.cuda_c.methods import inlined
from gpuedu.simt.cuda_c.module import Function
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.objects import new_object
from gpuedu.simt.cuda_c.places import Member, PlaceOf, Row, Temporary
from gpuedu.simt.cuda_c.statements import returns_at_end
from gpuedu.simt.cuda_c.syntax import parts, short, text_of
from gpuedu.simt.cuda_c.types import VOID, ArrayOf, CType, Struct
from gpuedu.simt.cuda_c.variables import zero

_LISTS = ("initializer_list", "argument_list", "parameter_list")


def is_made(type_: CType) -> bool:
    """Whether making an object of a type takes more than its fields' values."""
    return isinstance(type_, Struct) and type_.members is not None and type_.members.are_made


def made_object(
    k: Lowerer, node: Node, type_: Struct, given: Sequence[Node], *, is_list: bool
) -> PlaceOf:
    """``T(...)`` or ``T{...}``: an object without a name."""
    if not has_array(type_):
        return Temporary(make(k, node, type_, given, is_list=is_list))
    place = new_object(k, node, type_.name, type_)
    _construct(k, node, place, type_, given, is_list=is_list)
    return place


@BUILDERS.enter("structure")
def make(k: Lowerer, node: Node, type_: Struct, given: Sequence[Node], *, is_list: bool) -> Typed:
    """A new object in registers: its fields' default values, then what the constructor does."""
    if has_array(type_):
        raise k.refuse(
            node, f"`{type_}` has an array, so it cannot be made right here", "a variable"
        )
    members = type_.members
    assert members is not None
    if not members.constructors and given and not is_list:
        if len(given) == 1:
            return convert(k, node, evaluate(k, given[0]), type_)
        raise k.refuse(node, f"`{type_}` has no constructor")
    if members.constructors and kinds_of(k, given) == [type_]:
        return evaluate(k, given[0])
    this = kept(k, Typed(type_, zero(k, type_)))
    _fields_and_body(k, node, this, type_, given)
    return read(k, node, this)


@BUILDERS.enter("fill")
def fill(k: Lowerer, node: Node, place: PlaceOf, value: Node | None) -> None:
    """Give a new variable, member or element the value that it is declared with."""
    type_ = place.type
    if value is None and not _makes_itself(type_):
        return
    if isinstance(place, Row):
        _fill_array(k, node, place, value)
    elif has_array(type_):
        assert isinstance(type_, Struct)
        if value is None or value.type in _LISTS:
            is_list = value is not None and value.type == "initializer_list"
            _construct(k, node, place, type_, _items(value), is_list=is_list, named=value is None)
        else:
            _copy_from(k, value, place)
    elif value is None:
        write(k, node, place, make(k, node, type_, [], is_list=False))  # type: ignore[arg-type]
    elif value.type == "argument_list" and not _items(value) and not is_made(type_):
        write(k, node, place, Typed(type_, zero(k, type_)))
    else:
        write(k, value, place, initial_value(k, value, type_))


def _makes_itself(type_: CType) -> bool:
    """Whether an object that no value is given for is more than memory as it was."""
    if isinstance(type_, ArrayOf):
        return _makes_itself(type_.element)
    inner = type_.fields if isinstance(type_, Struct) else ()
    return is_made(type_) or any(_makes_itself(kind) for _, kind in inner)


def _items(value: Node | None) -> list[Node]:
    given = [] if value is None else parts(value)
    if value is not None and value.type == "parameter_list":
        return [parts(part)[0] for part in given]
    return given


def _copy_from(k: Lowerer, node: Node, place: PlaceOf) -> None:
    source = source_of(k, node)
    if isinstance(source, Temporary):
        raise k.refuse(node, f"a `{source.type}` cannot become a `{place.type}` here")
    copy(k, node, place, source)


def _fill_array(k: Lowerer, node: Node, row: Row, value: Node | None) -> None:
    """Elements that are not given are 0 if any is, or made as their type says."""
    has_list = value is None or value.type == "initializer_list"
    if not has_list and (value.type not in _LISTS or _items(value)):  # type: ignore[union-attr]
        raise k.refuse(node, "an array in an object needs its values as a list in braces")
    assert isinstance(row.type, ArrayOf)
    given, length = _items(value), row.type.length or 0
    if len(given) > length:
        raise k.refuse(node, f"{length} values fit here, got {len(given)}")
    for at in range(length):
        part = element_of(row, at)
        if at < len(given):
            fill(k, node, part, given[at])
        elif value is None:
            fill(k, node, part, None)
        else:
            zeroed(k, node, part)


def zeroed(k: Lowerer, node: Node, place: PlaceOf) -> None:
    """Something without a given value: 0, or what its type makes."""
    type_ = place.type
    if isinstance(place, Row):
        for at in range(type_.length or 0):  # type: ignore[union-attr]
            zeroed(k, node, element_of(place, at))
    elif is_made(type_):
        assert isinstance(type_, Struct)
        if has_array(type_):
            _construct(k, node, place, type_, [], is_list=True)
        else:
            write(k, node, place, make(k, node, type_, [], is_list=True))
    elif isinstance(type_, Struct) and has_array(type_):
        for name, inner in type_.fields:
            zeroed(k, node, member_of(k, place, name, inner))
    else:
        write(k, node, place, Typed(type_, zero(k, type_)))


def _construct(
    k: Lowerer,
    node: Node,
    this: PlaceOf,
    type_: Struct,
    given: Sequence[Node],
    *,
    is_list: bool,
    named: bool = False,
) -> None:
    """An object with an array at its place; a ``named`` one without values keeps its memory."""
    constructors = type_.members.constructors if type_.members is not None else []
    if not constructors and given and not is_list:
        if len(given) == 1:
            _copy_from(k, given[0], this)
            return
        raise k.refuse(node, f"`{type_}` has no constructor")
    if len(given) == 1 and kinds_of(k, given) == [type_]:
        _copy_from(k, given[0], this)
        return
    arrays = [inner for _, inner in type_.fields if isinstance(inner, ArrayOf)]
    is_bare = given and not any(part.type in _LISTS for part in given)
    if not constructors and is_bare and len(type_.fields) == len(arrays) == 1:  # braces left out
        name, inner = type_.fields[0]
        row = member_of(k, this, name, inner)
        assert isinstance(row, Row)
        _fill_array(k, node, row, given[0].parent)
        return
    _fields_and_body(k, node, this, type_, given, zeroes=not named)


def _fields_and_body(
    k: Lowerer,
    node: Node,
    this: PlaceOf,
    type_: Struct,
    given: Sequence[Node],
    *,
    zeroes: bool = False,
) -> None:
    """By the constructor that fits, else field by field; with ``zeroes`` all that is not given."""
    members = type_.members
    constructors = members.constructors if members is not None else []
    function = None
    if members is not None and constructors:
        function = chosen(k, node, constructors, kinds_of(k, given), members.scope)
        if function is None and given:
            raise k.refuse(node, f"`{type_}` has no constructor of {len(given)} arguments here")
    if function is not None:
        _run_constructor(k, node, function, this, type_, [argument(k, part) for part in given])
        return
    if len(given) > len(type_.fields):
        raise k.refuse(node, f"`{type_}` has {len(type_.fields)} members, got {len(given)} values")
    if has_array(type_):
        _fields_in_memory(k, node, this, type_, given, zeroes)
        return
    assert members is not None
    passed = [argument(k, part) for part in given]
    for at, (name, inner) in enumerate(type_.fields):
        if at < len(passed):
            write(k, node, Member(this, name, inner), _field_value(k, node, inner, passed[at]))  # type: ignore[arg-type]
        elif name in members.defaults:
            _set_default(k, node, this, type_, name)


def _fields_in_memory(
    k: Lowerer, node: Node, this: PlaceOf, type_: Struct, given: Sequence[Node], zeroes: bool
) -> None:
    defaults = type_.members.defaults if type_.members is not None else {}
    for at, (name, inner) in enumerate(type_.fields):
        if at < len(given):
            fill(k, node, member_of(k, this, name, inner), given[at])
        elif name in defaults:
            _set_default(k, node, this, type_, name)
        elif zeroes:
            zeroed(k, node, member_of(k, this, name, inner))
        else:
            fill(k, node, member_of(k, this, name, inner), None)


def _field_value(k: Lowerer, node: Node, inner: CType, part: PlaceOf | Node) -> Typed:
    return initialized(k, part, inner) if is_node(part) else read(k, node, part)


def _set_default(k: Lowerer, node: Node, this: PlaceOf, type_: Struct, name: str) -> None:
    """A field's own value, which sees the other members and nothing else."""
    assert type_.members is not None
    owner = Function(type_.name, node, k.frame.function.source, False)
    k.frames.append(Frame(owner, [members_of(k, this, type_), {}], VOID, this=this))
    try:
        _set_field(k, this, type_, name, type_.members.defaults[name])
    finally:
        k.frames.pop()


def _initializers(function: Function) -> list[Node]:
    listed = [part for part in parts(function.node) if part.type == "field_initializer_list"]
    return [part for one in listed for part in parts(one)]


def _run_constructor(
    k: Lowerer,
    node: Node,
    function: Function,
    this: PlaceOf,
    type_: Struct,
    passed: Sequence[PlaceOf | Node],
) -> None:
    """Fields in the order in which they are declared, then the constructor's body."""
    assert type_.members is not None
    frame = framed(k, node, function, this, passed)
    given = {text_of(parts(part)[0]): part for part in _initializers(function)}
    names = {name for name, _ in type_.fields}
    with inside(k, frame):
        if returns_at_end(function):
            spill_parameters(k, function)
        for name, part in given.items():
            if name not in names:
                raise k.refuse(part, f"`{short(part)}` in a constructor is not covered")
        for name, inner in type_.fields:
            if name in given:
                _set_field(k, this, type_, name, parts(given[name])[-1])
            elif name in type_.members.defaults:
                _set_default(k, node, this, type_, name)
            elif _makes_itself(inner):
                fill(k, node, member_of(k, this, name, inner), None)
        if returns_at_end(function):
            run(k, [part for part in parts(function.body) if part.type != "return_statement"])
        else:
            inlined(k, node, frame)


def _set_field(k: Lowerer, this: PlaceOf, type_: Struct, name: str, value: Node) -> None:
    inner = type_.type_of(name)
    assert inner is not None
    if has_array(inner) or isinstance(inner, ArrayOf):
        fill(k, value, member_of(k, this, name, inner), value)
        return
    if value.type in ("argument_list", "initializer_list"):
        given = parts(value)
        if not given:
            typed = Typed(inner, zero(k, inner))
        elif value.type == "initializer_list" or is_made(inner) or len(given) > 1:
            typed = initialized(k, value, inner)
        else:
            typed = evaluate(k, given[0])
    else:
        typed = evaluate(k, value)
    write(k, value, Member(this, name, inner), typed)  # type: ignore[arg-type]
