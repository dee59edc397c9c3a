# must lose: inside, sectors
def to_soa(table):
    return np.ascontiguousarray(table.T)


@cuda.jit
def speed_squared(fields, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = fields[3, i]
