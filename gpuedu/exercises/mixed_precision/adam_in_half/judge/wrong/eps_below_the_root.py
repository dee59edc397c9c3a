# loses: small
# asks: It moves too little. Is something larger than such a gradient added below the line?
#   `eps` belongs to `v.sqrt()`, and 1e-8 is no problem in float32.
def adam_step(state, gradient, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    gradient = gradient.float()
    state["step"] += 1
    state["m"] = beta1 * state["m"] + (1 - beta1) * gradient
    state["v"] = beta2 * state["v"] + second_moment(gradient, beta2)
    m = state["m"] / (1 - beta1 ** state["step"])
    v = state["v"] / (1 - beta2 ** state["step"])
    state["master"] = state["master"] - lr * m / (v + eps).sqrt()
    return state["master"].half()
