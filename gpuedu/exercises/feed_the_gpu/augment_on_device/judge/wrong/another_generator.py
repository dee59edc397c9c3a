# loses: own-draws
# asks: Does every random number come from `generator`? `torch.rand(n, generator=generator)`.
def draw(count, height, width, size, generator):
    flips = torch.rand(count) < 0.5
    tops = torch.randint(height - size + 1, (count,))
    lefts = torch.randint(width - size + 1, (count,))
    return flips, tops, lefts
