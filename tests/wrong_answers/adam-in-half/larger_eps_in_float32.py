# loses: small
def adam_step(state, gradient, lr, beta1=0.9, beta2=0.999, eps=1e-4):
    state["master"] = adam_in_half(state["master"], gradient.float(), state, lr, beta1, beta2, eps)
    return state["master"].half()
