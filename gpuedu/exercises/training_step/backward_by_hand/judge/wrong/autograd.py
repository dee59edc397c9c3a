# loses: scores
# has autograd do it
def backward(saved):
    with torch.enable_grad():
        d = saved["d"].clone().requires_grad_()
        w2 = saved["w2"].clone().requires_grad_()
        loss = torch.nn.functional.cross_entropy(d @ w2, saved["y"])
        loss.backward()
    return {"w2": w2.grad}
