# loses: once
# one element at a time, to the end
@cuda.jit
def square(x, out):
    for i in range(cuda.grid(1), out.size):
        out[i] = x[i] * x[i]
