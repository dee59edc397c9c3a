# must lose: enough, smallest
def launch_share(launch_s, elements_per_s, n):
    return 0.0


def elements_for_share(launch_s, elements_per_s, share):
    # not rounded up if the fraction is below a tenth
    return int(launch_s * elements_per_s * (1 - share) / share + 0.9)
