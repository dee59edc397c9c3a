"""What one source text holds: functions, constants, types and device memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gpuedu.errors import KernelSourceError
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.syntax import field as child
from gpuedu.simt.cuda_c.syntax import line_of, parts, short
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


@dataclass(eq=False)
class Module:
    """A source text, read; ``bindings`` are the names that every function sees.

    ``shared`` are the declarations of shared memory outside of functions, by name.
    """

    code: str
    text: str
    functions: dict[str, list[Function]] = field(default_factory=dict)
    types: dict[str, CType] = field(default_factory=lambda: dict(TYPEDEFS))
    variables: dict[str, GlobalVariable] = field(default_factory=dict)
    shared: dict[str, Node] = field(default_factory=dict)
    constants: list[tuple[Node, Node]] = field(default_factory=list)
    enums: list[Node] = field(default_factory=list)
    bindings: dict[str, Any] = field(default_factory=dict)

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
    while found.type != "function_declarator":
        inner = found.child_by_field_name("declarator")
        found = inner if inner is not None else parts(found)[-1]
    return found
