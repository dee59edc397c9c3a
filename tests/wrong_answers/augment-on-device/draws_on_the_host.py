# loses: stays
# no device: a generator of a GPU would be refused
def draw(count, height, width, size, generator):
    flips = torch.rand(count, generator=generator) < 0.5
    tops = torch.randint(height - size + 1, (count,), generator=generator)
    lefts = torch.randint(width - size + 1, (count,), generator=generator)
    return flips, tops, lefts
