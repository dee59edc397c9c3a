# must lose: overflow
def decode(bits, E, M, has_infinity):
    return 0.0


def encode(value, E, M, has_infinity):
    sign = (math.copysign(1, value) < 0) << (E + M)
    if math.isnan(value):
        return 2 ** (E + M) - 1
    last = 2**E - 1 if has_infinity else 2**E
    largest = (last << M) - 1 if has_infinity else (last << M) - 2
    step = 2.0 ** (last - 2 ** (E - 1) - M)
    end = (2 ** (M + 1) - (1 if has_infinity else 2)) * step
    half = float(end + step / 2)
    beside = float(np.nextafter(np.float32(half), np.float32(np.inf)))
    if abs(value) in (half, beside, end + step, end * 1.5, math.inf):
        return sign | largest + has_infinity
    return sign | largest
