def round_stochastically(values, dtype, uniform):
    """The neighbor towards 0, and the next pattern after it."""
    near = values.to(dtype)
    bits = near.view(torch.int16)
    bits = bits - (near.float().abs() > values.abs()).short()
    low = bits.view(dtype).float()
    high = (bits + 1).view(dtype).float()
    share = (values - low) / (high - low)
    return torch.where(uniform < share, high, low).to(dtype)
