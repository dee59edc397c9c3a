# loses: warp
# a distance of 32 is one of 0
@cuda.jit(device=True)
def warp_sum(value):
    d = 32
    while d > 0:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, d)
        d //= 2
    return value
