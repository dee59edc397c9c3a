# loses: knee
# asks: With 3 it is as fast already. What is the slowest then?
def knee(read_s, decode_s, copy_s, step_s, cores):
    return int(np.ceil((read_s + decode_s) / (copy_s + step_s)))
