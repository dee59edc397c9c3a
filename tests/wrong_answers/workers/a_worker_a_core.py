# loses: knee
# as many workers as cores
def knee(read_s, decode_s, copy_s, step_s, cores):
    return cores
