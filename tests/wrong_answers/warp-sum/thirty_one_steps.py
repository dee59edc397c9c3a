# loses: little
# 31 steps, each lane from its own value: right, and no doubling
@cuda.jit(device=True)
def warp_sum(value):
    total = value
    for d in range(1, 32):
        total += cuda.shfl_down_sync(0xFFFFFFFF, value, d)
    return total
