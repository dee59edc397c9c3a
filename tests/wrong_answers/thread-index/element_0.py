# loses: right
# an index that is the same in every thread
@cuda.jit
def add_ten(a, out):
    i = 0
    out[i] = a[i] + 10
