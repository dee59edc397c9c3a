# loses: jumps
# a barrier of the warp, not of the block
@cuda.jit
def jumps(x, out):
    s = cuda.shared.array(128, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    if i < x.size:
        s[t] = x[i]
    cuda.syncwarp()
    if i < x.size:
        before = s[max(t - 1, 0)]
        out[i] = s[t] - before
