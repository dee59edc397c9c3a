"""What ``<type_traits>`` has that kernels take as parameters: ``std::bool_constant<B>``.

Its type tells a template what to do, and its value has no bytes that anything reads.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpuedu.simt.cuda_c.declarations import Length, Names, UnknownTypeError
from gpuedu.simt.cuda_c.lowerer import Fixed, constant
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.syntax import parts, short
from gpuedu.simt.cuda_c.types import BOOLEAN, CType, Members, Struct, TypeTemplate

HEADERS = ("type_traits", "cuda/std/type_traits")


def _of(value: bool) -> Struct:
    name = f"std::bool_constant<{str(value).lower()}>"
    return Struct(name, (), members=Members(name, {"value": Fixed(constant(BOOLEAN, value))}))


def _bool_constant(node: Node, given: Sequence[Node], names: Names, length: Length) -> CType:
    if len(given) != 1:
        raise UnknownTypeError(node, f"the type `{short(node)}`")
    (part,) = given
    return _of(bool(length(parts(part)[0] if part.type == "type_descriptor" else part)))


TYPES: dict[str, CType] = {
    "bool_constant": TypeTemplate("bool_constant", _bool_constant),
    "true_type": _of(True),
    "false_type": _of(False),
}
