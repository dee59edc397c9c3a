# loses: once
# asks: Each thread brings one element of each tile to `cuda.shared.array`, and reads the others'
#   from there. Which line of yours goes to global memory for each k?
@cuda.jit
def matmul(a, b, c):
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total
