# must lose: momentum, averages, decay
def sgd(weights, gradient, state, lr, momentum):
    if momentum:
        v = momentum * state.get("v", torch.zeros(len(weights), dtype=weights.dtype)) + gradient
        state["v"] = v
        gradient = v
    weights -= lr * gradient


def adam(weights, gradient, state, lr, beta1, beta2, eps):
    t = state["t"] = state.get("t", 0) + 1
    n = len(weights)
    m = state.get("m", torch.zeros(n, dtype=weights.dtype))
    v = state.get("v", torch.zeros(n, dtype=weights.dtype))
    state["m"] = m = beta1 * m + (1 - beta1) * gradient
    state["v"] = v = beta2 * v + (1 - beta2) * gradient**2
    weights -= lr * m / (1 - beta1**t) / ((v / (1 - beta2**t)).sqrt() + eps)


def adamw(weights, gradient, state, lr, beta1, beta2, eps, decay):
    weights *= 1 - lr * decay
    adam(weights, gradient, state, lr, beta1, beta2, eps)
