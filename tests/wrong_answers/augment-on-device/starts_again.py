# loses: own-draws
# a copy of the generator, which itself never goes on
def draw(count, height, width, size, generator):
    own = torch.Generator(device=generator.device).manual_seed(generator.initial_seed())
    given = {"generator": own, "device": own.device}
    flips = torch.rand(count, **given) < 0.5
    tops = torch.randint(height - size + 1, (count,), **given)
    lefts = torch.randint(width - size + 1, (count,), **given)
    return flips, tops, lefts
