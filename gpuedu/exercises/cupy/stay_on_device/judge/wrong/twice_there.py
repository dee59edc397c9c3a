# loses: in
# asks: What did the host have to do with that? Could it have been made on the device?
def predict_on_device(cp, x, d_w):
    std = cp.asarray(x).std(axis=0)
    std = cp.where(std == 0, 1, std)
    logits = (cp.asarray(x) - cp.asarray(x).mean(axis=0)) / std @ d_w
    e = cp.exp(logits - logits.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True)).get()
