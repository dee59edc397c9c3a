# loses: specials
# asks: e4m3 has no infinity, and just one NaN (of each sign): the rest of this exponent are
#   numbers, up to 448.
def decode(bits, E, M, has_infinity):
    bias, last = 2 ** (E - 1) - 1, 2**E - 1
    sign = -1.0 if bits >> (E + M) else 1.0
    field, mantissa = bits >> M & last, bits & (2**M - 1)
    if field == last:
        return math.nan if mantissa else sign * math.inf
    if field == 0:
        return sign * mantissa * 2.0 ** (1 - bias - M)
    return sign * (2**M + mantissa) * 2.0 ** (field - bias - M)
