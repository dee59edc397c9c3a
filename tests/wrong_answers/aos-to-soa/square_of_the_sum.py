# loses: every
# adds first
@cuda.jit
def speed_squared(fields, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = (fields[3, i] + fields[4, i] + fields[5, i]) ** 2
