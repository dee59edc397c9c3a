# loses: rate
# asks: That is with host and device one after the other. Launches return at once: both work at
#   the same time.
def samples_per_s(batch, launches, launch_s, fixed_s, per_sample_s):
    return batch / (launches * launch_s + fixed_s + batch * per_sample_s)
