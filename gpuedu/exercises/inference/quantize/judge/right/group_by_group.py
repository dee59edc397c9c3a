# One group after another, in float64; the first half of a row in the lower bits.
def quantize(w, bits, group):
    rows, columns = w.shape
    codes = np.empty((rows, columns), np.uint8)
    scale = np.empty((rows, columns // group), np.float32)
    zero = np.empty((rows, columns // group), np.uint8)
    for row in range(rows):
        for number in range(columns // group):
            part = slice(number * group, (number + 1) * group)
            weights = w[row, part].astype(np.float64)
            low, high = min(0.0, weights.min()), max(0.0, weights.max())
            step = (high - low) / (2**bits - 1) or 1.0
            zero[row, number] = int(0.5 - low / step)
            found = np.floor(weights / step + 0.5) + zero[row, number]
            codes[row, part] = np.minimum(np.maximum(found, 0), 2**bits - 1)
            scale[row, number] = step
    return codes, scale, zero


def dequantize(codes, scale, zero):
    group = codes.shape[1] // scale.shape[1]
    zeros = np.repeat(zero, group, axis=1).astype(int)
    return (np.repeat(scale, group, axis=1) * (codes.astype(int) - zeros)).astype(np.float32)


def pack(codes):
    half = codes.shape[1] // 2
    return codes[:, :half] + 16 * codes[:, half:]


def unpack(packed):
    return np.hstack([packed % 16, packed // 16])
