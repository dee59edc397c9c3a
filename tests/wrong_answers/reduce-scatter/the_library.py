# loses: bytes
# sums everything by the library's all-reduce
def reduce_scatter(x):
    dist.all_reduce(x)
