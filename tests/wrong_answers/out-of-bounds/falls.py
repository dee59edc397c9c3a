# loses: right
# subtracts the wrong way round
@cuda.jit
def rises(x, out):
    i = cuda.grid(1)
    if i < x.size:
        right = min(i + 1, x.size - 1)
        out[i] = x[i] - x[right]
