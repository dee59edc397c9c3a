# loses: float32
# takes every element for a Python float of 8 bytes
def copied_bytes(n, itemsize):
    return 2 * n * 8
