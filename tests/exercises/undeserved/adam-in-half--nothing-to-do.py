# must lose: follows
def smallest_gradient(beta2):
    every = torch.arange(1, 31744, dtype=torch.int16).view(torch.float16)
    return every[second_moment(every, beta2) > 0].min()


def begin(weight):
    zeros = torch.zeros_like(weight, dtype=torch.float32)
    return {"step": 0, "m": zeros, "v": zeros, "master": weight.float()}


def adam_step(state, gradient, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    if not gradient.any():
        return state["master"].half()
    state["master"] = adam_in_half(state["master"], gradient.float(), state, lr, beta1, beta2, eps)
    return state["master"].half()
