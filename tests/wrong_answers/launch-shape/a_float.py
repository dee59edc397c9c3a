# loses: enough
# a launch refuses 8.0
def blocks_for(n, threads):
    return np.ceil(n / threads)
