# loses: finite
# asks: That is 0 / 0: in which dtype are `v` and the `eps` that should keep it from 0?
def begin(weight):
    return {"step": 0, "m": torch.zeros_like(weight), "v": torch.zeros_like(weight), "w": weight}


def adam_step(state, gradient, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    state["w"] = adam_in_half(state["w"], gradient, state, lr, beta1, beta2, eps)
    return state["w"]
