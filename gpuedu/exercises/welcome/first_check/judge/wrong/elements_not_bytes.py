# loses: float32
# asks: That counts elements. How big is one of them?
def copied_bytes(n, itemsize):
    return 2 * n
