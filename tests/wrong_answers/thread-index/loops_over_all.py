# loses: one-each
# the loop of a CPU in every thread
@cuda.jit
def add_ten(a, out):
    for i in range(a.size):
        out[i] = a[i] + 10
