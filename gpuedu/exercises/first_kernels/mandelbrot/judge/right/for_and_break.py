# A for loop that is left at the escape.
@cuda.jit
def mandelbrot(left, top, step, limit, out):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        cr, ci = left + column * step, top - row * step
        x = 0.0
        y = 0.0
        n = 0
        for k in range(limit):
            if x * x + y * y > 4.0:
                break
            new = x * x - y * y + cr
            y = 2.0 * x * y + ci
            x = new
            n += 1
        out[row, column] = n
