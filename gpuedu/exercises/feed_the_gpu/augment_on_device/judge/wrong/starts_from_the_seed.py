# loses: own-draws
# asks: Does every random number come from `generator`? `torch.rand(n, generator=generator)`.
def draw(count, height, width, size, generator):
    torch.manual_seed(generator.initial_seed())
    flips = torch.rand(count, device=generator.device) < 0.5
    tops = torch.randint(height - size + 1, (count,), device=generator.device)
    lefts = torch.randint(width - size + 1, (count,), device=generator.device)
    return flips, tops, lefts
