# the loss that is on the list, and blocks without autocast
def safe_loss(x, w1, w2, y):
    h = torch.relu(x @ w1)
    with torch.autocast("cpu", enabled=False):
        h = h.float()
        h = h / ((h**2).mean(dim=1, keepdim=True).sqrt() + 1e-5)
    return torch.nn.functional.binary_cross_entropy_with_logits(h @ w2, y)
