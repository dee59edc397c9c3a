# loses: specials
# asks: With mantissa 0 it is infinity; NaN has another mantissa.
def decode(bits, E, M, has_infinity):
    bias, last = 2 ** (E - 1) - 1, 2**E - 1
    sign = -1.0 if bits >> (E + M) else 1.0
    field, mantissa = bits >> M & last, bits & (2**M - 1)
    if field == last and (has_infinity or mantissa == 2**M - 1):
        return math.nan
    if field == 0:
        return sign * mantissa * 2.0 ** (1 - bias - M)
    return sign * (2**M + mantissa) * 2.0 ** (field - bias - M)
