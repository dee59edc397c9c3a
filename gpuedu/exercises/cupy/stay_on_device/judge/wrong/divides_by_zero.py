# loses: same
# asks: A column that never changes has a deviation of 0. What did the old code do then?
def predict_on_device(cp, x, d_w):
    d_x = cp.asarray(x)
    logits = (d_x - d_x.mean(axis=0)) / d_x.std(axis=0) @ d_w
    e = cp.exp(logits - logits.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True)).get()
