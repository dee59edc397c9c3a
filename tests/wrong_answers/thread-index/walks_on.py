# loses: one-each
# each thread begins at its own element and goes on to the end
@cuda.jit
def add_ten(a, out):
    for i in range(cuda.threadIdx.x, a.size):
        out[i] = a[i] + 10
