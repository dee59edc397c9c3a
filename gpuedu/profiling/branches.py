"""What a script's source says about lines that ran: conditions on a GPU, loops inside a step.

A run without a GPU takes the branches for CPUs. What such a line does is not a finding.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

_GPU = re.compile(r"cuda|gpu|accel|!=\s*(torch\.device\()?['\"]cpu", re.IGNORECASE)
_CPU = re.compile(r"==\s*(torch\.device\()?['\"]cpu|\bnot\b[^=]*(cuda|gpu|accel)|use_cpu|args\.cpu")
_LOOPS = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def is_for_cpu(file: str, line: int) -> bool:
    """True if a line lies in a branch that is not taken where there is a GPU."""
    for node in ast.walk(_tree(file)):
        if not isinstance(node, ast.If | ast.IfExp) or not _spans(node, line):
            continue
        body = node.body if isinstance(node.body, list) else [node.body]
        other = node.orelse if isinstance(node.orelse, list) else [node.orelse]
        # On one line the branches cannot be told apart; the one that ran is the CPU's.
        if any(_spans(one, line) for one in other) and is_gpu_test(node.test):
            return True
        if any(_spans(one, line) for one in body) and is_cpu_test(node.test):
            return True
    return False


def is_gpu_test(test: ast.expr) -> bool:
    """True if a condition holds where there is a GPU, as far as its words say.

    >>> [is_gpu_test(ast.parse(text, mode="eval").body) for text in (
    ...     "use_cuda", "not torch.cuda.is_available()", "device == 'cpu'", "epoch > 3")]
    [True, False, False, False]
    """
    text = ast.unparse(test)
    return bool(_GPU.search(text)) and not is_cpu_test(test)


def is_cpu_test(test: ast.expr) -> bool:
    """True if a condition holds only on a CPU, as far as its words say."""
    return bool(_CPU.search(ast.unparse(test)))


def set_for_gpu(files: Iterable[str], word: str) -> tuple[str, int] | None:
    """The file and line where a keyword, or a key of that name, is set under a GPU's condition."""
    for file in files:
        for node in ast.walk(_tree(file)):
            if isinstance(node, ast.If | ast.IfExp) and is_gpu_test(node.test):
                body = node.body if isinstance(node.body, list) else [node.body]
                for inner in (one for part in body for one in ast.walk(part)):
                    if _names(inner, word):
                        return file, getattr(inner, "lineno", node.lineno)
    return None


def _names(node: ast.AST, word: str) -> bool:
    match node:
        case ast.Constant(value=found) | ast.keyword(arg=found):
            return found == word
    return False


def mentions(files: Iterable[str], pattern: str) -> tuple[str, int, str] | None:
    """The first line of code that matches, with its text; comments do not count."""
    found = re.compile(pattern)
    for file in files:
        for number, text in enumerate(linecache.getlines(file), 1):
            if found.search(text.partition("#")[0]) and "import" not in text:
                return file, number, text.strip()
    return None


def is_conditional(text: str) -> bool:
    """True if a line of code itself asks for the kind of device.

    >>> is_conditional("ctx = nullcontext() if device_type == 'cpu' else autocast('cuda')")
    True
    """
    return " if " in text and bool(_GPU.search(text) or "cpu" in text)


def inner_loop(file: str, line: int, step_lines: Iterable[tuple[str, int]]) -> int | None:
    """The line of the innermost loop around a line in its own function, inside a step.

    None if there is no such loop, or if it contains a line of ``step_lines``: then it is the loop
    over steps.
    """
    inside = {at for name, at in step_lines if name == file}
    loops = [one for one in _loops(_tree(file), line) if not any(_spans(one, at) for at in inside)]
    return loops[-1].lineno if loops else None


def _loops(node: ast.AST, line: int) -> Iterator[ast.expr | ast.stmt]:
    """From the outermost in, and none that is outside of the line's function."""
    found: list[ast.expr | ast.stmt] = []
    for one in _around(node, line):
        if isinstance(one, _FUNCTIONS):
            found.clear()
        elif isinstance(one, _LOOPS):
            found.append(one)
    yield from found


def _around(node: ast.AST, line: int) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if _spans(child, line):
            yield child
            yield from _around(child, line)


def _spans(node: ast.AST, line: int) -> bool:
    start, end = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
    return start is not None and end is not None and start <= line <= end


def _tree(file: str) -> ast.Module:
    """The file's syntax tree; an empty one where it has none."""
    return _parsed("".join(linecache.getlines(file)))


@lru_cache(maxsize=64)
def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError:
        return ast.Module([], [])
