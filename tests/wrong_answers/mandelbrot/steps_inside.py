# loses: square
# does not count the step that leads out
@cuda.jit
def mandelbrot(left, top, step, limit, out):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        cr, ci = left + column * step, top - row * step
        zr, zi, n = 0.0, 0.0, 0
        for k in range(limit):
            zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
            if zr * zr + zi * zi > 4.0:
                break
            n += 1
        out[row, column] = n
