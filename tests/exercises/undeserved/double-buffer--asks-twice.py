# must lose: early
@cuda.jit
def matmul_twice(a, b, c):
    a_tile = cuda.shared.array((2, 64, 8), float32)
    b_tile = cuda.shared.array((2, 8, 64), float32)
    sums = cuda.local.array((4, 4), float32)
    coming = cuda.local.array((2, 2), float32)
    sums[:] = 0
    top, left = 64 * cuda.blockIdx.y, 64 * cuda.blockIdx.x
    ask(a, b, top, left, 0, coming)
    keep(coming, a_tile[0], b_tile[0])
    cuda.syncthreads()
    for first in range(0, a.shape[1], 8):
        now = first // 8 % 2
        coming[0, 0] = a[0, 0]
        use(a_tile[now], b_tile[now], sums)
        ask(a, b, top, left, first + 8, coming)
        keep(coming, a_tile[1 - now], b_tile[1 - now])
        cuda.syncthreads()
    put_four(sums, c, top + cuda.threadIdx.y, left + cuda.threadIdx.x)


matmul = matmul_twice
