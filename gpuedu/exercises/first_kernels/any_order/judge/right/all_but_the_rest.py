# All lengths, less those from its own on.
@cuda.jit
def starts(lengths, start):
    i = cuda.grid(1)
    if i < lengths.size:
        whole = 0
        for k in range(lengths.size):
            whole += lengths[k]
        for k in range(i, lengths.size):
            whole -= lengths[k]
        start[i] = whole
