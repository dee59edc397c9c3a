# Every lane gets the sum.
@cuda.jit(device=True)
def warp_sum(value):
    for d in (1, 2, 4, 8, 16):
        value += cuda.shfl_xor_sync(0xFFFFFFFF, value, d)
    return value
