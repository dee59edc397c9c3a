# rows, then columns
def augment(pictures, flips, tops, lefts, size, mean, std):
    count, channels, high, wide = pictures.shape
    steps = torch.arange(size, device=pictures.device)
    rows = (tops[:, None] + steps)[:, None, :, None].expand(-1, channels, -1, wide)
    cols = lefts[:, None] + torch.where(flips[:, None], steps.flip(0), steps)
    x = pictures.gather(2, rows).gather(3, cols[:, None, None].expand(-1, channels, size, -1))
    scale = 1 / (255 * std)
    return x * scale[:, None, None] - (mean / std)[:, None, None]


def draw(count, height, width, size, generator):
    given = {"generator": generator, "device": generator.device}
    flips = torch.randint(2, (count,), **given).bool()
    tops = torch.randint(0, height - size + 1, (count,), **given)
    lefts = torch.randint(0, width - size + 1, (count,), **given)
    return flips, tops, lefts
