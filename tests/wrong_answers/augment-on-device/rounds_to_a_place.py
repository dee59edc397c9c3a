# loses: positions
# the first and the last place get half of what the others get
def draw(count, height, width, size, generator):
    flips = torch.rand(count, generator=generator) < 0.5
    tops = (torch.rand(count, generator=generator) * (height - size)).round().long()
    lefts = (torch.rand(count, generator=generator) * (width - size)).round().long()
    return flips, tops, lefts
