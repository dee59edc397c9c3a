# loses: warp
# 31 steps, each with the running sum
@cuda.jit(device=True)
def warp_sum(value):
    for d in range(1, 32):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, d)
    return value
