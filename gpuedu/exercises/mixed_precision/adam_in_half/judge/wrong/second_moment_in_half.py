# loses: large
# asks: Something became infinite: the square of the gradient, or `v` where it is divided by `1
#   - beta2 ** step`. In which dtype are they?
def adam_step(state, gradient, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    state["step"] += 1
    state["m"] = beta1 * state["m"] + (1 - beta1) * gradient.float()
    state["v"] = beta2 * state["v"] + second_moment(gradient, beta2).float()
    m = state["m"] / (1 - beta1 ** state["step"])
    v = state["v"] / (1 - beta2 ** state["step"])
    state["master"] = state["master"] - lr * m / (v.sqrt() + eps)
    return state["master"].half()
