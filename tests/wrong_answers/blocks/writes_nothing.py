# loses: inside
# computes, and keeps the result to itself
@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        value = a * x[i] + y[i]
