# must lose: copy, neighbors
def master_step(master, gradient, lr):
    return master, master.to(gradient.dtype)


def round_stochastically(values, dtype, uniform):
    return values.to(dtype)
