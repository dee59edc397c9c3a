"""Which operators compute, and which only look, allocate or forward: the CPU's count of kernels.

On a GPU the profiler sees each kernel. On a CPU it sees only operators, and most of them compute
nothing: ``aten::linear`` calls ``aten::t``, which makes a view, and ``aten::addmm``, which
computes. An operator is counted here if it is not in ``NO_WORK`` and contains no other one that is
counted; so ``aten::addmm`` itself counts through the ``aten::copy_`` inside it, once.

What it simplifies: an operator that computes, and calls another one that does (a gradient that
first fills its buffer with zeros), counts once, where a GPU may run two kernels. A graph that
``torch.compile`` made counts once for all of its own loops, besides the operators that it calls.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpuedu.profiles.spans import Span

_LOOKS = (
    "_conj _neg_view _reshape_alias _unsafe_view adjoint alias as_strided as_strided_ as_tensor "
    "broadcast_to chunk conj contiguous detach detach_ diagonal dsplit expand expand_as flatten "
    "hsplit imag lift lift_fresh linalg_diagonal mH mT matrix_H moveaxis movedim narrow numpy_T "
    "permute positive ravel real reshape reshape_as resolve_conj resolve_neg select slice split "
    "split_with_sizes squeeze squeeze_ swapaxes swapdims t t_ tensor_split to _to_copy transpose "
    "transpose_ unbind unflatten unfold unsqueeze unsqueeze_ view view_as view_as_complex "
    "view_as_real vsplit"
)
"""Other looks at the same numbers; where one must copy after all, it calls ``aten::copy_``."""
_ALLOCATES = (
    "empty empty_like empty_permuted empty_strided new_empty new_empty_strided pin_memory "
    "_pin_memory resize_ resize_as_ set_"
)
_ASKS = (
    "_local_scalar_dense _version can_cast is_leaf is_nonzero is_pinned is_same_size item numel "
    "output_nr record_stream requires_grad_ result_type retain_grad size stride sym_numel sym_size "
    "sym_stride"
)
NO_WORK = frozenset(f"{_LOOKS} {_ALLOCATES} {_ASKS}".split())
"""Operators of PyTorch, without ``aten::``, that compute nothing themselves."""
_GRAPH = "## Call CompiledFxGraph"
_AUTOGRAD = ("autograd", "torch", "profiler")


def computing_operators(operators: Sequence[Span]) -> tuple[Span, ...]:
    """Those of a profile's operators that count as a kernel on the CPU, in the order of start.

    Args:
        operators: on each lane in the order of start, each before what is inside it.

    >>> inside = [("aten::linear", 0), ("aten::t", 1), ("aten::addmm", 1), ("aten::view", 0)]
    >>> spans = [Span(name, "host", at, 1.0, depth) for at, (name, depth) in enumerate(inside)]
    >>> [one.name for one in computing_operators(spans)]
    ['aten::addmm']
    """
    counted: list[Span] = []
    for lane in dict.fromkeys(one.lane for one in operators):
        counted += _on_one_lane([one for one in operators if one.lane == lane])
    return tuple(sorted(counted, key=lambda one: one.start_s))


def _on_one_lane(operators: Sequence[Span]) -> list[Span]:
    """From the last to the first: what is inside an operator is known when it is met."""
    counted: list[Span] = []
    # For each depth, whether something counted stands there, below the parent that is to come.
    found: dict[int, bool] = {}
    for one in reversed(operators):
        inside = found.pop(one.depth + 1, False)
        is_counted = one.name.startswith(_GRAPH) or (not inside and _computes(one.name))
        if is_counted:
            counted.append(one)
        found[one.depth] = found.get(one.depth, False) or inside or is_counted
    return counted


def _computes(name: str) -> bool:
    """Whether an operator of this name does work of its own.

    Nodes of the autograd graph have no namespace, or autograd's; they call operators that have one.
    """
    namespace, _, plain = name.rpartition("::")
    if not namespace or namespace.partition("::")[0] in _AUTOGRAD:
        return False
    return namespace != "aten" or plain not in NO_WORK
