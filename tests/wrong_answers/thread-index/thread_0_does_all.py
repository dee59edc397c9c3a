# loses: one-each
# one thread does it all, the others look on
@cuda.jit
def add_ten(a, out):
    if cuda.threadIdx.x == 0:
        for i in range(a.size):
            out[i] = a[i] + 10
