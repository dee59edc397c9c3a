# loses: moments
# sends the number of rows by itself
def moments(x):
    total, rows = x.sum(dim=0), x.new_tensor([len(x)])
    dist.all_reduce(total)
    dist.all_reduce(rows)
    mean = total / rows
    squares = ((x - mean) ** 2).sum(dim=0)
    dist.all_reduce(squares)
    return mean, squares / rows
