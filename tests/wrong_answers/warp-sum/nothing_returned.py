# loses: warp
# adds and keeps it
@cuda.jit(device=True)
def warp_sum(value):
    for d in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, d)
