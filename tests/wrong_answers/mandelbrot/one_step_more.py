# loses: square
# counts one step beyond the limit
@cuda.jit
def mandelbrot(left, top, step, limit, out):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        cr, ci = left + column * step, top - row * step
        zr, zi, n = 0.0, 0.0, 0
        while n <= limit and zr * zr + zi * zi <= 4.0:
            zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
            n += 1
        out[row, column] = n
