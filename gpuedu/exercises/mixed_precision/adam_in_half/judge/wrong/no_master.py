# loses: follows
# asks: The weights that the next step begins with seem to be fp16 ones: what an update is less
#   than half a step of is lost. Is there a master?
def begin(weight):
    zeros = torch.zeros_like(weight, dtype=torch.float32)
    return {"step": 0, "m": zeros, "v": zeros, "w": weight}


def adam_step(state, gradient, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    new = adam_in_half(state["w"].float(), gradient.float(), state, lr, beta1, beta2, eps)
    state["w"] = new.half()
    return state["w"]
