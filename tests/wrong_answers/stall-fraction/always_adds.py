# loses: step-time
# overlapped: what is left over
def step_s(load_s, compute_s, overlap):
    return abs(load_s - compute_s) if overlap else load_s + compute_s
