# loses: positions
# asks: How far can the crop be moved?
def draw(count, height, width, size, generator):
    flips = torch.rand(count, generator=generator) < 0.5
    tops = torch.randint(height, (count,), generator=generator)
    lefts = torch.randint(width, (count,), generator=generator)
    return flips, tops, lefts
