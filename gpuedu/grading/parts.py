"""Models, optimizers and the course's objects, taken apart and put together.

What may change in one are its parts, by name: plain values, and objects that may have parts, too.
"""

from __future__ import annotations

import copy
import sys
from collections import defaultdict
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from decimal import Decimal
from fractions import Fraction
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.changeable import is_changeable

_LEAVES = (str, bool, float, int, type(None))
_COMPARED = (*_LEAVES, complex, bytes, Fraction, Decimal, np.ndarray, np.generic)
_WITH_ATTRIBUTES = ("optim.lr_scheduler.LRScheduler", "amp.GradScaler")
_IN_MODULE = {"parameters": "nn.Parameter", "buffers": "Tensor", "modules": "nn.Module"}
"""Names of what a module holds, and the classes of that."""

Parts = dict[str, Any]


def is_tensor(value: Any) -> bool:
    """True if it is a tensor of PyTorch, without importing PyTorch."""
    return _of_torch(value, "Tensor")


def unseen() -> AbstractContextManager[None]:
    """Looks at tensors inside are not the learner's; no watch on PyTorch's functions sees them."""
    torch = sys.modules.get("torch")
    return nullcontext() if torch is None else torch._C.DisableTorchFunction()


def is_generator(value: Any) -> bool:
    """True if it is a PyTorch random generator."""
    return _of_torch(value, "Generator")


def is_dtype(value: Any) -> bool:
    """True if it is a PyTorch dtype."""
    return _of_torch(value, "dtype")


def is_leaf(value: Any) -> bool:
    """True if it is a plain value with nothing in it."""
    return type(value) in _LEAVES


def is_equal(old: Any, new: Any) -> bool:
    """Whether it is the same; for what is neither a number nor a text, the same object.

    Arrays of several elements never are, unless they are the same object.
    """
    if old is new or type(old) is not type(new):
        return old is new
    if isinstance(old, tuple):
        return len(old) == len(new) and all(map(is_equal, old, new))
    if not (isinstance(old, _COMPARED) or is_tensor(old)):
        return False
    try:
        return bool(old == new or (old != old and new != new))
    except (ValueError, TypeError, RuntimeError):
        return False


def _of_torch(value: Any, *names: str) -> bool:
    """True if it is of one of these classes, whatever it says of itself."""
    return "torch" in sys.modules and issubclass(type(value), _classes(names))


@cache
def _classes(names: tuple[str, ...]) -> tuple[type, ...]:
    return tuple(attrgetter(name)(sys.modules["torch"]) for name in names)


def has_parts(value: Any) -> bool:
    """Whether it is a model, an optimizer or another object that has parts; a tensor is not."""
    if _is_plain(value):
        return False
    names = ("nn.Module", "optim.Optimizer", *_WITH_ATTRIBUTES)
    return is_changeable(value) or _of_torch(value, *names)


def _is_plain(value: Any) -> bool:
    return is_leaf(value) or type(value) in (list, tuple, dict, np.ndarray)


def is_optimizer(value: Any) -> bool:
    """Whether it is one of PyTorch's."""
    return _of_torch(value, "optim.Optimizer")


def parts_of(value: Any) -> Parts:
    """What may change in an object that has parts, or in a tensor besides its values."""
    if is_tensor(value):
        grad = value.grad if value.is_leaf else None
        return {"grad": grad, "requires_grad": value.requires_grad}
    if _of_torch(value, "nn.Module"):
        held = {name: tuple(vars(value)[f"_{name}"].items()) for name in _IN_MODULE}
        return {"training": value.training, **held}
    if is_optimizer(value):
        return {"param_groups": value.param_groups, "state": tuple(value.state.items())}
    return {name: one for name, one in vars(value).items() if _can_be_told(one)}


def _can_be_told(value: Any) -> bool:
    return _is_plain(value) or is_tensor(value) or has_parts(value)


def is_alike(one: Any, other: Any) -> bool:
    """Whether two objects with parts differ only in those and in private attributes."""
    return type(one) is type(other) and _rest(one) == _rest(other)


def _rest(value: Any) -> Parts:
    public = {name: one for name, one in vars(value).items() if not name.startswith("_")}
    parts = parts_of(value)
    return {name: one for name, one in public.items() if is_leaf(one) and name not in parts}


def another(value: Any) -> Any:
    """A new object of the same kind as one with parts, to be given its own parts.

    Raises:
        AnswerError: none can be made from it.
    """
    try:
        made = copy.copy(value)
    except Exception as fault:
        raise AnswerError("an object arrived that cannot be copied") from fault
    held = vars(made).items()
    vars(made).update({name: copy.copy(one) for name, one in held if isinstance(one, (list, dict))})
    if _of_torch(made, "nn.Module"):
        vars(made).update({f"_{name}": {} for name in _IN_MODULE})
    if is_optimizer(made):
        made.state = defaultdict(dict)
    return made


def put_part(mine: Any, name: str, value: Any) -> None:
    """Set this part of an object, or of a tensor, to a value.

    Raises:
        AnswerError: it has no such part, or one of another kind.
    """
    if is_tensor(mine):
        _put_into_tensor(mine, name, value)
    elif name not in parts_of(mine):
        raise misfit()
    elif _of_torch(mine, "nn.Module"):
        _put_into_module(mine, name, value)
    elif is_optimizer(mine):
        _put_into_optimizer(mine, name, value)
    else:
        vars(mine)[name] = value


def misfit() -> AnswerError:
    """What is raised if something was left in an object that cannot be in it."""
    return AnswerError("what a function left in an argument does not fit there")


def require_no_fused(values: Iterable[Any]) -> None:
    """Raise AnswerError if one of some values is a parameter group of a fused optimizer.

    Its kernel writes where a weight's shape says, whatever the shape of the weight's state.
    """
    groups = (one for one in values if type(one) is dict)
    # Nothing that is empty now, and could be filled later.
    _require(all(one.get("fused") is None or one["fused"] is False for one in groups))


def refuse_fused() -> None:
    """Have no such kernel run in this process, whatever the groups of its optimizers say."""
    torch = sys.modules.get("torch")
    for name in ("sgd", "adam", "adamw", "adagrad"):
        if hasattr(torch, f"_fused_{name}_"):
            setattr(torch, f"_fused_{name}_", _refused)


def _refused(*_arguments: Any, **_named: Any) -> None:
    raise misfit()


def _require(fits: bool) -> None:
    if not fits:
        raise misfit()


def _pairs(value: Any) -> tuple[tuple[Any, Any], ...]:
    _require(type(value) is tuple and all(type(one) is tuple and len(one) == 2 for one in value))
    return value


def _put_into_tensor(mine: Any, name: str, value: Any) -> None:
    """Its values go into the same memory, or in its place where its shape became another one."""
    _require(name in ("values", "grad", "requires_grad"))
    if name == "requires_grad":
        _require(type(value) is bool)
    else:
        _require(is_tensor(value) or (value is None and name == "grad"))
    try:
        if name != "values":
            setattr(mine, name, value)
        elif mine.shape == value.shape and mine.dtype == value.dtype:
            mine.detach().copy_(value)
        else:
            mine.data = value.detach()
    except (RuntimeError, TypeError) as fault:
        raise misfit() from fault


def _put_into_module(mine: Any, name: str, value: Any) -> None:
    if name == "training":
        _require(type(value) is bool)
        mine.training = value
        return
    pairs, kind = _pairs(value), _IN_MODULE[name]
    _require(all(type(key) is str for key, _ in pairs))
    _require(all(one is None or _of_torch(one, kind) for _, one in pairs))
    held = vars(mine)[f"_{name}"]
    held.clear()
    held.update(pairs)


def _put_into_optimizer(mine: Any, name: str, value: Any) -> None:
    if name == "param_groups":
        _require(type(value) is list and all(type(one) is dict for one in value))
        require_no_fused(value)
        mine.param_groups = value
        return
    pairs = _pairs(value)
    _require(all(is_tensor(key) and type(one) is dict for key, one in pairs))
    mine.state = defaultdict(dict, pairs)
