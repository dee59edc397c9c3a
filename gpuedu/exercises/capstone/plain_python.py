"""What a program of the capstone may name: so much of Python as a training program needs.

Such a program is judged by what it costs, and that is counted in the process that runs it. So it
runs alone there, and nothing that it can write down reaches what counts it: no other module than
those on a list, no name with underscores but its own, no frame, no way to change PyTorch.
"""

from __future__ import annotations

import ast
import functools
import importlib
import operator
from types import ModuleType

from gpuedu.errors import AnswerError
from gpuedu.exercises.capstone.own_names import OwnNames, in_body

_WHOLE = """
    itertools math numpy numpy.random statistics torch torch.amp torch.distributed torch.nn
    torch.nn.functional torch.nn.init torch.nn.utils torch.optim torch.optim.lr_scheduler
"""
_IN_PARTS = {
    "collections": "Counter OrderedDict defaultdict deque namedtuple",
    "contextlib": "contextmanager nullcontext suppress",
    "dataclasses": "asdict astuple dataclass field replace",
    "functools": "cache cached_property lru_cache partial reduce",
    "io": "BytesIO StringIO",
    "json": "dumps loads",
    "torch.autograd": "grad",
    "torch.utils.checkpoint": "checkpoint checkpoint_sequential",
    "torch.backends": "",
    "torch.utils": "",
}
"""Modules of which only these names may be used: others read files, or names given as texts."""
_THROUGH = frozenset(
    {"torch.utils", "torch.cuda", "torch.backends", "torch.linalg", "numpy.linalg"}
)
"""Modules that are only a way to others, or to their functions."""
MODULES = (frozenset(_WHOLE.split()) | _IN_PARTS.keys()) - _THROUGH
"""What may be imported, beside the program's own files."""
_LISTED = f"these modules may be used: {', '.join(sorted(MODULES))}"
_FILES = "fromfile fromregex genfromtxt loadtxt memmap savetxt savez savez_compressed"
_SPARSE = """
    bsc bsc_tensor bsr bsr_tensor compressed_tensor coo coo_tensor csc csc_tensor csr csr_tensor
"""
_LEFT_OUT = {
    "torch.compile": "what it runs is not counted here",
    "torch.as_strided": "it looks past a tensor's own numbers",
    "torch.set_num_threads": "times are not what is counted",
    "torch.from_file": "files are in the store",
    "torch.set_default_device": "give each tensor its device",
    "torch.set_default_tensor_type": "give each tensor its dtype",
    "torch.from_dlpack": "it shares memory with others",
    "torch.get_device_module": "import the modules that you need",
    "torch.frombuffer": "`torch.tensor` or `torch.from_numpy` makes a tensor",
    **{
        f"torch.sparse_{name}": "its indices are not checked, and dense tensors do the same"
        for name in _SPARSE.split()
    },
    "torch.distributed.init_process_group": "the ranks are there when the program begins",
    "torch.distributed.breakpoint": "nobody is there to answer",
    "numpy.from_dlpack": "it shares memory with others",
    **{
        f"torch.optim.lr_scheduler.{name}": "a function of the step can set the rate"
        for name in ("CyclicLR", "LambdaLR", "MultiplicativeLR")  # they show what any object holds
    },
    **{f"numpy.{name}": "files are in the store" for name in _FILES.split()},
    **{f"numpy.{name}": "`numpy.array` makes an array" for name in ("matrix", "recarray")},
    **{f"numpy.{part}test": "nothing is tested here" for part in ("", "linalg.", "random.")},
}
_OF_TORCH = """
    Event Generator OutOfMemoryError Size Stream default_generator device dtype finfo iinfo
    get_default_dtype is_autocast_enabled is_grad_enabled is_inference_mode_enabled layout
    memory_format
"""
_INNER_OF_TORCH = frozenset(_OF_TORCH.split())
"""What ``torch`` hands on of its compiled part, beside operators, and a program may have."""
_GROUPS = frozenset({"P2POp", "ReduceOp", "Work", "group"})
"""Classes of ``torch.distributed`` that reach no file and no network."""
_REACHING = (
    getattr, setattr, delattr, vars, globals, locals, eval, exec, compile, open, type, __import__,
    breakpoint, input, operator.attrgetter, operator.methodcaller, functools.wraps,
    functools.update_wrapper,
)  # fmt: skip
"""What some module may have imported, and would reach everything."""
_INNER = """
    ag_await ag_code ag_frame cr_await cr_code cr_frame cr_origin f_back f_builtins f_code f_globals
    f_lineno f_locals f_trace func_globals gi_code gi_frame gi_yieldfrom mro tb_frame tb_lasti
    tb_lineno tb_next tb_prev compile ctypes as_strided dump from_file share_memory share_memory_
    storage tofile untyped_storage apply_ map_ map2_ new set_
    bit_generator data_ptr capsule cffi resize resize_ resize_as_ resize_as_sparse_
    sparse_resize_ sparse_resize_and_clear_ to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo
    to_sparse_csc to_sparse_csr
"""
_INNER_NAMES = frozenset(_INNER.split())
_METHODS = """
    __call__ __contains__ __enter__ __exit__ __getitem__ __init__ __iter__ __len__ __next__
    __post_init__
"""
_UNCHECKED = frozenset({"check_invariants", "is_coalesced", "sparse_grad"})
"""Arguments that make a sparse tensor, or leave its indices unchecked."""
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
_GENERIC = frozenset({"dict", "frozenset", "list", "set", "tuple"})
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
    reader = _Reader(name, own)
    for node in ast.walk(tree):  # first, so that a name means the same everywhere
        reader.note_name(node)
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            reader.learn(node)
    reader.visit(tree)
    # `self` is a name as any other: `def f(self): return self._x` would show what a store keeps.
    return ast.fix_missing_locations(OwnNames().visit(tree))


class _Own(ModuleType):
    """Stands for one of the program's files, which is no value either: it holds its builtins."""


class _Reader(ast.NodeVisitor):
    def __init__(self, file: str, own: frozenset[str]) -> None:
        self._file, self._own = file, {name: _Own(name) for name in own}
        self._imported: dict[str, object] = {}
        self._rebound: set[str] = set()
        """Names that the file gives a meaning."""
        self._only_types: set[int] = set()
        """Nodes that only say what something is: in annotations, and for `isinstance`."""

    def _refuse(self, node: ast.AST, what: str, remedy: str = "") -> None:
        line = getattr(node, "lineno", 0)
        raise AnswerError(f"{self._file}, line {line}: {what}", remedy=remedy)

    def note_name(self, node: ast.AST) -> None:
        """Note what name it gives a meaning, in whatever way."""
        if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)):
            names = (getattr(node, name, None) for name in ("id", "arg", "name", "asname"))
            self._rebound.update(one for one in names if isinstance(one, str))

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
            value = None if node.module else self._own[one.name]
            self._stands_for(node, one.asname or one.name, value)

    def _require_module(self, node: ast.AST, name: str) -> None:
        if name in self._own:
            self._refuse(node, f"`{name}` is one of the program's files", f"`from .{name} import`")
        if name not in MODULES:
            self._refuse(node, f"`{name}` may not be imported here", _LISTED)

    def _member(self, node: ast.AST, module: ModuleType, name: str) -> object:
        """What a module has by a name, where a program may have that."""
        full = f"{module.__name__}.{name}"
        if name.startswith("_"):
            self._refuse(node, f"`{full}` is private to {module.__name__}")
        if full in _LEFT_OUT:
            self._refuse(node, f"`{full}` is not allowed here: {_LEFT_OUT[full]}")
        parts = _IN_PARTS.get(module.__name__)
        is_way = isinstance(getattr(module, name, None), ModuleType)
        if parts is not None and name not in parts.split() and not is_way:
            remedy = f"of this module: {parts}" if parts else _LISTED
            self._refuse(node, f"`{full}` is not allowed here", remedy)
        if module.__name__ == "torch.distributed" and "object" in name:
            self._refuse(node, f"`{full}` is not allowed here", "send tensors")
        found = getattr(module, name, None)
        if not _may_be_had(module.__name__, name, found):
            is_module = isinstance(found, ModuleType)
            self._refuse(node, f"`{full}` is not allowed here", _LISTED if is_module else "")
        if name == "load" and full in _LOADERS and not self._is_called(node):
            self._refuse(node, f"`{full}` may only be called", "call it where its result is needed")
        return found

    # Names

    def visit_Name(self, node: ast.Name) -> None:
        self._require_name(node, node.id)
        self._require_no_constructor(node, self._imported.get(node.id))
        if isinstance(self._imported.get(node.id), ModuleType):
            self._refuse(node, f"the module `{node.id}` is used as a value")

    def _require_no_constructor(self, node: ast.AST, value: object) -> None:
        """`torch.Tensor([...])` makes a tensor unseen, so it's there for what asks for types.

        And `numpy.ndarray(...)` makes arrays that lie outside their memory.
        """
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
        elif isinstance(node, ast.Subscript) and self._means(node.value, _GENERIC):
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
        if node.name not in _OWN_METHODS:
            self._require_name(node, node.name)
        self._says_a_type(node.returns)
        self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._refuse(node, "`async` is not allowed here")

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._require_name(node, node.name)
        if node.keywords:
            self._refuse(node, "a class takes its bases alone here")
        for one in in_body(node):
            if isinstance(one, (ast.Import, ast.ImportFrom)):
                self._refuse(one, "an import in a class is not allowed here", "import above it")
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
            self._require_no_constructor(node, found)
            if isinstance(found, ModuleType) and not is_way:
                self._refuse(node, f"the module `{ast.unparse(node)}` is used as a value")
            # The name may be a parameter's, too, and stand for something else.
            if node.attr in _INNER_NAMES or not hasattr(base, node.attr):
                self._refuse(node, f"`{base.__name__}` has no `{node.attr}` here")
            if isinstance(node.value, ast.Attribute):
                self._look_at(node.value, is_way=True)
            return
        if is_changed and node.attr == "data":
            self._refuse(node, "`.data` is not set here", "`copy_` writes into a tensor")
        is_self = isinstance(node.value, ast.Name) and node.value.id == "self"
        is_start = node.attr == "__init__" and ast.unparse(node.value) == "super()"
        is_own = is_self and not node.attr.startswith("__")
        if (node.attr.startswith("_") and not (is_own or is_start)) or node.attr in _INNER_NAMES:
            self._refuse(node, f"`.{node.attr}` is not allowed here")
        if not isinstance(base, _Own):
            self.visit(node.value)

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
        if node.arg in _UNCHECKED:
            self._refuse(node.value, f"`{node.arg}` is not allowed here", "dense tensors do it")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        self._called = node.func
        if self._means(node.func, frozenset({"isinstance"})):
            for one in node.args[1:]:
                self._says_a_type(one)
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


def _may_be_had(module: str, name: str, found: object) -> bool:
    """Whether something of a library can be in a program's hands."""
    if isinstance(found, ModuleType):
        return found.__name__ in MODULES or found.__name__ in _THROUGH
    if any(found is one for one in _REACHING) or _is_from_elsewhere(module, found):
        return False
    if module == "torch.distributed" and isinstance(found, type):
        return name in _GROUPS
    if module != "torch":
        return True
    import torch

    if isinstance(found, (torch.dtype, torch.layout, torch.memory_format)):
        return True
    is_compiled = hasattr(torch._C, name) and not hasattr(torch._C._VariableFunctions, name)
    is_storage = isinstance(found, type) and name.endswith("Storage")
    is_old = name.endswith("Tensor") and name != "Tensor"  # `torch.FloatTensor` and its like
    return name in _INNER_OF_TORCH or not (is_compiled or is_storage or is_old)


def _is_from_elsewhere(module: str, found: object) -> bool:
    """Whether a function or class is only there because its module uses it."""
    if module in _IN_PARTS or not callable(found):
        return False
    home = getattr(found, "__module__", None)
    # While it's counted, some functions of PyTorch are ours in its place.
    own = (module.split(".")[0], "gpuedu")
    return isinstance(home, str) and home.split(".")[0].lstrip("_") not in own
