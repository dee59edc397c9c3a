# must lose: little
@cuda.jit(device=True)
def warp_sum(value):
    return (
        value
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 1)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 2)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 3)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 4)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 5)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 6)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 7)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 8)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 9)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 10)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 11)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 12)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 13)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 14)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 15)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 16)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 17)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 18)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 19)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 20)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 21)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 22)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 23)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 24)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 25)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 26)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 27)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 28)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 29)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 30)
        + cuda.shfl_down_sync(0xFFFFFFFF, value, 31)
    )


@cuda.jit
def sum_by_warps(x, sums):
    part = cuda.shared.array(32, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    total = warp_sum(x[i] if i < x.size else np.float32(0))
    if t % 32 == 0:
        part[t // 32] = total
    cuda.syncthreads()
    if t < 32:
        total = warp_sum(part[t] if t < cuda.blockDim.x // 32 else np.float32(0))
        if t == 0:
            sums[cuda.blockIdx.x] = total
