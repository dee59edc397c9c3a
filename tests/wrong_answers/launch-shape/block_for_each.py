# loses: no-spare
# a block for each element
def blocks_for(n, threads):
    return n
