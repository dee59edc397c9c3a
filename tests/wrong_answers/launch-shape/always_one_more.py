# loses: no-spare
# adds a block where the division comes out even, too
def blocks_for(n, threads):
    return n // threads + 1
