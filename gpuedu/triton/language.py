"""The part of Python that Triton's language is, checked before any of it runs.

Triton's interpreter executes a kernel as Python. Its compiler accepts much less: loops, conditions,
arithmetic, calls of ``tl`` and of other kernels. What passes here is safe to execute for anyone who
gets the text, because nothing in it leads out of that part.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from gpuedu.errors import GpueduError

_OF_TL = """
abs add arange argmax argmin associative_scan assume atomic_add atomic_and atomic_cas atomic_max
atomic_min atomic_or atomic_xchg atomic_xor bfloat16 broadcast broadcast_to cast cat cdiv ceil
clamp constexpr cos cumprod cumsum debug_barrier device_assert div_rn dot dot_scaled erf exp exp2
expand_dims fdiv flip float16 float32 float64 float8e4nv float8e5 floor fma full gather histogram
int1 int16 int32 int64 int8 interleave join load log log2 make_tensor_descriptor max max_constancy
max_contiguous maximum min minimum mul multiple_of num_programs permute program_id rand randint
randn range ravel reduce reshape rsqrt sigmoid sin softmax sort split sqrt sqrt_rn static_assert
static_range store sub sum swizzle2d topk trans uint16 uint32 uint64 uint8 umulhi view where
xor_sum zeros zeros_like
"""
OF_TL = frozenset(_OF_TL.split())
"""Names of ``triton.language`` that a kernel may use."""
_OF_MATH = """
abs ceil cos div_rn erf exp exp2 fdiv floor fma log log2 rsqrt sin sqrt sqrt_rn umulhi
"""
OF_MATH = frozenset(_OF_MATH.split())
"""Names of ``tl.math``."""
_OF_VALUES = """
T abs argmax argmin atomic_add atomic_cas atomic_max atomic_min atomic_xchg broadcast_to cast cdiv
ceil cos cumprod cumsum dtype element_ty erf exp exp2 expand_dims flip floor gather load log log2
logical_and logical_or max min permute ravel reshape rsqrt scalar shape sigmoid sin softmax sort
split sqrt store sum to trans type value view
"""
OF_VALUES = frozenset(_OF_VALUES.split())
"""Attributes of values: of blocks, of descriptors and of their types."""
_BUILTINS = """
abs float int len max min range
"""
BUILTINS = frozenset(_BUILTINS.split())
_OF_FRONT_END = frozenset({"getattr", "hasattr", "isinstance", "list", "print"})
"""Names that Triton's front end knows by itself, and finds where a kernel's own was not set yet."""
_OF_INTERPRETER = (None, "member")
"""No argument's name: of ``**given``, and one that only Triton's interpreter has."""
_STATEMENTS = (
    ast.AnnAssign,
    ast.Assert,
    ast.Assign,
    ast.AugAssign,
    ast.Expr,
    ast.For,
    ast.If,
    ast.Pass,
    ast.Return,
    ast.While,
)
_EXPRESSIONS = (
    ast.Attribute,
    ast.BinOp,
    ast.BoolOp,
    ast.Call,
    ast.Compare,
    ast.Constant,
    ast.IfExp,
    ast.List,
    ast.Name,
    ast.Slice,
    ast.Subscript,
    ast.Tuple,
    ast.UnaryOp,
)
_PARTS = (ast.boolop, ast.cmpop, ast.expr_context, ast.keyword, ast.operator, ast.unaryop)


class LanguageError(GpueduError):
    """What is not part of Triton's language; ``line`` is counted in the text that it is in."""

    def __init__(self, message: str, line: int, remedy: str = "") -> None:
        self.line = line
        super().__init__(f"line {line}: {message}", remedy=remedy)


def check(function: ast.FunctionDef, known: Iterable[str]) -> None:
    r"""Look at a kernel, or a function that kernels call, before it is executed.

    Args:
        function: As Python reads it.
        known: Names from around it: other kernels, and numbers.

    Raises:
        LanguageError: something in it is not part of Triton's language, or not visible to a kernel.

    >>> def look(body):
    ...     check(ast.parse("@triton.jit\ndef f(x):\n    " + body).body[0], ())
    >>> look("return x * 2")
    >>> look("import os")
    Traceback (most recent call last):
    gpuedu.triton.language.LanguageError: line 3: `import os` is not of Triton's language
    """
    for one in known:
        _plain_name(one, function)
    _check_function(function, frozenset(known))


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    if isinstance(node, ast.Call):
        is_constexpr = ast.unparse(node.func) == "tl.constexpr" and len(node.args) == 1
        return is_constexpr and not node.keywords and _is_number(node.args[0])
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float | bool)


def _check_function(node: ast.FunctionDef, known: frozenset[str]) -> None:
    _plain_name(node.name, node)
    given = node.args
    if given.vararg or given.kwarg or given.posonlyargs or given.kwonlyargs or node.returns:
        raise LanguageError(f"the parameters of `{node.name}` are not plain names", node.lineno)
    for one in given.args:
        _plain_name(one.arg, node)
        if one.annotation is not None and ast.unparse(one.annotation) != "tl.constexpr":
            raise LanguageError(
                f"the parameter `{one.arg}` has an annotation other than `tl.constexpr`",
                node.lineno,
            )
    for default in given.defaults:
        if not _is_number(default):
            raise _refused(default)
    names = known | {one.arg for one in given.args} | set(_assigned(node))
    for statement in node.body:
        _check_statement(statement, names)


def _assigned(node: ast.FunctionDef) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            yield _plain_name(one.id, one)


def _check_statement(node: ast.stmt, names: frozenset[str]) -> None:
    if not isinstance(node, _STATEMENTS):
        raise _refused(node)
    if isinstance(node, ast.For):
        _check_loop(node)
    if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) != "tl.constexpr":
        raise _refused(node)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            _check_statement(child, names)
        elif not (isinstance(node, ast.AnnAssign) and child is node.annotation):
            _check_expression(child, names)
    targets = [*getattr(node, "targets", []), *([node.target] if hasattr(node, "target") else [])]
    for one in targets:
        whole = one.elts if isinstance(one, ast.Tuple) else [one]
        if not all(isinstance(part, ast.Name) for part in whole):
            raise LanguageError(
                f"`{ast.unparse(one)}` is assigned to, but it is not a name", node.lineno
            )


def _check_loop(node: ast.For) -> None:
    call = node.iter
    over = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
    if over not in ("range", "tl.range", "tl.static_range"):
        raise LanguageError(
            f"a loop over `{ast.unparse(call)}`",
            node.lineno,
            remedy="Triton's loops go over `range`, `tl.range` or `tl.static_range`.",
        )


def _check_expression(node: ast.AST, names: frozenset[str]) -> None:
    if not isinstance(node, _EXPRESSIONS + _PARTS):
        raise _refused(node)
    if isinstance(node, ast.Attribute):
        if not _is_of_triton(node) and node.attr not in OF_VALUES:
            raise _refused(node)
        if _is_of_triton(node):
            return
    if isinstance(node, ast.Name) and node.id not in names | BUILTINS:
        raise LanguageError(
            f"`{node.id}` is not known in a kernel",
            node.lineno,
            remedy="It knows its parameters, what it assigns, `tl`, other kernels, and numbers.",
        )
    if isinstance(node, ast.keyword) and (node.arg in _OF_INTERPRETER or node.arg[0] == "_"):
        raise _refused(node.value)
    for child in ast.iter_child_nodes(node):
        _check_expression(child, names)


def _is_of_triton(node: ast.Attribute) -> bool:
    """Whether it is a name of Triton's: ``tl.load``, ``tl.math.exp``, ``triton.cdiv``.

    Raises:
        LanguageError: it is one that a kernel may not use.
    """
    path = _path(node)
    if path[0] not in ("tl", "triton", "libdevice"):
        return False
    allowed = (
        (path[0] == "tl" and len(path) == 2 and path[1] in OF_TL)
        or (path[:2] == ["tl", "math"] and len(path) == 3 and path[2] in OF_MATH)
        or path in (["triton", "cdiv"], ["triton", "next_power_of_2"])
        or (path[0] == "libdevice" and len(path) == 2 and path[1].isidentifier())
    )
    if not allowed or any(one.startswith("_") for one in path):
        raise LanguageError(f"`{'.'.join(path)}` cannot be used in a kernel here", node.lineno)
    return True


def _path(node: ast.expr) -> list[str]:
    """The names of a chain of attributes; an empty one in front where it begins with no name."""
    if isinstance(node, ast.Attribute):
        return [*_path(node.value), node.attr]
    return [node.id] if isinstance(node, ast.Name) else [""]


def _plain_name(name: str, node: ast.AST) -> str:
    is_taken = name in ("tl", "triton", "libdevice") or name in _OF_FRONT_END
    if name.startswith("__") or is_taken or not name.isascii():
        raise LanguageError(f"`{name}` cannot be used as a name in a kernel", _line(node))
    return name


_INSTEAD = {
    "math.inf": '`float("inf")` is infinity in a kernel.',
    "np.inf": '`float("inf")` is infinity in a kernel.',
    "np.maximum": "`tl.maximum(a, b)` takes the larger one.",
    "np.minimum": "`tl.minimum(a, b)` takes the smaller one.",
    "np.exp": "A kernel uses `tl.exp`.",
    "math.exp": "A kernel uses `tl.exp`.",
    "math.sqrt": "A kernel uses `tl.sqrt`.",
    "break": "Compute the end of the loop's range before it.",
    "continue": "Put what follows below an `if`.",
}
"""What to write in a kernel for what people write elsewhere."""


def _refused(node: ast.AST) -> LanguageError:
    text = ast.unparse(node).splitlines()[0]
    remedy = _INSTEAD.get(text, "")
    return LanguageError(f"`{text[:80]}` is not part of Triton's language", _line(node), remedy)


def _line(node: ast.AST) -> int:
    return getattr(node, "lineno", 1)
