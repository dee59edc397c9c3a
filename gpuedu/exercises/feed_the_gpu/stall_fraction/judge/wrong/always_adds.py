# loses: step-time
# asks: Side by side, the longer one sets the pace.
def step_s(load_s, compute_s, overlap):
    return abs(load_s - compute_s) if overlap else load_s + compute_s
