# loses: out
# asks: Let the device do the last step too, and bring back what the caller wants.
def predict_on_device(cp, x, d_w):
    w = d_w.get()
    std = x.std(axis=0)
    std[std == 0] = 1
    logits = (x - x.mean(axis=0)) / std @ w
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)
