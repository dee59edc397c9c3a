# loses: everywhere
# one thread of each block adds
@cuda.jit
def add_before(upto, out):
    i, b, t = cuda.grid(1), cuda.blockIdx.x, cuda.threadIdx.x
    if b > 0 and t == 0:
        out[i] += upto[b - 1]
