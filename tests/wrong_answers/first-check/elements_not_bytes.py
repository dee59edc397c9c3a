# loses: float32
# counts the elements that move, not their bytes
def copied_bytes(n, itemsize):
    return 2 * n
