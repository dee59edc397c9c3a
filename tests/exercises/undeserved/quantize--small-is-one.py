# must lose: step
def quantize(w, bits, group):
    rows, columns = w.shape
    parts = w.reshape(rows, columns // group, group)
    low = np.minimum(parts.min(axis=2), 0)
    high = np.maximum(parts.max(axis=2), 0)
    most = 2**bits - 1
    scale = (high - low) / most
    scale[scale < 1e-8] = 1
    zero = np.round(-low / scale)
    codes = np.round(parts / scale[:, :, None]) + zero[:, :, None]
    codes = np.clip(codes, 0, most).astype(np.uint8)
    return codes.reshape(rows, columns), scale, zero.astype(np.uint8)


def dequantize(codes, scale, zero):
    """The weights that codes stand for."""
    rows, groups = scale.shape
    parts = codes.reshape(rows, groups, -1).astype(np.float32)
    return (scale[:, :, None] * (parts - zero[:, :, None])).reshape(codes.shape)


def pack(codes):
    """Two codes in each byte."""
    return codes[:, 0::2] | codes[:, 1::2] << 4


def unpack(packed):
    """The codes in all bytes."""
    codes = np.empty((packed.shape[0], 2 * packed.shape[1]), np.uint8)
    codes[:, 0::2] = packed & 15
    codes[:, 1::2] = packed >> 4
    return codes
