# loses: any-itemsize
# thinks memory moves nothing smaller than a word of 4 bytes
def copied_bytes(n, itemsize):
    return 2 * n * max(4, itemsize)
