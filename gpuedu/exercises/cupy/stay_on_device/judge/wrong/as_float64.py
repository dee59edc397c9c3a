# loses: in
# asks: Was it made float64 before?
def predict_on_device(cp, x, d_w):
    d_x = cp.asarray(x.astype(np.float64))
    std = d_x.std(axis=0)
    std = cp.where(std == 0, 1, std)
    logits = (d_x - d_x.mean(axis=0)) / std @ d_w
    e = cp.exp(logits - logits.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True)).astype(np.float32).get()
