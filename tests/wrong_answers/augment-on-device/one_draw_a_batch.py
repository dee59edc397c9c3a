# loses: own-draws
# the same crop for the whole batch
def draw(count, height, width, size, generator):
    flips = torch.rand(count, generator=generator) < 0.5
    tops = torch.randint(height - size + 1, (1,), generator=generator).expand(count)
    lefts = torch.randint(width - size + 1, (1,), generator=generator).expand(count)
    return flips, tops, lefts
