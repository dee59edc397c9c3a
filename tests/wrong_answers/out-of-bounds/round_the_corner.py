# loses: right
# the last one gets the first as its neighbour
@cuda.jit
def rises(x, out):
    i = cuda.grid(1)
    if i < x.size:
        right = (i + 1) % x.size
        out[i] = x[right] - x[i]
