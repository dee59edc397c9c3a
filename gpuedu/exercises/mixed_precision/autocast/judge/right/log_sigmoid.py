# instead of float32 for the chance, the logarithm of a sigmoid in one operation
def safe_loss(x, w1, w2, yes):
    h = torch.relu(x @ w1).float()
    size = (h * h).mean(dim=1, keepdim=True).sqrt()
    z = (h / (size + 1e-5)) @ w2
    log_sigmoid = torch.nn.functional.logsigmoid
    each = yes * log_sigmoid(z) + (1 - yes) * log_sigmoid(-z)
    return -each.mean()
