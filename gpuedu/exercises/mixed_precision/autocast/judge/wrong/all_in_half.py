# loses: listed
# asks: For `h ** 2`: which list has `**`?
runs_in = {
    "x @ w": "float16",
    "torch.relu(x @ w)": "float16",
    "h + x": "float32",
    "h * h": "float16",
    "h ** 2": "float16",
    "h.sum()": "float16",
    "h.mean()": "float16",
    "torch.exp(h)": "float16",
    "torch.softmax(h, 1)": "float16",
    "F.layer_norm(h, (8,)) @ w": "float16",
    "F.cross_entropy(h, y)": "float16",
    "x.double() @ w.double()": "float64",
}


def safe_loss(x, w1, w2, y):
    h = torch.relu(x @ w1).float()
    size = (h * h).mean(dim=1, keepdim=True).sqrt()
    z = (h / (size + 1e-5)) @ w2
    p = torch.sigmoid(z.float())
    each = y * torch.log(p) + (1 - y) * torch.log(1 - p)
    return -each.mean()
