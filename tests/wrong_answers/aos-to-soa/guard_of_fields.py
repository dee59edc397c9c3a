# loses: every
# shape[0] is the number of fields
@cuda.jit
def speed_squared(fields, out):
    i = cuda.grid(1)
    if i < fields.shape[0]:
        out[i] = fields[3, i] ** 2 + fields[4, i] ** 2 + fields[5, i] ** 2
