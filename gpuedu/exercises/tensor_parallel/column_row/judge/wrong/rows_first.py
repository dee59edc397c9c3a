# the first matrix by rows, and gelu of a part of the sum
# loses: forward
# asks: `x @ w1` is a sum over the rows of `w1`. Is `gelu` of a sum the sum of each term's `gelu`?
def split(w1, w2):
    ranks, rank = dist.get_world_size(), dist.get_rank()
    return w1.tensor_split(ranks)[rank], w2.tensor_split(ranks, dim=1)[rank]


def _columns(x):
    return x.tensor_split(dist.get_world_size(), dim=1)[dist.get_rank()]


def mlp_forward(x, a, b, bias):
    whole = torch.zeros_like(x)
    _columns(whole).copy_(gelu(_columns(x) @ a) @ b)
    dist.all_reduce(whole)
    return whole + bias


def mlp_backward(x, a, b, dy):
    h = _columns(x) @ a
    dh = (_columns(dy) @ b.T) * gelu_slope(h)
    dx = torch.zeros_like(x)
    _columns(dx).copy_(dh @ a.T)
    dist.all_reduce(dx)
    return dx, _columns(x).T @ dh, gelu(h).T @ _columns(dy)
