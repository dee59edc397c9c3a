# loses: every
# only the first tile
@cuda.jit
def transpose(m, out):
    tile = cuda.shared.array((32, 33), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    if y < m.shape[0] and x < m.shape[1]:
        tile[y, x] = m[y, x]
    cuda.syncthreads()
    if y < out.shape[0] and x < out.shape[1]:
        out[y, x] = tile[x, y]
