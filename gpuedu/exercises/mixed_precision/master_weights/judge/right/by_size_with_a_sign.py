def round_stochastically(values, dtype, uniform):
    """Away from 0 where the uniform number is large."""
    info = torch.finfo(dtype)
    size = values.abs()
    step = torch.ldexp(
        torch.tensor(1.0), torch.frexp(size.clamp(min=info.smallest_normal)).exponent - 1
    )
    step = step * info.eps
    whole = torch.trunc(size / step)
    away = uniform > 1 - (size / step - whole)
    return (torch.sign(values) * (whole + away) * step).to(dtype)
