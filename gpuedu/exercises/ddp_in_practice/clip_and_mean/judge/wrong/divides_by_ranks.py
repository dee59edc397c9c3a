# loses: moments
# asks: That is the mean of the ranks' means: each counts alike.
def moments(x):
    both = torch.stack([x.mean(dim=0), x.var(dim=0, correction=0)])
    dist.all_reduce(both)
    mean, variance = both / dist.get_world_size()
    return mean, variance
