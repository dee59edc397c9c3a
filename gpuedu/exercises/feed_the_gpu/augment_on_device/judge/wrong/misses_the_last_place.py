# loses: positions
# asks: There are 5 places, from 0 to 4, and all should be equally likely. `torch.randint(n,
#   ...)` draws from 0 to n - 1.
def draw(count, height, width, size, generator):
    flips = torch.rand(count, generator=generator) < 0.5
    tops = torch.randint(max(1, height - size), (count,), generator=generator)
    lefts = torch.randint(max(1, width - size), (count,), generator=generator)
    return flips, tops, lefts
