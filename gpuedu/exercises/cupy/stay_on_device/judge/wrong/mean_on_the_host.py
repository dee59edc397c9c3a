# loses: in
# asks: What did the host have to do with that? Could it have been made on the device?
def predict_on_device(cp, x, d_w):
    mean, std = x.mean(axis=0), x.std(axis=0)
    std[std == 0] = 1
    z = (cp.asarray(x) - cp.asarray(mean)) / cp.asarray(std)
    logits = z @ d_w
    e = cp.exp(logits - logits.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True)).get()
