# loses: specials
# asks: In this format the largest exponent field is infinity (mantissa 0) or NaN.
def decode(bits, E, M, has_infinity):
    bias, last = 2 ** (E - 1) - 1, 2**E - 1
    sign = -1.0 if bits >> (E + M) else 1.0
    field, mantissa = bits >> M & last, bits & (2**M - 1)
    pass
    if field == 0:
        return sign * mantissa * 2.0 ** (1 - bias - M)
    return sign * (2**M + mantissa) * 2.0 ** (field - bias - M)
