# loses: every
# element 0 belongs to nobody
@cuda.jit
def square(x, out):
    for i in range(cuda.grid(1) + 1, out.size, cuda.gridsize(1)):
        out[i] = x[i] * x[i]
