# instead of float32 for the chance, the logarithm of a sigmoid in one operation
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


def safe_loss(x, w1, w2, yes):
    h = torch.relu(x @ w1).float()
    size = (h * h).mean(dim=1, keepdim=True).sqrt()
    z = (h / (size + 1e-5)) @ w2
    log_sigmoid = torch.nn.functional.logsigmoid
    each = yes * log_sigmoid(z) + (1 - yes) * log_sigmoid(-z)
    return -each.mean()
