"""What a program of the capstone may name: so much of Python as a training program needs.

Such a program is judged by what it costs, and that is counted in the process that runs it. So it
runs alone there, and nothing that it can write down reaches what counts it: no other module than
those on a list, no name with underscores but its own, no frame, no way to change PyTorch.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, ModuleType

from gpuedu.errors import AnswerError
from gpuedu.exercises.capstone.guarding import GuardedAttributes
from gpuedu.exercises.capstone.own_names import OwnNames, WithoutAnnotations, in_body
from gpuedu.exercises.capstone.plain_attributes import (
    allowed_attributes,
    library_attributes,
    own_attributes,
)
from gpuedu.exercises.capstone.plain_names import (
    BUILTINS,
    ENDINGS,
    GENERIC,
    HOOKS,
    LEFT_OUT,
    LISTED,
    LOADERS,
    MODULES,
    OF_CALLS,
    OF_OPERATORS,
    OWN_METHODS,
    PARTS,
    SHOWN,
    UNCHECKED,
)


def plain_trees(program: Mapping[str, str], label: str) -> dict[str, ast.Module]:
    """The parsed text of each file, by its module's name.

    Args:
        program: texts by file.
        label: what the files are shown to be in.

    Raises:
        AnswerError: a file names what it may not, with its line; or is no Python.
    """
    trees = {name: _parsed(f"{label}/{name}", text) for name, text in program.items()}
    own = frozenset(name.removesuffix(".py") for name in program)
    members = own_attributes(trees.values())
    given = frozenset(_given_names(trees.values()))
    if ends := (members | given) & ENDINGS:
        told = f"`{min(ends)}` is no name for what is yours: Python uses it by itself"
        raise AnswerError(f"{label}: {told}", remedy="another name")
    found = {}
    for name, tree in trees.items():
        try:
            _Reader(f"{label}/{name}", own, members, given).read(tree)
            found[name.removesuffix(".py")] = _rewritten(tree)
        except RecursionError:
            raise AnswerError(f"{label}/{name}: something in it is nested too deeply") from None
    return found


def _given_names(trees: Iterable[ast.Module]) -> set[str]:
    """Everything that the files give a name: variables, functions, classes, and imports."""
    found: set[str] = set()
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
    return found


def _parsed(name: str, source: str) -> ast.Module:
    try:
        return ast.parse(source, name)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as fault:
        line = getattr(fault, "lineno", None)
        where = f"{name}, line {line}" if line else name
        raise AnswerError(f"{where}: {getattr(fault, 'msg', None) or fault}") from None


def _rewritten(tree: ast.Module) -> ast.Module:
    # `self` is a name as any other: `def f(self): return self._x` would show what a store keeps.
    for transformer in (OwnNames(), WithoutAnnotations(), GuardedAttributes()):
        tree = transformer.visit(tree)
    return ast.fix_missing_locations(tree)


_IN_CLASSES = (ast.FunctionDef, ast.Assign, ast.AnnAssign, ast.Expr, ast.Pass)


class _Own(ModuleType):
    """Stands for one of the program's files, which is no value either: it holds its builtins."""


class _Reader(ast.NodeVisitor):
    def __init__(
        self, file: str, own: frozenset[str], members: frozenset[str], given: frozenset[str]
    ) -> None:
        self._file, self._own = file, {name: _Own(name) for name in own}
        self._members, self._given = members, given
        self._imported: dict[str, object] = {}
        self._rebound: set[str] = set()
        """Names that the file gives a meaning."""
        self._assigned: set[str] = set()
        """Those of them that it doesn't import."""
        self._above_classes: set[int] = set()
        """Nodes that name a class's decorator."""
        self._own_classes: set[str] = set()
        self._only_types: set[int] = set()
        """Nodes that only say what something is: in annotations, and for `isinstance`."""

    def _refuse(self, node: ast.AST, what: str, remedy: str = "") -> None:
        line = getattr(node, "lineno", 0)
        raise AnswerError(f"{self._file}, line {line}: {what}", remedy=remedy)

    def read(self, tree: ast.Module) -> None:
        """Look at a whole file."""
        for node in ast.walk(tree):  # first, so that a name means the same everywhere
            self.note_name(node)
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self.learn(node)
        self.visit(tree)

    def note_name(self, node: ast.AST) -> None:
        """Note what name it gives a meaning, in whatever way."""
        if isinstance(node, ast.ClassDef):
            self._own_classes.add(node.name)
        if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)):
            names = (getattr(node, name, None) for name in ("id", "arg", "name", "asname"))
            found = {one for one in names if isinstance(one, str)}
            self._rebound |= found
            self._assigned |= set() if isinstance(node, ast.alias) else found

    # Imports

    def visit_Import(self, node: ast.Import) -> None:
        """What it brings is known."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """What it brings is known."""

    def learn(self, node: ast.Import | ast.ImportFrom) -> None:
        """Look at an import, and note what its names stand for in the whole file."""
        if isinstance(node, ast.Import):
            self._learn_modules(node)
        else:
            self._learn_names(node)

    def _stands_for(self, node: ast.AST, name: str, value: object) -> None:
        self._require_name(node, name)
        if self._imported.setdefault(name, value) is not value:
            self._refuse(node, f"`{name}` is imported twice, as two things", "give it another name")

    def _learn_modules(self, node: ast.Import) -> None:
        for one in node.names:
            self._require_module(node, one.name)
            name = one.asname or one.name.partition(".")[0]
            whole = one.name if one.asname else one.name.partition(".")[0]
            importlib.import_module(one.name)
            self._stands_for(node, name, importlib.import_module(whole))

    def _learn_names(self, node: ast.ImportFrom) -> None:
        if node.level:
            self._require_own(node)
            return
        self._require_module(node, node.module or "")
        module = importlib.import_module(node.module or "")
        for one in node.names:
            if one.name == "*":
                self._refuse(node, "`import *` is not allowed here", "import the names one by one")
            self._stands_for(node, one.asname or one.name, self._member(node, module, one.name))

    def _require_own(self, node: ast.ImportFrom) -> None:
        names = [node.module] if node.module else [one.name for one in node.names]
        for name in names:
            if node.level > 1 or name not in self._own:
                files = ", ".join(f"{one}.py" for one in sorted(self._own))
                self._refuse(node, f"the program has no file {name}.py", f"its files are {files}")
        for one in node.names:
            self._require_name(node, one.name)
            value = None if node.module else self._own[one.name]
            self._stands_for(node, one.asname or one.name, value)

    def _require_module(self, node: ast.AST, name: str) -> None:
        if name in self._own:
            self._refuse(node, f"`{name}` is one of the program's files", f"`from .{name} import`")
        if name not in MODULES:
            self._refuse(node, f"`{name}` may not be imported here", LISTED)

    def _member(self, node: ast.AST, module: ModuleType, name: str) -> object:
        """What a module has by a name, where a program may have that."""
        full = f"{module.__name__}.{name}"
        if name.startswith("_"):
            self._refuse(node, f"`{full}` is private to {module.__name__}")
        if full in LEFT_OUT:
            self._refuse(node, f"`{full}` is not allowed here: {LEFT_OUT[full]}")
        parts = PARTS.get(module.__name__)
        if parts is None or (full in sys.modules and full not in PARTS):
            whole = module.__name__ if parts is None else full
            self._refuse(node, f"`{whole}` is not allowed here", LISTED)
        if full not in PARTS and not _may_be_had(module, name):
            listed = " ".join(parts.split())
            remedy = f"of this module: {listed}" if listed else LISTED
            self._refuse(node, f"`{full}` is not allowed here", remedy)
        found = getattr(module, name, None)
        if full in LOADERS and not self._is_called(node):
            self._refuse(node, f"`{full}` may only be called", "call it where its result is needed")
        return found

    # Names

    def visit_Name(self, node: ast.Name) -> None:
        self._require_name(node, node.id)
        if hasattr(builtins, node.id) and node.id not in BUILTINS | self._rebound:
            self._refuse(node, f"`{node.id}` is not allowed here")
        self._require_use(node, self._imported.get(node.id))
        if isinstance(self._imported.get(node.id), ModuleType):
            self._refuse(node, f"the module `{node.id}` is used as a value")

    def _require_use(self, node: ast.AST, value: object) -> None:
        """`torch.Tensor([...])` makes a tensor unseen, so it's there for what asks for types.

        And `numpy.ndarray(...)` makes arrays that lie outside their memory. `dataclass(...)` would
        give a library's class a new beginning.
        """
        if value is dataclass and id(node) not in self._above_classes:
            self._refuse(node, "`dataclass` stands above a class here", "`@dataclass`")
        if id(node) in self._only_types or not isinstance(value, type):
            return
        if value is importlib.import_module("torch").Tensor:
            self._refuse(node, "`torch.Tensor` is a type here", "`torch.tensor` makes a tensor")
        if value is importlib.import_module("numpy").ndarray:
            self._refuse(node, "`numpy.ndarray` is a type here", "`numpy.array` makes an array")

    def _says_a_type(self, node: ast.AST | None) -> None:
        """Note what is a type alone: in a form that hands it to nothing of the program's."""
        if isinstance(node, (ast.Name, ast.Attribute)):
            self._only_types.add(id(node))
        elif isinstance(node, ast.Tuple):
            for one in node.elts:
                self._says_a_type(one)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            self._says_a_type(node.left)
            self._says_a_type(node.right)
        elif isinstance(node, ast.Subscript) and self._means(node.value, GENERIC):
            self._says_a_type(node.slice)

    def _means(self, node: ast.AST, names: frozenset[str]) -> bool:
        """Whether it is one of these names of Python's, which no line of the file gives away."""
        return isinstance(node, ast.Name) and node.id in names - self._rebound

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._says_a_type(node.annotation)
        self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> None:
        self._require_name(node, node.arg)
        self._says_a_type(node.annotation)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name not in OWN_METHODS:
            self._require_name(node, node.name)
        self._says_a_type(node.returns)
        self._require_no_end(node)
        self.generic_visit(node)

    def _require_no_end(self, node: ast.FunctionDef) -> None:
        """A generator that ends when Python finds that nobody has it any more does nothing then.

        What ``contextmanager`` makes of one is entered by ``with`` alone, which ends it itself.
        """
        if len(node.decorator_list) == 1 and self._is_manager(node.decorator_list[0]):
            return
        for one in in_body(node):
            ends = isinstance(one, (ast.With, ast.Try, ast.TryStar))
            if ends and any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in in_body(one)):
                self._refuse(
                    one,
                    "a generator yields in `with` or `try`",
                    "Only what `@contextmanager`, and nothing else, stands above may do that.",
                )

    def _is_manager(self, node: ast.expr) -> bool:
        first = node.value if isinstance(node, ast.Attribute) else node
        is_given = isinstance(first, ast.Name) and first.id not in self._assigned
        return is_given and self._value_of(node) is contextmanager

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._refuse(node, "`async` is not allowed here")

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._require_name(node, node.name)
        if node.keywords:
            self._refuse(node, "a class takes its bases alone here")
        above = (one.func if isinstance(one, ast.Call) else one for one in node.decorator_list)
        self._above_classes.update(map(id, above))
        for one in in_body(node):
            if isinstance(one, (ast.Import, ast.ImportFrom)):
                self._refuse(one, "an import in a class is not allowed here", "import above it")
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
                self._require_attribute(one, one.id)
        for one in node.body:
            if not isinstance(one, _IN_CLASSES):
                self._refuse(one, "a class has only methods and fields here")
            if isinstance(one, ast.FunctionDef) and one.name not in OWN_METHODS:
                self._require_attribute(one, one.name)
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
        self._look_at(node, is_way=False)

    def _look_at(self, node: ast.Attribute, *, is_way: bool) -> None:
        """An attribute; one that is a module has to be the way to something in it."""
        base = self._value_of(node.value)
        is_changed = not isinstance(node.ctx, ast.Load)
        if is_changed and not (base is None or isinstance(base, _Own)):
            self._refuse(node, f"`{ast.unparse(node)}` belongs to a library")
        if is_changed and isinstance(base, _Own) and node.attr in BUILTINS:
            self._refuse(node, f"`{node.attr}` is Python's own, and stays")
        if isinstance(base, ModuleType) and not isinstance(base, _Own):
            found = self._member(node, base, node.attr)
            self._require_use(node, found)
            if isinstance(found, ModuleType) and not is_way:
                self._refuse(node, f"the module `{ast.unparse(node)}` is used as a value")
            # The name may be a parameter's, too, and stand for something else.
            if node.attr in library_attributes() or not hasattr(base, node.attr):
                self._refuse(node, f"`{base.__name__}` has no `{node.attr}` here")
            if isinstance(node.value, ast.Attribute):
                self._look_at(node.value, is_way=True)
            return
        if is_changed and node.attr == "data":
            self._refuse(node, "`.data` is not set here", "`copy_` writes into a tensor")
        is_self = isinstance(node.value, ast.Name) and node.value.id == "self"
        is_start = node.attr == "__init__" and self._is_super(node.value)
        is_own = is_self and not node.attr.startswith("__")
        is_own = is_own or node.attr in SHOWN
        if node.attr.startswith("_") and not (is_own or is_start):
            remedy = "`super().__init__()`" if node.attr == "__init__" else ""
            self._refuse(node, f"`.{node.attr}` is not allowed here", remedy)
        # A name that stands for an own file may be a parameter's, too.
        self._require_attribute(node, node.attr, self._given if isinstance(base, _Own) else ())
        if not isinstance(base, _Own):
            self.visit(node.value)

    def _is_super(self, node: ast.expr) -> bool:
        """Whether it is `super()`, or what that stands for: `super(A, self)`, of an own class."""
        if not (isinstance(node, ast.Call) and self._means(node.func, frozenset({"super"}))):
            return False
        names = [getattr(one, "id", "") for one in node.args]
        is_whole = not names or (len(names) == 2 and names[0] in self._own_classes)
        return is_whole and names[1:] in ([], ["self"]) and not node.keywords

    def _require_attribute(self, node: ast.AST, name: str, given: Collection[str] = ()) -> None:
        if name in library_attributes():
            remedy = "If it is your own, give it another name." if name in self._members else ""
            if name in ("format", "format_map"):
                remedy = "an f-string"
            if name in HOOKS:
                remedy = "Do it after the backward pass: what a hook costs is not counted."
            self._refuse(node, f"`.{name}` is not allowed here", remedy)
        is_known = name in self._members or name in allowed_attributes() or name in given
        if not (name.startswith("_") or is_known):
            self._refuse(
                node,
                f"`.{name}` is not known here",
                "Is it spelled as where it's set? Of libraries, you have what training needs.",
            )

    def _value_of(self, node: ast.expr) -> object:
        """What an imported name, or a chain that begins with one, stands for; None otherwise."""
        if isinstance(node, ast.Name):
            return self._imported.get(node.id)
        if isinstance(node, ast.Attribute):
            base = self._value_of(node.value)
            return getattr(base, node.attr, None) if base is not None else None
        return None

    def visit_keyword(self, node: ast.keyword) -> None:
        """An argument by its name."""
        if node.arg in UNCHECKED:
            self._refuse(node.value, f"`{node.arg}` is not allowed here", "dense tensors do it")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        self._called = node.func
        if self._means(node.func, frozenset({"isinstance"})):
            for one in node.args[1:]:
                self._says_a_type(one)
        function = self._value_of(node.func)
        for full, options in LOADERS.items():
            module, _, name = full.rpartition(".")
            if function is not None and function is getattr(importlib.import_module(module), name):
                extra = [one.arg for one in node.keywords if not _is_option(one, options)]
                if len(node.args) != 1 or isinstance(node.args[0], ast.Starred) or extra:
                    allowed = "".join(f", {one}" for one in options)
                    self._refuse(node, f"`{full}` takes a file{allowed} here, and nothing else")
        self.generic_visit(node)

    def _is_called(self, node: ast.AST) -> bool:
        return getattr(self, "_called", None) is node


def _is_option(given: ast.keyword, options: Sequence[str]) -> bool:
    """Whether a reader of files may be given it; what reads weights only may be said to."""
    is_set = given.arg != "weights_only" or getattr(given.value, "value", None) is True
    return given.arg in options and is_set


def _may_be_had(module: ModuleType, name: str) -> bool:
    """Whether something of a library can be in a program's hands."""
    import torch

    if name in PARTS[module.__name__].split():
        return True
    found = vars(module).get(name)
    if module.__name__ in OF_OPERATORS and isinstance(found, BuiltinFunctionType):
        homes = torch._C._nn, torch._C._linalg
        if name.startswith(("choose_", "cudnn_", "fbgemm_", "miopen_", "mkldnn_", "quantize")):
            return False  # of certain devices and formats: some read memory as they are told
        return hasattr(torch._C._VariableFunctions, name) or found.__self__ in homes
    if module.__name__ in OF_CALLS and isinstance(found, FunctionType):
        return found.__module__ == module.__name__
    return module is torch and isinstance(found, (torch.dtype, torch.layout, torch.memory_format))
