# loses: every
# a block for each particle
@cuda.jit
def speed_squared(fields, out):
    i = cuda.blockIdx.x
    if i < out.size:
        out[i] = fields[3, i] ** 2 + fields[4, i] ** 2 + fields[5, i] ** 2
