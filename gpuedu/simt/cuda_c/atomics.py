"""Atomics of CUDA C: ``atomicAdd(&p[i], v)`` and its kin; each returns what was there before.

Source: CUDA C++ Programming Guide, "Atomic Functions". ``atomicMax`` and ``atomicMin`` of floats
do not exist in CUDA C, and the real compiler refuses them.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.lowerer import Lowerer, Typed, pointer_parts
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.types import INT, UNSIGNED, Number, Pointer
from gpuedu.simt.intrinsics.atomics import DTYPES
from gpuedu.simt.program import Atomic
from gpuedu.simt.values import Scalar
from gpuedu.trace import Operation

OPERATIONS = {
    "atomicAdd": "add",
    "atomicSub": "sub",
    "atomicExch": "exch",
    "atomicMin": "min",
    "atomicMax": "max",
    "atomicInc": "inc",
    "atomicDec": "dec",
    "atomicCAS": "cas",
    "atomicAnd": "and_",
    "atomicOr": "or_",
    "atomicXor": "xor",
}
NAMES = {
    f"{name}{scope}": operation
    for name, operation in OPERATIONS.items()
    for scope in ("", "_block", "_system")
}
"""The machine's operation by CUDA's name; the scope makes no difference here."""

_ALSO = {"exch": {"float32"}}


def atomic(k: Lowerer, node: Node, name: str, given: Sequence[Typed]) -> Typed:
    """One atomic call."""
    operation = NAMES[name]
    wanted = 3 if operation == "cas" else 2
    if len(given) != wanted or not isinstance(given[0].type, Pointer):
        raise k.refuse(
            node,
            f"`{name}` takes an address and {'two values' if wanted == 3 else 'a value'}",
            f"`{name}(&a[i], ...)`",
        )
    target = given[0].type.target
    if not isinstance(target, Number) or not _exists(operation, target):
        raise k.refuse(node, f"`{name}` does not exist for `{target}`")
    slot, offset = pointer_parts(given[0])
    operands = tuple(convert(k, node, value, target).expression for value in given[1:])
    used = not (node.parent is not None and node.parent.type == "expression_statement")
    result = k.builder.slot("t", target.dtype)
    site = k.site(node, Operation.ATOMIC, slot)
    k.builder.emit(Atomic(result if used else None, operation, slot, (offset,), operands, site))
    return Typed(target, Scalar(result))


def _exists(operation: str, target: Number) -> bool:
    name = target.dtype.name
    if operation in ("min", "max") and target.dtype.kind == "f":
        return False
    if operation == "sub" and target not in (INT, UNSIGNED):
        return False
    return name in DTYPES[operation] | _ALSO.get(operation, set())
