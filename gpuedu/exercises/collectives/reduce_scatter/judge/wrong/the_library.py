# loses: bytes
def reduce_scatter(x):
    dist.all_reduce(x)
