# must lose: scores, stable, second-layer, dropout, relu, sigmoid, first-layer
from torch.func import jacfwd
from torch.nn.functional import cross_entropy


def backward(saved):
    x, y, d, h, w2, s, mask = (saved[name] for name in ("x", "y", "d", "h", "w2", "s", "mask"))
    keep, loss = saved["keep"], lambda scores: cross_entropy(scores, y)
    from_h = lambda change: loss(s + (change * mask / keep) @ w2)
    if saved["activation"] == "relu":
        z = h
        act = torch.relu
    else:
        z = torch.logit(h, 1e-300)
        act = torch.sigmoid
    from_z = lambda change: from_h(act(z + change) - h)
    zero, first = torch.zeros_like(h), x.new_zeros(x.shape[1], h.shape[1])
    return {
        "s": jacfwd(loss)(s),
        "w2": jacfwd(lambda change: loss(s + d @ change))(torch.zeros_like(w2)),
        "b2": jacfwd(lambda change: loss(s + change))(torch.zeros_like(s[0])),
        "h": jacfwd(from_h)(zero),
        "z": jacfwd(from_z)(zero),
        "w1": jacfwd(lambda change: from_z(x @ change))(first),
        "b1": jacfwd(lambda change: from_z(change.expand_as(h)))(zero[0]),
    }
