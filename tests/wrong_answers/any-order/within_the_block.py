# loses: any-order
# begins anew in each block
@cuda.jit
def starts(lengths, start):
    i = cuda.grid(1)
    if i < lengths.size:
        total = 0
        for k in range(cuda.blockIdx.x * cuda.blockDim.x, i):
            total += lengths[k]
        start[i] = total
