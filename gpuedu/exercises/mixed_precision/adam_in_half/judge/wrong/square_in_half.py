# loses: small
# asks: The gradient seems to be squared in fp16, before it comes to `v`. Small squares become 0
#   there, large ones infinity: in which dtype is the gradient when it is squared?
def adam_step(state, gradient, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    state["step"] += 1
    state["m"] = beta1 * state["m"] + (1 - beta1) * gradient.float()
    state["v"] = beta2 * state["v"] + (1 - beta2) * (gradient * gradient).float()
    m = state["m"] / (1 - beta1 ** state["step"])
    v = state["v"] / (1 - beta2 ** state["step"])
    state["master"] = state["master"] - lr * m / (v.sqrt() + eps)
    return state["master"].half()
