"""Compile a Python kernel for one set of argument types."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence

from gpuedu.errors import KernelSourceError
from gpuedu.simt.builder import Builder
from gpuedu.simt.origins import sites_by_origin
from gpuedu.simt.program import ArraySlot, Program, Slot
from gpuedu.simt.python import (  # noqa: F401 (they enter what they lower)
    attributes,
    calls,
    expressions,
    loops,
    raising,
    statements,
)
from gpuedu.simt.python.dispatch import run
from gpuedu.simt.python.lowerer import Lowerer
from gpuedu.simt.python.source import parse
from gpuedu.simt.python.variables import warn_of_early_reads
from gpuedu.simt.tables import Tables
from gpuedu.simt.values import Kind, Tuple, Value, leaves


def compile_kernel(python: Callable, kinds: Sequence[Kind]) -> Program:
    """The program of a kernel for arguments of these kinds.

    The function is parsed, never executed. Device functions are inlined at each call; names from
    outside have the values that they have now.

    Raises:
        KernelSourceError: A construct that Numba's CUDA target refuses, or that is not covered.
    """
    function = parse(python)
    tables = Tables(sources=[function.source])
    builder = Builder(tables)
    lowerer = Lowerer(builder, tables, [function])
    names = _parameters(lowerer, kinds)
    parameters: list[Slot | ArraySlot] = [
        leaf  # type: ignore[misc]
        for value in names.values()
        for leaf in leaves(value)
    ]
    builder.names = names
    for name, value in names.items():
        tables.note_variable(name, value)
    run(lowerer, function.tree.body)
    warn_of_early_reads(lowerer)
    variables: dict[str, set[str]] = {}
    for name, type_name in tables.variables:
        if not name.startswith("$"):
            variables.setdefault(name, set()).add(type_name)
    return Program(
        function.name,
        parameters,
        builder.block,
        tables.sources,
        sites_by_origin(tables.sites, builder.block, (*parameters, *tables.arrays)),
        tables.branches,
        tables.barriers,
        tables.shared,
        tables.local,
        tables.constants,
        variables,
        bool(tables.fences),
        notes=tuple(tables.notes),
    )


def _parameters(k: Lowerer, kinds: Sequence[Kind]) -> dict[str, Value]:
    function = k.function
    signature = inspect.signature(function.python)
    try:
        bound = signature.bind(*kinds)
    except TypeError:
        wanted = len(signature.parameters)
        raise KernelSourceError(
            f"the kernel takes {wanted} arguments, the launch passed {len(kinds)}",
            function=function.name,
            line=function.source.first_line,
            text=f"def {function.name}{signature}",
        ) from None
    bound.apply_defaults()
    names: dict[str, Value] = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            items = [
                k.builder.value_of(kind, f"{name}{number}")
                for number, kind in enumerate(bound.arguments[name])
            ]
            names[name] = Tuple(tuple(items))
        else:
            names[name] = k.builder.value_of(bound.arguments[name], name)
    return names
