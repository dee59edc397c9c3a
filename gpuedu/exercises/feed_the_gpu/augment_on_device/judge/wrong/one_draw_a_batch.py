# loses: own-draws
# asks: Does each picture draw for itself?
def draw(count, height, width, size, generator):
    flips = torch.rand(count, generator=generator) < 0.5
    tops = torch.randint(height - size + 1, (1,), generator=generator).expand(count)
    lefts = torch.randint(width - size + 1, (1,), generator=generator).expand(count)
    return flips, tops, lefts
