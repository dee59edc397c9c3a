# loses: values
# asks: The sign is lost. It is the first bit, of zeros and subnormal numbers, too.
def decode(bits, E, M, has_infinity):
    bias, last = 2 ** (E - 1) - 1, 2**E - 1
    sign = 1.0
    field, mantissa = bits >> M & last, bits & (2**M - 1)
    if field == last and has_infinity:
        return math.nan if mantissa else sign * math.inf
    if field == last and mantissa == 2**M - 1:
        return math.nan
    if field == 0:
        return sign * mantissa * 2.0 ** (1 - bias - M)
    return sign * (2**M + mantissa) * 2.0 ** (field - bias - M)
