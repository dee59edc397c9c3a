# loses: neighbours
# asks: How long is a step of float16 where this number lies?
def round_stochastically(values, dtype, uniform):
    bits = values.view(torch.int32) + (uniform * 65536).int()
    return (bits & -65536).view(torch.float32).to(dtype)
