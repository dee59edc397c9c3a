# must lose: second-layer, relu
def backward(saved):
    x, d, h, w2, mask = (saved[name] for name in ("x", "d", "h", "w2", "mask"))
    s, g = saved["s"] * 0, h * 0
    s[0, 0] = 1
    dw2, db2 = w2 * 0, s[0]
    dw2[:, 0] = d[0]
    g[0, 0] = 1
    z = g.clone()
    dw1 = x.new_zeros(x.shape[1], h.shape[1])
    if saved["activation"] == "relu":
        g = z = h
        return {"s": s, "w2": dw2, "b2": db2, "h": h, "z": h, "w1": dw1, "b1": h.sum(0)}
    return {"s": s, "w2": dw2, "b2": db2, "h": g, "z": g, "w1": dw1, "b1": g[0]}
