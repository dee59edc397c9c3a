# must lose: one-copy
def copy_time(size_bytes, latency_s, bandwidth_bytes_per_s):
    return 0.0
def half_size(latency_s, bandwidth_bytes_per_s):
    return 0.0
def fit(sizes_bytes, times_s):
    return 0.0, 1.0
def send(tensors, copy):
    row = copy(torch.cat([tensor.reshape(-1) for tensor in tensors]) * 0)
    parts = row.split([tensor.numel() for tensor in tensors])
    return [part.view(tensor.shape) for part, tensor in zip(parts, tensors, strict=True)]
