# loses: positions
# asks: There are 5 places, from 0 to 4, and all should be equally likely.
def draw(count, height, width, size, generator):
    flips = torch.rand(count, generator=generator) < 0.5
    tops = (torch.rand(count, generator=generator) * (height - size)).round().long()
    lefts = (torch.rand(count, generator=generator) * (width - size)).round().long()
    return flips, tops, lefts
