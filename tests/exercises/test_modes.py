"""What a learner's code leaves on in PyTorch ends with the check of it."""

from __future__ import annotations

import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from gpuedu.exercises.guard import play_guarded
from gpuedu.exercises.modes import modes_left, open_modes, saving_hooks


class Blind(TorchDispatchMode):
    """Sees operations, and does nothing with them."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class Stuck(Blind):
    """Is never left by itself."""

    def __exit__(self, *_):
        raise ValueError("never")


class HalfLeft(Blind):
    """Of which half is left already."""

    def __enter__(self):
        super().__enter__()
        for flags in vars(self).values():
            if isinstance(flags, list):
                flags.clear()
        return self


class OfFunctions(TorchFunctionMode):
    """Does nothing."""


@pytest.mark.parametrize("mode", [Blind, Stuck, HalfLeft, OfFunctions])
def test_a_mode_that_was_opened_is_left(mode):
    outcome = play_guarded(lambda: mode().__enter__() and None, 5.0)
    assert outcome.problem is None
    assert open_modes() == (0, 0)


def test_also_after_ctrl_c():
    def play():
        Blind().__enter__()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_guarded(play, 5.0)
    assert open_modes() == (0, 0)


def test_a_device_that_was_chosen_is_no_longer():
    play_guarded(lambda: torch.set_default_device("meta"), 5.0)
    assert torch.ones(1).device.type == "cpu"
    assert open_modes() == (0, 0)


def test_what_was_open_before_stays_open():
    with Blind(), OfFunctions():
        with modes_left():
            Blind().__enter__()
            OfFunctions().__enter__()
            assert open_modes() == (2, 2)
        assert open_modes() == (1, 1)


def test_hooks_for_what_is_saved_and_no_grad_end_with_a_play():
    def pack(tensor):
        return tensor

    def play():
        for _ in range(2):
            torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, pack).__enter__()
        torch.no_grad().__enter__()

    assert play_guarded(play, 5.0).problem is None
    assert saving_hooks() is None
    assert torch.is_grad_enabled()
    with torch.autograd.graph.saved_tensors_hooks(pack, pack), torch.no_grad():
        play_guarded(play, 5.0)
        assert saving_hooks() == (pack, pack)
        assert not torch.is_grad_enabled()
    assert saving_hooks() is None
