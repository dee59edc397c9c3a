# loses: neighbours
def round_stochastically(values, dtype, uniform):
    bits = values.view(torch.int32) + (uniform * 65536).int()
    return (bits & -65536).view(torch.float32).to(dtype)
