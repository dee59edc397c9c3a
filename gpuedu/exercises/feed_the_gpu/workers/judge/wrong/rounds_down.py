# loses: knee
# asks: What must the workers keep up with? And is a half worker more rounded up?
def knee(read_s, decode_s, copy_s, step_s, cores):
    return int((read_s + decode_s) / max(read_s, decode_s / cores, copy_s + step_s))
