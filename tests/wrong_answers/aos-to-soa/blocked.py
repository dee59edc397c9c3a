# loses: sectors
# four neighbours for each thread
@cuda.jit
def speed_squared(fields, out):
    first = 4 * cuda.grid(1)
    for i in range(first, min(first + 4, out.size)):
        out[i] = fields[3, i] ** 2 + fields[4, i] ** 2 + fields[5, i] ** 2
