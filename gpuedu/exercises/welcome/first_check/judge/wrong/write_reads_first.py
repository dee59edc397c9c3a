# loses: float32
# thinks the line that is written has to be read first
def copied_bytes(n, itemsize):
    return 3 * n * itemsize
