# must lose: every
@cuda.jit
def square(x, out):
    for turn in range(32):
        i = cuda.grid(1) + turn * cuda.gridsize(1)
        if i < out.size:
            out[i] = x[i] * x[i]
