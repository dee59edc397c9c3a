# must lose: one-copy
def copy_time(size_bytes, latency_s, bandwidth_bytes_per_s):
    return 0


def half_size(latency_s, bandwidth_bytes_per_s):
    return 0


def fit(sizes_bytes, times_s):
    return 1, 1


def send(tensors, copy):
    def is_plain(tensor):
        return tensor.ndim > 0 and tensor.is_contiguous()

    plain = [tensor.view(-1) for tensor in tensors if is_plain(tensor)]
    parts = iter(copy(torch.cat(plain)).split([len(one) for one in plain]) if plain else [])
    return [next(parts).view(t.shape) if is_plain(t) else copy(t) for t in tensors]
