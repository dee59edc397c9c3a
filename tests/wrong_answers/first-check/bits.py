# loses: float32
# gives bits
def copied_bytes(n, itemsize):
    return 2 * n * itemsize * 8
