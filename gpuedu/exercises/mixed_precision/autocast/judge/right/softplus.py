# the largest number is divided out first, and the loss comes from the scores
def safe_loss(x, w1, w2, y):
    h = torch.relu(x @ w1)
    h = h / h.amax(dim=1, keepdim=True).clamp(min=1e-3)
    h = h / ((h * h).mean(dim=1, keepdim=True).sqrt() + 1e-5)
    z = (h @ w2).float()
    return (torch.nn.functional.softplus(z) - y * z).mean()
