"""The layer that runs, also after errors, and the line."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from gpuedu.training.memory.layers import LayerStack, current_line
from gpuedu.training.memory.live_block import LiveBlock


class _Ask(nn.Module):
    """Notes the layer that runs; raises where it is told to."""

    def __init__(self, stack, fault=None):
        super().__init__()
        self.stack, self.fault, self.seen = stack, fault, []

    def forward(self, x):
        self.seen.append(self.stack[0].current())
        if self.fault is not None:
            raise self.fault
        return x


def test_the_innermost_layer_is_named_and_none_outside():
    place = []
    model = nn.Sequential(_Ask(place), nn.Sequential(nn.Identity(), _Ask(place)))
    with LayerStack(model) as stack:
        place.append(stack)
        model(torch.zeros(1))
        assert stack.current() == ""
    assert (model[0].seen, model[1][1].seen) == (["0"], ["1.1"])
    model(torch.zeros(1))
    assert model[0].seen == ["0", ""]


@pytest.mark.parametrize("fault", [RuntimeError("no"), KeyboardInterrupt()])
def test_after_an_error_or_an_interruption_names_are_right_again(fault):
    place = []
    model = nn.Sequential(nn.Sequential(_Ask(place, fault)))
    with LayerStack(model) as stack:
        place.append(stack)
        with pytest.raises(type(fault)):
            model(torch.zeros(1))
        model[0][0].fault = None
        model(torch.zeros(1))
        assert stack.current() == ""
    assert model[0][0].seen == ["0.0", "0.0"]


def test_a_line_outside_of_pytorch_is_told():
    assert current_line().startswith("test_layers.py:")
    namespace = {"current_line": current_line}
    exec(compile("line = current_line()", "/x/ipykernel_1/2.py", "exec"), namespace)
    assert namespace["line"] == "cell:1"


def test_a_block_takes_the_more_lasting_kind():
    block = LiveBlock("other", 4, 0)
    block.become("activations", "a", "m.py:1")
    block.become("gradients", "a.weight")
    block.become("activations", "b", "m.py:2")
    assert (block.kind, block.layer, block.line) == ("gradients", "a.weight", "")
    weight = LiveBlock("weights", 4, 0, layer="w")
    weight.become("activations", "a", "m.py:1")
    assert weight.kind == "weights"
