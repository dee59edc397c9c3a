# loses: values
def decode(bits, E, M, has_infinity):
    bias, last = 2 ** (E - 1) - 1, 2**E - 1
    sign = -1.0 if bits >> (E + M) else 1.0
    field, mantissa = bits >> M, bits & (2**M - 1)
    if field == last and has_infinity:
        return sign * math.inf if mantissa == 0 else math.nan
    if field == last and mantissa == 2**M - 1:
        return math.nan
    steps = mantissa + 2**M if field else mantissa
    return sign * steps * 2.0 ** (max(field, 1) - bias - M)
