# loses: own-draws
# PyTorch's global one
def draw(count, height, width, size, generator):
    flips = torch.rand(count) < 0.5
    tops = torch.randint(height - size + 1, (count,))
    lefts = torch.randint(width - size + 1, (count,))
    return flips, tops, lefts
