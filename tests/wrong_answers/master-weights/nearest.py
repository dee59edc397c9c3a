# loses: chance
def round_stochastically(values, dtype, uniform):
    return values.to(dtype)
