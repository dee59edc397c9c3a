# loses: no-spare
# adds one too many before it divides
def blocks_for(n, threads):
    return (n + threads) // threads
