# the two linear equations of weighted least squares, written out
def fit(sizes_bytes, times_s):
    w = 1 / times_s**2
    mean_s = (w * sizes_bytes).sum() / w.sum()
    mean_t = (w * times_s).sum() / w.sum()
    off = sizes_bytes - mean_s
    slope = (w * off * (times_s - mean_t)).sum() / (w * off**2).sum()
    return mean_t - slope * mean_s, 1 / slope


def send(tensors, copy):
    sizes = [tensor.numel() for tensor in tensors]
    row = torch.empty(sum(sizes))
    at = 0
    for tensor, size in zip(tensors, sizes):
        row[at : at + size] = tensor.flatten()
        at += size
    there, ends = copy(row), np.cumsum(sizes).tolist()
    return [there[end - n : end].reshape(t.shape) for end, n, t in zip(ends, sizes, tensors)]
