# loses: bytes
# lets the library do it
def ring_all_reduce(x):
    dist.all_reduce(x)
