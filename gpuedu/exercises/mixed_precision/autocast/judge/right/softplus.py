# the largest number is divided out first, and the loss comes from the scores
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
    h = torch.relu(x @ w1)
    h = h / h.amax(dim=1, keepdim=True).clamp(min=1e-3)
    h = h / (h * h).mean(dim=1, keepdim=True).sqrt()
    z = (h @ w2).float()
    return (torch.nn.functional.softplus(z) - y * z).mean()
