# loses: enough
# who takes what is left over?
def blocks_for(n, threads):
    return n // threads
