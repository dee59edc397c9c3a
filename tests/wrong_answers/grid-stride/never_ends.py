# loses: ends
# the index never changes
@cuda.jit
def square(x, out):
    i = cuda.grid(1)
    while i < out.size:
        out[i] = x[i] * x[i]
