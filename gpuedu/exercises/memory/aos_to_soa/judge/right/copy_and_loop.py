# The method copies into rows; a loop over the three fields.
def to_soa(table):
    return table.T.copy()


@cuda.jit
def speed_squared(fields, out):
    i = cuda.grid(1)
    if i < fields.shape[1]:
        total = float32(0)
        for field in range(3, 6):
            total += fields[field, i] * fields[field, i]
        out[i] = total
