# loses: chance
def round_stochastically(values, dtype, uniform):
    info = torch.finfo(dtype)
    _, exponent = torch.frexp(values.abs().clamp(min=info.smallest_normal))
    step = torch.ldexp(torch.tensor(info.eps), exponent - 1)
    steps = values / step
    lower = steps.floor()
    return ((lower + ((uniform < 0.5) & (steps > lower))) * step).to(dtype)
