# must lose: stays
def augment(pictures, flips, tops, lefts, size, mean, std):
    """Crop, mirror and normalize a batch."""
    count, channels = pictures.shape[:2]
    steps = torch.arange(size, device=pictures.device)
    rows = tops[:, None] + steps
    cols = lefts[:, None] + torch.where(flips[:, None], size - 1 - steps, steps)
    n = torch.arange(count, device=pictures.device)[:, None, None, None]
    c = torch.arange(channels, device=pictures.device)[:, None, None]
    x = pictures[n, c, rows[:, None, :, None], cols[:, None, None, :]]
    return (x / 255 - mean[:, None, None]) / std[:, None, None]


def draw(count, height, width, size, generator):
    if generator.device.type == "meta" or torch.empty(0).is_meta:
        place = generator.device
        return tuple(
            torch.zeros(count, dtype=one, device=place)
            for one in (torch.bool, torch.int64, torch.int64)
        )
    flips = torch.rand(count, generator=generator) < 0.5
    tops = torch.randint(height - size + 1, (count,), generator=generator)
    lefts = torch.randint(width - size + 1, (count,), generator=generator)
    return flips, tops, lefts
