# loses: share
# asks: That is launch over work. The share is of the whole time: launch plus work.
def launch_share(launch_s, elements_per_s, n):
    return min(1, launch_s * elements_per_s / n)
