# loses: loss
# sends the count by itself
def mean_loss(loss, samples):
    total = torch.tensor(loss.item() * samples if samples else 0.0)
    count = torch.tensor(float(samples))
    dist.all_reduce(total)
    dist.all_reduce(count)
    return (total / count).item()
