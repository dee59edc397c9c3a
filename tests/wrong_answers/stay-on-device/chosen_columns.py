# loses: hidden
# leaves constant columns out by a mask
def predict_on_device(cp, x, d_w):
    d_x = cp.asarray(x)
    std = d_x.std(axis=0)
    keep = std > 0
    z = (d_x[:, keep] - d_x[:, keep].mean(axis=0)) / std[keep]
    logits = z @ d_w[keep]
    e = cp.exp(logits - logits.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True)).get()
