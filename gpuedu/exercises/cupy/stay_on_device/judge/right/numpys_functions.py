# NumPy's functions on device arrays run on the device.
def predict_on_device(cp, x, d_w):
    d_x = cp.array(x)
    std = np.std(d_x, axis=0)
    std = np.where(std == 0, 1, std)
    logits = cp.matmul((d_x - np.mean(d_x, axis=0)) / std, d_w)
    e = np.exp(logits - np.max(logits, axis=1, keepdims=True))
    e /= e.sum(axis=1, keepdims=True)
    return cp.asnumpy(e)
