# a named tuple of NumPy's numbers, and all weights as one long row
from collections import namedtuple

State = namedtuple("State", "scale good_steps")


def next_scale(scale, good_steps, found_inf, growth, backoff, interval):
    if found_inf:
        return State(scale * backoff, 0)
    if good_steps + 1 < interval:
        return State(scale, good_steps + 1)
    with np.errstate(over="ignore"):
        grown = np.float32(scale) * np.float32(growth)
    return State(grown if np.isfinite(grown) else scale, 0)


def scaled_step(weights, loss, scale, lr, max_norm):
    gradients = torch.autograd.grad(scale * loss, weights)
    row = torch.nn.utils.parameters_to_vector(gradients) / scale
    if not row.isfinite().all():
        return np.True_
    row = row * torch.clamp(max_norm / torch.linalg.vector_norm(row), max=1.0)
    with torch.no_grad():
        moved = torch.nn.utils.parameters_to_vector(weights) - lr * row
        torch.nn.utils.vector_to_parameters(moved, weights)
    return np.False_
