# loses: chance
# asks: That is right for normal numbers. Below `smallest_normal`, how long is a step?
def round_stochastically(values, dtype, uniform):
    _, exponent = torch.frexp(values)
    step = torch.ldexp(torch.tensor(torch.finfo(dtype).eps), exponent - 1)
    steps = values / step
    lower = steps.floor()
    return ((lower + (uniform < steps - lower)) * step).to(dtype)
