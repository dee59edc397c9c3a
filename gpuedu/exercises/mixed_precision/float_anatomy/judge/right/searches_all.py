def decode(bits, E, M, has_infinity):
    sign = 1 - 2 * (bits >> (E + M))
    size = bits % 2 ** (E + M)
    if size > (2**E - 1 << M) - (not has_infinity) + (not has_infinity) * (2**M - 1):
        return float("nan")
    if has_infinity and size == 2**E - 1 << M:
        return sign * float("inf")
    field, mantissa = divmod(size, 2**M)
    return (
        math.ldexp(sign * (mantissa + (2**M if field else 0)), max(field, 1) - 2 ** (E - 1) + 1 - M)
        if size
        else sign * 0.0
    )


def encode(value, E, M, has_infinity):
    """By bisection in the patterns, which are ordered as their numbers are."""
    if value != value:
        return 2 ** (E + M) - 1
    sign = str(value).startswith("-") << (E + M)
    largest = (2**E - 1 << M) - 1 if has_infinity else 2 ** (E + M) - 2
    low, high = 0, largest
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high)
            if decode(middle, E, M, has_infinity) <= abs(value)
            else (low, middle - 1)
        )
    here = decode(low, E, M, has_infinity)
    up = (
        2 * here - decode(low - 1, E, M, has_infinity)
        if low == largest
        else decode(low + 1, E, M, has_infinity)
    )
    above = abs(value) - here > up - abs(value) or (
        abs(value) - here == up - abs(value) and low % 2
    )
    return sign | min(low + bool(above), largest + has_infinity)
