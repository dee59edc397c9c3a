# loses: everywhere
# the block's own scan is lost
@cuda.jit
def add_before(upto, out):
    i, b = cuda.grid(1), cuda.blockIdx.x
    if b > 0 and i < out.size:
        out[i] = upto[b - 1]
