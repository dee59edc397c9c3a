# loses: stays
# asks: What is made without `device=` lies on the host. `device=generator.device` beside
#   `generator=generator` makes it where the generator is.
def draw(count, height, width, size, generator):
    flips = torch.rand(count, generator=generator) < 0.5
    tops = torch.randint(height - size + 1, (count,), generator=generator)
    lefts = torch.randint(width - size + 1, (count,), generator=generator)
    return flips, tops, lefts
