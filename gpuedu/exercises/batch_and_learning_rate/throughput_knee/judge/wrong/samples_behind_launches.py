# loses: rate
# asks: There the samples begin when the last launch is out. The device works meanwhile: what
#   are the two things that run side by side?
def samples_per_s(batch, launches, launch_s, fixed_s, per_sample_s):
    return batch / (max(launches * launch_s, fixed_s) + batch * per_sample_s)
