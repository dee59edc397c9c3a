"""What a program of the capstone may name: so much of Python as a training program needs.

Such a program is judged by what it costs, and that is counted in the process that runs it. So it
runs alone there, and nothing that it can write down reaches what counts it: no other module than
those on a list, no name with underscores but its own, no frame, no way to change PyTorch.
"""

from __future__ import annotations

import ast
import importlib
from types import ModuleType

from gpuedu.errors import AnswerError

_WHOLE = """
    itertools math numpy numpy.random statistics torch torch.amp torch.distributed torch.nn
    torch.nn.functional torch.nn.init torch.nn.utils torch.optim torch.optim.lr_scheduler
    torch.utils.checkpoint
"""
_IN_PARTS = {
    "collections": "Counter OrderedDict defaultdict deque namedtuple",
    "contextlib": "contextmanager nullcontext suppress",
    "dataclasses": "asdict astuple dataclass field replace",
    "functools": "cache cached_property lru_cache partial reduce wraps",
    "io": "BytesIO StringIO",
    "json": "dumps loads",
}
"""Modules of which only these names may be used: others read files, or names given as texts."""
MODULES = frozenset(_WHOLE.split()) | _IN_PARTS.keys()
"""What may be imported, beside the program's own files."""
_THROUGH = MODULES | {"torch.utils", "torch.cuda", "torch.backends", "torch.linalg", "numpy.linalg"}
"""Modules whose functions may be called by way of another module."""
_LEFT_OUT = {
    "torch.compile": "what it runs is not counted here",
    "torch.as_strided": "it looks past a tensor's own numbers",
    "torch.set_num_threads": "times are not what is counted",
    "torch.from_file": "files are in the store",
    "torch.distributed.init_process_group": "the ranks are there when the program begins",
    "numpy.memmap": "files are in the store",
    "numpy.fromfile": "files are in the store",
}
_INNER = """
    ag_await ag_code ag_frame cr_await cr_code cr_frame cr_origin f_back f_builtins f_code f_globals
    f_lineno f_locals f_trace func_globals gi_code gi_frame gi_yieldfrom mro tb_frame tb_lasti
    tb_lineno tb_next tb_prev ctypes as_strided
"""
_FRAMES = frozenset(_INNER.split())
_METHODS = """
    __call__ __contains__ __enter__ __exit__ __getitem__ __init__ __iter__ __len__ __next__
    __post_init__
"""
_OWN_METHODS = frozenset(_METHODS.split())
_BUILTINS = (
    "ArithmeticError AssertionError AttributeError Ellipsis Exception False FileNotFoundError "
    "FloatingPointError IndexError KeyError LookupError None NotImplemented NotImplementedError "
    "OSError OverflowError RuntimeError StopIteration True TypeError ValueError ZeroDivisionError "
    "abs all any bool bytes callable dict divmod enumerate filter float format frozenset hasattr "
    "int isinstance issubclass iter len list map max min next object pow print property range repr "
    "reversed round set slice sorted staticmethod classmethod str sum super tuple zip"
)
BUILTINS = frozenset(_BUILTINS.split())
"""Names that are there without an import."""
_LOADERS = {"torch.load": ("map_location", "mmap"), "numpy.load": ()}
"""Readers of files that could be told to run what is in them, and which options they may have."""


def require_plain(name: str, source: str, own: frozenset[str]) -> ast.Module:
    """The file's parsed text; AnswerError, with its line, where it names what it may not.

    Args:
        name: of the file, for the error.
        source: its text.
        own: the program's own modules.
    """
    try:
        tree = ast.parse(source, name)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as fault:
        line = getattr(fault, "lineno", None)
        where = f"{name}, line {line}" if line else name
        raise AnswerError(f"{where}: {getattr(fault, 'msg', None) or fault}") from None
    _Reader(name, own).visit(tree)
    return tree


class _Reader(ast.NodeVisitor):
    def __init__(self, file: str, own: frozenset[str]) -> None:
        self._file, self._own = file, own
        self._imported: dict[str, object] = {}

    def _refuse(self, node: ast.AST, what: str, remedy: str = "") -> None:
        line = getattr(node, "lineno", 0)
        raise AnswerError(f"{self._file}, line {line}: {what}", remedy=remedy)

    # Imports

    def visit_Import(self, node: ast.Import) -> None:
        for one in node.names:
            self._require_module(node, one.name)
            name = one.asname or one.name.partition(".")[0]
            self._require_name(node, name)
            whole = one.name if one.asname else one.name.partition(".")[0]
            self._imported[name] = importlib.import_module(whole)
            importlib.import_module(one.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.level:
            self._require_own(node)
            return
        self._require_module(node, node.module or "")
        module = importlib.import_module(node.module or "")
        for one in node.names:
            if one.name == "*":
                self._refuse(node, "`import *` is not allowed here", "import the names one by one")
            self._require_name(node, one.asname or one.name)
            self._imported[one.asname or one.name] = self._member(node, module, one.name)

    def _require_own(self, node: ast.ImportFrom) -> None:
        names = [node.module] if node.module else [one.name for one in node.names]
        for name in names:
            if node.level > 1 or name not in self._own:
                files = ", ".join(f"{one}.py" for one in sorted(self._own))
                self._refuse(node, f"the program has no file {name}.py", f"its files are {files}")
        for one in node.names:
            self._require_name(node, one.asname or one.name)

    def _require_module(self, node: ast.AST, name: str) -> None:
        if name in self._own:
            self._refuse(node, f"`{name}` is one of the program's files", f"`from .{name} import`")
        if name not in MODULES:
            listed = ", ".join(sorted(MODULES))
            self._refuse(node, f"`{name}` may not be imported here", f"these may be: {listed}")

    def _member(self, node: ast.AST, module: ModuleType, name: str) -> object:
        """What a module has by a name, where a program may have that."""
        full = f"{module.__name__}.{name}"
        if name.startswith("_"):
            self._refuse(node, f"`{full}` is private to {module.__name__}")
        if full in _LEFT_OUT:
            self._refuse(node, f"`{full}` is not allowed here: {_LEFT_OUT[full]}")
        parts = _IN_PARTS.get(module.__name__)
        if parts is not None and name not in parts.split():
            self._refuse(node, f"`{full}` is not allowed here", f"of this module: {parts}")
        if module.__name__ == "torch.distributed" and "object" in name:
            self._refuse(node, f"`{full}` is not allowed here", "send tensors")
        found = getattr(module, name, None)
        if isinstance(found, ModuleType) and found.__name__ not in _THROUGH:
            self._refuse(node, f"`{full}` is not allowed here")
        if name == "load" and full in _LOADERS and not self._is_called(node):
            self._refuse(node, f"`{full}` may only be called", "call it where its result is needed")
        return found

    # Names

    def visit_Name(self, node: ast.Name) -> None:
        self._require_name(node, node.id)
        if isinstance(self._imported.get(node.id), ModuleType):
            self._refuse(node, f"the module `{node.id}` is used as a value")

    def visit_arg(self, node: ast.arg) -> None:
        self._require_name(node, node.arg)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name not in _OWN_METHODS:
            self._require_name(node, node.name)
        self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._refuse(node, "`async` is not allowed here")

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._require_name(node, node.name)
        if node.keywords:
            self._refuse(node, "a class takes its bases alone here")
        self.generic_visit(node)

    def visit_Match(self, node: ast.Match) -> None:
        self._refuse(node, "`match` is not allowed here", "`if` and `elif`")

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.type is None:
            self._refuse(node, "`except:` catches everything", "name the exception")
        if node.name:
            self._require_name(node, node.name)
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        for name in node.names:
            self._require_name(node, name)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        for name in node.names:
            self._require_name(node, name)

    def _require_name(self, node: ast.AST, name: str) -> None:
        if name.startswith("__"):
            self._refuse(node, f"`{name}` is not allowed here")

    # Attributes and calls

    def visit_Attribute(self, node: ast.Attribute) -> None:
        base = self._value_of(node.value)
        is_changed = not isinstance(node.ctx, ast.Load)
        if isinstance(base, ModuleType):
            if is_changed:
                self._refuse(node, f"`{ast.unparse(node)}` belongs to a library")
            self._member(node, base, node.attr)
            self._visit_chain(node.value)
            return
        if is_changed and base is not None:
            self._refuse(node, f"`{ast.unparse(node)}` belongs to a library")
        is_self = isinstance(node.value, ast.Name) and node.value.id == "self"
        is_start = node.attr == "__init__" and ast.unparse(node.value) == "super()"
        is_own = is_self and not node.attr.startswith("__")
        if (node.attr.startswith("_") and not (is_own or is_start)) or node.attr in _FRAMES:
            self._refuse(node, f"`.{node.attr}` is not allowed here")
        self.visit(node.value)

    def _visit_chain(self, node: ast.expr) -> None:
        """Below a module's name there is nothing else to look at."""
        if isinstance(node, ast.Attribute):
            self.visit_Attribute(node)

    def _value_of(self, node: ast.expr) -> object:
        """What an imported name, or a chain that begins with one, stands for; None otherwise."""
        if isinstance(node, ast.Name):
            return self._imported.get(node.id)
        if isinstance(node, ast.Attribute):
            base = self._value_of(node.value)
            return getattr(base, node.attr, None) if base is not None else None
        return None

    def visit_Call(self, node: ast.Call) -> None:
        self._called = node.func
        function = self._value_of(node.func)
        for full, options in _LOADERS.items():
            module, _, name = full.rpartition(".")
            if function is not None and function is getattr(importlib.import_module(module), name):
                extra = [one.arg for one in node.keywords if one.arg not in options]
                if len(node.args) != 1 or isinstance(node.args[0], ast.Starred) or extra:
                    allowed = "".join(f", {one}" for one in options)
                    self._refuse(node, f"`{full}` takes a file{allowed} here, and nothing else")
        self.generic_visit(node)

    def _is_called(self, node: ast.AST) -> bool:
        return getattr(self, "_called", None) is node
