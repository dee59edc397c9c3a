"""Structures, enumerations and the names declared outside functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from gpuedu.errors import KernelSourceError
from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.declarations import (
    Length,
    Names,
    UnknownTypeError,
    declarators,
    declare,
    described,
    is_const,
    specified,
    type_node,
    words,
)
from gpuedu.simt.cuda_c.dispatch import evaluate
from gpuedu.simt.cuda_c.lowerer import Binding, Fixed, TypeName, constant, known
from gpuedu.simt.cuda_c.module import Function, Module, declarator_of
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.syntax import field, line_of, parts, short, text_of, walk
from gpuedu.simt.cuda_c.types import INT, CType, Members, Number, Struct, TypeTemplate
from gpuedu.simt.cuda_c.whole_numbers import reader, whole_number_of
from gpuedu.trace import CUDA_C, Source

CONVERSION = "operator conversion"
"""The name here of functions such as ``operator float*()``."""


def extent_reader(module: Module) -> Callable[[Node], int]:
    """What reads an array's extent outside functions."""
    return lambda node: _whole_number(module, node)


def _whole_number(module: Module, node: Node) -> int:
    """An extent outside of functions.

    Raises:
        KernelSourceError: It is no integer, or not known yet.
    """
    lowerer = reader(module, node)
    lowerer.frames[-1].scopes[-1].update(_constants_so_far(module))
    return whole_number_of(lowerer, node)


def _constants_so_far(module: Module) -> dict[str, Binding]:
    """The constants that were read already, while the rest of the source is not yet."""
    found: dict[str, Binding] = {}
    for declaration, part in module.constants:
        plain = part.type == "init_declarator" and field(part, "declarator").type == "identifier"
        alone = len(declaration.children_by_field_name("declarator")) == 1
        if not (plain and alone):  # an array's extent would ask here again
            continue
        k = reader(module, part)
        k.frames[-1].scopes[-1] = found
        with suppress(KernelSourceError):  # told where it is bound
            (made,) = read_declaration(module, declaration)
            if made.value is None or not isinstance(made.type, Number):
                continue
            value = convert(k, made.value, evaluate(k, made.value), made.type)
            if known(value) is not None:
                found[made.name] = Fixed(value)
    return found


def read_struct(
    module: Module, node: Node, scope: dict[str, Binding] | None = None, shown: str = ""
) -> Struct:
    """Enter a structure: its fields are numbers, pointers, structures and arrays of those.

    ``scope`` are the arguments of a template, and ``shown`` the name of the instance.
    """
    name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name_node is not None and name_node.type == "template_type":
        name_node = field(name_node, "name")
    name = "a structure" if name_node is None else text_of(name_node)
    if body is None:
        found = module.types.get(name)
        if not isinstance(found, Struct):
            raise module.refuse(node, f"the structure `{name}` is not defined")
        return found
    for part in parts(node):
        if part.type == "base_class_clause":
            raise module.refuse(
                part, f"`{name}` inherits, which is not covered", "list all members"
            )
    members = Members(name, dict(scope or {}))
    fields: list[tuple[str, CType]] = []
    for part in parts(body):
        _refuse_layout(module, part)
        _read_member(module, part, members, fields)
    is_plain = not (members.functions or members.defaults or members.scope)
    struct = Struct(
        shown or name,
        tuple(fields),
        alignment_told(module, node, members.scope),
        members=None if is_plain else members,
    )
    if members.functions:
        members.scope.setdefault(name, TypeName(struct))
    if not shown:
        module.types[name] = struct
    return struct


def _read_member(
    module: Module,
    part: Node,
    members: Members,
    fields: list[tuple[str, CType]],
    template: tuple[Node, ...] = (),
) -> None:
    """Enter one member of a structure."""
    declared = list(part.children_by_field_name("declarator"))
    match part.type:
        case "access_specifier":
            return
        case "alias_declaration":
            made = described(field(part, "type"), *_reading(module, members.scope))
            members.scope[text_of(field(part, "name"))] = TypeName(made)
            return
        case "type_definition":
            for one in read_declaration(module, part, members.scope):
                members.scope[one.name] = TypeName(one.type)
            return
        case "template_declaration":
            *_, inner = parts(part)
            given = tuple(parts(field(part, "parameters")))
            _read_member(module, inner, members, fields, given)
            return
        case "function_definition":
            _read_function(module, part, members, template)
            return
        case "field_declaration" if "static" in words(part) and declared:
            _read_constant(module, part, members)
            return
        case "field_declaration" if declared and not any(map(_is_function, declared)):
            made_all = read_declaration(module, part, members.scope)
            fields += [(one.name, one.type) for one in made_all]
            given_value = part.child_by_field_name("default_value")
            if given_value is not None:
                members.defaults[made_all[-1].name] = given_value
            return
    raise module.refuse(
        part,
        f"`{short(part)[:60]}` in a structure is not covered",
        "fields, functions that are defined in it, types, and constants",
    )


def _is_function(declarator: Node) -> bool:
    return any(node.type == "function_declarator" for node in walk(declarator))


def _read_function(
    module: Module, node: Node, members: Members, template: tuple[Node, ...]
) -> None:
    """A function of a structure, or a constructor."""
    given = {text_of(child) for child in node.children}
    is_virtual = bool({"virtual", "friend"} & given)
    whole = field(node, "declarator")
    if is_virtual or any(part.type == "destructor_name" for part in walk(whole)):
        raise module.refuse(node, f"`{short(whole)[:60]}` in a structure is not covered")
    if whole.type == "operator_cast" and template:
        raise module.refuse(node, f"`{short(whole)[:60]}`: such conversions are not covered")
    if any(part.type == "default_method_clause" for part in node.children):
        return
    if any(part.type == "delete_method_clause" for part in node.children):
        return
    name = CONVERSION
    if whole.type != "operator_cast":
        name = text_of(field(declarator_of(node), "declarator"))
    made = made_function(module, node, name, template)
    if name == "operator=" or (name == members.own_name and _copies(made, members)):
        raise module.refuse(node, f"`{short(whole)[:60]}`: custom copying is not covered")
    members.functions.setdefault(name, []).append(made)
    module.methods.setdefault(name, []).append(made)


def _copies(function: Function, members: Members) -> bool:
    """Whether a constructor takes another object of its own."""
    specifiers = [type_node(node) for node in function.parameters]
    return len(specifiers) == 1 and any(
        text_of(part) == members.own_name for part in walk(specifiers[0])
    )


def _read_constant(module: Module, node: Node, members: Members) -> None:
    """``static constexpr int size = 4;``."""
    value = node.child_by_field_name("default_value")
    if value is None or not is_const(node):
        raise module.refuse(node, "a `static` variable in a structure is not covered")
    (made,) = read_declaration(module, node, members.scope)
    k = reader(module, node)
    k.frames[-1].scopes[-1].update(_constants_so_far(module))
    k.frames[-1].scopes[-1].update(members.scope)
    typed = convert(k, value, evaluate(k, value), made.type)
    if known(typed) is None:
        raise module.refuse(node, f"`{made.name}` must be known when it is compiled")
    members.scope[made.name] = Fixed(typed)


def made_function(
    module: Module, node: Node, name: str, template: tuple[Node, ...] = ()
) -> Function:
    """The entry of a function's definition."""
    for part in (*template, *parts(field(declarator_of(node), "parameters"))):
        if part.type.startswith("variadic"):
            raise module.refuse(
                part, f"`{short(part)}`: a variable number of arguments is not covered"
            )
    first, last = line_of(node), node.end_point.row + 1
    text = "\n".join(module.code.splitlines()[first - 1 : last]) + "\n"
    is_kernel = "__global__" in {text_of(part) for part in node.children}
    return Function(name, node, Source(name, CUDA_C, first, text), is_kernel, template)


def structure_template(module: Module, node: Node, template: tuple[Node, ...]) -> None:
    """Enter a template of structures; each list of arguments creates one."""
    name = text_of(field(node, "name"))
    made: dict[str, Struct] = {}

    def make(at: Node, given: Sequence[Node], names: Names, length: Length) -> CType:
        scope = _arguments(template, at, given, names, length)
        shown = f"{name}{_told(scope)}"
        if shown not in made:
            reading = _reading(module, {})
            for chosen, written_out in module.chosen_structures.get(name, ()):
                if _told(_arguments(template, written_out, chosen, *reading)) == _told(scope):
                    made[shown] = read_struct(module, written_out, {}, shown)
                    break
            else:
                made[shown] = read_struct(module, node, scope, shown)
        return made[shown]

    module.types[name] = TypeTemplate(name, make)


def _arguments(
    template: tuple[Node, ...], at: Node, given: Sequence[Node], names: Names, length: Length
) -> dict[str, Binding]:
    """What the parameters of a template of structures stand for."""
    scope: dict[str, Binding] = {}
    for number, parameter in enumerate(template):
        default = parameter.child_by_field_name("default_type")
        default = default or parameter.child_by_field_name("default_value")
        argument = given[number] if number < len(given) else default
        if argument is None or parameter.type.startswith("variadic"):
            raise UnknownTypeError(at, f"the type `{short(at)}`")
        if "type_parameter" in parameter.type:
            scope[template_name(parameter)] = TypeName(described(argument, names, length))
        else:
            inner = parts(argument)[0] if argument.type == "type_descriptor" else argument
            scope[template_name(parameter)] = Fixed(constant(INT, length(inner)))
    return scope


def _told(scope: dict[str, Binding]) -> str:
    """The arguments of a template, as an instance's name has them."""
    told = [
        str(found.type if isinstance(found, TypeName) else known(found.value))
        for found in scope.values()
    ]
    return f"<{', '.join(told)}>"


def template_name(parameter: Node) -> str:
    """The name of a template's parameter."""
    given = parameter.child_by_field_name("declarator") or parameter.child_by_field_name("name")
    return text_of(given if given is not None else parts(parameter)[-1])


def _reading(module: Module, scope: dict[str, Binding]) -> tuple[Names, Length]:
    """What reads the types and extents of a structure's members."""

    def names(name: str) -> CType | None:
        found = scope.get(name)
        return found.type if isinstance(found, TypeName) else module.types.get(name)

    def length(node: Node) -> int:
        k = reader(module, node)
        k.frames[-1].scopes[-1].update(_constants_so_far(module))
        k.frames[-1].scopes[-1].update(scope)
        return whole_number_of(k, node)

    return names, length


def _refuse_layout(module: Module, part: Node) -> None:
    """Refuse members that lie elsewhere than where their types tell."""
    if any(inner.type == "bitfield_clause" for inner in parts(part)):
        raise module.refuse(part, "a member of single bits is not covered", "use `&` and `>>`")
    if part.type == "field_declaration" and alignment_told(module, part):
        raise module.refuse(part, "a member with its own alignment is not covered")


def alignment_told(module: Module, node: Node, scope: dict[str, Binding] | None = None) -> int:
    """The bytes of ``alignas(...)`` or ``__align__(...)`` in a declaration; 0 if none is given."""
    found = [node.named_children, *(child.named_children for child in node.named_children)]
    for part in (part for listed in found for part in listed):
        if part.type == "alignas_qualifier" and part.parent in (node, *_qualifiers(node)):
            return _reading(module, scope or {})[1](parts(part)[0])
    return 0


def _qualifiers(node: Node) -> list[Node]:
    return [part for part in node.named_children if part.type == "type_qualifier"]


def read_enum(module: Module, node: Node) -> CType:
    """Enter an enumeration, whose type is that of its values: int if no other is given."""
    name, base = node.child_by_field_name("name"), node.child_by_field_name("base")
    type_: CType = INT
    if base is not None:
        type_ = specified(base, module.types.get, extent_reader(module))
    if name is not None:
        type_ = module.types.setdefault(text_of(name), type_)
    if node.child_by_field_name("body") is not None and node not in module.enums:
        module.enums.append(node)
    return type_


def read_declaration(
    module: Module, node: Node, scope: dict[str, Binding] | None = None
) -> list[Any]:
    """The names of a declaration at the top of the source or in a structure, with their types."""
    specifier = type_node(node)
    assert specifier is not None
    names, length = _reading(module, scope or {})
    try:
        if specifier.type in ("struct_specifier", "class_specifier"):
            base: CType = read_struct(module, specifier)
        elif specifier.type == "enum_specifier":
            base = read_enum(module, specifier)
        else:
            base = specified(specifier, names, length)
        return [declare(part, base, is_const(node), length) for part in declarators(node)]
    except UnknownTypeError as fault:
        raise module.refuse(fault.args[0], fault.told) from None
