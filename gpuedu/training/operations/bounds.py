"""Checks what PyTorch assumes about the operands of some operations before they run.

Most operations check shapes and indices themselves. Those that PyTorch calls after another one, for
its gradient, get what that one has already checked, so there a wrong shape or index reaches memory
outside a tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import torch
from torch._prims_common import suggest_memory_format
from torch.utils._pytree import tree_leaves, tree_map

from gpuedu.errors import AnswerError
from gpuedu.training.dispatch import unwatched
from gpuedu.training.operations.allowed import ELEMENTS, WRITES_ANYWHERE

Operands = Mapping[str, Any]
Shapes = Iterator[tuple[Sequence[int], Sequence[int]]]
"""Each next to what it should be."""
_KINDS = {
    "ScalarType": torch.dtype,
    "Layout": torch.layout,
    "MemoryFormat": torch.memory_format,
    "Device": torch.device,
}
_REDUCTIONS = (0, 1, 2)


def require_bounds(operation: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Refuse operands that lead outside tensors' memory, which the operation would not check.

    Raises:
        AnswerError: they do.

    >>> backward = torch.ops.aten._log_softmax_backward_data.default
    >>> given = torch.zeros(9, 9), torch.zeros(3, 3), 1, torch.float32
    >>> require_bounds(backward, given, {})
    Traceback (most recent call last):
        ...
    gpuedu.errors.AnswerError: the operation `_log_softmax_backward_data` was given operands ...
    """
    schema = operation._schema
    name = schema.name.removeprefix("aten::")
    look, shapes = _LOOKS.get(name), _SHAPES.get(name)
    for at, argument, kind in _kinds_in(operation):
        value = args[at] if at < len(args) else kwargs.get(argument)
        if value is not None and not isinstance(value, kind):
            raise _refusal(name)
    if not (_has_whole_rows(operation, kwargs) and _keeps_operands(operation, args, kwargs)):
        raise _refusal(name)
    if look is None and shapes is None:
        return
    of = {one.name: one.default_value for one in schema.arguments if one.has_default_value()}
    of |= {one.name: value for one, value in zip(schema.arguments, args, strict=False)}
    of |= kwargs
    if any(one.is_meta for one in _tensors_in(of)):  # then all of it is about shapes
        return
    with unwatched():
        try:
            fits = look is None or look(of)
            pairs = shapes(of) if shapes is not None else ()
            fits = fits and all(tuple(one) == tuple(wanted) for one, wanted in pairs)
        except (RuntimeError, IndexError, TypeError, ValueError, AttributeError, KeyError) as fault:
            raise _refusal(name) from fault
    if not fits:
        raise _refusal(name)


@cache
def has_bounds(operation: Any) -> bool:
    """Whether there is more to an operation than the kinds of its operands.

    >>> has_bounds(torch.ops.aten.add.out), has_bounds(torch.ops.aten.add.Tensor)
    (True, False)
    """
    name = operation._schema.name.removeprefix("aten::")
    return name in _LOOKS or name in _SHAPES or bool(_outputs_of(operation))


def _refusal(name: str) -> AnswerError:
    return AnswerError(f"the operation `{name}` was given operands that do not fit together")


@cache
def _kinds_in(operation: Any) -> tuple[tuple[int, str, type], ...]:
    """Places and names of dtypes, devices and their like: numbers are taken for them unseen."""
    types = (str(one.real_type) for one in operation._schema.arguments)
    kinds = [_KINDS.get(one.removeprefix("Optional[").removesuffix("]")) for one in types]
    named = zip(operation._schema.arguments, kinds, strict=True)
    return tuple((at, one.name, kind) for at, (one, kind) in enumerate(named) if kind is not None)


def _has_whole_rows(operation: Any, kwargs: Mapping[str, Any]) -> bool:
    """Where results are written: one row behind another, even where there is but one."""
    if operation._schema.name.removeprefix("aten::").removesuffix("_") in WRITES_ANYWHERE:
        return True
    with unwatched():
        return all(
            one.stride() == _unreal(one.shape).stride()
            for name in _outputs_of(operation)
            for one in tree_leaves(kwargs.get(name))
            if isinstance(one, torch.Tensor)
        )


def _keeps_operands(operation: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether a result that is written over an operand is as large: it would be resized before."""
    names = _outputs_of(operation)
    if not names:
        return True
    given = [one for one in _tensors_in((args, kwargs)) if not one.is_meta]
    written = [one for one in _tensors_in([kwargs.get(name) for name in names]) if not one.is_meta]
    if not any(sum(one is other for other in given) > 1 for one in written):
        return True
    if operation._schema.name.removeprefix("aten::") in ELEMENTS:  # PyTorch looks itself
        return True
    with unwatched():
        try:
            around = {key: one for key, one in kwargs.items() if key not in names}
            results = {name: tree_map(_unreal_result, kwargs.get(name)) for name in names}
            operation(*tree_map(_unreal_like, args), **tree_map(_unreal_like, around), **results)
        except (RuntimeError, IndexError, TypeError, ValueError):
            return False
    found = _tensors_in([results[name] for name in names])
    wanted = _tensors_in([kwargs.get(name) for name in names])
    return all(one.shape == other.shape for one, other in zip(found, wanted, strict=True))


def _tensors_in(values: Any) -> list[torch.Tensor]:
    return [one for one in tree_leaves(values) if isinstance(one, torch.Tensor)]


def _unreal_like(value: Any) -> Any:
    return value.to("meta") if isinstance(value, torch.Tensor) else value


def _unreal_result(value: Any) -> Any:
    is_tensor = isinstance(value, torch.Tensor)
    return torch.empty(0, dtype=value.dtype, device="meta") if is_tensor else value


@cache
def _outputs_of(operation: Any) -> tuple[str, ...]:
    return tuple(one.name for one in operation._schema.arguments if one.is_out)


def _unreal(shape: Sequence[int]) -> torch.Tensor:
    """A tensor without memory, to ask how large a result is."""
    return torch.empty(list(shape), device="meta")


# What the operation was before, of which this is the gradient


def _behind_convolution(of: Operands) -> Shapes:
    names = ("stride", "padding", "dilation", "transposed", "output_padding", "groups")
    given = _unreal(of["input"].shape), _unreal(of["weight"].shape), None
    result = torch.ops.aten.convolution(*given, *(of[one] for one in names))
    yield of["grad_output"].shape, result.shape
    if of["output_mask"][2]:  # without a bias, PyTorch says that it has no elements
        yield of["bias_sizes"] or result.shape[1:2], result.shape[1:2]


def _behind_avg_pool2d(of: Operands) -> Shapes:
    names = ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad")
    result = torch.ops.aten.avg_pool2d(_unreal(of["self"].shape), *(of[one] for one in names))
    yield of["grad_output"].shape, result.shape


def _behind_adaptive_pool(of: Operands) -> Shapes:
    yield of["grad_output"].shape, (*of["self"].shape[:-2], *of["grad_output"].shape[-2:])
    yield (of["self"].numel() > 0,), (True,)


def _behind_unfold(of: Operands) -> Shapes:
    result = _unreal(of["input_sizes"]).unfold(of["dim"], of["size"], of["step"])
    yield of["grad_in"].shape, result.shape


def _behind_log_softmax(of: Operands) -> Shapes:
    yield of["grad_output"].shape, of["output"].shape


def _behind_layer_norm(of: Operands) -> Shapes:
    shape, inner = of["input"].shape, len(of["normalized_shape"])
    around = (*shape[: len(shape) - inner], *[1] * inner)
    yield of["grad_out"].shape, shape
    yield of["mean"].shape, around
    yield of["rstd"].shape, around


_SHAPES: dict[str, Callable[[Operands], Shapes]] = {
    "convolution_backward": _behind_convolution,
    "avg_pool2d_backward": _behind_avg_pool2d,
    "_adaptive_avg_pool2d_backward": _behind_adaptive_pool,
    "unfold_backward": _behind_unfold,
    "_log_softmax_backward_data": _behind_log_softmax,
    "native_layer_norm_backward": _behind_layer_norm,
}


# Indices, and what becomes one


def _are_classes(of: Operands) -> bool:
    """Targets of a loss: each a class, or the number for those that do not count."""
    scores, target, ignored = of["self"], of["target"], of["ignore_index"]
    classes = scores.shape[1 if scores.ndim > 1 else 0]
    inside = (target >= 0) & (target < classes) | (target == ignored)
    return of["reduction"] in _REDUCTIONS and bool(inside.all())


def _are_rows(of: Operands) -> bool:
    return bool(((of["indices"] >= 0) & (of["indices"] < of["num_weights"])).all())


def _are_scales(of: Operands) -> bool:
    """An enlargement that is said beside the size it leads to, as ``interpolate`` computes it."""
    sides = zip(of["self"].shape[-2:], of["output_size"], strict=True)
    scales = of.get("scales_h"), of.get("scales_w")
    return all(
        scale is None or abs(side * scale - wanted) <= 1
        for (side, wanted), scale in zip(sides, scales, strict=True)
    )


def _are_side_by_side(*names: str) -> Callable[[Operands], bool]:
    """Whether elements of these fill a memory, which is read as if they did."""

    def look(of: Operands) -> bool:
        given = (of[name] for name in names if of[name] is not None)
        return all(torch.ops.aten.is_non_overlapping_and_dense(one) for one in given)

    return look


def _are_groups(of: Operands) -> bool:
    """Where channels lie last, PyTorch writes a gradient of the input that nobody asked for."""
    plain = suggest_memory_format(of["input"]) == torch.contiguous_format
    return (plain or bool(of["output_mask"][0])) and _ARE_DENSE_GROUPS(of)


_ARE_DENSE_GROUPS = _are_side_by_side("grad_out", "input", "mean", "rstd", "weight")


def _has_steps(of: Operands) -> bool:
    """Numbers among which the middle one is found: none of them is there several times."""
    pairs = zip(of["self"].shape, of["self"].stride(), strict=True)
    return all(side < 2 or step for side, step in pairs)


# Divisions that the processor refuses: of whole numbers


def _has_quotients(of: Operands) -> bool:
    """Of the least number by -1 there is none; only ``trunc`` leaves that to the processor."""
    given, by = of["self"], of["other"]
    kind = torch.result_type(given, by)
    if of.get("rounding_mode") != "trunc" or kind.is_floating_point or kind.is_complex:
        return True
    least = torch.iinfo(kind).min if kind != torch.bool else 0
    return least == 0 or not bool(((given == least) & (by == -1)).any())


def begins_inside(tensor: torch.Tensor, offset: Any) -> bool:
    """Whether a place is in a tensor's storage: for no elements, PyTorch does not ask."""
    inside = tensor.untyped_storage().nbytes() // tensor.element_size()
    return offset is None or 0 <= offset <= inside


def _lies_inside(of: Operands) -> bool:
    return begins_inside(of["self"], of["storage_offset"])


def _has_divisor(of: Operands) -> bool:
    return of["divisor_override"] is None or of["divisor_override"] > 0


def _has_fractions(of: Operands) -> bool:
    return any(of[name].is_floating_point() for name in ("grad_output", "self", "target"))


def _repeats_forwards(of: Operands) -> bool:
    """PyTorch compares the sum alone with the size that is told, and writes before it refuses."""
    return bool((torch.as_tensor(of["repeats"]) >= 0).all())


def _samples_as_known(of: Operands) -> bool:
    """Nearest, bilinear or bicubic; with zeros, the border or a reflection outside."""
    return of["interpolation_mode"] in (0, 1, 2) and of["padding_mode"] in (0, 1, 2)


_LOOKS: dict[str, Callable[[Operands], bool]] = {
    "nll_loss_backward": _are_classes,
    "nll_loss2d_backward": _are_classes,
    "embedding_dense_backward": _are_rows,
    "native_group_norm": _are_side_by_side("weight", "bias"),
    "native_group_norm_backward": _are_groups,
    "native_layer_norm_backward": _are_side_by_side("mean", "rstd"),
    "as_strided": _lies_inside,
    "as_strided_": _lies_inside,
    "as_strided_scatter": _lies_inside,
    "grid_sampler_2d": _samples_as_known,
    "repeat_interleave": _repeats_forwards,
    "median": _has_steps,
    "div": _has_quotients,
    "div_": _has_quotients,
    "avg_pool2d": _has_divisor,
    "avg_pool2d_backward": _has_divisor,
    "smooth_l1_loss_backward": _has_fractions,
    "upsample_nearest2d": _are_scales,
    "upsample_bilinear2d": _are_scales,
}
