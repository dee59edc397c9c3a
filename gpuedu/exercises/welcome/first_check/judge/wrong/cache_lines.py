# loses: float32
# rounds each array up to lines of 64 bytes
def copied_bytes(n, itemsize):
    lines = (n * itemsize + 63) // 64
    return 2 * lines * 64
