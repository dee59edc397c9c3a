# loses: warp
# stops one step early
@cuda.jit(device=True)
def warp_sum(value):
    d = 16
    while d > 1:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, d)
        d //= 2
    return value
