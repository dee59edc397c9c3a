# loses: state
# All gradients are kept, in one whole number.
import numpy as np


def adam(weights, gradient, state, lr, beta1, beta2, eps):
    past = state.get("past", 1)
    past = past << 8 * gradient.numel() * gradient.element_size()
    past += int.from_bytes(gradient.numpy().tobytes(), "big")
    state["past"] = past
    raw = past.to_bytes(past.bit_length() // 8 + 1, "big")[1:]
    past = np.frombuffer(raw, gradient.numpy().dtype).reshape(-1, *gradient.shape).tolist()
    rows = weights.new_tensor(past).double()
    m = v = torch.zeros_like(weights, dtype=torch.float64)
    for g in rows:
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
    t = len(rows)
    step = lr * (m / (1 - beta1**t)) / ((v / (1 - beta2**t)).sqrt() + eps)
    weights -= step.to(weights.dtype)
