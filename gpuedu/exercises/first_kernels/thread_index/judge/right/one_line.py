# The index is not named.
@cuda.jit
def add_ten(a, out):
    out[cuda.threadIdx.x] = 10 + a[cuda.threadIdx.x]
