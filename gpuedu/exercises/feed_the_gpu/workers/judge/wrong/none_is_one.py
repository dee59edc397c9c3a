# loses: no-workers
# asks: Without workers the main process does everything: read, decode, copy, step.
def batches_per_s(workers, read_s, decode_s, copy_s, step_s, cores):
    worker_s = (read_s + decode_s) / max(workers, 1)
    return 1 / max(worker_s, read_s, decode_s / cores, copy_s + step_s)
