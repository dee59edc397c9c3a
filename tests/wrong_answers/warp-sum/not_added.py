# loses: warp
# takes the other value instead of adding it
@cuda.jit(device=True)
def warp_sum(value):
    for d in (16, 8, 4, 2, 1):
        value = cuda.shfl_down_sync(0xFFFFFFFF, value, d)
    return value
