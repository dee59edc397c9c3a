"""What one source text holds: functions, constants, types and device memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gpuedu.errors import KernelSourceError
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.syntax import field as child
from gpuedu.simt.cuda_c.syntax import line_of, parts, short, text_of
from gpuedu.simt.cuda_c.types import TYPEDEFS, CType
from gpuedu.trace import Source


@dataclass(frozen=True, eq=False)
class Function:
    """A kernel or device function of the source; ``template`` are its parameters, if any."""

    name: str
    node: Node
    source: Source
    is_kernel: bool
    template: tuple[Node, ...] = ()

    @property
    def body(self) -> Node:
        """What it does."""
        return child(self.node, "body")

    @property
    def has_body(self) -> bool:
        """Whether it is defined, not only declared."""
        return self.node.child_by_field_name("body") is not None

    @property
    def parameters(self) -> list[Node]:
        """Its parameter declarations."""
        kinds = ("parameter_declaration", "optional_parameter_declaration")
        listed = parts(child(declarator_of(self.node), "parameters"))
        return [
            node
            for node in listed
            if node.type in kinds and not (short(node) == "void" and len(listed) == 1)
        ]


@dataclass(frozen=True, eq=False)
class GlobalVariable:
    """Memory of the module: ``__device__``, ``__constant__`` or, inside kernels only, neither."""

    name: str
    node: Node
    declaration: Node
    constant: bool


class Entries(dict):
    """What a source declares, by name; a name that could not be read is refused when asked for.

    A source may contain much that the launched kernel never reaches; only what it reaches counts.
    """

    def __init__(self, refused: dict[str, KernelSourceError], known: Any = ()) -> None:
        super().__init__(known)
        self.refused = refused

    def _require(self, name: object) -> None:
        if name in self.refused:
            raise self.refused[name]  # type: ignore[index]

    def get(self, name: str, otherwise: Any = None) -> Any:
        """What a name stands for, or the default for an undeclared name."""
        self._require(name)
        return super().get(name, otherwise)

    def __contains__(self, name: object) -> bool:
        self._require(name)
        return super().__contains__(name)

    def __getitem__(self, name: str) -> Any:
        self._require(name)
        return super().__getitem__(name)


@dataclass(eq=False)
class Module:
    """A source text, read; ``bindings`` are the names that every function sees.

    ``shared`` are the declarations of shared memory outside functions, by name; ``refused`` is why
    a name cannot be used; ``methods`` the functions of all structures; ``chosen`` and
    ``chosen_structures`` what is written out for chosen arguments of a template, and ``declared``
    the templates of functions that are declared first; ``taken`` the variables of a function whose
    address is taken, as far as was asked for.
    """

    code: str
    text: str
    refused: dict[str, KernelSourceError] = field(default_factory=dict)
    functions: dict[str, list[Function]] = field(default_factory=dict)
    types: dict[str, CType] = field(default_factory=dict)
    variables: dict[str, GlobalVariable] = field(default_factory=dict)
    shared: dict[str, Node] = field(default_factory=dict)
    constants: list[tuple[Node, Node]] = field(default_factory=list)
    enums: list[Node] = field(default_factory=list)
    bindings: dict[str, Any] = field(default_factory=dict)
    is_bound: bool = False
    operators: dict[str, list[Function]] = field(default_factory=dict)
    methods: dict[str, list[Function]] = field(default_factory=dict)
    chosen: dict[str, list[tuple[list[Node], Function]]] = field(default_factory=dict)
    chosen_structures: dict[str, list[tuple[list[Node], Node]]] = field(default_factory=dict)
    declared: dict[str, Function] = field(default_factory=dict)
    taken: dict[Function, frozenset[str]] = field(default_factory=dict)

    def has_method(self, name: str) -> bool:
        """Whether any structure has a function of this name."""
        return name in self.methods

    def operators_are_own(self, sign: str) -> bool:
        """Whether the source has an operator of this sign."""
        name = f"operator{sign}"
        return name in self.operators or name in self.methods or name in self.refused

    @property
    def enumerations(self) -> set[str]:
        """The names of its enumerations."""
        named = [node.child_by_field_name("name") for node in self.enums]
        return {text_of(name) for name in named if name is not None}

    def __post_init__(self) -> None:
        self.functions = Entries(self.refused)
        self.types = Entries(self.refused, TYPEDEFS)

    def refuse(
        self, node: Node, message: str, remedy: str = "", *, function: str = "the source"
    ) -> KernelSourceError:
        """The error for a construct."""
        number = line_of(node)
        lines = self.code.splitlines()
        shown = lines[number - 1] if number <= len(lines) else short(node)
        return KernelSourceError(message, function=function, line=number, text=shown, remedy=remedy)

    @property
    def kernels(self) -> list[str]:
        """The names of its kernels."""
        return [
            name
            for name, found in self.functions.items()
            if any(function.is_kernel for function in found)
        ]


def declarator_of(node: Node) -> Node:
    """The part of a function's declarator with its name and parameters."""
    found = child(node, "declarator")
    kinds = ("function_declarator", "abstract_function_declarator", "lambda_declarator")
    while found.type not in kinds:
        inner = found.child_by_field_name("declarator")
        found = inner if inner is not None else parts(found)[-1]
    return found
