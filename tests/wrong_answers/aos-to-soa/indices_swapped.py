# loses: inside
# still asks by particle, then field
@cuda.jit
def speed_squared(fields, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = fields[i, 3] ** 2 + fields[i, 4] ** 2 + fields[i, 5] ** 2
