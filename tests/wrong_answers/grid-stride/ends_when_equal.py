# loses: ends
# steps over the end and goes on
@cuda.jit
def square(x, out):
    i = cuda.grid(1)
    while i != out.size:
        if i < out.size:
            out[i] = x[i] * x[i]
        i += cuda.gridsize(1)
