# loses: every
# adds to what stood there
@cuda.jit
def speed_squared(fields, out):
    i = cuda.grid(1)
    if i < out.size:
        for k in range(3, 6):
            out[i] += fields[k, i] ** 2
