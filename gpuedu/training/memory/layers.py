"""Where in the model and in the code a run is: the running layer, and the line."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import torch
from torch import nn

_NOT_MINE = (os.path.dirname(torch.__file__) + os.sep, str(Path(__file__).parent) + os.sep)  # noqa: PTH120


class LayerStack:
    """Knows the innermost running layer of a model while it is entered.

    A layer's name is as ``named_modules`` gives it, such as ``blocks.0.attention``; it is empty
    outside all layers.
    """

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self._names: list[str] = []
        self._handles: list[Any] = []

    def __enter__(self) -> LayerStack:
        for name, layer in self._model.named_modules():
            before = layer.register_forward_pre_hook(
                lambda layer, _inputs, name=name: self._enter_layer(layer, name)
            )
            # Called after an error too, or the names of layers that broke off would stay.
            after = layer.register_forward_hook(
                lambda _layer, _inputs, _output: self._leave_layer(), always_call=True
            )
            self._handles += [before, after]
        return self

    def _enter_layer(self, layer: nn.Module, name: str) -> None:
        if layer is self._model:
            self._names.clear()  # an interruption leaves names that nobody takes away
        self._names.append(name or type(layer).__name__)

    def _leave_layer(self) -> None:
        if self._names:
            self._names.pop()

    def __exit__(self, *_: object) -> None:
        for handle in self._handles:
            handle.remove()

    def current(self) -> str:
        """The innermost layer that is running now."""
        return self._names[-1] if self._names else ""


def current_line() -> str:
    """The innermost line outside PyTorch that is running now, as ``file:number``."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_NOT_MINE):
        frame = frame.f_back
    if frame is None:
        return ""
    return f"{_short(frame.f_code.co_filename)}:{frame.f_lineno}"


def _short(file: str) -> str:
    """A file's name; a notebook's cell has one that says nothing."""
    return "cell" if "ipykernel" in file or file.startswith("<") else Path(file).name
