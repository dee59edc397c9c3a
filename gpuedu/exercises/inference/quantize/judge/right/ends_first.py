# Codes count steps from the low end, which is moved so that 0 has a code of its own.
def quantize(w, bits, group):
    parts = np.stack(np.split(w, w.shape[1] // group, axis=1), axis=1)
    reach = parts.max(axis=2).clip(min=0) - parts.min(axis=2).clip(max=0)
    scale = np.where(reach > 0, reach / (2**bits - 1), 1).astype(np.float32)
    zero = np.rint(-parts.min(axis=2).clip(max=0) / scale)
    low = -zero * scale
    codes = np.rint((parts - low[..., None]) / scale[..., None]).clip(0, 2**bits - 1)
    return codes.astype(np.uint8).reshape(w.shape), scale, zero.astype(np.uint8)


def dequantize(codes, scale, zero):
    weights = np.empty(codes.shape, np.float32)
    group = codes.shape[1] // scale.shape[1]
    for column in range(codes.shape[1]):
        number = column // group
        steps = codes[:, column].astype(np.float32) - zero[:, number]
        weights[:, column] = scale[:, number] * steps
    return weights


def pack(codes):
    return codes.reshape(codes.shape[0], -1, 2) @ np.array([16, 1], np.uint8)


def unpack(packed):
    return np.stack([packed >> 4, packed & 15], axis=2).reshape(packed.shape[0], -1)
