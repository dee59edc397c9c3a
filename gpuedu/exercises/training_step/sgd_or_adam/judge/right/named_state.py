# both averages in a named tuple, the count of steps NumPy's; AdamW keeps Adam's state in its own
from collections import OrderedDict, namedtuple

import numpy as np

Averages = namedtuple("Averages", "m v")


def adam(weights, gradient, state, lr, beta1, beta2, eps):
    t = state.get("t", np.int64(0)) + 1
    zeros = torch.zeros_like(weights)
    m, v = state.get("averages", Averages(zeros, zeros))
    new = Averages(torch.lerp(m, gradient, 1 - beta1), torch.lerp(v, gradient**2, 1 - beta2))
    state.update(t=t, averages=new)
    weights.addcdiv_(new.m / (1 - beta1**t), (new.v / (1 - beta2**t)).sqrt() + eps, value=-lr)


def adamw(weights, gradient, state, lr, beta1, beta2, eps, decay):
    weights *= 1 - lr * decay
    adam(weights, gradient, state.setdefault("adam", OrderedDict()), lr, beta1, beta2, eps)
