"""Declarations inside functions: variables, shared and local arrays, references, constants."""

from __future__ import annotations

import numpy as np

from gpuedu.simt.cuda_c.access import write
from gpuedu.simt.cuda_c.assignments import held
from gpuedu.simt.cuda_c.constants import enumerators
from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.copies import has_array, source_of
from gpuedu.simt.cuda_c.declarations import (
    Declared,
    UnknownTypeError,
    declarators,
    declare,
    is_const,
    specified,
    type_node,
    words,
)
from gpuedu.simt.cuda_c.dispatch import BUILDERS, place_of
from gpuedu.simt.cuda_c.group_types import Group
from gpuedu.simt.cuda_c.initializers import initial_value, placed_values
from gpuedu.simt.cuda_c.lowerer import (
    Alias,
    Fixed,
    Functions,
    Lowerer,
    Memory,
    Typed,
    TypeName,
    Variable,
    known,
)
from gpuedu.simt.cuda_c.module import Function
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.objects import bound, new_object, own
from gpuedu.simt.cuda_c.places import Element, PlaceOf, Row, Temporary, named
from gpuedu.simt.cuda_c.structures import alignment_told, read_struct
from gpuedu.simt.cuda_c.syntax import bare, field, parts, short, text_of
from gpuedu.simt.cuda_c.type_names import type_named
from gpuedu.simt.cuda_c.types import (
    AUTO,
    INT,
    VECTORS,
    ArrayOf,
    CType,
    Pointer,
    Reference,
    Struct,
    alignment_of,
    dimensions,
    dtype_of,
)
from gpuedu.simt.cuda_c.variables import flag_of, zero
from gpuedu.simt.cuda_c.views import flat
from gpuedu.simt.cuda_c.whole_numbers import whole_number_of
from gpuedu.simt.program import ArrayType, Const, LocalArray, SharedArray
from gpuedu.simt.values import Scalar, Tuple
from gpuedu.trace import Space

_LISTS = ("initializer_list", "argument_list", "parameter_list")
"""What may stand behind a name without ``=``."""


def declaration(k: Lowerer, node: Node) -> None:
    """A declaration with all its names."""
    given, specifier = words(node), type_node(node)
    assert specifier is not None
    base = local_type(k, specifier)
    for part in declarators(node):
        made = _declared(k, part, base, is_const(node))
        if "__shared__" in given:
            _shared(k, node, made, dynamic="extern" in given)
        elif "static" in given and "const" not in given and "constexpr" not in given:
            raise k.refuse(node, "a `static` variable in a kernel is not covered")
        else:
            _variable(k, node, made)


def local_type(k: Lowerer, specifier: Node) -> CType:
    """The type of a declaration; a structure or enumeration that it defines is entered."""
    try:
        if specifier.type in ("struct_specifier", "class_specifier"):
            struct = read_struct(k.module, specifier)
            k.bind(struct.name, TypeName(struct))
            return struct
        if specifier.type == "enum_specifier":
            return _enum(k, specifier)
        return specified(
            specifier, lambda name: type_named(k, name), lambda size: whole_number_of(k, size)
        )
    except UnknownTypeError as fault:
        raise k.refuse(fault.args[0], fault.told) from None


def _enum(k: Lowerer, specifier: Node) -> CType:
    """An enumeration inside of a function, or ``enum Name`` as a type."""
    name, body = specifier.child_by_field_name("name"), specifier.child_by_field_name("body")
    if body is not None:
        enumerators(k, specifier, k.frame.scopes[-1])
        if name is not None:
            k.bind(text_of(name), TypeName(INT))
        return INT
    return (type_named(k, text_of(name)) if name is not None else None) or INT


def _declared(k: Lowerer, part: Node, base: CType, const: bool) -> Declared:
    if part.type == "function_declarator":
        return _made_by_names(k, part, base)
    try:
        made = declare(part, base, const, lambda size: whole_number_of(k, size))
    except UnknownTypeError as fault:
        raise k.refuse(fault.args[0], fault.told) from None
    beside = part.parent.child_by_field_name("value") if part.parent is not None else None
    if made.value is None and beside is not None and part.type != "init_declarator":
        return Declared(made.name, made.type, made.node, beside)
    return made


def _made_by_names(k: Lowerer, part: Node, base: CType) -> Declared:
    """``P p(x, y);``, which the grammar takes for a function of types x and y."""
    name, listed = field(part, "declarator"), field(part, "parameters")
    inner = [parts(one) for one in parts(listed)]
    if not inner or any(len(one) != 1 or one[0].type != "type_identifier" for one in inner):
        raise k.refuse(part, f"the declarator `{short(part)}` is not covered")
    return Declared(text_of(name), base, name, listed)


def _shared(k: Lowerer, node: Node, made: Declared, *, dynamic: bool) -> None:
    """``__shared__ float s[32][33]``, ``extern __shared__ float s[]``, ``__shared__ int n``."""
    if made.value is not None:
        raise k.refuse(node, "shared memory has no initial value", "let one thread write it")
    inner, extents = dimensions(made.type)
    if not dynamic and None in extents:
        raise k.refuse(node, f"`{made.name}` needs its size", "`extern` for a size of the launch")
    if dynamic and len(extents) != 1:
        raise k.refuse(node, "dynamic shared memory is an array of one dimension")
    key = (made.node.start_byte, str(made.type), *_template_arguments(k))
    known_as = k.shared.get(key)
    if known_as is not None and any(entry.slot is known_as.slot for entry in k.tables.shared):
        k.bind(made.name, known_as)
        return
    shape = tuple(extent or 0 for extent in extents) or (1,)
    is_raw = dynamic and isinstance(inner, Pointer)  # nobody reads pointers there, but other types
    dtype = np.dtype(np.uint8) if is_raw else _dtype(k, node, inner)
    slot = k.builder.array_slot(made.name, ArrayType(dtype, len(shape), Space.SHARED))
    alignment = max(alignment_of(inner), alignment_told(k.module, node))
    entry = SharedArray(slot, () if dynamic else shape, dynamic, alignment)
    k.tables.add("shared", entry)
    type_ = made.type if extents else inner
    k.shared[key] = Memory(slot, type_, is_scalar=not extents)
    k.bind(made.name, k.shared[key])


def _template_arguments(k: Lowerer) -> list[tuple[str, str]]:
    """What makes an instance of a template, which has shared memory of its own."""
    shown = []
    for name, binding in k.frame.scopes[0].items():
        if isinstance(binding, TypeName):
            shown.append((name, str(binding.type)))
        elif isinstance(binding, Fixed):
            shown.append((name, str(known(binding.value))))
        elif isinstance(binding, Functions):
            shown.append((name, binding.name))
    return shown


def _dtype(k: Lowerer, node: Node, type_: CType) -> np.dtype:
    try:
        return dtype_of(type_)
    except TypeError:
        raise k.refuse(node, f"an array of `{type_}` is not covered") from None


def _variable(k: Lowerer, node: Node, made: Declared) -> None:
    type_ = made.type
    if isinstance(type_, Reference):
        _reference(k, node, made)
        return
    if isinstance(type_, ArrayOf):
        _local_array(k, node, made)
        return
    if type_ == AUTO and made.value is not None and bare(made.value).type == "lambda_expression":
        k.bind(made.name, BUILDERS["lambda"](k, bare(made.value)))
        return
    if has_array(type_):
        _object(k, node, made)
        return
    source = None if made.value is None else _initial(k, made.value, type_)
    if source is not None and not isinstance(source, Temporary):
        if type_ != AUTO:
            raise k.refuse(node, f"a `{source.type}` cannot become a `{type_}` here")
        k.bind(made.name, bound(own(k, node, made.name, source)))
        return
    value = None if source is None else source.typed
    if value is None and type_ == VECTORS["dim3"]:
        value = Typed(type_, Tuple((Scalar(Const(np.uint32(1))),) * 3, ("x", "y", "z")))
    if type_ == AUTO or (isinstance(type_, Pointer) and type_.target == AUTO):
        if value is None:
            raise k.refuse(node, f"`auto {made.name}` needs a value")
        type_ = value.type
    if value is not None and isinstance(value.type, Struct) and value.type.members is not None:
        value = BUILDERS["conversion"](k, made.value or node, value, type_)
    if value is None and isinstance(type_, Struct) and _is_made(type_):
        value = BUILDERS["structure"](k, node, type_, [], is_list=False)
    if isinstance(type_, Group):
        if value is None:
            raise k.refuse(node, f"the group `{made.name}` needs a value")
        value = convert(k, made.value or node, value, type_)
        type_ = value.type
    if made.name in k.frame.in_memory:
        _in_memory(k, node, made, type_, value)
        return
    key = k.new_key(made.name)
    variable = Variable(key, type_)
    if k.builder.names is None:
        k.bind(made.name, variable)
        return
    if value is None:
        k.builder.names[key] = zero(k, type_)
        k.builder.names[flag_of(variable)] = Scalar(Const(np.bool_(False)))
    else:
        k.builder.assign(key, convert(k, made.value or node, value, type_).value)
    k.bind(made.name, variable)


def _is_made(type_: Struct) -> bool:
    return type_.members is not None and type_.members.are_made


def _initial(k: Lowerer, node: Node, type_: CType) -> PlaceOf:
    """What a variable is declared with; a structure with an array in it as its place."""
    if node.type in _LISTS:
        return Temporary(initial_value(k, node, type_))
    return source_of(k, node)


def _object(k: Lowerer, node: Node, made: Declared) -> None:
    """A structure with an array in it, which is made where it stays."""
    value = made.value
    if value is not None and value.type not in _LISTS:
        source = source_of(k, value)
        if source.type != made.type or isinstance(source, Temporary):
            raise k.refuse(node, f"a `{source.type}` cannot become a `{made.type}` here")
        k.bind(made.name, bound(own(k, node, made.name, source)))
        return
    place = new_object(k, node, made.name, made.type)
    k.bind(made.name, bound(place))
    BUILDERS["fill"](k, node, named(place), value)


def _reference(k: Lowerer, node: Node, made: Declared) -> None:
    """``float& x = a[i]``: another name for a place, whose index is worked out here."""
    if made.value is None:
        raise k.refuse(node, f"the reference `{made.name}` refers to nothing")
    k.bind(made.name, Alias(held(k, place_of(k, made.value))))


def _in_memory(k: Lowerer, node: Node, made: Declared, type_: CType, value: Typed | None) -> None:
    """A variable whose address is taken: local memory of one element."""
    place = new_object(k, node, made.name, type_)
    k.bind(made.name, bound(place))
    if value is not None:
        write(k, node, place, value)


def spill_parameters(k: Lowerer, function: Function) -> None:
    """Parameters whose address is taken move to local memory; references stay where they are."""
    if k.builder.names is None:
        return
    passed, back = k.frame.scopes[1], {key for key, _ in k.frame.references}
    for name in sorted(k.frame.in_memory & passed.keys()):
        variable = passed[name]
        if not isinstance(variable, Variable) or variable.key in back:
            continue
        value = Typed(variable.type, k.builder.names[variable.key])
        made = Declared(name, variable.type, function.node)
        _in_memory(k, function.node, made, variable.type, value)
        passed[name] = k.frame.scopes[-1][name]


def _local_array(k: Lowerer, node: Node, made: Declared) -> None:
    """``float a[4] = {...}``: elements that are not given are 0 if any is."""
    type_ = made.type
    if made.value is not None and isinstance(type_, ArrayOf) and type_.length is None:
        type_ = ArrayOf(type_.element, len(parts(made.value)))
    inner, extents = dimensions(type_)
    if not extents or None in extents or 0 in extents:
        raise k.refuse(node, f"`{made.name}` needs its size")
    shape = tuple(int(extent or 0) for extent in extents)
    slot = k.builder.array_slot(
        made.name, ArrayType(_dtype(k, node, inner), len(shape), Space.LOCAL)
    )
    k.tables.add("local", LocalArray(slot, shape))
    k.bind(made.name, Memory(slot, type_))
    if isinstance(inner, Struct) and (has_array(inner) or _is_made(inner)):
        BUILDERS["fill"](k, node, Row(flat(k, slot), Const(np.int64(0)), type_), made.value)
        return
    if made.value is None:
        return
    if made.value.type != "initializer_list":
        raise k.refuse(node, f"`{made.name}` needs its values as a list")
    values = dict(placed_values(k, made.value, shape, ()))
    for index in np.ndindex(*shape):
        at = tuple(Const(np.int64(i)) for i in index)
        given = values.get(index)
        typed = Typed(inner, zero(k, inner)) if given is None else initial_value(k, given, inner)
        write(k, given or node, Element(slot, at, inner), typed)
