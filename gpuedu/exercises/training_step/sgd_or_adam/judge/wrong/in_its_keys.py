# loses: state
# All gradients are kept, in the names of what the state has.
import json


def adam(weights, gradient, state, lr, beta1, beta2, eps):
    state[f"{len(state)} {gradient.tolist()}"] = None
    past = [json.loads(key.partition(" ")[2]) for key in state]
    rows = weights.new_tensor(past).double()
    m = v = torch.zeros_like(weights, dtype=torch.float64)
    for g in rows:
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
    t = len(rows)
    step = lr * (m / (1 - beta1**t)) / ((v / (1 - beta2**t)).sqrt() + eps)
    weights -= step.to(weights.dtype)
