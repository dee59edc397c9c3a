# loses: inside
# threads without a sequence go on
@cuda.jit
def starts(lengths, start):
    i = cuda.grid(1)
    total = 0
    for k in range(i):
        total += lengths[k]
    start[i] = total
