# a named tuple, and a step that is where `values` has a place for it
from typing import NamedTuple


class Pair(NamedTuple):
    master: torch.Tensor
    weights: torch.Tensor


def master_step(master, gradient, lr):
    master = torch.add(master, gradient, alpha=-lr)
    return Pair(master, torch.empty_like(gradient).copy_(master))


def round_stochastically(values, dtype, uniform):
    info = torch.finfo(dtype)
    size = values.abs()
    power = torch.exp2((torch.frexp(size).exponent - 1).float())
    step = power.clamp(min=info.smallest_normal) * info.eps
    low = torch.div(values, step, rounding_mode="floor")
    return ((low + (values / step - low > uniform)) * step).to(dtype)
