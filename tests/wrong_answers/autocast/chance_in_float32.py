# loses: certain
# `.float()` in two places: from a score of 17 on the chance is 1 in float32, too
def safe_loss(x, w1, w2, yes):
    hidden = torch.relu(x @ w1).float()
    hidden = hidden / ((hidden * hidden).mean(dim=1, keepdim=True).sqrt() + 1e-5)
    chance = torch.sigmoid((hidden @ w2).float())
    return -(yes * torch.log(chance) + (1 - yes) * torch.log(1 - chance)).mean()
