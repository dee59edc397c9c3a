# loses: float32
# counts what is read and forgets what is written
def copied_bytes(n, itemsize):
    return n * itemsize
