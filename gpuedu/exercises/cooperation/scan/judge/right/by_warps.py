# Shuffles in a warp, then the sums of the warps.
@cuda.jit
def scan_block(x, out, totals):
    part = cuda.shared.array(8, np.int32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    lane, warp = t % 32, t // 32
    mine = x[i] if i < x.size else np.int32(0)
    for d in (1, 2, 4, 8, 16):
        before = cuda.shfl_up_sync(0xFFFFFFFF, mine, d)
        if lane >= d:
            mine += before
    if lane == 31:
        part[warp] = mine
    cuda.syncthreads()
    for w in range(warp):
        mine += part[w]
    if i < x.size:
        out[i] = mine
    if t == cuda.blockDim.x - 1:
        totals[cuda.blockIdx.x] = mine
