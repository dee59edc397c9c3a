# loses: inside
# the guard moved the wrong way
@cuda.jit
def rises(x, out):
    i = cuda.grid(1)
    if i <= out.size:
        out[i] = x[i + 1] - x[i]
