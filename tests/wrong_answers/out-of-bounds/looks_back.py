# loses: right
# the rise from the one before
@cuda.jit
def rises(x, out):
    i = cuda.grid(1)
    if i < x.size:
        left = max(i - 1, 0)
        out[i] = x[i] - x[left]
