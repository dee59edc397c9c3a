def decode(bits, E, M, has_infinity):
    sign, field = (-1) ** (bits >> E + M), (bits >> M) % 2**E
    part = bits % 2**M / 2**M
    if field == 2**E - 1 and (has_infinity or part == 1 - 2.0**-M):
        return np.float64(sign * np.inf if part == 0 else np.nan)
    exponent = field - 2 ** (E - 1) + 1
    if field == 0:
        return np.float32(sign * 1.0 * part * 2.0 ** (exponent + 1))
    return np.float32(sign * (1 + part) * 2.0**exponent)
