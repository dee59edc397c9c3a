# loses: rate
# adds the host's time to the device's
def samples_per_s(batch, launches, launch_s, fixed_s, per_sample_s):
    return batch / (launches * launch_s + fixed_s + batch * per_sample_s)
