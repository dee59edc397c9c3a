# loses: share
# asks: The rate is elements per second: how long do n elements take?
def launch_share(launch_s, elements_per_s, n):
    return launch_s / (launch_s + n * elements_per_s)
