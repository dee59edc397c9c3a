"""What a learner's code leaves on in PyTorch ends with the check of it."""

from __future__ import annotations

import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from gpuedu.exercises.guard import play_guarded
from gpuedu.exercises.modes import modes_left, open_modes


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
