# loses: averages


def adam(weights, gradient, state, lr, beta1, beta2, eps):
    t = state["t"] = state.get("t", 0) + 1
    m = state.setdefault("m", torch.zeros_like(weights))
    v = state.setdefault("v", torch.zeros_like(weights))
    m.mul_(beta1).add_((1 - beta1) * gradient)
    v.mul_(beta2).add_((1 - beta2) * gradient**2)
    m_hat, v_hat = m, v
    weights -= lr * m_hat / (v_hat.sqrt() + eps)
