# loses: empty
# the mean of no rows is NaN, and so is its product with 0
def moments(x):
    sums = torch.cat([x.mean(dim=0) * len(x), x.new_tensor([len(x)])])
    dist.all_reduce(sums)
    mean = sums[:-1] / sums[-1]
    squares = ((x - mean) ** 2).sum(dim=0)
    dist.all_reduce(squares)
    return mean, squares / sums[-1]
