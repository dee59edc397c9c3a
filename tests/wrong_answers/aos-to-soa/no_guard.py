# loses: inside
# threads without a particle go on
@cuda.jit
def speed_squared(fields, out):
    i = cuda.grid(1)
    out[i] = fields[3, i] ** 2 + fields[4, i] ** 2 + fields[5, i] ** 2
