# loses: moments
# asks: That is the mean of the ranks' variances. And how far are their means apart?
def moments(x):
    own = x.mean(dim=0) if len(x) else torch.zeros_like(x.sum(dim=0))
    squares = ((x - own) ** 2).sum(dim=0)
    sums = torch.cat([x.sum(dim=0), squares, x.new_tensor([len(x)])])
    dist.all_reduce(sums)
    mean, variance = (sums[:-1] / sums[-1]).chunk(2)
    return mean, variance
