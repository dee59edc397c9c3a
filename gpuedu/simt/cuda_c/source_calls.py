"""Calls of what the source defines: functions, lambdas, functions of structures, new objects."""

from __future__ import annotations

from gpuedu.simt.cuda_c import (
    functions,
    groups,
    lambdas,
    methods,
)
from gpuedu.simt.cuda_c.choosing import functions_of
from gpuedu.simt.cuda_c.construction import made_object
from gpuedu.simt.cuda_c.copies import has_array
from gpuedu.simt.cuda_c.device_functions import call_device_function, takes_exactly
from gpuedu.simt.cuda_c.dispatch import (
    PLACES,
    evaluate,
    place_of,
)
from gpuedu.simt.cuda_c.lowerer import Functions, Lambda, Lowerer, Method, TypeName
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.places import PlaceOf, dereference
from gpuedu.simt.cuda_c.syntax import (
    bare,
    field,
    operator_of,
    parts,
    text_of,
)
from gpuedu.simt.cuda_c.type_names import owner_of, type_named, type_of
from gpuedu.simt.cuda_c.types import VECTORS


def of_source(k: Lowerer, node: Node) -> PlaceOf | None:
    """What a function of the source gives, or an object in memory; None for all other calls."""
    callee, given = bare(field(node, "function")), parts(field(node, "arguments"))
    if callee.type == "field_expression":
        return _of_object(k, node, callee, given)
    if callee.type == "lambda_expression":
        return lambdas.call_lambda(k, node, lambdas.made_lambda(k, callee), given)
    if callee.type == "qualified_identifier" and groups.is_named(k, callee):
        return None
    if callee.type == "qualified_identifier":
        owner, name = owner_of(k, callee)
        function, arguments = _template_of(name)
        found = [] if owner is None else functions_of(owner, text_of(function))
        if found:
            return methods.call_method(k, node, None, found, given, arguments, owner)
        callee = name
    function, arguments = _template_of(callee)
    name = text_of(function)
    if callee.type in ("identifier", "template_function"):
        binding = k.find(name)
        if isinstance(binding, Method):
            place, owner = binding.place, binding.type
            return methods.call_method(k, node, place, binding.functions, given, arguments, owner)
        if isinstance(binding, Lambda):
            return lambdas.call_lambda(k, node, binding, given)
        is_object = callee.type == "identifier" and binding is not None
        if is_object and k.module.has_method("operator()"):
            this = place_of(k, callee)
            found = functions_of(this.type, "operator()")
            if found:
                return methods.call_method(k, node, this, found, given)
        own = binding.functions if isinstance(binding, Functions) else None
        if own is None and not isinstance(binding, TypeName):
            own = k.module.functions.get(name)
        if own and (arguments or not _is_cudas(name) or takes_exactly(k, own, given)):
            return call_device_function(k, node, own, given, arguments)
    return _new_object(k, node, callee, given)


def _is_cudas(name: str) -> bool:
    """Whether CUDA has a function of this name, beside which a source may put its own overloads."""
    vector = name.removeprefix("make_")
    return name in functions.FUNCTIONS or (name.startswith("make_") and vector in VECTORS)


def _of_object(k: Lowerer, node: Node, callee: Node, given: list[Node]) -> PlaceOf | None:
    """``object.f(...)`` and ``pointer->f(...)``."""
    name, arguments = _template_of(field(callee, "field"))
    if text_of(name) not in k.module.methods:
        return None
    owner = field(callee, "argument")
    if owner.type == "this" or operator_of(callee) == ".":
        this = place_of(k, owner)
    else:
        this = dereference(k, callee, evaluate(k, owner))
    found = functions_of(this.type, text_of(name))
    return methods.call_method(k, node, this, found, given, arguments) if found else None


def _template_of(name: Node) -> tuple[Node, list[Node]]:
    """A function's name without the arguments of its template, and those."""
    if name.type in ("template_method", "template_function"):
        return field(name, "name"), parts(field(name, "arguments"))
    return name, []


def _new_object(k: Lowerer, node: Node, callee: Node, given: list[Node]) -> PlaceOf | None:
    """``T(...)``, where a T has an array in it."""
    name, _ = _template_of(callee)
    is_type = isinstance(k.find(text_of(name)), TypeName) or text_of(name) in k.module.types
    if callee.type not in ("identifier", "type_identifier", "template_function") or not is_type:
        return None
    named = callee.type == "identifier"
    type_ = type_named(k, text_of(callee)) if named else type_of(k, callee)
    if type_ is None or not has_array(type_):
        return None
    return made_object(k, node, type_, given, is_list=False)  # type: ignore[arg-type]


@PLACES.enter("compound_literal_expression")
def _listed_object(k: Lowerer, node: Node) -> PlaceOf | None:
    """``T{...}``, where a T has an array in it."""
    type_ = type_of(k, field(node, "type"))
    if not has_array(type_):
        return None
    given = parts(field(node, "value"))
    return made_object(k, node, type_, given, is_list=True)  # type: ignore[arg-type]
