# must lose: stable
def backward(saved):
    x, y, h, d, s, w2 = (saved[name] for name in ("x", "y", "h", "d", "s", "w2"))
    mask, keep, activation = saved["mask"], saved["keep"], saved["activation"]
    ds = (s - s.amax(1, keepdim=True).clamp(min=0)).exp()
    ds = ds / ds.sum(1, keepdim=True)
    ds[torch.arange(len(y)), y] -= 1
    ds /= len(y)
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
