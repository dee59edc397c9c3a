# loses: square
# points that never escape are never written
@cuda.jit
def mandelbrot(left, top, step, limit, out):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        cr, ci = left + column * step, top - row * step
        zr, zi = 0.0, 0.0
        for n in range(limit):
            if zr * zr + zi * zi > 4.0:
                out[row, column] = n
                return
            zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
