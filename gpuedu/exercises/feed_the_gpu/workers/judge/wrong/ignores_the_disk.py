# loses: rate
# asks: All workers read from the same disk, which serves one at a time. What does it let
#   through?
def batches_per_s(workers, read_s, decode_s, copy_s, step_s, cores):
    if workers == 0:
        return 1 / (read_s + decode_s + copy_s + step_s)
    return 1 / max((read_s + decode_s) / workers, decode_s / cores, copy_s + step_s)
