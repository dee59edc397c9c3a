# loses: inside
# the guard lets one element too many through
@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if i <= out.size:
        out[i] = a * x[i] + y[i]
