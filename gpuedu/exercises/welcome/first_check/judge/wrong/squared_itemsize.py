# loses: float32
# multiplies the two itemsizes instead of adding the two arrays
def copied_bytes(n, itemsize):
    return n * itemsize * itemsize
