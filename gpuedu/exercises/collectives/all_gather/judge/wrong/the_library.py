# loses: ring
def all_gather(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    for other, chunk in enumerate(x.tensor_split(ranks)):
        if other != rank:
            chunk.zero_()
    dist.all_reduce(x)
