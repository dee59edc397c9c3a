"""Compile one kernel of a source text for the kinds of its arguments."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from gpuedu.errors import KernelSourceError
from gpuedu.simt.builder import Builder
from gpuedu.simt.cuda_c.constants import bind_constants
from gpuedu.simt.cuda_c.instances import scope_of, template_arguments
from gpuedu.simt.cuda_c.lowerer import Binding, Frame, Lowerer, Variable, pointer_to
from gpuedu.simt.cuda_c.memory import global_memory, shared_memory
from gpuedu.simt.cuda_c.module import Function, Module
from gpuedu.simt.cuda_c.outline import read_module
from gpuedu.simt.cuda_c.parameters import declared_parameters, for_arguments
from gpuedu.simt.cuda_c.statements import address_taken, run_body
from gpuedu.simt.cuda_c.types import VOID, CType, Number, Pointer, Struct, dimensions, dtype_of
from gpuedu.simt.cuda_c.variables import source_name
from gpuedu.simt.cuda_c.whole_numbers import reader
from gpuedu.simt.origins import sites_by_origin
from gpuedu.simt.program import ArraySlot, ArrayType, Const, Language, Program, Slot
from gpuedu.simt.prune import has_choices, prune
from gpuedu.simt.tables import Tables
from gpuedu.simt.values import Scalar, Tuple, Value
from gpuedu.trace import Space


@dataclass(frozen=True)
class CudaCKernel:
    """A kernel of a CUDA C source, by name; ``name`` may be ``"scale<float, 4>"``.

    ``options`` are those of the compiler: ``-D`` is handled here, the rest by the real compiler.
    Kernels of one source text share the memory of its variables if their ``module`` is the same.
    ``is_expression`` says that the name is a C++ expression, which needs no ``extern "C"``.
    ``is_cooperative`` says that its blocks may wait for each other.
    """

    code: str
    name: str
    options: tuple[str, ...] = ()
    module: int = 0
    is_expression: bool = False
    is_cooperative: bool = True

    @property
    def defines(self) -> tuple[str, ...]:
        """The macros of the options."""
        joined = [option.strip() for option in self.options]
        found = [option[2:].strip() for option in joined if option.startswith("-D")]
        found += [option[15:] for option in joined if option.startswith("--define-macro=")]
        return tuple(found)


def as_cuda_c(kernel: Any) -> CudaCKernel:
    """A kernel object in the form that this front end compiles."""
    if isinstance(kernel, CudaCKernel):
        return kernel
    options = tuple(getattr(kernel, "options", ()) or ())
    number, is_expression = (
        getattr(kernel, name, 0) for name in ("module_number", "is_expression")
    )
    meets = bool(getattr(kernel, "enable_cooperative_groups", True))
    return CudaCKernel(kernel.code, kernel.name, options, number, bool(is_expression), meets)


def require_valid(kernel: CudaCKernel) -> None:
    """Ask the real compiler, if it is installed.

    Raises:
        KernelCompileError: It refuses the source; the message is its own, at the source's line.
        KernelSourceError: There is no compiler, and the kernel cannot be found by its name.
    """
    from gpuedu.compilers import CompilerMissingError, check_kernel

    is_expression = kernel.is_expression or "<" in kernel.name
    try:
        check_kernel(kernel.code, kernel.name, options=kernel.options, is_expression=is_expression)
    except CompilerMissingError:
        if not is_expression:
            _require_plain_name(kernel)


def _require_plain_name(kernel: CudaCKernel) -> None:
    """Refuse a kernel without ``extern "C"``: a GPU would not find it."""
    module, function, _ = _found(kernel)
    above = function.node
    while above is not None and above.type != "linkage_specification":
        above = above.parent
    if above is None:
        raise module.refuse(
            function.node,
            "C++ adds the types of its parameters to its name, so a launch does not find it",
            'extern "C" in front of __global__',
            function=function.name,
        )


@lru_cache(maxsize=512)
def signature(kernel: CudaCKernel) -> tuple[tuple[str, CType], ...]:
    """The names and types of a kernel's parameters.

    Raises:
        KernelSourceError: The source does not compile, or has no such kernel.
    """
    module, function, scope = _found(kernel)
    tables = Tables()
    k = Lowerer(Builder(tables), tables, module)
    k.frames.append(Frame(function, [scope], VOID))
    return tuple((made.name, made.type) for made in declared_parameters(k, function, [scope]))


def _found(kernel: CudaCKernel) -> tuple[Module, Function, dict[str, Binding]]:
    """The module, the kernel's function, and what its template's parameters stand for."""
    module = read_module(kernel.code, kernel.defines, kernel.module)
    bind_constants(module)
    name, arguments = template_arguments(kernel.name)
    name = name.rpartition("::")[2]  # names of all namespaces stand in one table
    candidates = [function for function in module.functions.get(name, []) if function.is_kernel]
    if not candidates:
        for fault in module.refused.values():  # it may be what swallowed the kernel
            raise fault
        known = ", ".join(f"`{other}`" for other in module.kernels) or "none"
        raise KernelSourceError(
            f"there is no kernel `{name}` in this source",
            function=name,
            line=1,
            text=kernel.code.strip().splitlines()[0] if kernel.code.strip() else "",
            remedy=f"its kernels (`__global__` functions): {known}",
        )
    function = candidates[0]
    scope = scope_of(module, function, arguments)
    return module, *for_arguments(reader(module, function.node), function.node, function, scope)


def compile_cuda_c(kernel: CudaCKernel) -> Program:
    """The program of a kernel; its parameters' types are those of its source.

    A pointer is a parameter of one dimension, a structure one number for each member.

    Raises:
        KernelSourceError: Something is not covered; with its line.
    """
    require_valid(kernel)
    module, function, scope = _found(kernel)
    tables = Tables(sources=[function.source])
    k = Lowerer(Builder(tables), tables, module)
    frame = Frame(function, [scope, {}], VOID, in_memory=address_taken(module, function))
    k.frames.append(frame)
    global_memory(k)
    shared_memory(k, function)
    names: dict[str, Value] = {}
    k.builder.names = names
    parameters: list[Slot | ArraySlot] = []
    for made in declared_parameters(k, function, [scope]):
        value = _parameter(k, made.name, made.type, parameters, function)
        key = k.new_key(made.name)
        names[key] = value
        tables.note_variable(made.name, value)
        frame.scopes[1][made.name] = Variable(key, made.type)
    run_body(k, function)
    body = prune(k.builder.block)
    return Program(
        function.name,
        parameters,
        body,
        tables.sources,
        sites_by_origin(tables.sites, body, (*parameters, *tables.arrays)),
        tables.branches,
        tables.barriers,
        tables.shared,
        tables.local,
        tables.constants,
        _types_of_variables(tables),
        bool(tables.fences),
        has_choices(body),
        Language.CUDA_C,
    )


def _types_of_variables(tables: Tables) -> dict[str, set[str]]:
    """The types that each name of the source stands for; the builder's own names are left out."""
    variables: dict[str, set[str]] = {}
    for name, type_name in tables.variables:
        if not name.startswith("$"):
            variables.setdefault(source_name(name), set()).add(type_name)
    return variables


def _element(k: Lowerer, name: str, inner: CType, function: Function) -> np.dtype:
    try:
        return dtype_of(inner)
    except TypeError:
        raise k.refuse(
            function.node,
            f"`{name}` points to pointers, which is not covered",
            "pass each array as a separate argument, or one array of them all",
        ) from None


def _parameter(
    k: Lowerer,
    name: str,
    type_: CType,
    parameters: list[Slot | ArraySlot],
    function: Function,
) -> Value:
    match type_:
        case Number(dtype):
            slot = k.builder.slot(name, dtype)
            parameters.append(slot)
            return Scalar(slot)
        case Pointer(target):
            inner, _ = dimensions(target)
            dtype = np.dtype(np.uint8) if inner == VOID else _element(k, name, inner, function)
            array = k.builder.array_slot(name, ArrayType(dtype, 1, Space.GLOBAL))
            parameters.append(array)
            k.arrays.append(array)
            return pointer_to(array, Const(np.int64(0)))
        case Struct(fields=fields):
            items = tuple(
                _parameter(k, f"{name}.{inner_name}", inner, parameters, function)
                for inner_name, inner in fields
            )
            return Tuple(items, tuple(inner_name for inner_name, _ in fields))
    raise k.refuse(function.node, f"a parameter of type `{type_}` is not covered")
