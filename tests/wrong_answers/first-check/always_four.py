# loses: any-itemsize
# takes every element for a float32
def copied_bytes(n, itemsize):
    return 2 * n * 4
