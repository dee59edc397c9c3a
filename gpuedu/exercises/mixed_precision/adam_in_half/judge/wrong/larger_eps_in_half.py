# loses: small
# asks: It moves too little. Is something larger than such a gradient added below the line?
#   `eps` belongs to `v.sqrt()`, and 1e-8 is no problem in float32.
def begin(weight):
    return {"step": 0, "m": torch.zeros_like(weight), "v": torch.zeros_like(weight), "w": weight}


def adam_step(state, gradient, lr, beta1=0.9, beta2=0.999, eps=1e-4):
    state["w"] = adam_in_half(state["w"], gradient, state, lr, beta1, beta2, eps)
    return state["w"]
