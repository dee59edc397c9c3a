# loses: positions
# the end is not included
def draw(count, height, width, size, generator):
    flips = torch.rand(count, generator=generator) < 0.5
    tops = torch.randint(max(1, height - size), (count,), generator=generator)
    lefts = torch.randint(max(1, width - size), (count,), generator=generator)
    return flips, tops, lefts
