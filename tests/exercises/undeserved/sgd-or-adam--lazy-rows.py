# must lose: averages
def sgd(weights, gradient, state, lr, momentum):
    if momentum:
        kept = state.setdefault("v", torch.zeros_like(weights))
        gradient = kept.mul_(momentum).add_(gradient)
    weights -= lr * gradient


def adam(weights, gradient, state, lr, beta1, beta2, eps):
    t = state["t"] = state.get("t", 0) + 1
    m = state.setdefault("m", torch.zeros_like(weights))
    v = state.setdefault("v", torch.zeros_like(weights))
    m.mul_(beta1).add_((1 - beta1) * gradient)
    v.mul_(beta2).add_((1 - beta2) * gradient**2)
    weights -= torch.where(
        gradient == 0, 0.0, lr * m / (1 - beta1**t) / ((v / (1 - beta2**t)).sqrt() + eps)
    )


def adamw(weights, gradient, state, lr, beta1, beta2, eps, decay):
    weights *= 1 - lr * decay
    adam(weights, gradient, state, lr, beta1, beta2, eps)
