# A loop in each direction.
@cuda.jit
def add_bias(m, bias, out):
    first_column, first_row = cuda.grid(2)
    width, height = cuda.gridsize(2)
    for row in range(first_row, m.shape[0], height):
        for column in range(first_column, m.shape[1], width):
            out[row, column] = m[row, column] + bias[column]
