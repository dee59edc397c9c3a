# loses: half
# asks: Only the two operations that break need float32. Is all of the model in a block without
#   autocast?
runs_in = {
    "x @ w": "float16",
    "torch.relu(x @ w)": "float16",
    "h + x": "float32",
    "h * h": "float16",
    "h ** 2": "float32",
    "h.sum()": "float32",
    "h.mean()": "float16",
    "torch.exp(h)": "float32",
    "torch.softmax(h, 1)": "float32",
    "F.layer_norm(h, (8,)) @ w": "float16",
    "F.cross_entropy(h, y)": "float32",
    "x.double() @ w.double()": "float64",
}


def safe_loss(x, w1, w2, y):
    h = torch.relu(x.double() @ w1.double())
    size = (h * h).mean(dim=1, keepdim=True).sqrt()
    z = (h / (size + 1e-5)) @ w2.double()
    p = torch.sigmoid(z.float())
    each = y * torch.log(p) + (1 - y) * torch.log(1 - p)
    return -each.mean()
