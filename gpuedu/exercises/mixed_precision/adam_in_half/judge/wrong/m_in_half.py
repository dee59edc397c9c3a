# loses: small
# asks: `m` seems to be kept in fp16: a tenth of a small gradient is smaller still.
def begin(weight):
    zeros = torch.zeros_like(weight, dtype=torch.float32)
    return {"step": 0, "m": zeros.half(), "v": zeros, "master": weight.float()}


def adam_step(state, gradient, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    state["step"] += 1
    state["m"] = beta1 * state["m"] + (1 - beta1) * gradient
    state["v"] = beta2 * state["v"] + (1 - beta2) * gradient.float() ** 2
    m = state["m"] / (1 - beta1 ** state["step"])
    v = state["v"] / (1 - beta2 ** state["step"])
    state["master"] = state["master"] - lr * m / (v.sqrt() + eps)
    return state["master"].half()
