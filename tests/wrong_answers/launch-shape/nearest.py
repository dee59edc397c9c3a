# loses: enough
# rounds to the nearest
def blocks_for(n, threads):
    return round(n / threads)
