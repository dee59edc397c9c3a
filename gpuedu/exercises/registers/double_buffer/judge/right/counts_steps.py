# a counter that flips, the last step behind the loop
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
    now = 0
    for first in range(0, a.shape[1] - 8, 8):
        ask(a, b, top, left, first + 8, coming)
        use(a_tile[now], b_tile[now], sums)
        keep(coming, a_tile[1 - now], b_tile[1 - now])
        cuda.syncthreads()
        now = 1 - now
    use(a_tile[now], b_tile[now], sums)
    put_four(sums, c, top + cuda.threadIdx.y, left + cuda.threadIdx.x)
