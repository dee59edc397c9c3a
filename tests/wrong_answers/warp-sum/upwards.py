# loses: warp
# the sum comes out in lane 31
@cuda.jit(device=True)
def warp_sum(value):
    for d in (1, 2, 4, 8, 16):
        value += cuda.shfl_up_sync(0xFFFFFFFF, value, d)
    return value
