# loses: bytes
# asks: That is what you are building here, out of sends and receives.
def reduce_scatter(x):
    dist.all_reduce(x)
