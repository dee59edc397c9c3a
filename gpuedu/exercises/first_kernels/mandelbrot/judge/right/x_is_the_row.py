# x down the column, with a walk in both directions.
@cuda.jit
def mandelbrot(left, top, step, limit, out):
    first_row, first_column = cuda.grid(2)
    high, wide = cuda.gridsize(2)
    for row in range(first_row, out.shape[0], high):
        for column in range(first_column, out.shape[1], wide):
            zr, zi, n = 0.0, 0.0, 0
            while n < limit and zr * zr + zi * zi <= 4.0:
                real = zr * zr - zi * zi + left + column * step
                zi = 2.0 * zr * zi + top - row * step
                zr = real
                n += 1
            out[row, column] = n
