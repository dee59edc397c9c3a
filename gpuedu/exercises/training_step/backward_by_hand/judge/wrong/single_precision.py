# loses: scores
# asks: About seven digits agree: is there a `.float()` or a float32 tensor? All is float64.
def backward(saved):
    x, y, h, d, s, w2 = (saved[name] for name in ("x", "y", "h", "d", "s", "w2"))
    mask, keep, activation = saved["mask"], saved["keep"], saved["activation"]
    ds = s.float().softmax(dim=1).double()
    ds[torch.arange(len(y)), y] -= 1
    ds /= len(y)
    dh = ds @ w2.T * mask / keep
    dz = dh * (h > 0) if activation == "relu" else dh * h * (1 - h)
    dw2, db2, dw1, db1 = d.T @ ds, ds.sum(0), x.T @ dz, dz.sum(0)
    return {"s": ds, "w2": dw2, "b2": db2, "h": dh, "z": dz, "w1": dw1, "b1": db1}
