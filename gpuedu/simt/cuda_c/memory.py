"""Memory declared outside functions: ``__device__`` and ``__constant__`` outlive a launch.

Each kernel of a module sees the same memory; the host reaches it by name
(``RawModule.get_global``).
"""

from __future__ import annotations

import weakref
from dataclasses import replace

import numpy as np

from gpuedu.errors import KernelSourceError
from gpuedu.simt.cuda_c.constants import bind_constants
from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.declarations import Declared
from gpuedu.simt.cuda_c.dispatch import evaluate
from gpuedu.simt.cuda_c.locals import declaration
from gpuedu.simt.cuda_c.lowerer import Lowerer, Memory, known
from gpuedu.simt.cuda_c.module import Function, Module
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.structures import read_declaration
from gpuedu.simt.cuda_c.syntax import parts, short, text_of, walk
from gpuedu.simt.cuda_c.types import ArrayOf, CType, Number, Struct, dimensions, dtype_of
from gpuedu.simt.cuda_c.whole_numbers import reader
from gpuedu.simt.host.buffers import Buffer, DeviceView
from gpuedu.simt.program import ArrayType, ConstantArray
from gpuedu.trace import Space

_views: weakref.WeakKeyDictionary[Module, dict[str, DeviceView]] = weakref.WeakKeyDictionary()


def global_memory(k: Lowerer) -> None:
    """Bind the module's variables as memory of the kernel."""
    for name, (view, type_, constant) in module_memory(k.module).items():
        slot = k.builder.array_slot(
            name, ArrayType(view.dtype, len(view.shape), Space.GLOBAL, constant)
        )
        k.tables.add("constants", ConstantArray(slot, view))
        _, extents = dimensions(type_)
        k.outside[name] = Memory(slot, type_, is_scalar=not extents)


def shared_memory(k: Lowerer, kernel: Function) -> None:
    """Bind the shared memory that is declared outside functions, if a kernel names it."""
    named = _named_from(k.module, kernel)
    for node in dict.fromkeys(node for name, node in k.module.shared.items() if name in named):
        with k.scope():
            declaration(k, node)
            k.outside.update(k.frame.scopes[-1])


def _named_from(module: Module, kernel: Function) -> set[str]:
    """The names in a kernel, and in the functions that it may call."""
    found: set[str] = set()
    ahead = [kernel]
    while ahead:
        for node in walk(ahead.pop().node):
            if node.type in ("identifier", "type_identifier") and text_of(node) not in found:
                found.add(text_of(node))
                ahead += dict.get(module.functions, text_of(node), [])
    return found


def module_memory(module: Module) -> dict[str, tuple[DeviceView, CType, bool]]:
    """The variables of a module: their memory, type, and whether kernels can only read them."""
    found = {}
    for name, variable in module.variables.items():
        try:
            declared = {made.name: made for made in read_declaration(module, variable.declaration)}
            made = _with_length(declared[name])
            found[name] = (_view(module, name, made.type, made.value), made.type, variable.constant)
        except KernelSourceError as fault:  # told where a kernel comes to it
            module.refused.setdefault(name, fault)
    return found


def _with_length(made: Declared) -> Declared:
    """``int a[] = {1, 2}`` has as many elements as values."""
    type_ = made.type
    if isinstance(type_, ArrayOf) and type_.length is None and made.value is not None:
        return replace(made, type=ArrayOf(type_.element, len(parts(made.value))))
    return made


def _view(module: Module, name: str, type_: CType, value: Node | None) -> DeviceView:
    views = _views.setdefault(module, {})
    if name not in views:
        inner, extents = dimensions(type_)
        shape = tuple(int(extent or 0) for extent in extents) or (1,)
        try:
            data = np.zeros(shape, dtype_of(inner))
        except TypeError:
            node = module.variables[name].node
            raise module.refuse(node, f"memory of `{inner}` is not covered here") from None
        if value is not None:
            _fill(module, data, inner, value)
        raw = np.frombuffer(bytearray(data.tobytes()), np.uint8)
        views[name] = DeviceView(Buffer(raw.nbytes, raw), 0, shape, data.strides, data.dtype, False)
    return views[name]


def _fill(module: Module, data: np.ndarray, inner: CType, value: Node) -> None:
    """The initial values, which must be known when the source is compiled."""
    bind_constants(module)
    if isinstance(inner, Struct):
        _fill_structure(module, data, inner, value)
        return
    nodes = [value]
    while nodes and nodes[0].type == "initializer_list":
        nodes = [part for node in nodes for part in parts(node)]
    for at, node in enumerate(nodes):
        if at >= data.size:
            raise module.refuse(node, f"{data.size} values fit here, got {len(nodes)}")
        data.reshape(-1)[at] = _number(module, node, inner)


def _number(module: Module, node: Node, type_: CType) -> np.generic:
    k = reader(module, node)
    if not isinstance(type_, Number):
        raise k.refuse(node, f"an initial value of `{type_}` is not covered here")
    number = known(convert(k, node, evaluate(k, node), type_))
    if number is None:
        raise k.refuse(node, f"`{short(node)}` must be known when it is compiled")
    return number


def _fill_structure(module: Module, data: np.ndarray, inner: Struct, value: Node) -> None:
    """``{1, 2, 3}``, or a list of such lists, one for each element."""
    given = parts(value)
    lists = given if data.size > 1 or (given and given[0].type == "initializer_list") else [value]
    for at, one in enumerate(lists):
        members = parts(one)
        if one.type != "initializer_list" or at >= data.size or len(members) > len(inner.fields):
            raise module.refuse(one, f"a list of at most {len(inner.fields)} values is needed here")
        for (name, type_), node in zip(inner.fields, members, strict=False):
            data.reshape(-1)[name][at] = _number(module, node, type_)
