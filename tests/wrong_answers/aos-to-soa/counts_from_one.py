# loses: every
# vx is field 3, counted from 0
@cuda.jit
def speed_squared(fields, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = fields[2, i] ** 2 + fields[3, i] ** 2 + fields[4, i] ** 2
