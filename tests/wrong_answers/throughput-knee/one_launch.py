# loses: rate
# counts a single launch
def samples_per_s(batch, launches, launch_s, fixed_s, per_sample_s):
    return batch / max(launch_s, fixed_s + batch * per_sample_s)
