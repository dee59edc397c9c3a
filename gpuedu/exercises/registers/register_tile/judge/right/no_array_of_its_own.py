# the factors in a number and one array
def make_matmul(t, side):
    @cuda.jit
    def matmul(a, b, c):
        a_tile = cuda.shared.array((side, 8), float32)
        b_tile = cuda.shared.array((8, side), float32)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        top, left = side * cuda.blockIdx.y, side * cuda.blockIdx.x
        sums = cuda.local.array((t, t), float32)
        own = cuda.local.array(t, float32)
        sums[:] = 0
        for first in range(0, a.shape[1], 8):
            fetch(a, top, first, a_tile)
            fetch(b, first, left, b_tile)
            cuda.syncthreads()
            for k in range(8):
                for i in range(t):
                    own[i] = b_tile[k, x + 16 * i]
                for i in range(t):
                    factor = a_tile[y + 16 * i, k]
                    for j in range(t):
                        sums[i, j] += factor * own[j]
            cuda.syncthreads()
        put(sums, c, top + y, left + x)

    return matmul
