"""Read a source text: enter its functions, structures, aliases, constants and variables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from gpuedu.errors import KernelSourceError
from gpuedu.simt.cuda_c import (  # noqa: F401 (they enter what they lower)
    assignments,
    bfloats,
    calls,
    casts,
    expressions,
    group_types,
    loops,
    lvalues,
    statements,
    switches,
    type_traits,
)
from gpuedu.simt.cuda_c.declarations import (
    UnknownTypeError,
    declarators,
    declare_name,
    described,
    type_node,
    words,
)
from gpuedu.simt.cuda_c.module import GlobalVariable, Module, declarator_of
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.preprocess import expand, includes
from gpuedu.simt.cuda_c.structures import (
    extent_reader,
    made_function,
    read_declaration,
    read_enum,
    read_struct,
    structure_template,
)
from gpuedu.simt.cuda_c.syntax import fault_of, parse, parts, short, text_of
from gpuedu.simt.cuda_c.syntax import field as child
from gpuedu.simt.cuda_c.types import Struct


@lru_cache(maxsize=256)
def read_module(code: str, defines: tuple[str, ...] = (), number: int = 0) -> Module:
    """Read a source text; each ``number`` has its own memory.

    Raises:
        KernelSourceError: Something cannot be read or is not covered; with its line.
    """
    text = expand(code, defines)
    module = Module(code, text)
    if any(includes(code, header) for header in group_types.HEADERS):
        module.types.update(group_types.TYPES)
    if includes(code, bfloats.HEADER):
        module.types.update(bfloats.TYPES)
    if any(includes(code, header) for header in type_traits.HEADERS):
        module.types.update(type_traits.TYPES)
    _read(module, parse(text))
    for name, function in module.declared.items():
        if name in module.chosen and name not in dict.keys(module.functions):
            module.functions[name] = [function]  # for chosen arguments alone
    return module


def _read(module: Module, block: Node) -> None:
    for node in parts(block):
        _entered(module, node, ())


def _entered(module: Module, node: Node, template: tuple[Node, ...]) -> None:
    """Enter a declaration; what cannot be read is refused where the kernel comes to its name."""
    if node.type == "template_instantiation":
        return  # a GPU needs it to find the kernel; here a launch names the instance
    try:
        if node.has_error:
            raise fault_of(node, module.text)
        _top_level(module, node, template)
    except KernelSourceError as fault:
        names = list(_names_of(node))
        if not names:
            raise
        for name in names:
            module.refused.setdefault(name, fault)


def _names_of(node: Node) -> Iterator[str]:
    """The names that a declaration gives to the rest of the source."""
    match node.type:
        case "template_declaration" | "linkage_specification":
            yield from _names_of(parts(node)[-1])
            return
        case "function_definition":
            yield _name_of_function(node)
            return
        case "struct_specifier" | "class_specifier" | "union_specifier" | "alias_declaration":
            name = node.child_by_field_name("name")
            if name is not None:
                yield declare_name(child(name, "name") if _is_for_chosen(node) else name)
            return
    if node.type not in ("declaration", "type_definition"):
        return
    for part in declarators(node):
        yield declare_name(part)
    specifier = type_node(node)
    if specifier is not None and specifier.child_by_field_name("body") is not None:
        yield from _names_of(specifier)


def _is_for_chosen(node: Node) -> bool:
    """Whether a structure is ``struct S<float> {...}``."""
    name = node.child_by_field_name("name")
    return name is not None and name.type == "template_type"


def _name_of_function(node: Node) -> str:
    """``f`` of ``f(...)`` and of ``f<int>(...)``; ``S`` of ``S::f(...)``."""
    try:
        name = child(declarator_of(node), "declarator")
    except (AssertionError, IndexError):  # such as `operator float()`
        return short(node)
    if name.type == "template_function":
        name = child(name, "name")
    if name.type == "qualified_identifier":
        scope = name.child_by_field_name("scope")
        name = scope if scope is not None else name
    return text_of(name)


def _top_level(module: Module, node: Node, template: tuple[Node, ...]) -> None:
    match node.type:
        case "function_definition":
            _function(module, node, template)
        case "linkage_specification":
            body = child(node, "body")
            if body.type == "declaration_list":
                _read(module, body)
            else:
                _top_level(module, body, ())
        case "template_declaration":
            *_, inner = parts(node)
            _top_level(module, inner, tuple(parts(child(node, "parameters"))))
        case "struct_specifier" | "class_specifier" if _is_for_chosen(node):
            if template:
                raise module.refuse(
                    node, "a structure with some of its template's arguments chosen: not covered"
                )
            name = child(node, "name")
            listed = module.chosen_structures.setdefault(text_of(child(name, "name")), [])
            listed.append((parts(child(name, "arguments")), node))
        case "struct_specifier" | "class_specifier" if template:
            structure_template(module, node, template)
        case "struct_specifier" | "class_specifier":
            read_struct(module, node)
        case "type_definition":
            _typedef(module, node)
        case "alias_declaration":
            _alias(module, node)
        case "enum_specifier":
            read_enum(module, node)
        case "declaration":
            _declaration(module, node, template)
        case "namespace_definition":
            _read(module, child(node, "body"))
        case "static_assert_declaration" | "using_declaration" | ";" | "empty_statement":
            pass
        case "namespace_alias_definition":
            pass
        case "expression_statement" if not parts(node):
            pass
        case _:
            raise module.refuse(node, f"`{short(node)[:60]}` is not covered at the top of a source")


def _function(module: Module, node: Node, template: tuple[Node, ...]) -> None:
    name_node = child(declarator_of(node), "declarator")
    if name_node.type == "template_function":
        name = text_of(child(name_node, "name"))
        function = made_function(module, node, name)
        given = parts(child(name_node, "arguments"))
        module.chosen.setdefault(name, []).append((given, function))
        return
    if name_node.type == "operator_name":
        _operator(module, node, text_of(name_node), template)
        return
    if name_node.type != "identifier":
        raise module.refuse(
            name_node, f"`{short(name_node)}`: members and operators are not covered"
        )
    name = text_of(name_node)
    function = made_function(module, node, name, template)
    module.functions.setdefault(name, []).append(function)


def _operator(module: Module, node: Node, name: str, template: tuple[Node, ...]) -> None:
    """An operator of structures; on enumerations, which are numbers here, it would go unseen."""
    module.operators.setdefault(name, []).append(made_function(module, node, name, template))
    for parameter in module.operators[name][-1].parameters:
        specifier = type_node(parameter)
        if specifier is not None and text_of(specifier) in module.enumerations:
            raise module.refuse(node, f"`{name}` on an enumeration is not covered")


def _typedef(module: Module, node: Node) -> None:
    for made in read_declaration(module, node):
        type_ = made.type
        if isinstance(type_, Struct) and type_.name == "a structure":
            type_ = Struct(made.name, type_.fields, type_.alignment)
        module.types[made.name] = type_


def _alias(module: Module, node: Node) -> None:
    try:
        made = described(child(node, "type"), module.types.get, extent_reader(module))
    except UnknownTypeError as fault:
        raise module.refuse(fault.args[0], fault.told) from None
    module.types[text_of(child(node, "name"))] = made


def _declaration(module: Module, node: Node, template: tuple[Node, ...]) -> None:
    given, listed = words(node), declarators(node)
    if any(part.type == "function_declarator" for part in listed):
        if template:
            name = declare_name(listed[0])
            module.declared[name] = made_function(module, node, name, template)
        return  # a declaration of a function that is defined elsewhere
    if not listed:
        specifier = type_node(node)
        kinds = ("struct_specifier", "class_specifier")
        if specifier is not None and specifier.type in kinds:
            if specifier.child_by_field_name("body") is not None:
                read_struct(module, specifier)
        elif specifier is not None and specifier.type == "enum_specifier":
            read_enum(module, specifier)
        return
    if template:
        raise module.refuse(node, "a variable template is not covered")
    if "__shared__" in given:
        module.shared.update((declare_name(part), node) for part in listed)
        return
    if "__device__" in given or "__constant__" in given:
        for part in listed:
            made = declare_name(part)
            module.variables[made] = GlobalVariable(made, part, node, "__constant__" in given)
        return
    if "const" in given or "constexpr" in given:
        module.constants += [(node, part) for part in listed]
        return
    raise module.refuse(
        node,
        "a variable outside functions needs `__device__`, `__constant__`, `__shared__` or "
        "`constexpr`",
        "pass it as an argument of the kernel",
    )
