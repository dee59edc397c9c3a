"""What PyTorch may carry out of a program of the capstone: operations on a list, within bounds.

A program runs in the process that counts what it costs, and some of PyTorch's operations take
indices and sizes as they come, so that they read and write anywhere in it. So every operation is
looked at before it runs: those of gradients, and those that are made of others, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from gpuedu.errors import AnswerError
from gpuedu.training.dispatch import DispatchWatch, unwatched
from gpuedu.training.operations.allowed import find_operation
from gpuedu.training.operations.bounds import has_bounds, require_bounds

Operands = dict[str, Any]
_REMEDY = "Dense tensors, and what checks their indices: `gather`, `index_select`, `matmul`."
_PROFILED = frozenset({"profiler::_record_function_enter_new", "profiler::_record_function_exit"})
"""Around each step of an optimizer: they name it for a profiler."""
_SAFE = """
    _foreach_abs _foreach_clamp_max _foreach_clamp_min _foreach_exp _foreach_log
    _foreach_minimum _foreach_sigmoid _foreach_tanh _safe_softmax affine_grid_generator
    glu_backward isin lift
"""


class AllowedOperations(DispatchWatch):
    """While it is entered, only such operations run in the calling thread (AnswerError).

    >>> with AllowedOperations():
    ...     torch.linalg.inv(torch.eye(2))
    Traceback (most recent call last):
        ...
    gpuedu.errors.AnswerError: the operation `linalg_inv_ex` cannot be used in this program
    """

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Look at an operator, and run it."""
        known = _KNOWN.get(id(func))
        if known is not None and not known[1]:  # most of them: each microsecond is paid often
            return func._op(*args, **(kwargs or {}))
        kwargs = kwargs or {}
        if not require_allowed(func, args, kwargs):
            with self:
                return func.decompose(*args, **kwargs)
        return func(*args, **kwargs)


def require_allowed(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """AnswerError where an operator may not run so; False where it's made of others, unseen here.

    Such a one arrives whole in inference mode, and where it's given what was made there.
    """
    known = _KNOWN.get(id(func))
    if known is None:
        known = _KNOWN[id(func)] = (func, _looks_at(func))
    for look in known[1]:
        look(func, args, kwargs)
    return known[1] is not _OF_OTHERS


Look = Callable[[Any, Sequence[Any], Mapping[str, Any]], None]
_KNOWN: dict[int, tuple[Any, tuple[Look, ...]]] = {}
"""By its number each operator that may run, and what is looked at before it does."""


def _nothing(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Those that an operator is made of are looked at."""


_OF_OTHERS = (_nothing,)


def _looks_at(func: Any) -> tuple[Look, ...]:
    """See ``_KNOWN``; AnswerError where it may not run."""
    if torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), "CompositeImplicitAutograd"):
        return _OF_OTHERS
    name = func._schema.name
    short = name.removeprefix("aten::")
    looks: tuple[Look, ...] = ()
    if short in _CHECKED:
        looks = (_require_fit,)
    elif name not in _PROFILED and short not in _MORE:
        _require_listed(name, func._overloadname)
        looks = (require_bounds,) if has_bounds(func) and func not in _QUOTIENTS else ()
    if looks and short in _BY_SHAPE:
        looks = (partial(_once, looks[0]),)
    if any(str(one.real_type) in _PLACES for one in func._schema.arguments):
        looks = (_require_dense, *looks)
    return looks


def _require_listed(name: str, overload: str) -> None:
    space, _, short = name.partition("::")
    try:
        find_operation(short if space == "aten" else name, overload)
    except AnswerError:
        raise AnswerError(
            f"the operation `{short}` cannot be used in this program", remedy=_REMEDY
        ) from None


_PLACES = frozenset({"Optional[Layout]", "Layout", "Optional[Device]", "Device"})
_MORE = frozenset(_SAFE.split()) | {f"{name}_" for name in _SAFE.split() if "foreach" in name}


_FIXED = """
    _adaptive_avg_pool2d_backward _fused_adagrad_ _fused_adam_ _fused_adamw_ _fused_sgd_
    _log_softmax_backward_data _scaled_dot_product_flash_attention_for_cpu
    _scaled_dot_product_flash_attention_for_cpu_backward avg_pool2d avg_pool2d_backward
    convolution_backward native_batch_norm native_batch_norm_backward native_group_norm
    native_group_norm_backward native_layer_norm_backward unfold_backward
"""
_BY_SHAPE = frozenset(_FIXED.split())
"""Where no number in a tensor matters, but where they lie: it's looked at once for each form."""
_QUOTIENTS = (torch.ops.aten.div.Tensor, torch.ops.aten.div.Scalar, torch.ops.aten.div_.Tensor)
"""What is looked at is how a quotient is rounded, which these have no argument for."""
_SEEN: set[Any] = set()
_MOST_SEEN = 20_000


def _once(look: Look, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    form = func, _form_of(args), _form_of(tuple(kwargs.items()))
    if form not in _SEEN:
        look(func, args, kwargs)
        if len(_SEEN) > _MOST_SEEN:
            _SEEN.clear()
        _SEEN.add(form)


def _form_of(value: Any) -> Any:
    """All of it that is the same for every tensor that lies in its memory like this one."""
    if isinstance(value, Tensor):
        return value.shape, value.stride(), value.dtype, value.device
    if isinstance(value, (tuple, list)):
        return tuple(map(_form_of, value))
    return type(value), value


def _require_dense(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    for value in (*args, *kwargs.values()):
        if type(value) is torch.layout and value is not torch.strided:
            raise AnswerError(
                f"the layout `{value}` cannot be used in this program",
                remedy="A tensor without `layout` is dense.",
            )
        if type(value) is torch.device and value.type == "meta":
            raise AnswerError(
                "the device `meta` cannot be used in this program",
                remedy='The tensors of `settings["device"]` have numbers.',
            )


# Operations that take what they are given as it is


def _require_fit(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    schema = func._schema
    of = {one.name: one.default_value for one in schema.arguments if one.has_default_value()}
    of |= {one.name: value for one, value in zip(schema.arguments, args, strict=False)}
    of |= kwargs
    name = schema.name.removeprefix("aten::")
    with unwatched():
        try:
            fits = _CHECKED[name](of)
        except (RuntimeError, IndexError, TypeError, ValueError, AttributeError):
            fits = False
    if not fits:
        raise AnswerError(
            f"the operation `{name}` was given operands that do not fit together",
            remedy="Do the shapes and the indices of its tensors belong together?",
        )


def _lies_inside(of: Operands) -> bool:
    """A tensor that is put onto a storage, as what was saved is read."""
    if not isinstance(of.get("source"), torch.UntypedStorage) or "storage_offset" not in of:
        return False
    sizes, strides, offset = of["size"], of["stride"], of["storage_offset"]
    if len(sizes) != len(strides) or min((*sizes, *strides, offset)) < 0:
        return False
    last = offset + sum((size - 1) * step for size, step in zip(sizes, strides, strict=True))
    end = offset if 0 in sizes else last + 1
    return end * of["self"].itemsize <= of["source"].nbytes()


def _convolved(of: Operands) -> bool:
    """The gradient of what it gave: asking PyTorch itself (``meta``) takes 0.3 s to import."""
    given, weight, groups = of["input"].shape, of["weight"].shape, of["groups"]
    sides = len(given) - 2
    names = ("stride", "padding", "dilation", "output_padding")
    steps, around, apart, more = (
        list(of[name]) * (sides if len(of[name]) == 1 else 1) for name in names
    )
    if groups < 1 or min((*steps, *apart)) < 1 or min((*around, *more)) < 0:
        return False
    places = zip(given[2:], weight[2:], steps, around, apart, more, strict=True)
    taken, made = weight[1] * groups, weight[0]
    if of["transposed"]:
        taken, made = weight[0], weight[1] * groups
        found = [(n - 1) * s - 2 * p + d * (k - 1) + o + 1 for n, k, s, p, d, o in places]
    else:
        found = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d, _ in places]
    return (
        given[1] == taken
        and weight[0] % groups == 0
        and min(found) > 0
        and of["grad_output"].shape == (given[0], made, *found)
        and (not of["output_mask"][2] or list(of["bias_sizes"]) == [made])
    )


def _attend(of: Operands) -> bool:
    query, key, value = of["query"], of["key"], of["value"]
    around, width = query.shape[:2], query.shape[3]
    same = all(one.shape[:2] == around and one.shape[3] == width for one in (key, value))
    same = same and query.ndim == 4 and key.shape == value.shape
    return same and _is_mask(of["attn_mask"], (*around, query.shape[2], key.shape[2]))


def _is_mask(mask: Tensor | None, shape: Sequence[int]) -> bool:
    if mask is None:
        return True
    wanted = shape[len(shape) - mask.ndim :]
    fits = all(side in (1, of) for side, of in zip(mask.shape, wanted, strict=True))
    return mask.ndim in (2, 4) and fits


def _attended(of: Operands) -> bool:
    shape = of["query"].shape
    same = of["grad_out"].shape == of["out"].shape == shape
    return same and _attend(of) and of["logsumexp"].shape == shape[:3]


def _has_channels(*names: str) -> Callable[[Operands], bool]:
    def look(of: Operands) -> bool:
        images = of["input"]
        side = images.shape[1:2]
        given = (of[name] for name in names if of.get(name) is not None)
        return images.ndim > 1 and all(one.shape == side and one.is_contiguous() for one in given)

    return look


_NORMALIZES = _has_channels("weight", "bias", "running_mean", "running_var")


def _normalized(of: Operands) -> bool:
    """In evaluation nothing was saved, and what the running ones say is taken."""
    names = ("save_mean", "save_invstd") if of["train"] else ("running_mean", "running_var")
    is_there = all(of[name] is not None for name in names)
    looked_at = _has_channels("weight", "running_mean", "running_var", *names * of["train"])
    return is_there and of["grad_out"].shape == of["input"].shape and looked_at(of)


def _pooled(of: Operands) -> bool:
    given, places = of["self"], of["indices"]
    options = (of[name] for name in ("kernel_size", "stride", "padding", "dilation", "ceil_mode"))
    result = torch.ops.aten.max_pool2d_with_indices(given.to("meta"), *options)[0]
    inside = (places >= 0) & (places < given.shape[-1] * given.shape[-2])
    return result.shape == of["grad_output"].shape == places.shape and bool(inside.all())


def _updates(of: Operands) -> bool:
    """A whole optimizer's step: what it remembers of a weight is as large as the weight."""
    weights = of["self"]
    spared = set() if of.get("amsgrad") else {"max_exp_avg_sqs"}
    spared |= set() if of.get("momentum") else {"momentum_buffer_list"}
    beside = [of[name] for name in _OF_WEIGHTS if name in of and (of[name] or name not in spared)]
    numbers = [of[name] for name in ("grad_scale", "found_inf", "lr") if name in of]
    numbers += of.get("state_steps", [])
    return (
        all(len(those) == len(weights) for those in (*beside, of.get("state_steps", weights)))
        and all(
            (one.shape, one.stride(), one.dtype) == (weight.shape, weight.stride(), weight.dtype)
            for those in beside
            for one, weight in zip(those, weights, strict=True)
        )
        and all(torch.ops.aten.is_non_overlapping_and_dense(one) for one in weights)
        and all(one.numel() == 1 for one in numbers if isinstance(one, Tensor))
    )


_OF_WEIGHTS = (
    *("grads", "exp_avgs", "exp_avg_sqs", "max_exp_avg_sqs", "momentum_buffer_list"),
    "state_sums",
)
_CHECKED: dict[str, Callable[[Operands], bool]] = {
    "set_": _lies_inside,
    "convolution_backward": _convolved,
    "_scaled_dot_product_flash_attention_for_cpu": _attend,
    "_scaled_dot_product_flash_attention_for_cpu_backward": _attended,
    "native_batch_norm": _NORMALIZES,
    "_native_batch_norm_legit": _NORMALIZES,
    "_native_batch_norm_legit_no_training": _NORMALIZES,
    "native_batch_norm_backward": _normalized,
    "max_pool2d_with_indices": lambda of: True,
    "max_pool2d_with_indices_backward": _pooled,
    "_fused_adam_": _updates,
    "_fused_adamw_": _updates,
    "_fused_sgd_": _updates,
    "_fused_adagrad_": _updates,
}
"""Operations that programs use, beside those of the list, and what they assume."""
