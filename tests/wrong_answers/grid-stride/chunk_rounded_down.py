# loses: every
# each thread its own run, and nobody the rest
@cuda.jit
def square(x, out):
    each = out.size // cuda.gridsize(1)
    first = cuda.grid(1) * each
    for i in range(first, first + each):
        out[i] = x[i] * x[i]
