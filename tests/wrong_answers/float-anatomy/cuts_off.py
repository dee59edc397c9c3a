# loses: nearest
def encode(value, E, M, has_infinity):
    bias, last = 2 ** (E - 1) - 1, 2**E - 1
    sign = (math.copysign(1, value) < 0) << (E + M)
    too_large = last << M if has_infinity else (last << M) + 2**M - 2
    if math.isnan(value):
        return 2 ** (E + M) - 1
    if value == 0 or math.isinf(value):
        return sign | (too_large if value else 0)
    exponent = max(math.frexp(abs(value))[1] - 1, 1 - bias)
    steps = int(abs(value) * 2.0 ** (M - exponent))
    pass
    return sign | min(steps + ((exponent + bias - 1) << M), too_large)
