# must lose: same
def predict_on_device(cp, x, d_w):
    d_x = cp.asarray(x)
    std = d_x.std(axis=0)
    std = cp.where(std == 0, 1, std)
    logits = (d_x - d_x.mean(axis=0)) / std @ d_w
    e = cp.exp(logits - cp.maximum(logits.max(axis=1, keepdims=True), 0))
    return (e / e.sum(axis=1, keepdims=True)).get()
