"""PyTorch operations that a program may ask for: those that look at nothing but its tensors.

A list, and nothing else. Nothing on it opens a file, takes an address, or changes how large a
storage is. ``bounds`` checks what they assume about shapes and indices.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import torch

from gpuedu.errors import AnswerError

_ELEMENTS = """
    abs acos acosh add addcdiv addcmul angle asin asinh atan atan2 atanh bitwise_and
    bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor ceil celu clamp
    clamp_max clamp_min clip conj_physical copysign cos cosh deg2rad digamma div elu eq erf erfc
    erfinv exp exp2 expm1 float_power floor floor_divide fmax fmin fmod frac ge gelu gt hardshrink
    hardsigmoid hardswish hardtanh heaviside hypot isfinite isinf isnan isneginf isposinf ldexp le
    leaky_relu lerp lgamma log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not
    logical_or logical_xor logit lt masked_fill maximum minimum mish mul nan_to_num ne neg nextafter
    positive pow rad2deg reciprocal relu relu6 remainder round rsqrt rsub selu sgn
    sigmoid sign signbit silu sin sinc sinh softplus softshrink sqrt square sub tan tanh threshold
    true_divide trunc where xlogy __and__ __or__ __xor__ __lshift__ __rshift__
"""
_GRADIENTS = """
    elu_backward gelu_backward hardsigmoid_backward hardswish_backward hardtanh_backward
    leaky_relu_backward log_sigmoid_backward logit_backward mish_backward sigmoid_backward
    silu_backward softplus_backward softshrink_backward hardshrink_backward tanh_backward
    threshold_backward native_dropout_backward _softmax_backward_data _log_softmax_backward_data
    mse_loss_backward smooth_l1_loss_backward huber_loss_backward nll_loss_backward
    nll_loss2d_backward binary_cross_entropy_backward native_layer_norm_backward
    native_group_norm_backward convolution_backward slice_backward select_backward
    diagonal_backward unfold_backward index_select_backward avg_pool2d_backward
    _adaptive_avg_pool2d_backward embedding_dense_backward soft_margin_loss_backward
"""
_TOGETHER = """
    all amax amin aminmax any argmax argmin argsort bincount cat count_nonzero cumprod cumsum
    histc kthvalue logcumsumexp logsumexp max mean median min mode nanmean nansum norm prod sort
    std std_mean sum topk unique_consecutive unique_dim _unique2 var var_mean linalg_vector_norm
    masked_select nonzero nonzero_static searchsorted bucketize _softmax _log_softmax
    linalg_cross cummax cummin diff trace stack cdist _cdist_forward equal
"""
_PRODUCTS = """
    mm addmm _addmm_activation bmm baddbmm addbmm mv addmv addr dot vdot linalg_vecdot matmul linear
    convolution
"""
_LAYERS = """
    mse_loss smooth_l1_loss huber_loss l1_loss nll_loss_forward nll_loss2d_forward
    binary_cross_entropy binary_cross_entropy_with_logits native_layer_norm native_group_norm
    log_sigmoid_forward native_dropout avg_pool2d _adaptive_avg_pool2d grid_sampler_2d
    upsample_nearest2d upsample_bilinear2d embedding constant_pad_nd reflection_pad1d
    reflection_pad2d replication_pad2d im2col glu soft_margin_loss
"""
_LOOKS = """
    alias as_strided broadcast_to detach diagonal expand imag lift_fresh permute real select slice
    split split_with_sizes squeeze t transpose unbind unfold unsqueeze view view_as_complex
    view_as_real _unsafe_view
"""
_PLACES = """
    clone contiguous copy fill flip gather index index_add index_copy index_fill index_put
    _index_put_impl index_select masked_scatter put repeat repeat_interleave roll rot90 scatter
    scatter_add scatter_reduce select_scatter slice_scatter as_strided_scatter diagonal_scatter
    take _to_copy tril triu zero _local_scalar_dense
"""
_MAKES = """
    arange empty empty_like empty_permuted empty_strided eye full full_like linspace logspace
    new_empty new_empty_strided new_full new_ones new_zeros ones ones_like scalar_tensor zeros
    zeros_like tril_indices triu_indices
"""
_DRAWS = """
    bernoulli cauchy exponential geometric log_normal multinomial normal rand rand_like randint
    randint_like randn randn_like random randperm uniform
"""
_OPTIMIZING = """
    _foreach_add _foreach_addcdiv _foreach_addcmul _foreach_copy_ _foreach_div _foreach_lerp
    _foreach_maximum _foreach_mul _foreach_neg _foreach_norm _foreach_pow _foreach_reciprocal
    _foreach_sign _foreach_sqrt _foreach_sub _foreach_zero
    _amp_foreach_non_finite_check_and_unscale _amp_update_scale
"""
_NAMES = frozenset(
    name
    for names in (
        *(_ELEMENTS, _GRADIENTS, _TOGETHER, _PRODUCTS, _LAYERS),
        *(_LOOKS, _PLACES, _MAKES, _DRAWS, _OPTIMIZING),
    )
    for name in names.split()
)
"""Without the underscore behind those that write into their first tensor, where both may be."""

ELEMENTS = frozenset(_ELEMENTS.split())
"""Those that work element by element."""

WRITES_ANYWHERE = ELEMENTS | frozenset(_PRODUCTS.split())
"""Those whose result may be written to any tensor, whatever its layout in memory."""


@cache
def find_operation(name: str, overload: str) -> Any:
    """What PyTorch has under ``aten::name`` and this overload.

    Raises:
        AnswerError: it is not allowed, or does not exist.

    >>> find_operation("add_", "Tensor")
    <OpOverload(op='aten.add_', overload='Tensor')>
    """
    base = name if name in _NAMES else name.removesuffix("_")
    packet = getattr(torch.ops.aten, name, None) if base in _NAMES else None
    if packet is not None and overload in packet.overloads():
        operation = getattr(packet, overload)
        if _is_of_tensors(operation._schema):
            return operation
    raise AnswerError(f"the operation `{name[:60]}` cannot be used when a class is graded")


def _is_of_tensors(schema: Any) -> bool:
    """Others under the same names, of numbers and lists, are Python's."""
    return any("Tensor" in str(one.type) for one in (*schema.arguments, *schema.returns))
