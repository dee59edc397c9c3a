# loses: knee
# keeps up with the device, whatever else is slower
def knee(read_s, decode_s, copy_s, step_s, cores):
    return int(np.ceil((read_s + decode_s) / (copy_s + step_s)))
