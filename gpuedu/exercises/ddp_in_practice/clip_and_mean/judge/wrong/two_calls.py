# loses: loss
# asks: A tensor of two numbers travels as fast as one of one.
def mean_loss(loss, samples):
    total = torch.tensor(loss.item() * samples if samples else 0.0)
    count = torch.tensor(float(samples))
    dist.all_reduce(total)
    dist.all_reduce(count)
    return (total / count).item()
