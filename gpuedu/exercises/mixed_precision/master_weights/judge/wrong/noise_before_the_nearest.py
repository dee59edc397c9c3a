# loses: neighbours
# asks: How long is a step of bfloat16 where this number lies?
def round_stochastically(values, dtype, uniform):
    return (values + (uniform - 0.5) * values.abs() * torch.finfo(dtype).eps).to(dtype)
