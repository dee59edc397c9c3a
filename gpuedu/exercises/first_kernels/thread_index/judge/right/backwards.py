# Each thread takes the element from the other end.
@cuda.jit
def add_ten(a, out):
    i = cuda.blockDim.x - 1 - cuda.threadIdx.x
    out[i] = a[i] + 10
