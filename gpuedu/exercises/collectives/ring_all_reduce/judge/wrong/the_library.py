# loses: bytes
def ring_all_reduce(x):
    dist.all_reduce(x)
