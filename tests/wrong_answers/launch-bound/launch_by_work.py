# loses: share
# divides by the work, not by the whole
def launch_share(launch_s, elements_per_s, n):
    return launch_s / (n / elements_per_s)
