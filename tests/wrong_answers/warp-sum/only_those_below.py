# loses: warp
# only lanes that have somebody above shuffle
@cuda.jit(device=True)
def warp_sum(value):
    lane = cuda.laneid
    for d in (16, 8, 4, 2, 1):
        if lane < d:
            value += cuda.shfl_down_sync(0xFFFFFFFF, value, d)
    return value
