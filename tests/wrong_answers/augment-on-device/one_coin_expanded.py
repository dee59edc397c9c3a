# loses: own-draws
# one coin for the batch
def draw(count, height, width, size, generator):
    given = {"generator": generator, "device": generator.device}
    flips = torch.rand(1, **given).expand(count) < 0.5
    tops = torch.randint(height - size + 1, (count,), **given)
    lefts = torch.randint(width - size + 1, (count,), **given)
    return flips, tops, lefts
