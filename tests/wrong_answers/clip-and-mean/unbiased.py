# loses: moments
# divides by the rows less one
def moments(x):
    sums = torch.cat([x.sum(dim=0), x.new_tensor([len(x)])])
    dist.all_reduce(sums)
    mean = sums[:-1] / sums[-1]
    squares = ((x - mean) ** 2).sum(dim=0)
    dist.all_reduce(squares)
    return mean, squares / (sums[-1] - 1)
