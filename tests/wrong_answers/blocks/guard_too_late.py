# loses: inside
# reads before it asks
@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.grid(1)
    value = a * x[i] + y[i]
    if i < out.size:
        out[i] = value
