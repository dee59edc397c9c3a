# least squares of PyTorch, whose numbers are tensors
def fit_ring(ranks, sizes_bytes, times_s):
    sizes, times = torch.from_numpy(sizes_bytes), torch.from_numpy(times_s)
    steps = 2 * (ranks - 1)
    rows = torch.stack([torch.full_like(sizes, steps), steps / ranks * sizes], dim=1)
    right = torch.ones(len(times), 1, dtype=times.dtype)
    found = torch.linalg.lstsq(rows / times[:, None], right, driver="gelsd").solution
    alpha, beta = found.flatten()
    return alpha, 1 / beta
