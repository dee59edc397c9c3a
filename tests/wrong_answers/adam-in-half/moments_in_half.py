# loses: follows
def begin(weight):
    zeros = torch.zeros_like(weight, dtype=torch.float32)
    return {"step": 0, "m": zeros, "v": zeros, "master": weight.float()}


def adam_step(state, gradient, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    state["master"] = adam_in_half(state["master"], gradient.float(), state, lr, beta1, beta2, eps)
    state["m"], state["v"] = state["m"].half().float(), state["v"].half().float()
    return state["master"].half()
