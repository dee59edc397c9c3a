def backward(saved):
    x, y, h, d, s, w2 = (saved[name] for name in ("x", "y", "h", "d", "s", "w2"))
    n = len(y)
    rows = []
    for k in range(n):
        ds = torch.softmax(s[k], 0) / n
        ds[y[k]] -= 1 / n
        dh = (w2 @ ds) * saved["mask"][k] / saved["keep"]
        dz = dh * (h[k] > 0) if saved["activation"] == "relu" else dh * h[k] * (1 - h[k])
        rows.append((ds, dh, dz))
    ds, dh, dz = (torch.stack(column) for column in zip(*rows))
    dw2 = sum(torch.outer(d[k], ds[k]) for k in range(n))
    dw1 = sum(torch.outer(x[k], dz[k]) for k in range(n))
    return {"s": ds, "w2": dw2, "b2": ds.sum(0), "h": dh, "z": dz, "w1": dw1, "b1": dz.sum(0)}
