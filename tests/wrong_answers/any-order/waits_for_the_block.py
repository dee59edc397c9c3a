# loses: any-order
# a barrier orders the threads of one block, not the blocks
@cuda.jit
def starts(lengths, start):
    i = cuda.grid(1)
    for step in range(cuda.blockDim.x):
        if cuda.threadIdx.x == step and i < lengths.size:
            if i == 0:
                start[i] = 0
            else:
                start[i] = start[i - 1] + lengths[i - 1]
        cuda.syncthreads()
