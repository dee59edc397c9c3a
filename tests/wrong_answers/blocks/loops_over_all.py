# loses: once
# every thread does everything
@cuda.jit
def saxpy(a, x, y, out):
    for i in range(out.size):
        out[i] = a * x[i] + y[i]
