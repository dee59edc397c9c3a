"""Statements of CUDA C."""

from __future__ import annotations

from functools import lru_cache

from gpuedu.simt.cuda_c.conversions import truth
from gpuedu.simt.cuda_c.copies import copy
from gpuedu.simt.cuda_c.declarations import declare_name
from gpuedu.simt.cuda_c.dispatch import STATEMENTS, block, evaluate, place_of, run, statement
from gpuedu.simt.cuda_c.locals import declaration, local_type, spill_parameters
from gpuedu.simt.cuda_c.lowerer import Lowerer, TypeName
from gpuedu.simt.cuda_c.module import Function, Module
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.objects import given_back, new_object, own
from gpuedu.simt.cuda_c.parameters import is_reference
from gpuedu.simt.cuda_c.places import PlaceOf, Temporary
from gpuedu.simt.cuda_c.syntax import (
    addressed,
    bare,
    copied_by,
    field,
    parts,
    short,
    text_of,
    walk,
    within_namespaces,
)
from gpuedu.simt.cuda_c.type_names import type_of
from gpuedu.simt.cuda_c.types import AUTO, VOID
from gpuedu.simt.program import Branch, Const
from gpuedu.simt.values import Tuple, Value


def run_body(k: Lowerer, function: Function) -> None:
    """The body of a function; one that reaches its end returns what its references hold."""
    spill_parameters(k, function)
    run(k, parts(function.body))
    if k.builder.names is not None and len(k.frames) > 1:
        leave(k, function.body, None)


STATEMENTS.enter("compound_statement")(block)
STATEMENTS.enter("declaration")(declaration)


@STATEMENTS.enter("expression_statement")
def _expressions(k: Lowerer, node: Node) -> None:
    for part in parts(node):
        _for_effect(k, part)


@STATEMENTS.enter("break_statement")
def _break(k: Lowerer, node: Node) -> None:
    k.builder.leave_loop()


@STATEMENTS.enter("return_statement")
def _return(k: Lowerer, node: Node) -> None:
    leave(k, node, parts(node)[0] if parts(node) else None)


@STATEMENTS.enter("static_assert_declaration", "using_declaration", "namespace_alias_definition")
def _silent(k: Lowerer, node: Node) -> None:
    pass


@STATEMENTS.enter("attributed_statement")
def _attributed(k: Lowerer, node: Node) -> None:
    for part in parts(node)[-1:]:
        statement(k, part)


@STATEMENTS.enter("goto_statement", "labeled_statement")
def _goto(k: Lowerer, node: Node) -> None:
    raise k.refuse(node, "`goto` is not covered", "use a loop with `break`")


@STATEMENTS.enter("gnu_asm_expression")
def _assembly(k: Lowerer, node: Node) -> None:
    raise k.refuse(node, "assembly is not covered", "use CUDA's functions")


@STATEMENTS.enter("for_range_loop")
def _range_loop(k: Lowerer, node: Node) -> None:
    raise k.refuse(node, "a loop over a range is not covered", "`for (int i = 0; ...)`")


@STATEMENTS.enter("enum_specifier", "struct_specifier", "class_specifier")
def _type(k: Lowerer, node: Node) -> None:
    local_type(k, node)


def _for_effect(k: Lowerer, node: Node) -> None:
    """An expression whose value nobody uses."""
    node = bare(node)
    if node.type in ("assignment_expression", "call_expression"):
        place_of(k, node)  # what it stands for is not read
        return
    if node.type == "gnu_asm_expression":
        _assembly(k, node)
    evaluate(k, node)


@STATEMENTS.enter("type_definition", "alias_declaration")
def _local_type(k: Lowerer, node: Node) -> None:
    if node.type == "alias_declaration":
        made = type_of(k, field(node, "type"))
        k.bind(text_of(field(node, "name")), TypeName(made))
        return
    made = type_of(k, field(node, "type"))
    k.bind(text_of(node.children_by_field_name("declarator")[0]), TypeName(made))


@STATEMENTS.enter("if_statement")
def _if(k: Lowerer, node: Node) -> None:
    test = field(node, "condition")
    with k.scope():
        clause = test
        inner = parts(test)
        if inner and inner[0].type == "init_statement":
            statement(k, parts(inner[0])[0])
        if inner and inner[-1].type == "declaration":
            declaration(k, inner[-1])
            name = field(inner[-1], "declarator")
            condition = truth(k, name, evaluate(k, name))
        else:
            clause = inner[-1] if inner else test
            condition = truth(k, clause, evaluate(k, clause))
        then, orelse = field(node, "consequence"), node.child_by_field_name("alternative")
        other = parts(orelse)[0] if orelse is not None and orelse.type == "else_clause" else orelse
        if isinstance(condition, Const):
            chosen = then if condition.value else other
            if chosen is not None:
                block(k, chosen)
            return
        names = k.builder.names
        k.builder.branch(
            condition,
            lambda: block(k, then),
            lambda: block(k, other) if other is not None else None,
            list(names) if names is not None else [],
            k.tables.add("branches", Branch(k.place(test), short(bare(clause)))),
        )


def leave(k: Lowerer, node: Node, value: Node | None) -> None:
    """``return``: with the result, and with what the function's references hold now."""
    frame = k.frame
    if len(k.frames) == 1:
        if value is not None:
            raise k.refuse(node, "a kernel returns nothing", "write the result to an array")
        k.builder.leave_function(None)
        return
    given: list[Value] = []
    if value is not None and frame.result != VOID:
        source = given_back(k, value, frame.result)
        if frame.result == AUTO:
            frame.result = source.type
        if isinstance(source, Temporary):
            given.append(source.typed.value)
        else:
            _give_object(k, value, source)
    elif value is not None:
        place_of(k, value)
    if k.builder.names is None:
        return
    if frame.result not in (VOID, AUTO) and not given and value is None:
        raise k.refuse(
            frame.function.node,
            f"`{frame.function.name}` promises a `{frame.result}` and reaches its end without "
            "`return`",
            "`return ...;` on every path",
        )
    held = [k.builder.names[key] for key, _ in frame.references]
    if frame.references:
        k.builder.leave_function(Tuple((*given, *held)))
    else:
        k.builder.leave_function(given[0] if given else None)


def _give_object(k: Lowerer, node: Node, source: PlaceOf) -> None:
    """``return x;`` of an object in memory: all returns of a function leave it in one place."""
    frame = k.frame
    if returns_at_end(frame.function):
        frame.place = own(k, node, frame.function.name, source)
        return
    if frame.place is None:
        frame.place = new_object(k, node, frame.function.name, source.type)
    copy(k, node, frame.place, source)


def returns_at_end(function: Function) -> bool:
    """Whether a body has no ``return`` except as its last statement."""
    body = parts(function.body)
    returns = [part for part in walk(function.body) if part.type == "return_statement"]
    return all(body and part == body[-1] for part in returns)


@lru_cache(maxsize=512)
def address_taken(
    module: Module, function: Function, above: frozenset[Function] = frozenset()
) -> frozenset[str]:
    """The variables of a function whose address is taken, here or by a function that refers to it.

    They are kept in memory; ``memcpy`` also reaches registers. ``above`` are the functions that are
    already being examined.
    """
    if not function.has_body:
        return frozenset()
    if function in module.taken:
        return module.taken[function]
    found = set()
    copied = {
        inner.start_byte
        for node in walk(function.body)
        if node.type == "call_expression"
        for part in copied_by(node)
        if (inner := addressed(part)) is not None
    }
    for node in walk(function.body):
        if node.type == "pointer_expression" and text_of(node.children[0]) == "&":
            inner = bare(field(node, "argument"))
            found |= set() if inner.start_byte in copied else {_root(inner)}
        if node.type == "call_expression":
            found |= _referred(module, node, above | {function})
    module.taken[function] = frozenset(found - {""})
    return module.taken[function]


def _root(node: Node) -> str:
    """The variable of ``x``, ``x.y`` and the like; empty for other places."""
    node = bare(node)
    while node.type == "field_expression" and text_of(node.children[1]) == ".":
        node = bare(field(node, "argument"))
    return text_of(node) if node.type == "identifier" else ""


def _referred(module: Module, node: Node, above: frozenset[Function]) -> set[str]:
    """The variables that a call passes to references whose address is taken."""
    callee = within_namespaces(bare(field(node, "function")))
    inner = callee.child_by_field_name("field") or callee.child_by_field_name("name") or callee
    name = text_of(inner).partition("<")[0].rpartition("::")[2]
    known = [*dict.get(module.functions, name, []), *module.methods.get(name, [])]
    found = set()
    for called in known:
        if called in above:
            continue
        taken = address_taken(module, called, above)
        for at, part in enumerate(parts(field(node, "arguments"))):
            if is_reference(called, at, const=True):
                declared = declare_name(field(called.parameters[at], "declarator"))
                found |= {_root(part)} if declared in taken else set()
    return found
