# The distances grow.
@cuda.jit(device=True)
def warp_sum(value):
    d = 1
    while d < 32:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, d)
        d *= 2
    return value
