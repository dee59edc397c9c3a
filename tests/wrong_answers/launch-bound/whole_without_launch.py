# loses: share
# thinks that the whole is the work, and cuts at 1
def launch_share(launch_s, elements_per_s, n):
    return min(1, launch_s * elements_per_s / n)
