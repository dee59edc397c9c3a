# loses: follows
# asks: Is one of the three that go from step to step (weights, `m`, `v`), or what goes into
#   them, in 16 bits?
def adam_step(state, gradient, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    gradient = gradient.float()
    state["m"] = beta1 * state["m"] + (1 - beta1) * gradient
    state["v"] = beta2 * state["v"] + second_moment(gradient, beta2)
    state["master"] = state["master"] - lr * state["m"] / (state["v"].sqrt() + eps)
    return state["master"].half()
