# must lose: relu
def backward(saved):
    x, d, h, w2, mask = (saved[name] for name in ("x", "d", "h", "w2", "mask"))
    s = saved["s"].softmax(1)
    s[torch.arange(len(s)), saved["y"]] -= 1
    s = s / len(s)
    return {"s": s, "w2": d.T @ s, "b2": s.sum(0), "h": h, "z": h, "w1": x.T @ h, "b1": h.sum(0)}
