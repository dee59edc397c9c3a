# by mantissa and exponent; the table as pairs
since = {"tf32": (8, 0), "bf16": (8, 0), "fp8": (8, 9)}


def tf32(x):
    mantissa, exponent = torch.frexp(x)
    return torch.ldexp(torch.round(mantissa * 2**11), exponent - 11)
