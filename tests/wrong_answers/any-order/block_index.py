# loses: any-order
# one thread a block is what it was written for
@cuda.jit
def starts(lengths, start):
    b = cuda.blockIdx.x
    if b < lengths.size:
        total = 0
        for k in range(b):
            total += lengths[k]
        start[b] = total
