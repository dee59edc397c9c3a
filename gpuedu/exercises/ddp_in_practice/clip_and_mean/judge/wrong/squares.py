# loses: far
# asks: A mean of squares less the square of a mean: two numbers of 13 digits whose difference
#   lies beyond the 16 digits of a float64. Take the mean off *first*.
def moments(x):
    sums = torch.cat([x.sum(dim=0), (x**2).sum(dim=0), x.new_tensor([len(x)])])
    dist.all_reduce(sums)
    mean, squares = (sums[:-1] / sums[-1]).chunk(2)
    return mean, squares - mean**2
