# loses: any-itemsize
# asks: That is right for elements of 4 bytes. Which argument is not used yet?
def copied_bytes(n, itemsize):
    return 2 * n * max(4, itemsize)
