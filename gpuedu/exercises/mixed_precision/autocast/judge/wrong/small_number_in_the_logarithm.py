# loses: certain
# asks: Does it still compute the same loss?
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
    h = torch.relu(x @ w1).float()
    size = (h * h).mean(dim=1, keepdim=True).sqrt()
    z = (h / (size + 1e-5)) @ w2
    p = torch.sigmoid(z)
    each = y * torch.log(p + 1e-4) + (1 - y) * torch.log(1 - p + 1e-4)
    return -each.mean()
