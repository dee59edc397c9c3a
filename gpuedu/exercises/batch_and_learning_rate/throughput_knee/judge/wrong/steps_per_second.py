# loses: rate
# asks: That is steps per second. How many samples does a step take?
def samples_per_s(batch, launches, launch_s, fixed_s, per_sample_s):
    return 1 / max(launches * launch_s, fixed_s + batch * per_sample_s)
