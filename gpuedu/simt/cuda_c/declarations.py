"""Declarations: the type that specifiers and declarators spell, and the name declared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gpuedu.simt.cuda_c.fragments import FragmentError, fragment, is_fragment
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.syntax import field, parts, short, text_of
from gpuedu.simt.cuda_c.types import (
    AUTO,
    BOOLEAN,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    UNSIGNED,
    UNSIGNED_LONG,
    VOID,
    ArrayOf,
    CType,
    Pointer,
    Reference,
    Struct,
    TypeTemplate,
    number,
)

SPECIFIERS = frozenset(
    {
        "primitive_type",
        "sized_type_specifier",
        "type_identifier",
        "placeholder_type_specifier",
        "struct_specifier",
        "qualified_identifier",
        "template_type",
        "enum_specifier",
        "class_specifier",
        "union_specifier",
        "decltype",
        "dependent_type",
    }
)
"""Nodes that name a type."""

_PRIMITIVES: dict[str, CType] = {
    "void": VOID,
    "bool": BOOLEAN,
    "char": number("int8"),
    "int": INT,
    "float": FLOAT,
    "double": DOUBLE,
    "size_t": UNSIGNED_LONG,
    "ptrdiff_t": LONG,
    "ssize_t": LONG,
    "intptr_t": LONG,
    "uintptr_t": UNSIGNED_LONG,
    **{
        f"{kind}{bits}_t": number(f"{kind}{bits}")
        for kind in ("int", "uint")
        for bits in (8, 16, 32, 64)
    },
}


class UnknownTypeError(Exception):
    """A type that is not covered: the node, what it is, and the end of the sentence."""

    @property
    def told(self) -> str:
        """The reason as a sentence."""
        _, what, *end = self.args
        return f"{what}{end[0] if end else ' is not covered'}"


@dataclass(frozen=True)
class Declared:
    """One name of a declaration, its type, and its initializer if there is one."""

    name: str
    type: CType
    node: Node
    value: Node | None = None


Names = Callable[[str], CType | None]
"""What a type name stands for; None if it is not one."""
Length = Callable[[Node], int]
"""The extent of an array."""


def specified(node: Node, names: Names, length: Length) -> CType:
    """The type that a specifier names; ``length`` reads the numbers in a template's arguments.

    Raises:
        UnknownTypeError: It is not covered.
    """
    if is_fragment(node):
        return _fragment(node, names, length)
    match node.type:
        case "primitive_type":
            found = _PRIMITIVES.get(text_of(node))
        case "sized_type_specifier":
            found = _sized(text_of(node).split())
        case "type_identifier":
            found = names(text_of(node))
        case "placeholder_type_specifier":
            found = AUTO
        case "dependent_type":
            return specified(parts(node)[0], names, length)
        case "qualified_identifier":  # names of all namespaces are told apart by themselves alone
            return specified(field(node, "name"), _within(node, names, length), length)
        case "template_type" | "template_function":
            found = _instance(node, names, length)
        case _:
            found = None
    if found is None or isinstance(found, TypeTemplate):
        raise UnknownTypeError(node, f"the type `{short(node)}`")
    return found


def _within(node: Node, names: Names, length: Length) -> Names:
    """The names after ``S::``, where S is a structure."""
    scope = node.child_by_field_name("scope")
    owner: CType | None = None
    if scope is not None and scope.type == "template_type":
        owner = _instance(scope, names, length)
    elif scope is not None:
        owner = names(text_of(scope))
    if not isinstance(owner, Struct):
        return names
    members = owner.members.scope if owner.members is not None else {}
    return lambda name: getattr(members.get(name), "type", None)


def _instance(node: Node, names: Names, length: Length) -> CType | None:
    """``name<...>``, where the name is a template of types."""
    template = names(text_of(field(node, "name")))
    if not isinstance(template, TypeTemplate):
        return None
    return template.make(node, parts(field(node, "arguments")), names, length)


def _fragment(node: Node, names: Names, length: Length) -> CType:
    try:
        return fragment(node, lambda part: described(part, names, length), length)
    except FragmentError as fault:
        raise UnknownTypeError(*fault.args, "") from None


def _sized(words: list[str]) -> CType | None:
    """``unsigned long long int`` and the like, words in any order."""
    unsigned = "unsigned" in words
    if "char" in words:
        return number("uint8" if unsigned else "int8")
    if "short" in words:
        return number("uint16" if unsigned else "int16")
    if "double" in words:
        return None
    if "long" in words:
        return UNSIGNED_LONG if unsigned else LONG
    return UNSIGNED if unsigned else INT


def type_node(node: Node) -> Node | None:
    """The specifier of a declaration, parameter or function."""
    found = node.child_by_field_name("type")
    if found is not None:
        return found
    return next((child for child in node.named_children if child.type in SPECIFIERS), None)


def is_const(node: Node) -> bool:
    """Whether a declaration's own type is ``const`` or ``constexpr``."""
    return any(
        child.type == "type_qualifier" and text_of(child) in ("const", "constexpr", "__constant__")
        for child in node.named_children
    )


def declared_type_is_reference(node: Node) -> bool:
    """Whether a function returns a reference."""
    found = node.child_by_field_name("declarator")
    return found is not None and found.type == "reference_declarator"


def words(node: Node) -> set[str]:
    """The qualifiers and storage classes of a declaration, such as ``__shared__``."""
    kinds = ("type_qualifier", "storage_class_specifier")
    return {text_of(child) for child in node.children if child.type in kinds or not child.is_named}


def declarators(node: Node) -> list[Node]:
    """The declarators of a declaration, initializers included."""
    return list(node.children_by_field_name("declarator"))


def declare_name(node: Node) -> str:
    """The name that a declarator declares."""
    while parts(node) and node.type not in ("identifier", "field_identifier", "type_identifier"):
        inner = node.child_by_field_name("declarator")
        node = inner if inner is not None else parts(node)[-1]
    return text_of(node)


def declare(node: Node, base: CType, const: bool, length: Length) -> Declared:
    """Apply a declarator to the type before it.

    ``float *a[4]`` is read from the outside in: each layer wraps the type so far.
    """
    value: Node | None = None
    if node.type == "init_declarator":
        value = field(node, "value")
        node = field(node, "declarator")
    type_, extents = base, []
    while True:
        match node.type:
            case "identifier" | "field_identifier" | "type_identifier" | "primitive_type":
                break  # the grammar has words of its own for names such as `uint64_t`
            case "pointer_declarator":
                type_, const = Pointer(_array(type_, extents), const), False
                extents = []
                node = field(node, "declarator")
            case "array_declarator":
                size = node.child_by_field_name("size")
                extents.insert(0, None if size is None else length(size))
                node = field(node, "declarator")
            case "reference_declarator":
                type_ = Reference(type_)
                node = next(child for child in parts(node) if child.type != "type_qualifier")
            case "parenthesized_declarator":
                type_, extents = _array(type_, extents), []
                node = parts(node)[0]
            case _:
                raise UnknownTypeError(node, f"the declarator `{short(node)}`")
    return Declared(text_of(node), _array(type_, extents), node, value)


def _array(type_: CType, extents: list[int | None]) -> CType:
    for extent in reversed(extents):
        type_ = ArrayOf(type_, extent)
    return type_


def described(node: Node, names: Names, length: Length) -> CType:
    """The type of a ``type_descriptor``, as in a cast."""
    specifier = type_node(node)
    if specifier is None:
        raise UnknownTypeError(node, f"the type `{short(node)}`")
    type_, const = specified(specifier, names, length), is_const(node)
    abstract = node.child_by_field_name("declarator")
    while abstract is not None:
        match abstract.type:
            case "abstract_pointer_declarator":
                type_, const = Pointer(type_, const), False
            case "abstract_reference_declarator":
                type_ = Reference(type_)
            case "abstract_array_declarator":
                size = abstract.child_by_field_name("size")
                type_ = ArrayOf(type_, None if size is None else length(size))
            case _:
                raise UnknownTypeError(node, f"the type `{short(node)}`")
        abstract = abstract.child_by_field_name("declarator")
    return type_
