# every rank gathers all scores
# loses: bytes
# asks: How many scores of each token does a rank hand over?
def parallel_cross_entropy(scores, targets, first, vocabulary):
    parts = [torch.empty_like(scores) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, scores.contiguous())
    whole = torch.cat(parts, dim=1)
    whole[:, vocabulary:] = -math.inf
    logs = torch.logsumexp(whole, dim=1)
    probabilities = torch.exp(whole - logs[:, None])
    rows = torch.arange(len(targets))
    probabilities[rows, targets] -= 1
    mine = probabilities[:, first : first + scores.shape[1]]
    return logs - whole[rows, targets], mine
