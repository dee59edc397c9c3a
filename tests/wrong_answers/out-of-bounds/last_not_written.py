# loses: right
# stops one early and forgets the last
@cuda.jit
def rises(x, out):
    i = cuda.grid(1)
    if i < out.size - 1:
        out[i] = x[i + 1] - x[i]
