# loses: empty
# a rank without samples does not come
def mean_loss(loss, samples):
    if samples == 0:
        return 0.0
    pair = torch.tensor([loss.item() * samples, samples])
    dist.all_reduce(pair)
    return (pair[0] / pair[1]).item()
