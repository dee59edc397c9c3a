# loses: moments
# asks: What is summed at the same time fits into one tensor.
def moments(x):
    total, rows = x.sum(dim=0), x.new_tensor([len(x)])
    dist.all_reduce(total)
    dist.all_reduce(rows)
    mean = total / rows
    squares = ((x - mean) ** 2).sum(dim=0)
    dist.all_reduce(squares)
    return mean, squares / rows
