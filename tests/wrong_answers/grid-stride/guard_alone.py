# loses: once
# a guard and no walk
@cuda.jit
def square(x, out):
    i = cuda.grid(1)
    if i >= out.size:
        return
    out[i] = x[i] * x[i]
