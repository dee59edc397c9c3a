# loses: own-draws
# asks: Is one random number used for both?
def draw(count, height, width, size, generator):
    flips = torch.rand(count, generator=generator) < 0.5
    u = torch.rand(count, generator=generator)
    tops, lefts = ((u * (side - size + 1)).long() for side in (height, width))
    return flips, tops, lefts
