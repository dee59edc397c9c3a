# loses: knee
# as many as are kept busy in full
def knee(read_s, decode_s, copy_s, step_s, cores):
    return int((read_s + decode_s) / max(read_s, decode_s / cores, copy_s + step_s))
