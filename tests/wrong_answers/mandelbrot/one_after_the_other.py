# loses: square
# the second line uses the new real part
@cuda.jit
def mandelbrot(left, top, step, limit, out):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        cr, ci = left + column * step, top - row * step
        zr, zi, n = 0.0, 0.0, 0
        while n < limit and zr * zr + zi * zi <= 4.0:
            zr = zr * zr - zi * zi + cr
            zi = 2.0 * zr * zi + ci
            n += 1
        out[row, column] = n
