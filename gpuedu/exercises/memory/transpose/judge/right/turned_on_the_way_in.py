# Columns go into the tile, rows come out.
@cuda.jit
def transpose(m, out):
    tile = cuda.shared.array((32, 32 + 1), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    top, left = cuda.blockIdx.y * 32, cuda.blockIdx.x * 32
    if top + y < m.shape[0] and left + x < m.shape[1]:
        tile[x, y] = m[top + y, left + x]
    cuda.syncthreads()
    if left + y < m.shape[1] and top + x < m.shape[0]:
        out[left + y, top + x] = tile[y, x]
