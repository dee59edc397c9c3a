# loses: float32
# asks: That is bits: 8 of them make one byte.
def copied_bytes(n, itemsize):
    return 2 * n * itemsize * 8
