# loses: certain
# asks: Some `1 - p` is 0 in float32, too: its next number below 1 is 6e-8 away. Which function
#   of PyTorch computes this loss from the score itself, without a chance?
def safe_loss(x, w1, w2, yes):
    hidden = torch.relu(x @ w1).float()
    hidden = hidden / ((hidden * hidden).mean(dim=1, keepdim=True).sqrt() + 1e-5)
    chance = torch.sigmoid((hidden @ w2).float())
    return -(yes * torch.log(chance) + (1 - yes) * torch.log(1 - chance)).mean()
