# every n-th column; a reduce and a broadcast instead of the all-reduce
def split(w1, w2):
    ranks, rank = dist.get_world_size(), dist.get_rank()
    return w1[:, rank::ranks], w2[rank::ranks, :]


def _summed(part):
    dist.reduce(part, 0)
    dist.broadcast(part, 0)
    return part


def mlp_forward(x, a, b, bias):
    return _summed(gelu(x.mm(a)).mm(b)).add(bias)


def mlp_backward(x, a, b, dy):
    before = x.mm(a)
    slope = gelu_slope(before) * dy.mm(b.t())
    return _summed(slope.mm(a.t())), x.t().mm(slope), gelu(before).t().mm(dy)
