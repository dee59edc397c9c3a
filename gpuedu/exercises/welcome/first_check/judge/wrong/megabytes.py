# loses: float32
# gives megabytes
def copied_bytes(n, itemsize):
    return 2 * n * itemsize / 1e6
