# loses: neighbours
# asks: How long is a step of bfloat16 where this number lies?
def round_stochastically(values, dtype, uniform):
    info = torch.finfo(dtype)
    _, exponent = torch.frexp(values.abs().clamp(min=info.smallest_normal))
    step = torch.ldexp(torch.tensor(info.eps), exponent - 1)
    steps = values / step
    lower = steps.trunc()
    return ((lower + (uniform < (steps - lower).abs())) * step).to(dtype)
