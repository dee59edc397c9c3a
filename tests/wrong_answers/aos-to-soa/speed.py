# loses: every
# the speed, not its square
@cuda.jit
def speed_squared(fields, out):
    i = cuda.grid(1)
    if i < out.size:
        v2 = fields[3, i] ** 2 + fields[4, i] ** 2 + fields[5, i] ** 2
        out[i] = v2**0.5
