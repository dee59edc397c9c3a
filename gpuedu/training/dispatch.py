"""A mode of PyTorch's dispatcher that does not import PyTorch's compiler."""

from __future__ import annotations

from torch.utils._python_dispatch import TorchDispatchMode


class DispatchWatch(TorchDispatchMode):
    """Classes that watch operations derive from it, and start seconds earlier.

    PyTorch keeps its compiler from looking into such a mode, and imports the compiler to say so, at
    the first operation. A compiled function that runs in this mode may be traced into it instead;
    nothing in the course does that.
    """

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False
