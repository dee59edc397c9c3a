# loses: warp
# names 16 lanes
@cuda.jit(device=True)
def warp_sum(value):
    for d in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFF, value, d)
    return value
