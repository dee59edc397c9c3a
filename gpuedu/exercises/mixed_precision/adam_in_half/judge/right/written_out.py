def begin(weight):
    return [0, weight.double(), weight.double() * 0, weight.double() * 0]


def adam_step(state, gradient, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    state[0] += 1
    step, master, m, v = state
    m.lerp_(gradient.double(), 1 - beta1)
    v.mul_(beta2).addcmul_(gradient.double(), gradient.double(), value=1 - beta2)
    below = (v / (1 - beta2**step)).sqrt() + eps
    master.sub_(lr / (1 - beta1**step) * m / below)
    return master.to(torch.float16)
