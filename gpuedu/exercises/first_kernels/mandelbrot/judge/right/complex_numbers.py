# Complex numbers, as NumPy has them.
@cuda.jit
def mandelbrot(left, top, step, limit, out):
    column, row = cuda.grid(2)
    if row >= out.shape[0] or column >= out.shape[1]:
        return
    c = complex(left + column * step, top - row * step)
    z = 0j
    n = 0
    while abs(z) <= 2 and n < limit:
        z = z * z + c
        n += 1
    out[row, column] = n
