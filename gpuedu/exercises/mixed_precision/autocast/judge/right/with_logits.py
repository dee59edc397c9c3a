# the loss that is on the list, and blocks without autocast
runs_in = {
    "x @ w": torch.float16,
    "torch.relu(x @ w)": torch.float16,
    "h + x": torch.float32,
    "h * h": torch.float16,
    "h ** 2": torch.float32,
    "h.sum()": torch.float32,
    "h.mean()": torch.float16,
    "torch.exp(h)": torch.float32,
    "torch.softmax(h, 1)": torch.float32,
    "F.layer_norm(h, (8,)) @ w": torch.float16,
    "F.cross_entropy(h, y)": torch.float32,
    "x.double() @ w.double()": torch.float64,
}


def safe_loss(x, w1, w2, y):
    h = torch.relu(x @ w1)
    with torch.autocast("cpu", enabled=False):
        h = h.float()
        h = h / ((h**2).mean(dim=1, keepdim=True).sqrt() + 1e-5)
    return torch.nn.functional.binary_cross_entropy_with_logits(h @ w2, y)
