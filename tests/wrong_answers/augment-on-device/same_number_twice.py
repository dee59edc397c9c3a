# loses: own-draws
# rows and columns from one random number
def draw(count, height, width, size, generator):
    flips = torch.rand(count, generator=generator) < 0.5
    u = torch.rand(count, generator=generator)
    tops, lefts = ((u * (side - size + 1)).long() for side in (height, width))
    return flips, tops, lefts
