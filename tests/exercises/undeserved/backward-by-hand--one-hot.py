# must lose: scores
def backward(saved):
    x, y, h, d, s, w2 = (saved[name] for name in ("x", "y", "h", "d", "s", "w2"))
    mask, keep, activation = saved["mask"], saved["keep"], saved["activation"]
    ds = (s.softmax(dim=1) - torch.nn.functional.one_hot(y)) / len(y)
    dh = ds @ w2.T * mask / keep
    dz = dh * (h > 0) if activation == "relu" else dh * h * (1 - h)
    return {
        "s": ds,
        "w2": d.T @ ds,
        "b2": ds.sum(0),
        "h": dh,
        "z": dz,
        "w1": x.T @ dz,
        "b1": dz.sum(0),
    }
