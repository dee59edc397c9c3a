"""Which attributes a program of the capstone may name: those of a list, and its own.

One that is its own is none of a library's at the same time: it would open that one, too.
"""

from __future__ import annotations

import ast
import functools
import io
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable
from types import FrameType, FunctionType, GeneratorType, TracebackType

from gpuedu.exercises.capstone.own_names import in_body
from gpuedu.exercises.capstone.plain_names import NAMING, OF_OBJECTS, PARTS, REFUSED

_OF_PYTHON = (
    *(str, bytes, list, dict, set, frozenset, tuple, int, float, complex, range, slice),
    *(deque, Counter, OrderedDict, defaultdict, io.BytesIO, io.StringIO, Exception, OSError),
)


@functools.cache
def allowed_attributes() -> frozenset[str]:
    """What a program may use of any object."""
    import torch
    from torch import nn

    found = {name for kind in _OF_PYTHON for name in dir(kind)}
    found |= {name for name in dir(torch.Tensor) if hasattr(torch.ops.aten, name)}
    for layer in (vars(nn)[name] for name in PARTS["torch.nn"].split()):
        found |= {*getattr(layer, "__constants__", ()), *getattr(layer, "__annotations__", ())}
    return frozenset(name for name in found if name[0] != "_") - REFUSED | OF_OBJECTS


@functools.cache
def library_attributes() -> frozenset[str]:
    """What libraries' objects have beside that: no name for a program's own."""
    import numpy as np
    import torch
    from torch import nn, optim
    from torch.optim import lr_scheduler

    kinds = [
        *_OF_PYTHON,
        *(FrameType, FunctionType, GeneratorType, TracebackType, memoryview, property, type),
        *(functools.partial, functools.cached_property, torch.Generator, torch.autograd.graph.Node),
        *(torch.Tensor, torch.UntypedStorage, torch.TypedStorage),
        *(np.ndarray, np.generic, np.recarray, np.random.BitGenerator, np.random.PCG64),
    ]
    modules = {"torch.nn": nn, "torch.optim": optim, "torch.optim.lr_scheduler": lr_scheduler}
    for name, module in modules.items():
        kinds += [vars(module)[one] for one in PARTS[name].split()]
    found = {name for kind in kinds for name in dir(kind) if name[0] != "_"}
    return frozenset(found | REFUSED) - allowed_attributes()


def own_attributes(trees: Iterable[ast.Module]) -> frozenset[str]:
    """What a program's files give their classes and objects, by whatever name."""
    found: set[str] = set()
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            found.add(node.attr)
        elif isinstance(node, ast.ClassDef):
            found |= {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
            for one in in_body(node):
                if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
                    found.add(one.id)
        elif isinstance(node, ast.Call) and _name_of(node.func) in NAMING:
            texts = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant))
            fields = (one.replace(",", " ").split() for one in texts if isinstance(one, str))
            found.update(*fields)
    return frozenset(found)


def _name_of(function: ast.expr) -> str:
    return getattr(function, "attr", getattr(function, "id", ""))
