def encode(value, E, M, has_infinity):
    """On the pattern of a float32: shift it out, and round by what was shifted out."""
    bits = int(np.float32(value).view(np.uint32))
    sign, size = bits >> 31 << (E + M), bits & 0x7FFFFFFF
    top = 2**E - 1 << M
    if size > 0x7F800000:
        return top + 2**M - 1
    field, mantissa = size >> 23, size & 0x7FFFFF
    steps = mantissa + (field > 0) * 2**23
    field = max(field, 1) - 127 + 2 ** (E - 1) - 1
    shift = 23 - M + max(1 - field, 0)
    half = (1 << shift) >> 1
    kept, rest = steps >> shift, steps & ((1 << shift) - 1)
    kept += rest > half or (rest == half and kept & 1)
    code = kept + ((max(field, 1) - 1) << M)
    largest = top if has_infinity else top + 2**M - 2
    return sign | int(min(code, largest))
