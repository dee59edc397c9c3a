"""Who saves what for the backward pass, through PyTorch's hooks for saved tensors."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from gpuedu.training.errors import OverwrittenError
from gpuedu.training.memory.counter import LiveCounter
from gpuedu.training.memory.layers import LayerStack, current_line


class SavedTensors:
    """Tells the counter which storages are saved for the backward pass, by which layer and line.

    A storage counts once, whoever saves it again. Parameters stay what they are. A tensor that the
    counter does not know comes from outside, such as a batch that is a view of the whole data: it
    is counted with its own bytes, not with those of the storage that it is a part of.

    If hooks are in place, PyTorch does not check whether tensors were overwritten since they were
    saved (documentation of ``torch.autograd.graph.saved_tensors_hooks``), so this does.
    """

    def __init__(self, counter: LiveCounter, layers: LayerStack) -> None:
        self._counter, self._layers = counter, layers
        self._hooks = torch.autograd.graph.saved_tensors_hooks(self._pack, _unpack)

    def __enter__(self) -> SavedTensors:
        self._hooks.__enter__()
        return self

    def __exit__(self, *what: Any) -> None:
        self._hooks.__exit__(*what)

    def _pack(self, tensor: Tensor) -> tuple[Tensor, int, str]:
        layer, line = self._layers.current(), current_line()
        block = self._counter.block_of(tensor)
        if block is not None:
            block.become("activations", layer, line)
        else:
            self._counter.adopt(tensor, kind="batch", layer=layer, size_bytes=tensor.nbytes)
        # Detached: a saved result that held its own node would never be freed.
        kept = tensor.detach()
        return kept, kept._version, line


def _unpack(saved: tuple[Tensor, int, str]) -> Tensor:
    tensor, version, line = saved
    if tensor._version != version:
        raise OverwrittenError(
            f"a {tuple(tensor.shape)} tensor that {line or 'the forward pass'} saved for "
            "backward was overwritten in place",
            remedy="write to a new tensor: no +=, mul_() or [...] = on what backward needs",
        )
    return tensor
