# loses: every
# takes x, y and z
@cuda.jit
def speed_squared(fields, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = fields[0, i] ** 2 + fields[1, i] ** 2 + fields[2, i] ** 2
