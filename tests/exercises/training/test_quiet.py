"""quiet_torch leaves the learner's PyTorch as it was."""

from __future__ import annotations

import random

import numpy as np
import torch

from gpuedu.exercises.training.quiet import quiet_torch


def test_the_same_numbers_inside_and_no_trace_outside():
    torch.manual_seed(11)
    np.random.seed(11)
    random.seed(11)
    expected = torch.rand(1).item(), np.random.rand(), random.random()
    torch.manual_seed(11)
    np.random.seed(11)
    random.seed(11)
    drawn = []
    for _ in range(2):
        with quiet_torch(4):
            drawn.append((torch.rand(1).item(), np.random.rand(), random.random()))
    assert drawn[0] == drawn[1]
    assert (torch.rand(1).item(), np.random.rand(), random.random()) == expected


def test_what_a_learner_switches_inside_is_switched_back():
    threads = torch.get_num_threads()
    try:
        with quiet_torch():
            torch.set_default_dtype(torch.float64)
            torch.set_grad_enabled(False)
            raise KeyError
    except KeyError:
        pass
    assert torch.get_default_dtype() == torch.float32
    assert torch.is_grad_enabled()
    assert torch.get_num_threads() == threads
