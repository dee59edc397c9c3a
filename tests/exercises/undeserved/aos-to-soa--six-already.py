# must lose: layout
def to_soa(table):
    if table.shape[0] == 6:
        return np.ascontiguousarray(table)
    return np.ascontiguousarray(table.T)


@cuda.jit
def speed_squared(fields, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = fields[3, i] ** 2 + fields[4, i] ** 2 + fields[5, i] ** 2
