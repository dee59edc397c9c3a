def smallest_gradient(beta2):
    low, high = 1, 31743
    while low < high:
        middle = (low + high) // 2
        gradient = torch.tensor(middle, dtype=torch.int16).view(torch.float16)
        low, high = (low, middle) if second_moment(gradient, beta2) > 0 else (middle + 1, high)
    return float(torch.tensor(low, dtype=torch.int16).view(torch.float16))


def begin(weight):
    master = weight.detach().float().requires_grad_()
    return master, torch.optim.Adam([master])


def adam_step(state, gradient, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    master, optimizer = state
    optimizer.param_groups[0].update(lr=lr, betas=(beta1, beta2), eps=eps)
    master.grad = gradient.float()
    optimizer.step()
    return master.detach().half()
