# loses: rate
# forgets how many samples a step takes
def samples_per_s(batch, launches, launch_s, fixed_s, per_sample_s):
    return 1 / max(launches * launch_s, fixed_s + batch * per_sample_s)
