# must lose: small, large
def smallest_gradient(beta2):
    return 0.0


def begin(weight):
    return {"master": weight.float()}


def adam_step(state, gradient, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    g = gradient.float()
    state["master"] -= lr * g / (g.abs() + eps)
    return state["master"].half()
