# loses: state
# All gradients are kept, each as the `grad` of the next one.
def adam(weights, gradient, state, lr, beta1, beta2, eps):
    new = weights.new_tensor(gradient.tolist())
    if "last" in state:
        new.grad = state["last"]
    state["last"], past = new, []
    while new is not None:
        past, new = [new.tolist(), *past], new.grad
    rows = weights.new_tensor(past).double()
    m = v = torch.zeros_like(weights, dtype=torch.float64)
    for g in rows:
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
    t = len(rows)
    step = lr * (m / (1 - beta1**t)) / ((v / (1 - beta2**t)).sqrt() + eps)
    weights -= step.to(weights.dtype)
