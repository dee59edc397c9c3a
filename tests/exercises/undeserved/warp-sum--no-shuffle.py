# must lose: little
@cuda.jit(device=True)
def warp_sum(value):
    return value


@cuda.jit
def sum_by_warps(x, sums):
    if cuda.threadIdx.x == 0:
        b = cuda.grid(1)
        e = min(b + cuda.blockDim.x, x.size)
        total = np.float32(0)
        while b < e:
            total += (
                (x[b + 0] if b + 0 < e else np.float32(0))
                + (x[b + 1] if b + 1 < e else np.float32(0))
                + (x[b + 2] if b + 2 < e else np.float32(0))
                + (x[b + 3] if b + 3 < e else np.float32(0))
                + (x[b + 4] if b + 4 < e else np.float32(0))
                + (x[b + 5] if b + 5 < e else np.float32(0))
                + (x[b + 6] if b + 6 < e else np.float32(0))
                + (x[b + 7] if b + 7 < e else np.float32(0))
                + (x[b + 8] if b + 8 < e else np.float32(0))
                + (x[b + 9] if b + 9 < e else np.float32(0))
                + (x[b + 10] if b + 10 < e else np.float32(0))
                + (x[b + 11] if b + 11 < e else np.float32(0))
                + (x[b + 12] if b + 12 < e else np.float32(0))
                + (x[b + 13] if b + 13 < e else np.float32(0))
                + (x[b + 14] if b + 14 < e else np.float32(0))
                + (x[b + 15] if b + 15 < e else np.float32(0))
                + (x[b + 16] if b + 16 < e else np.float32(0))
                + (x[b + 17] if b + 17 < e else np.float32(0))
                + (x[b + 18] if b + 18 < e else np.float32(0))
                + (x[b + 19] if b + 19 < e else np.float32(0))
                + (x[b + 20] if b + 20 < e else np.float32(0))
                + (x[b + 21] if b + 21 < e else np.float32(0))
                + (x[b + 22] if b + 22 < e else np.float32(0))
                + (x[b + 23] if b + 23 < e else np.float32(0))
                + (x[b + 24] if b + 24 < e else np.float32(0))
                + (x[b + 25] if b + 25 < e else np.float32(0))
                + (x[b + 26] if b + 26 < e else np.float32(0))
                + (x[b + 27] if b + 27 < e else np.float32(0))
                + (x[b + 28] if b + 28 < e else np.float32(0))
                + (x[b + 29] if b + 29 < e else np.float32(0))
                + (x[b + 30] if b + 30 < e else np.float32(0))
                + (x[b + 31] if b + 31 < e else np.float32(0))
            )
            b += 32
        sums[cuda.blockIdx.x] = total
