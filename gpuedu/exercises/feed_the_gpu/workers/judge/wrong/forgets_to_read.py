# loses: rate
# asks: A worker reads its batch before it decodes it: for how long is it busy with one?
def batches_per_s(workers, read_s, decode_s, copy_s, step_s, cores):
    if workers == 0:
        return 1 / (read_s + decode_s + copy_s + step_s)
    return 1 / max(decode_s / workers, read_s, decode_s / cores, copy_s + step_s)
