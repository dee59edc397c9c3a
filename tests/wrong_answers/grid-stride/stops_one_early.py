# loses: every
# the last element is missing
@cuda.jit
def square(x, out):
    for i in range(cuda.grid(1), out.size - 1, cuda.gridsize(1)):
        out[i] = x[i] * x[i]
