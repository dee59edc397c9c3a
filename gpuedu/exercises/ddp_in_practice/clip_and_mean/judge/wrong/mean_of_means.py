# loses: loss
# asks: That is the mean of the ranks' means: each counts alike.
def mean_loss(loss, samples):
    total = loss.clone()
    dist.all_reduce(total)
    return total.item() / dist.get_world_size()
