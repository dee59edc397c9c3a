# loses: rate
# asks: The main process copies, and then waits for the step: these two add up.
def batches_per_s(workers, read_s, decode_s, copy_s, step_s, cores):
    if workers == 0:
        return 1 / (read_s + decode_s + copy_s + step_s)
    return 1 / max((read_s + decode_s) / workers, read_s, decode_s / cores, copy_s, step_s)
