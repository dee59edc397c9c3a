# An empty array, filled field by field.
def to_soa(table):
    fields = np.empty((6, len(table)), np.float32)
    for field in range(6):
        fields[field] = table[:, field]
    return fields


@cuda.jit
def speed_squared(fields, out):
    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        vx, vy, vz = fields[3, i], fields[4, i], fields[5, i]
        out[i] = vx * vx + vy * vy + vz * vz
