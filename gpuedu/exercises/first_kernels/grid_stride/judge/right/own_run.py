# Each thread its own run of elements: right, and costly.
@cuda.jit
def square(x, out):
    each = (out.size + cuda.gridsize(1) - 1) // cuda.gridsize(1)
    first = cuda.grid(1) * each
    for i in range(first, min(first + each, out.size)):
        out[i] = x[i] * x[i]
