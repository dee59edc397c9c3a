def adam(weights, gradient, state, lr, beta1, beta2, eps):
    t = state["t"] = state.get("t", 0) + 1
    m = state.setdefault("m", torch.zeros_like(weights))
    v = state.setdefault("v", torch.zeros_like(weights))
    m.lerp_(gradient, 1 - beta1)
    v.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
    m_hat, v_hat = m / (1 - beta1**t), v / (1 - beta2**t)
    weights.addcdiv_(m_hat, v_hat.sqrt() + eps, value=-lr)
