def master_step(master, gradient, lr):
    master.sub_(gradient.to(torch.float32), alpha=lr)
    return [master, master.to(dtype=gradient.dtype)]


def round_stochastically(values, dtype, uniform):
    info = torch.finfo(dtype)
    power = 2 ** torch.floor(torch.log2(values.abs().double().clamp(min=info.smallest_normal)))
    step = power * info.eps
    return (torch.floor(values.double() / step + uniform) * step).to(dtype)
