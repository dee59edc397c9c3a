# each rank subtracts its own maximum, and sums what can't be summed
# loses: losses
# asks: The sums of exponentials are added up. Relative to which number is each of them?
def parallel_cross_entropy(scores, targets, first, vocabulary):
    words = torch.arange(first, first + scores.shape[1])
    scores = scores.masked_fill(words >= vocabulary, -1e9)
    top = scores.amax(1)
    exps = torch.exp(scores - top[:, None])
    place = targets - first
    mine = (place >= 0) & (place < scores.shape[1])
    found = torch.zeros_like(top)
    found[mine] = scores[mine, place[mine]] - top[mine]
    sums = torch.stack([exps.sum(1), found])
    dist.all_reduce(sums)
    gradient = exps / sums[0][:, None]
    gradient[mine, place[mine]] -= 1
    return sums[0].log() - sums[1], gradient
